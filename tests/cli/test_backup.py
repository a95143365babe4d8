"""backup and restore: a verified snapshot, and no data lost when it is restored."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest
from tests.cli.runner import InProcessCli, run_on_terminal

from recollect import Memory
from recollect.adapters.sqlite.schema import APPLICATION_ID
from recollect.testing.embedders import LetterEmbedder

TEA_TEXT = "I like green tea with mint"
LATER_TEXT = "I moved to Porto in autumn"


@pytest.fixture
def cli_with_memories(cli: InProcessCli) -> InProcessCli:
    cli("add", TEA_TEXT)
    return cli


@pytest.fixture
def backup_file(cli_with_memories: InProcessCli) -> Path:
    """A backup of a memory file that was changed afterwards."""
    path = cli_with_memories.folder / "copy.db"
    assert cli_with_memories("backup", path).exit_code == 0
    cli_with_memories("add", LATER_TEXT)
    return path


def texts(cli: InProcessCli, db: Path | None = None) -> set[str]:
    listed = cli.run_raw("--db", db or cli.db, "memories", "list", "--json").payload
    return {each["memory"] for each in listed["results"]}


def find_replaced_files(cli: InProcessCli) -> list[Path]:
    return sorted(cli.folder.glob("memory.db.before-*"))


def modify_copy(path: Path, statement: str) -> None:
    """Modify a backup outside of recollect, and delete its manifest."""
    db = apsw.Connection(str(path))
    db.execute(statement)
    db.close()
    path.with_name(f"{path.name}.json").unlink()


def test_a_backup_has_a_manifest_and_is_readable_by_its_owner_only(cli_with_memories: InProcessCli) -> None:
    backup_payload = cli_with_memories.json("backup", cli_with_memories.folder / "copy.db")
    manifest = json.loads((cli_with_memories.folder / "copy.db.json").read_text("utf-8"))

    assert (backup_payload["users"], backup_payload["messages"], backup_payload["memories"]) == (1, 1, 1)
    assert backup_payload["rows"] == manifest["rows"]
    assert backup_payload["sha256"] == manifest["sha256"]
    assert {path.stat().st_mode & 0o777 for path in cli_with_memories.folder.glob("copy.db*")} == {0o600}
    assert {path.name for path in cli_with_memories.folder.glob("copy.db*")} == {"copy.db", "copy.db.json"}


def test_a_backup_can_be_opened_as_a_memory_file(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    assert texts(cli_with_memories, backup_file) == {TEA_TEXT}


def test_a_backup_in_a_folder_is_named_after_the_time(cli_with_memories: InProcessCli) -> None:
    folder = cli_with_memories.folder / "backups"
    folder.mkdir()

    backup_payload = Path(cli_with_memories.json("backup", folder)["file"])

    assert backup_payload.parent == folder
    assert backup_payload.name.startswith("memory-2")
    assert backup_payload.suffix == ".db"


def test_a_backup_overwrites_no_file(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    before = backup_file.read_bytes()

    result = cli_with_memories("backup", backup_file)

    assert result.exit_code == 4
    assert "never overwrites a file" in result.stderr
    assert backup_file.read_bytes() == before


def test_a_destination_that_cannot_be_written_is_an_error(cli_with_memories: InProcessCli) -> None:
    result = cli_with_memories("backup", cli_with_memories.folder / "nowhere" / "copy.db")

    assert result.exit_code == 1
    assert "cannot be written" in result.stderr


def test_a_backup_during_writes_is_a_consistent_snapshot(tmp_path: Path) -> None:
    stop, written_count = threading.Event(), 0
    with Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:

        def write() -> None:
            nonlocal written_count
            while not stop.is_set():
                memory.add([{"role": "user", "content": f"Sentence {written_count} of many."}], chat_id="c")
                written_count += 1

        writer = threading.Thread(target=write)
        writer.start()
        message_counts: list[int] = []
        try:
            for number in range(5):
                backup_file = memory.maintenance.backup(tmp_path / f"copy{number}.db")
                message_counts.append(backup_file.contents.messages)
        finally:
            stop.set()
            writer.join()

    assert message_counts == sorted(message_counts)
    for number, messages in enumerate(message_counts):
        with Memory(tmp_path / f"copy{number}.db", embedder=LetterEmbedder()) as copied:
            assert [each.content for each in copied.chats.messages("c", limit=100_000)] == [
                f"Sentence {place} of many." for place in range(messages)
            ]


def test_restoring_replaces_the_memory_file_and_keeps_the_previous_one(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    payload = cli_with_memories.json("restore", backup_file, "--yes")

    assert texts(cli_with_memories) == {TEA_TEXT}
    assert [str(path) for path in find_replaced_files(cli_with_memories)] == [payload["kept"]]
    assert texts(cli_with_memories, find_replaced_files(cli_with_memories)[0]) == {TEA_TEXT, LATER_TEXT}
    assert cli_with_memories.db.stat().st_mode & 0o777 == 0o600
    assert cli_with_memories.json("doctor", "--deep")["ok"]


def test_a_backup_can_be_restored_to_a_new_file(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    elsewhere = cli_with_memories.folder / "new" / "memory.db"

    result = cli_with_memories.run_raw("--db", elsewhere, "restore", backup_file, "--yes")

    assert result.exit_code == 0
    assert texts(cli_with_memories, elsewhere) == {TEA_TEXT}


def test_the_contents_of_a_backup_are_shown_before_confirmation(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    code, output = run_on_terminal("--db", cli_with_memories.db, "restore", backup_file, keystrokes=b"n\n")

    assert code == 4
    assert "messages" in output
    assert "will be back" in output
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_restoring_without_a_terminal_needs_yes(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    assert cli_with_memories("restore", backup_file).exit_code == 4
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_restoring_is_refused_while_a_server_has_the_file_open(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    words = [
        sys.executable,
        "-m",
        "recollect",
        "--db",
        str(cli_with_memories.db),
        "--json",
        "up",
        "--port",
        "0",
        "--no-browser",
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ}) as server:
        assert server.stdout is not None
        server.stdout.readline()
        result = cli_with_memories("restore", backup_file, "--yes")
        server.terminate()

    assert result.exit_code == 4
    assert "open: a server" in result.stderr
    assert find_replaced_files(cli_with_memories) == []
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_restoring_is_refused_while_this_process_has_the_file_open(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    with Memory(cli_with_memories.db, embedder=LetterEmbedder()):
        assert cli_with_memories("restore", backup_file, "--yes").exit_code == 4


def test_a_backup_of_a_newer_recollect_is_refused(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    modify_copy(backup_file, "PRAGMA user_version = 999")

    result = cli_with_memories("restore", backup_file, "--yes")

    assert result.exit_code == 1
    assert "newer version" in result.stderr
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_a_backup_whose_bytes_changed_is_refused(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    whole = bytearray(backup_file.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    backup_file.write_bytes(whole)

    result = cli_with_memories("restore", backup_file, "--yes")

    assert result.exit_code == 1
    assert "does not match the SHA-256 in its manifest" in result.stderr
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_a_damaged_backup_without_a_manifest_is_refused(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    backup_file.with_name("copy.db.json").unlink()
    whole = backup_file.read_bytes()
    backup_file.write_bytes(whole[: len(whole) // 2])

    result = cli_with_memories("restore", backup_file, "--yes")

    assert result.exit_code == 1
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_a_backup_that_lost_its_manifest_is_restored_with_a_warning(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    backup_file.with_name("copy.db.json").unlink()

    result = cli_with_memories("restore", backup_file, "--yes")

    assert result.exit_code == 0
    assert "no manifest" in result.stderr
    assert texts(cli_with_memories) == {TEA_TEXT}


def test_an_invalid_manifest_is_an_error(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    backup_file.with_name("copy.db.json").write_text("[]", "utf-8")

    result = cli_with_memories("restore", backup_file, "--yes")

    assert result.exit_code == 1
    assert "copy.db.json" in result.stderr


def test_a_memory_file_in_use_is_refused_as_a_backup(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    with Memory(cli_with_memories.folder / "other.db", embedder=LetterEmbedder()) as other:
        other.add("Still in the log")
        result = cli_with_memories("restore", cli_with_memories.folder / "other.db", "--yes")

    assert result.exit_code == 4
    assert "in use" in result.stderr


@pytest.mark.parametrize(("name", "code"), [("nothing.db", 3), ("notes.txt", 1), ("memory.db", 4)])
def test_a_file_that_is_not_a_backup_is_refused(
    cli_with_memories: InProcessCli, name: str, code: int
) -> None:
    (cli_with_memories.folder / "notes.txt").write_text("These are notes and no memory.", "utf-8")

    assert cli_with_memories("restore", cli_with_memories.folder / name, "--yes").exit_code == code
    assert texts(cli_with_memories) == {TEA_TEXT}


def test_an_unreadable_memory_file_is_kept_and_replaced(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    cli_with_memories.db.write_bytes(b"this was a memory once" * 1000)

    assert cli_with_memories("restore", backup_file, "--yes").exit_code == 0
    assert texts(cli_with_memories) == {TEA_TEXT}
    assert find_replaced_files(cli_with_memories)[0].read_bytes().startswith(b"this was a memory once")


def test_a_backup_from_before_the_first_release_is_refused(cli_with_memories: InProcessCli) -> None:
    old, known = cli_with_memories.folder / "old.db", texts(cli_with_memories)
    db = apsw.Connection(str(old))
    db.execute(
        f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 11;"
        " CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL);"
        " INSERT INTO migrations (number, name) VALUES (1, 'create_messages')"
    )
    db.close()

    result = cli_with_memories("restore", old, "--yes")

    assert result.exit_code == 1
    assert "before 0.1" in result.stderr
    assert texts(cli_with_memories) == known
