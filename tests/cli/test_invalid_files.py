"""Invalid memory files: every command reports them and leaves them unchanged."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest
from tests.cli.runner import CommandResult, InProcessCli

COMMANDS = (("memories", "list"), ("search", "x"), ("add", "some words"), ("maintenance", "repair"))


def assert_failed(result: CommandResult, kind: str) -> None:
    assert result.exit_code == 1
    assert result.payload["error"]["type"] == kind
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("words", COMMANDS)
def test_a_file_that_is_not_a_database_is_refused_and_unchanged(
    cli: InProcessCli, words: tuple[str, ...]
) -> None:
    cli.db.write_text("Dear diary, today I learned about databases.", "utf-8")

    assert_failed(cli(*words, "--json"), "NotAStore")
    assert cli.db.read_text("utf-8") == "Dear diary, today I learned about databases."


@pytest.mark.parametrize("words", COMMANDS)
def test_a_database_of_another_program_is_refused_and_unchanged(
    cli: InProcessCli, words: tuple[str, ...]
) -> None:
    cli.db.unlink()
    with closing(apsw.Connection(str(cli.db))) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")

    assert_failed(cli(*words, "--json"), "NotAStore")
    with closing(apsw.Connection(str(cli.db))) as other:
        assert other.execute("SELECT name FROM sqlite_schema").fetchall() == [("recipes",)]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_file_of_a_newer_recollect_is_refused(cli: InProcessCli, words: tuple[str, ...]) -> None:
    cli("add", "some words")
    with closing(apsw.Connection(str(cli.db))) as other:
        other.execute("PRAGMA user_version = 9999")

    assert_failed(cli(*words, "--json"), "NewerStore")


@pytest.mark.parametrize("path", ["a-file/memory.db", "/proc/recollect/memory.db"])
def test_an_unwritable_path_is_reported(cli: InProcessCli, path: str) -> None:
    Path("a-file").write_text("in the way", "utf-8")
    result = cli.run_raw("--db", path, "add", "some words", "--json")

    assert_failed(result, "StoreReadOnly")
    assert path in result.stderr


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    # Use the same SQLite library: two libraries in one process do not see each other's locks.
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


def test_a_locked_file_is_busy_after_the_timeout(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_BUSY_TIMEOUT_MS", "100")
    cli("add", "some words")
    with lock_file(cli.db):
        result = cli("add", "some other words", "--json")

    assert_failed(result, "StoreBusy")
    assert "Try again" in result.stderr
    assert len(cli.json("memories", "list")["results"]) == 1


def test_reads_work_while_another_process_writes(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_BUSY_TIMEOUT_MS", "100")
    cli("add", "some words")
    with lock_file(cli.db):
        memories = cli.json("memories", "list")["results"]

    assert len(memories) == 1
