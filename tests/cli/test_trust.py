"""recollect trust, --config, and warnings about a settings file in the current folder."""

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


def test_every_command_warns_about_ignored_settings_of_an_untrusted_file(
    cli: InProcessCli, file: Path
) -> None:
    answers = [cli(*words) for words in (["memories"], ["add", "I like tea."], ["chats"], ["settings"])]

    assert [result.exit_code for result in answers] == [0, 0, 0, 0]
    for result in answers:
        [warning] = [line for line in result.stderr.splitlines() if line.startswith("Warning:")]
        assert str(file.absolute()) in warning
        assert "user, model_key," in warning
        assert "`recollect trust`" in warning
    assert user(cli) == "default"


def test_an_untrusted_file_cannot_choose_the_database(cli: InProcessCli) -> None:
    Path("recollect.toml").write_text('db = "evil.db"\n', "utf-8")
    result = cli.run_raw("add", "My PIN is in the drawer.")

    assert result.exit_code == 0
    assert not Path("evil.db").exists()


@pytest.mark.parametrize("content", [b"[recall]\nlimt = 3\n", b"nonsense", b"\xff", b"x" * 500_000])
def test_an_invalid_file_in_the_current_folder_stops_no_command(cli: InProcessCli, content: bytes) -> None:
    Path("recollect.toml").write_bytes(content)

    for words in (["memories"], ["chats"], ["add", "I like tea."], ["settings", "--json"]):
        result = cli(*words)
        assert result.exit_code == 0
        assert result.stderr.count("Warning:") == 1
    assert cli("doctor").exit_code == 5


def test_trust_shows_the_settings_of_the_file_and_applies_them(cli: InProcessCli, file: Path) -> None:
    result = cli("trust", "--yes")

    assert result.exit_code == 0
    assert [word in result.stderr for word in ("user", "ana", "recall.limit", "sk-secret")] == [
        True,
        True,
        True,
        False,
    ]
    assert str(file.absolute()) in result.stdout
    assert user(cli) == "ana"
    assert "Warning" not in cli("memories", "list").stderr


def test_a_changed_file_must_be_trusted_again(cli: InProcessCli, file: Path) -> None:
    cli("trust", "--yes")
    file.write_text('user = "mallory"\n', "utf-8")

    assert user(cli) == "default"
    assert "changed since it was trusted" in cli("memories", "list").stderr


def test_trusting_without_a_terminal_needs_yes(cli: InProcessCli, file: Path) -> None:
    result = cli("trust")

    assert result.exit_code == 4
    assert "--yes" in result.stderr
    assert user(cli) == "default"
    assert file.exists()


@pytest.mark.parametrize(("keystrokes", "code", "user_id"), [(b"y\n", 0, "ana"), (b"n\n", 4, "default")])
def test_on_a_terminal_trusting_asks_for_confirmation(
    cli: InProcessCli, file: Path, keystrokes: bytes, code: int, user_id: str
) -> None:
    exit_code, output = run_on_terminal("trust", keystrokes=keystrokes, env=dict(os.environ))

    assert exit_code == code
    assert "ana" in output
    assert file.name in output
    assert user(cli) == user_id


def test_trusted_files_are_listed_and_revoked(cli: InProcessCli, file: Path) -> None:
    cli("trust", "--yes")
    trusted_list = cli.json("trust", "--list")
    file.write_text('user = "mallory"\n', "utf-8")
    changed_list = cli.json("trust", "--list")
    file.unlink()
    missing_list = cli.json("trust", "--list")
    revoke_payload = cli.json("trust", "--revoke")
    second_result = cli("trust", "--revoke")

    path = str(file.absolute())
    assert trusted_list == {"results": [{"file": path, "state": "trusted"}]}
    assert changed_list == {"results": [{"file": path, "state": "changed"}]}
    assert missing_list == {"results": [{"file": path, "state": "missing"}]}
    assert revoke_payload == {"file": path, "trusted": False}
    assert cli.json("trust", "--list") == {"results": []}
    assert second_result.exit_code == 3


def test_another_folder_can_be_given(cli: InProcessCli, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = file.absolute().parent
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    payload = cli.json("trust", folder, "--yes")
    monkeypatch.chdir(folder)

    assert payload["file"] == str(folder / "recollect.toml")
    assert {"name": "model_key", "value": "••••", "needs_trust": True} in payload["settings"]
    assert {"name": "recall.limit", "value": 3, "needs_trust": False} in payload["settings"]
    assert user(cli) == "ana"


@pytest.mark.parametrize(("content", "code"), [(None, 3), (b"nonsense", 2), (b"limt = 3\n", 2)])
def test_a_missing_or_invalid_file_cannot_be_trusted(
    cli: InProcessCli, content: bytes | None, code: int
) -> None:
    if content is not None:
        Path("recollect.toml").write_bytes(content)

    assert cli("trust", "--yes").exit_code == code
    assert cli.json("trust", "--list") == {"results": []}


def test_a_config_file_is_the_only_file_read_and_needs_no_trust(cli: InProcessCli, file: Path) -> None:
    Path("mine.toml").write_text('user = "eva"\n', "utf-8")
    before = cli.run_raw("--db", cli.db, "--config", "mine.toml", "settings", "get", "user", "--json")
    after = cli("settings", "get", "user", "--json", "--config", str(file))

    assert (before.payload["value"], before.stderr) == ("eva", "")
    assert (after.payload["value"], after.stderr) == ("ana", "")


@pytest.mark.parametrize("content", [None, b"nonsense", b"limt = 3\n"])
@pytest.mark.parametrize("words", [["memories"], ["settings"]])
def test_an_invalid_config_file_is_an_error(
    cli: InProcessCli, content: bytes | None, words: list[str]
) -> None:
    if content is not None:
        Path("mine.toml").write_bytes(content)
    result = cli("--config", "mine.toml", *words)

    assert result.exit_code == 2
    assert "mine.toml" in result.stderr
