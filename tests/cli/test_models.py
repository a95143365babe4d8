import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli

from recollect.adapters.onnx.model_files import BGE_SMALL, find_in_wheel
from recollect.cli.model_registry import registry_file

MEMORY_TEXTS = ("I ride a red bicycle to work every day", "My two cats are called Pixel and Byte")
PORTUGUESE_TEXTS = [
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
    files = find_in_wheel(BGE_SMALL)
    copy = tmp_path / "my-bge"
    copy.mkdir()
    (copy / "model.onnx").symlink_to(files.network)
    (copy / "tokenizer.json").symlink_to(files.tokenizer)
    return copy


@pytest.fixture
def cli_with_memories(cli: InProcessCli, own_file: Path) -> InProcessCli:
    for text in MEMORY_TEXTS:
        cli("add", text)
    return cli


def model_rows(cli: InProcessCli) -> dict[str, tuple[object, ...]]:
    listed = cli.json("models")["results"]
    return {each["name"]: (each["in_use"], each["vectors"], each["waiting"]) for each in listed}


def test_the_list_says_which_model_answers_and_what_each_has_made(cli_with_memories: InProcessCli) -> None:
    shown = cli_with_memories("models", "list")

    assert model_rows(cli_with_memories) == {"bundled": (False, 0, None), "hashing": (True, 4, 0)}
    assert shown.stdout.splitlines()[0].split() == ["name", "model", "dimension", "vectors", "pending"]
    assert "in use" in shown.stdout
    assert "384" in shown.stdout


@pytest.mark.spec("U5", "T7", "E21")
def test_a_folder_is_added_and_moved_to_and_left_again(
    cli_with_memories: InProcessCli, folder: Path, own_file: Path
) -> None:
    added = cli_with_memories.json("models", "add", "mine", folder)
    moved = cli_with_memories.json("models", "use", "mine")
    there = model_rows(cli_with_memories)
    found = cli_with_memories.json("search", "bicycle")
    well = cli_with_memories("doctor")
    text = own_file.read_text("utf-8")
    back = cli_with_memories("models", "use", "hashing")

    assert (added["dimension"], added["id"].startswith("my-bge-"), 0 < added["floor"] < 1) == (
        384,
        True,
        True,
    )
    assert (moved["passages"], moved["id"], moved["done"]) == (4, added["id"], True)
    assert there == {"bundled": (False, 0, None), "hashing": (False, 0, None), "mine": (True, 4, 0)}
    assert found["results"][0]["memory"] == MEMORY_TEXTS[0]
    assert well.exit_code == 0
    assert text.startswith(
        f'# mine\nembedder_model = "BAAI/bge-small-en-v1.5"\nembedder = "{folder}" # quick\n'
    )
    assert text.endswith("[recall]\nlimit = 7\n")
    assert back.exit_code == 0
    assert model_rows(cli_with_memories)["hashing"] == (True, 4, 0)


@pytest.mark.spec("U5")
def test_a_move_without_waiting_leaves_the_old_model_answering_until_a_worker_comes(
    cli_with_memories: InProcessCli, own_file: Path
) -> None:
    moved = cli_with_memories.json("models", "use", "bundled", "--no-wait")
    listed = {each["name"]: each for each in cli_with_memories.json("models")["results"]}
    during = cli_with_memories.json("search", "red bicycle")["results"][0]
    cli_with_memories("worker", "--once")

    assert (moved["done"], moved["passages"]) == (False, 4)
    assert (listed["bundled"]["moving_to"], listed["bundled"]["waiting"]) == (True, 4)
    assert (listed["hashing"]["in_use"], during["parts"]["dense"] > 0) == (True, True)
    assert model_rows(cli_with_memories) == {"bundled": (True, 4, 0), "hashing": (False, 0, None)}


@pytest.mark.spec("U5")
def test_everybody_in_the_file_moves(cli_with_memories: InProcessCli) -> None:
    cli_with_memories("--user", "bruno", "add", "I hate rain")
    cli_with_memories("models", "use", "bundled")

    assert {
        each["name"]: each["vectors"]
        for each in cli_with_memories.json("--user", "bruno", "models")["results"]
    } == {
        "bundled": 2,
        "hashing": 0,
    }


def test_a_move_that_fails_says_why_and_keeps_the_old_vectors_in_use(
    cli_with_memories: InProcessCli, folder: Path, own_file: Path
) -> None:
    cli_with_memories("models", "add", "mine", folder)
    (folder / "tokenizer.json").unlink()
    answer = cli_with_memories("models", "use", "mine")
    during = cli_with_memories.json("search", "red bicycle")["results"][0]

    assert answer.exit_code == 1
    assert "old vectors were kept and stay in use" in answer.stderr
    assert during["parts"]["dense"] > 0


@pytest.mark.parametrize("lacks", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_a_model_is_not_added(
    cli_with_memories: InProcessCli, folder: Path, lacks: str
) -> None:
    (folder / lacks).unlink()
    answer = cli_with_memories("models", "add", "mine", folder)

    assert answer.exit_code == 1
    assert lacks in answer.stderr
    assert "mine" not in model_rows(cli_with_memories)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere"], "Folder nowhere does not exist"),
        (["intfloat/multilingual-e5-small"], 'pip install "recollect[fastembed]"'),
        (["any/model", "--with", "sentence-transformers"], 'pip install "recollect[sentence-transformers]"'),
        (["any/model", "--with", "magic"], "Unknown package magic"),
    ],
)
def test_what_cannot_be_fetched_is_refused_with_a_way_out(
    cli_with_memories: InProcessCli, words: list[str], complaint: str
) -> None:
    answer = cli_with_memories("models", "add", "mine", *words)

    assert answer.exit_code in {1, 2}
    assert complaint in answer.stderr


FAKE_PACKAGE_SOURCE = """
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
def _installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of that name is installed for the length of a test."""
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "fastembed.py").write_text(FAKE_PACKAGE_SOURCE, "utf-8")
    monkeypatch.syspath_prepend(packages)
    yield
    sys.modules.pop("fastembed", None)


@pytest.mark.usefixtures("_installed_package")
def test_a_model_of_the_hub_is_fetched_only_when_that_was_agreed_to(cli_with_memories: InProcessCli) -> None:
    asked = cli_with_memories("models", "add", "far", "some/model")
    added = cli_with_memories.json("models", "add", "far", "some/model", "--yes")

    assert asked.exit_code != 0
    assert "may download some/model" in asked.stderr
    assert (added["id"], added["dimension"]) == ("fastembed:some/model", 3)
    assert cli_with_memories.json("models", "use", "far")["passages"] == 4
    assert model_rows(cli_with_memories)["far"] == (True, 4, 0)


@pytest.mark.parametrize("name", ["bundled", "hashing"])
def test_the_names_of_built_in_models_are_taken(
    cli_with_memories: InProcessCli, folder: Path, name: str
) -> None:
    assert cli_with_memories("models", "add", name, folder).exit_code == 2


def test_an_unknown_model_is_refused_with_the_names_there_are(cli_with_memories: InProcessCli) -> None:
    answer = cli_with_memories("models", "use", "mine")

    assert answer.exit_code == 3
    assert "bundled, hashing" in answer.stderr


def test_a_stronger_setting_is_named_before_anything_is_changed(
    cli_with_memories: InProcessCli, own_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = own_file.read_text("utf-8")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    by_variable = cli_with_memories("models", "use", "bundled")
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    (cli_with_memories.folder / "recollect.toml").write_text('embedder = "hashing"\n', "utf-8")
    cli_with_memories("trust", "--yes")
    by_file = cli_with_memories("models", "use", "bundled")

    assert (by_variable.exit_code, by_file.exit_code) == (2, 2)
    assert "RECOLLECT_EMBEDDER" in by_variable.stderr
    assert "recollect.toml" in by_file.stderr
    assert own_file.read_text("utf-8") == before
    assert model_rows(cli_with_memories)["hashing"] == (True, 4, 0)


def test_a_list_that_cannot_be_read_is_said_so(cli_with_memories: InProcessCli) -> None:
    registry_file().parent.mkdir(parents=True, exist_ok=True)
    registry_file().write_text("nonsense", "utf-8")

    assert "Delete the file and add the models again" in cli_with_memories("models").stderr


def test_the_doctor_suggests_another_model_to_those_who_do_not_write_english(
    cli: InProcessCli, own_file: Path
) -> None:
    own_file.unlink()
    lines = [
        {"role": "user", "content": f"{text}, {number}"} for number in range(4) for text in PORTUGUESE_TEXTS
    ]
    (cli.folder / "said.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    cli("add", "--file", "said.jsonl")
    answer = cli("doctor")
    [line] = [line for line in answer.stdout.splitlines() if "language" in line]

    assert answer.exit_code == 0
    assert "12 of the last 12 messages are not English" in line
    assert "recollect models add" in line


def test_the_doctor_is_silent_about_the_language_of_those_who_write_english(
    cli: InProcessCli, own_file: Path
) -> None:
    own_file.unlink()
    for number in range(12):
        cli("add", "--no-wait", "--role", "user", f"{MEMORY_TEXTS[0]}, and that was trip number {number}")

    assert not [line for line in cli("doctor").stdout.splitlines() if "language" in line]
