from dataclasses import replace
from pathlib import Path

import pytest

from recollect.adapters.onnx.model_files import (
    BGE_SMALL,
    MINILM_RERANKER,
    PinnedModel,
    file_sha256,
    find_in_folder,
    find_in_wheel,
)
from recollect.errors import ModelMissing

OTHER_SHA256 = "0" * 64


@pytest.mark.parametrize("model", [BGE_SMALL, MINILM_RERANKER], ids=lambda model: model.model_id)
def test_the_pinned_models_are_in_the_wheel_with_their_digests(model: PinnedModel) -> None:
    files = find_in_wheel(model)

    assert (files.network.name, files.tokenizer.name) == ("model.onnx", "tokenizer.json")


@pytest.mark.parametrize(
    ("changed", "file"),
    [
        (replace(BGE_SMALL, network_sha256=OTHER_SHA256), "model.onnx"),
        (replace(BGE_SMALL, tokenizer_sha256=OTHER_SHA256), "tokenizer.json"),
    ],
)
def test_weights_with_another_digest_are_refused_with_a_remedy(changed: PinnedModel, file: str) -> None:
    with pytest.raises(ModelMissing, match=rf"(?s){file}.*not the ones.*000000000000.*--force-reinstall"):
        find_in_wheel(changed)


def test_a_wheel_that_is_not_installed_is_named_with_the_command_that_installs_it() -> None:
    with pytest.raises(ModelMissing, match="pip install no_such_wheel=="):
        find_in_wheel(BGE_SMALL, wheel="no_such_wheel")


def test_a_wheel_without_the_model_is_a_missing_model() -> None:
    with pytest.raises(ModelMissing, match="There is no model in"):
        find_in_wheel(replace(BGE_SMALL, folder="elsewhere"))


@pytest.mark.parametrize("name", ["model.onnx", "onnx/model.onnx", "model_quantized.onnx"])
def test_a_network_is_found_under_its_usual_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    (tmp_path / "tokenizer.json").touch()

    assert find_in_folder(tmp_path).network == tmp_path / name


def test_a_changed_file_gets_a_new_digest(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"one")
    before = file_sha256(file)
    file.write_bytes(b"three")

    assert file_sha256(file) != before
