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
    """The user's settings file; no embedder is set in the environment."""
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    path = tmp_path / "home" / "recollect" / "recollect.toml"
    path.parent.mkdir(parents=True)
    path.write_text('# mine\nembedder = "hashing" # quick\n\n[recall]\nlimit = 7\n', "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model folder as downloaded, with links instead of copies of the weights."""
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
    models = cli.json("settings", "models")["results"]
    return {each["name"]: (each["in_use"], each["vectors"], each["waiting"]) for each in models}


def test_models_are_listed_with_use_and_vectors(cli_with_memories: InProcessCli) -> None:
    text_result = cli_with_memories("settings", "models", "list")

    assert model_rows(cli_with_memories) == {"bundled": (False, 0, None), "hashing": (True, 4, 0)}
    assert text_result.stdout.splitlines()[0].split() == ["name", "model", "dimension", "vectors", "pending"]
    assert "in use" in text_result.stdout
    assert "384" in text_result.stdout


@pytest.mark.spec("U5", "T7", "E21")
def test_a_model_folder_is_added_and_switched_to_and_back(
    cli_with_memories: InProcessCli, folder: Path, own_file: Path
) -> None:
    add_payload = cli_with_memories.json("settings", "models", "add", "mine", folder)
    use_payload = cli_with_memories.json("settings", "models", "use", "mine")
    rows_after = model_rows(cli_with_memories)
    search_payload = cli_with_memories.json("search", "bicycle")
    doctor_result = cli_with_memories("doctor")
    text = own_file.read_text("utf-8")
    second_use = cli_with_memories("settings", "models", "use", "hashing")

    assert (
        add_payload["dimension"],
        add_payload["id"].startswith("my-bge-"),
        0 < add_payload["floor"] < 1,
    ) == (
        384,
        True,
        True,
    )
    assert (use_payload["passages"], use_payload["id"], use_payload["done"]) == (4, add_payload["id"], True)
    assert rows_after == {"bundled": (False, 0, None), "hashing": (False, 0, None), "mine": (True, 4, 0)}
    assert search_payload["results"][0]["memory"] == MEMORY_TEXTS[0]
    assert doctor_result.exit_code == 0
    assert text.startswith(
        f'# mine\nembedder_model = "BAAI/bge-small-en-v1.5"\nembedder = "{folder}" # quick\n'
    )
    assert text.endswith("[recall]\nlimit = 7\n")
    assert second_use.exit_code == 0
    assert model_rows(cli_with_memories)["hashing"] == (True, 4, 0)


@pytest.mark.spec("U5")
def test_with_no_wait_the_old_model_is_used_until_a_worker_has_reembedded(
    cli_with_memories: InProcessCli, own_file: Path
) -> None:
    use_payload = cli_with_memories.json("settings", "models", "use", "bundled", "--no-wait")
    models = {each["name"]: each for each in cli_with_memories.json("settings", "models")["results"]}
    best = cli_with_memories.json("search", "red bicycle")["results"][0]
    cli_with_memories("worker", "--once")

    assert (use_payload["done"], use_payload["passages"]) == (False, 4)
    assert (models["bundled"]["moving_to"], models["bundled"]["waiting"]) == (True, 4)
    assert (models["hashing"]["in_use"], best["parts"]["dense"] > 0) == (True, True)
    assert model_rows(cli_with_memories) == {"bundled": (True, 4, 0), "hashing": (False, 0, None)}


@pytest.mark.spec("U5")
def test_all_users_of_the_file_are_switched(cli_with_memories: InProcessCli) -> None:
    cli_with_memories("--user", "bruno", "add", "I hate rain")
    cli_with_memories("settings", "models", "use", "bundled")

    assert {
        each["name"]: each["vectors"]
        for each in cli_with_memories.json("--user", "bruno", "settings", "models")["results"]
    } == {
        "bundled": 2,
        "hashing": 0,
    }


def test_a_failed_switch_keeps_the_old_vectors_in_use(
    cli_with_memories: InProcessCli, folder: Path, own_file: Path
) -> None:
    cli_with_memories("settings", "models", "add", "mine", folder)
    (folder / "tokenizer.json").unlink()
    result = cli_with_memories("settings", "models", "use", "mine")
    best = cli_with_memories.json("search", "red bicycle")["results"][0]

    assert result.exit_code == 1
    assert "old vectors were kept and stay in use" in result.stderr
    assert best["parts"]["dense"] > 0


@pytest.mark.parametrize("missing_file", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_a_model_is_not_added(
    cli_with_memories: InProcessCli, folder: Path, missing_file: str
) -> None:
    (folder / missing_file).unlink()
    result = cli_with_memories("settings", "models", "add", "mine", folder)

    assert result.exit_code == 1
    assert missing_file in result.stderr
    assert "mine" not in model_rows(cli_with_memories)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["nowhere"], "Folder nowhere does not exist"),
        (["intfloat/multilingual-e5-small"], 'pip install "recollect[fastembed]"'),
        (["any/model", "--with", "sentence-transformers"], 'pip install "recollect[sentence-transformers]"'),
        (["any/model", "--with", "magic"], "Unknown package magic"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_refused_with_a_hint(
    cli_with_memories: InProcessCli, words: list[str], error: str
) -> None:
    result = cli_with_memories("settings", "models", "add", "mine", *words)

    assert result.exit_code in {1, 2}
    assert error in result.stderr


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
    """Put a fake fastembed package on the path for one test."""
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "fastembed.py").write_text(FAKE_PACKAGE_SOURCE, "utf-8")
    monkeypatch.syspath_prepend(packages)
    yield
    sys.modules.pop("fastembed", None)


@pytest.mark.usefixtures("_installed_package")
def test_a_model_is_downloaded_only_after_confirmation(cli_with_memories: InProcessCli) -> None:
    refused_result = cli_with_memories("settings", "models", "add", "far", "some/model")
    add_payload = cli_with_memories.json("settings", "models", "add", "far", "some/model", "--yes")

    assert refused_result.exit_code != 0
    assert "may download some/model" in refused_result.stderr
    assert (add_payload["id"], add_payload["dimension"]) == ("fastembed:some/model", 3)
    assert cli_with_memories.json("settings", "models", "use", "far")["passages"] == 4
    assert model_rows(cli_with_memories)["far"] == (True, 4, 0)


@pytest.mark.parametrize("name", ["bundled", "hashing"])
def test_names_of_built_in_models_are_refused(
    cli_with_memories: InProcessCli, folder: Path, name: str
) -> None:
    assert cli_with_memories("settings", "models", "add", name, folder).exit_code == 2


def test_an_unknown_model_is_refused_with_the_known_names(cli_with_memories: InProcessCli) -> None:
    result = cli_with_memories("settings", "models", "use", "mine")

    assert result.exit_code == 3
    assert "bundled, hashing" in result.stderr


def test_an_overriding_setting_is_reported_before_any_change(
    cli_with_memories: InProcessCli, own_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = own_file.read_text("utf-8")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    by_variable = cli_with_memories("settings", "models", "use", "bundled")
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    (cli_with_memories.folder / "recollect.toml").write_text('embedder = "hashing"\n', "utf-8")
    cli_with_memories("trust", "--yes")
    by_file = cli_with_memories("settings", "models", "use", "bundled")

    assert (by_variable.exit_code, by_file.exit_code) == (2, 2)
    assert "RECOLLECT_EMBEDDER" in by_variable.stderr
    assert "recollect.toml" in by_file.stderr
    assert own_file.read_text("utf-8") == before
    assert model_rows(cli_with_memories)["hashing"] == (True, 4, 0)


def test_an_invalid_model_registry_is_an_error(cli_with_memories: InProcessCli) -> None:
    registry_file().parent.mkdir(parents=True, exist_ok=True)
    registry_file().write_text("nonsense", "utf-8")

    assert "Delete the file and add the models again" in cli_with_memories("settings", "models").stderr


def test_the_doctor_suggests_a_multilingual_model_for_other_languages(
    cli: InProcessCli, own_file: Path
) -> None:
    own_file.unlink()
    lines = [
        {"role": "user", "content": f"{text}, {number}"} for number in range(4) for text in PORTUGUESE_TEXTS
    ]
    (cli.folder / "said.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    cli("add", "--file", "said.jsonl")
    result = cli("doctor")
    [line] = [line for line in result.stdout.splitlines() if "language" in line]

    assert result.exit_code == 0
    assert "12 of the last 12 messages are not English" in line
    assert "recollect settings models add" in line


def test_the_doctor_does_not_mention_the_language_for_english(cli: InProcessCli, own_file: Path) -> None:
    own_file.unlink()
    for number in range(12):
        cli("add", "--no-wait", "--role", "user", f"{MEMORY_TEXTS[0]}, and that was trip number {number}")

    assert not [line for line in cli("doctor").stdout.splitlines() if "language" in line]
