"""recollect trust, --config, and what commands say of a file in the current folder."""

import os
from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli, run_on_terminal


@pytest.fixture
def file() -> Path:
    path = Path("recollect.toml")
    path.write_text('user = "ana"\nmodel_key = "sk-secret"\n[recall]\nlimit = 3\n', "utf-8")
    return path


def user(cli: InProcessCli) -> str:
    return str(cli.json("settings", "get", "user")["value"])


def test_every_command_warns_of_what_an_untrusted_file_sets_and_goes_on(
    cli: InProcessCli, file: Path
) -> None:
    answers = [cli(*words) for words in (["list"], ["add", "I like tea."], ["stats"], ["settings"])]

    assert [answer.exit_code for answer in answers] == [0, 0, 0, 0]
    for answer in answers:
        [warning] = [line for line in answer.stderr.splitlines() if line.startswith("Warning:")]
        assert str(file.absolute()) in warning
        assert "user, model_key," in warning
        assert "`recollect trust`" in warning
    assert user(cli) == "default"


def test_what_an_untrusted_file_chooses_is_not_written_to(cli: InProcessCli) -> None:
    Path("recollect.toml").write_text('db = "evil.db"\n', "utf-8")
    answer = cli.run_raw("add", "My PIN is in the drawer.")

    assert answer.exit_code == 0
    assert not Path("evil.db").exists()


@pytest.mark.parametrize("content", [b"[recall]\nlimt = 3\n", b"nonsense", b"\xff", b"x" * 500_000])
def test_a_broken_file_in_the_current_folder_stops_no_command(cli: InProcessCli, content: bytes) -> None:
    Path("recollect.toml").write_bytes(content)

    for words in (["list"], ["version"], ["add", "I like tea."], ["settings", "--json"]):
        answer = cli(*words)
        assert answer.exit_code == 0
        assert answer.stderr.count("Warning:") == 1
    assert cli("doctor").exit_code == 5


def test_trust_shows_what_the_file_sets_and_makes_it_count(cli: InProcessCli, file: Path) -> None:
    answer = cli("trust", "--yes")

    assert answer.exit_code == 0
    assert [word in answer.stderr for word in ("user", "ana", "recall.limit", "sk-secret")] == [
        True,
        True,
        True,
        False,
    ]
    assert str(file.absolute()) in answer.stdout
    assert user(cli) == "ana"
    assert "Warning" not in cli("list").stderr


def test_a_changed_file_must_be_trusted_again(cli: InProcessCli, file: Path) -> None:
    cli("trust", "--yes")
    file.write_text('user = "mallory"\n', "utf-8")

    assert user(cli) == "default"
    assert "changed since it was trusted" in cli("list").stderr


def test_without_an_answer_nothing_is_trusted(cli: InProcessCli, file: Path) -> None:
    answer = cli("trust")

    assert answer.exit_code == 4
    assert "--yes" in answer.stderr
    assert user(cli) == "default"
    assert file.exists()


@pytest.mark.parametrize(("typed", "code", "user_id"), [(b"y\n", 0, "ana"), (b"n\n", 4, "default")])
def test_somebody_at_a_terminal_is_asked(
    cli: InProcessCli, file: Path, typed: bytes, code: int, user_id: str
) -> None:
    ended, seen = run_on_terminal("trust", keystrokes=typed, env=dict(os.environ))

    assert ended == code
    assert "ana" in seen
    assert file.name in seen
    assert user(cli) == user_id


def test_trusted_files_are_listed_and_revoked(cli: InProcessCli, file: Path) -> None:
    cli("trust", "--yes")
    listed = cli.json("trust", "--list")
    file.write_text('user = "mallory"\n', "utf-8")
    changed = cli.json("trust", "--list")
    file.unlink()
    gone = cli.json("trust", "--list")
    revoked = cli.json("trust", "--revoke")
    again = cli("trust", "--revoke")

    path = str(file.absolute())
    assert listed == {"results": [{"file": path, "state": "trusted"}]}
    assert changed == {"results": [{"file": path, "state": "changed"}]}
    assert gone == {"results": [{"file": path, "state": "missing"}]}
    assert revoked == {"file": path, "trusted": False}
    assert cli.json("trust", "--list") == {"results": []}
    assert again.exit_code == 3


def test_another_folder_can_be_named(cli: InProcessCli, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = file.absolute().parent
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    shape = cli.json("trust", folder, "--yes")
    monkeypatch.chdir(folder)

    assert shape["file"] == str(folder / "recollect.toml")
    assert {"name": "model_key", "value": "••••", "needs_trust": True} in shape["settings"]
    assert {"name": "recall.limit", "value": 3, "needs_trust": False} in shape["settings"]
    assert user(cli) == "ana"


@pytest.mark.parametrize(("content", "code"), [(None, 3), (b"nonsense", 2), (b"limt = 3\n", 2)])
def test_a_file_that_is_missing_or_broken_cannot_be_trusted(
    cli: InProcessCli, content: bytes | None, code: int
) -> None:
    if content is not None:
        Path("recollect.toml").write_bytes(content)

    assert cli("trust", "--yes").exit_code == code
    assert cli.json("trust", "--list") == {"results": []}


def test_a_file_named_with_config_is_read_alone_and_in_full(cli: InProcessCli, file: Path) -> None:
    Path("mine.toml").write_text('user = "eva"\n', "utf-8")
    before = cli.run_raw("--db", cli.db, "--config", "mine.toml", "settings", "get", "user", "--json")
    after = cli("settings", "get", "user", "--json", "--config", str(file))

    assert (before.payload["value"], before.stderr) == ("eva", "")
    assert (after.payload["value"], after.stderr) == ("ana", "")


@pytest.mark.parametrize("content", [None, b"nonsense", b"limt = 3\n"])
@pytest.mark.parametrize("words", [["list"], ["version"]])
def test_a_broken_file_named_with_config_is_an_error(
    cli: InProcessCli, content: bytes | None, words: list[str]
) -> None:
    if content is not None:
        Path("mine.toml").write_bytes(content)
    answer = cli("--config", "mine.toml", *words)

    assert answer.exit_code == 2
    assert "mine.toml" in answer.stderr
