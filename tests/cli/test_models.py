import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.runner import Cli

from recollect.adapters.onnx.model_files import BGE_SMALL, in_wheel
from recollect.cli.model_registry import registry_file

TEXTS = ("I ride a red bicycle to work every day", "My two cats are called Pixel and Byte")
PORTUGUESE = [
    "Eu gosto muito de cozinhar ao domingo com a minha família",
    "Amanhã tenho uma reunião com o chefe às nove horas",
    "O meu cão chama-se Rex e tem três anos",
]


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own settings file; the environment says nothing of embedders."""
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    path = tmp_path / "home" / "recollect" / "recollect.toml"
    path.parent.mkdir(parents=True)
    path.write_text('# mine\nembedder = "hashing" # quick\n\n[recall]\nlimit = 7\n', "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as one would download it, without copying the weights."""
    files = in_wheel(BGE_SMALL)
    copy = tmp_path / "my-bge"
    copy.mkdir()
    (copy / "model.onnx").symlink_to(files.network)
    (copy / "tokenizer.json").symlink_to(files.tokenizer)
    return copy


@pytest.fixture
def told(cli: Cli, own_file: Path) -> Cli:
    for text in TEXTS:
        cli("add", text)
    return cli


def rows(cli: Cli) -> dict[str, tuple[object, ...]]:
    listed = cli.json("models")["results"]
    return {each["name"]: (each["in_use"], each["vectors"], each["waiting"]) for each in listed}


def test_the_list_says_which_model_answers_and_what_each_has_made(told: Cli) -> None:
    shown = told("models", "list")

    assert rows(told) == {"bundled": (False, 0, None), "hashing": (True, 4, 0)}
    assert shown.out.splitlines()[0].split() == ["name", "model", "dimension", "vectors", "waiting"]
    assert "in use" in shown.out
    assert "384" in shown.out


@pytest.mark.spec("U5", "T7", "E21")
def test_a_folder_is_added_and_moved_to_and_left_again(told: Cli, folder: Path, own_file: Path) -> None:
    added = told.json("models", "add", "mine", folder)
    moved = told.json("models", "use", "mine")
    there = rows(told)
    found = told.json("search", "bicycle")
    well = told("doctor")
    text = own_file.read_text("utf-8")
    back = told("models", "use", "hashing")

    assert (added["dimension"], added["id"].startswith("my-bge-"), 0 < added["floor"] < 1) == (
        384,
        True,
        True,
    )
    assert (moved["passages"], moved["id"], moved["done"]) == (4, added["id"], True)
    assert there == {"bundled": (False, 0, None), "hashing": (False, 0, None), "mine": (True, 4, 0)}
    assert found["results"][0]["memory"] == TEXTS[0]
    assert well.code == 0
    assert text.startswith(
        f'# mine\nembedder_model = "BAAI/bge-small-en-v1.5"\nembedder = "{folder}" # quick\n'
    )
    assert text.endswith("[recall]\nlimit = 7\n")
    assert back.code == 0
    assert rows(told)["hashing"] == (True, 4, 0)


@pytest.mark.spec("U5")
def test_a_move_without_waiting_leaves_the_old_model_answering_until_a_worker_comes(
    told: Cli, own_file: Path
) -> None:
    moved = told.json("models", "use", "bundled", "--no-wait")
    listed = {each["name"]: each for each in told.json("models")["results"]}
    during = told.json("search", "red bicycle")["results"][0]
    told("worker", "--once")

    assert (moved["done"], moved["passages"]) == (False, 4)
    assert (listed["bundled"]["moving_to"], listed["bundled"]["waiting"]) == (True, 4)
    assert (listed["hashing"]["in_use"], during["parts"]["dense"] > 0) == (True, True)
    assert rows(told) == {"bundled": (True, 4, 0), "hashing": (False, 0, None)}


@pytest.mark.spec("U5")
def test_everybody_in_the_file_moves(told: Cli) -> None:
    told("--user", "bruno", "add", "I hate rain")
    told("models", "use", "bundled")

    assert {each["name"]: each["vectors"] for each in told.json("--user", "bruno", "models")["results"]} == {
        "bundled": 2,
        "hashing": 0,
    }


def test_a_move_that_fails_says_why_and_keeps_the_old_vectors_in_use(
    told: Cli, folder: Path, own_file: Path
) -> None:
    told("models", "add", "mine", folder)
    (folder / "tokenizer.json").unlink()
    answer = told("models", "use", "mine")
    during = told.json("search", "red bicycle")["results"][0]

    assert answer.code == 1
    assert "old vectors were kept and stay in use" in answer.err
    assert during["parts"]["dense"] > 0


@pytest.mark.parametrize("lacks", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_a_model_is_not_added(told: Cli, folder: Path, lacks: str) -> None:
    (folder / lacks).unlink()
    answer = told("models", "add", "mine", folder)

    assert answer.code == 1
    assert lacks in answer.err
    assert "mine" not in rows(told)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere"], "There is no folder nowhere"),
        (["intfloat/multilingual-e5-small"], 'pip install "recollect[fastembed]"'),
        (["any/model", "--with", "sentence-transformers"], 'pip install "recollect[sentence-transformers]"'),
        (["any/model", "--with", "magic"], "There is no package magic"),
    ],
)
def test_what_cannot_be_fetched_is_refused_with_a_way_out(
    told: Cli, words: list[str], complaint: str
) -> None:
    answer = told("models", "add", "mine", *words)

    assert answer.code in {1, 2}
    assert complaint in answer.err


FAKE_PACKAGE = """
class TextEmbedding:
    def __init__(self, name, threads):
        self.name = name

    def passage_embed(self, texts):
        return [[1.0 + sum(map(ord, text)) % 97, 1.0 + len(text), 3.0] for text in texts]

    query_embed = passage_embed

    def token_count(self, texts):
        return min(len(texts.split()), 512)
"""


@pytest.fixture
def _with_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of that name is installed for the length of a test."""
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "fastembed.py").write_text(FAKE_PACKAGE, "utf-8")
    monkeypatch.syspath_prepend(packages)
    yield
    sys.modules.pop("fastembed", None)


@pytest.mark.usefixtures("_with_a_package")
def test_a_model_of_the_hub_is_fetched_only_when_that_was_agreed_to(told: Cli) -> None:
    asked = told("models", "add", "far", "some/model")
    added = told.json("models", "add", "far", "some/model", "--yes")

    assert asked.code != 0
    assert "may download some/model" in asked.err
    assert (added["id"], added["dimension"]) == ("fastembed:some/model", 3)
    assert told.json("models", "use", "far")["passages"] == 4
    assert rows(told)["far"] == (True, 4, 0)


@pytest.mark.parametrize("name", ["bundled", "hashing"])
def test_the_names_of_built_in_models_are_taken(told: Cli, folder: Path, name: str) -> None:
    assert told("models", "add", name, folder).code == 2


def test_an_unknown_model_is_refused_with_the_names_there_are(told: Cli) -> None:
    answer = told("models", "use", "mine")

    assert answer.code == 3
    assert "bundled, hashing" in answer.err


def test_a_stronger_setting_is_named_before_anything_is_changed(
    told: Cli, own_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = own_file.read_text("utf-8")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    by_variable = told("models", "use", "bundled")
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    (told.folder / "recollect.toml").write_text('embedder = "hashing"\n', "utf-8")
    told("trust", "--yes")
    by_file = told("models", "use", "bundled")

    assert (by_variable.code, by_file.code) == (2, 2)
    assert "RECOLLECT_EMBEDDER" in by_variable.err
    assert "recollect.toml" in by_file.err
    assert own_file.read_text("utf-8") == before
    assert rows(told)["hashing"] == (True, 4, 0)


def test_a_list_that_cannot_be_read_is_said_so(told: Cli) -> None:
    registry_file().parent.mkdir(parents=True, exist_ok=True)
    registry_file().write_text("nonsense", "utf-8")

    assert "Delete it and add them again" in told("models").err


def test_the_doctor_suggests_another_model_to_those_who_do_not_write_english(
    cli: Cli, own_file: Path
) -> None:
    own_file.unlink()
    lines = [{"role": "user", "content": f"{text}, {number}"} for number in range(4) for text in PORTUGUESE]
    (cli.folder / "said.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    cli("add", "--file", "said.jsonl")
    answer = cli("doctor")
    [line] = [line for line in answer.out.splitlines() if "language" in line]

    assert answer.code == 0
    assert "12 of the last 12 messages are not English" in line
    assert "recollect models add" in line


def test_the_doctor_is_silent_about_the_language_of_those_who_write_english(cli: Cli, own_file: Path) -> None:
    own_file.unlink()
    for number in range(12):
        cli("add", "--no-wait", "--role", "user", f"{TEXTS[0]}, and that was trip number {number}")

    assert not [line for line in cli("doctor").out.splitlines() if "language" in line]
