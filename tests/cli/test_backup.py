"""backup and restore: a copy of one moment, looked through; and nothing lost when it is put back."""

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
from recollect.adapters.sqlite.schema import migrate
from recollect.adapters.sqlite.tokenizer import make_tokenizer
from recollect.testing.embedders import LetterEmbedder

TEA_TEXT = "I like green tea with mint"
LATER_TEXT = "I moved to Porto in autumn"


@pytest.fixture
def cli_with_memories(cli: InProcessCli) -> InProcessCli:
    cli("add", TEA_TEXT)
    return cli


@pytest.fixture
def backup_file(cli_with_memories: InProcessCli) -> Path:
    """A backup of a memory in which something was said since."""
    path = cli_with_memories.folder / "copy.db"
    assert cli_with_memories("backup", path).exit_code == 0
    cli_with_memories("add", LATER_TEXT)
    return path


def texts(cli: InProcessCli, db: Path | None = None) -> set[str]:
    listed = cli.run_raw("--db", db or cli.db, "list", "--json").payload
    return {each["memory"] for each in listed["results"]}


def find_replaced_files(cli: InProcessCli) -> list[Path]:
    return sorted(cli.folder.glob("memory.db.before-*"))


def modify_copy(path: Path, statement: str) -> None:
    """Change a copy behind recollect's back, and take its manifest away."""
    db = apsw.Connection(str(path))
    db.execute(statement)
    db.close()
    path.with_name(f"{path.name}.json").unlink()


def test_a_copy_says_what_it_holds_and_only_its_owner_can_read_it(cli_with_memories: InProcessCli) -> None:
    made = cli_with_memories.json("backup", cli_with_memories.folder / "copy.db")
    manifest = json.loads((cli_with_memories.folder / "copy.db.json").read_text("utf-8"))

    assert (made["users"], made["messages"], made["memories"]) == (1, 1, 1)
    assert made["rows"] == manifest["rows"]
    assert made["sha256"] == manifest["sha256"]
    assert {path.stat().st_mode & 0o777 for path in cli_with_memories.folder.glob("copy.db*")} == {0o600}
    assert {path.name for path in cli_with_memories.folder.glob("copy.db*")} == {"copy.db", "copy.db.json"}


def test_a_copy_is_a_memory_like_any_other(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    assert texts(cli_with_memories, backup_file) == {TEA_TEXT}


def test_in_a_folder_a_copy_is_named_by_the_time(cli_with_memories: InProcessCli) -> None:
    folder = cli_with_memories.folder / "backups"
    folder.mkdir()

    made = Path(cli_with_memories.json("backup", folder)["file"])

    assert made.parent == folder
    assert made.name.startswith("memory-2")
    assert made.suffix == ".db"


def test_nothing_is_overwritten(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    before = backup_file.read_bytes()

    answer = cli_with_memories("backup", backup_file)

    assert answer.exit_code == 4
    assert "never overwrites" in answer.stderr
    assert backup_file.read_bytes() == before


def test_where_nothing_can_be_written_that_is_said(cli_with_memories: InProcessCli) -> None:
    answer = cli_with_memories("backup", cli_with_memories.folder / "nowhere" / "copy.db")

    assert answer.exit_code == 1
    assert "cannot be written" in answer.stderr


def test_a_copy_that_is_made_while_others_write_is_of_one_moment(tmp_path: Path) -> None:
    stop, written = threading.Event(), 0
    with Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:

        def write() -> None:
            nonlocal written
            while not stop.is_set():
                memory.add([{"role": "user", "content": f"Sentence {written} of many."}], chat_id="c")
                written += 1

        writer = threading.Thread(target=write)
        writer.start()
        seen: list[int] = []
        try:
            for number in range(5):
                made = memory.backup(tmp_path / f"copy{number}.db")
                assert isinstance(made["messages"], int)
                seen.append(made["messages"])
        finally:
            stop.set()
            writer.join()

    assert seen == sorted(seen)
    for number, messages in enumerate(seen):
        with Memory(tmp_path / f"copy{number}.db", embedder=LetterEmbedder()) as copied:
            said = copied.messages("c", limit=100_000)["results"]
            assert isinstance(said, list)
            assert [each["content"] for each in said if isinstance(each, dict)] == [
                f"Sentence {place} of many." for place in range(messages)
            ]


def test_a_backup_takes_the_memorys_place_and_what_was_there_is_kept(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    done = cli_with_memories.json("restore", backup_file, "--yes")

    assert texts(cli_with_memories) == {TEA_TEXT}
    assert [str(path) for path in find_replaced_files(cli_with_memories)] == [done["kept"]]
    assert texts(cli_with_memories, find_replaced_files(cli_with_memories)[0]) == {TEA_TEXT, LATER_TEXT}
    assert cli_with_memories.db.stat().st_mode & 0o777 == 0o600
    assert cli_with_memories.json("doctor", "--deep")["ok"]


def test_a_backup_can_be_restored_where_there_is_no_memory(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    elsewhere = cli_with_memories.folder / "new" / "memory.db"

    answer = cli_with_memories.run_raw("--db", elsewhere, "restore", backup_file, "--yes")

    assert answer.exit_code == 0
    assert texts(cli_with_memories, elsewhere) == {TEA_TEXT}


def test_what_a_backup_holds_is_shown_before_anybody_agrees(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    code, seen = run_on_terminal("--db", cli_with_memories.db, "restore", backup_file, keystrokes=b"n\n")

    assert code == 4
    assert "messages" in seen
    assert "will be back" in seen
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_where_nobody_can_be_asked_nothing_is_replaced(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    assert cli_with_memories("restore", backup_file).exit_code == 4
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_while_a_process_has_the_memory_open_nothing_is_replaced(
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
        answer = cli_with_memories("restore", backup_file, "--yes")
        server.terminate()

    assert answer.exit_code == 4
    assert "open: a server" in answer.stderr
    assert find_replaced_files(cli_with_memories) == []
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_a_memory_that_is_open_in_this_very_process_is_not_replaced(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    with Memory(cli_with_memories.db, embedder=LetterEmbedder()):
        assert cli_with_memories("restore", backup_file, "--yes").exit_code == 4


def test_a_backup_of_a_newer_recollect_is_refused(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    modify_copy(backup_file, "PRAGMA user_version = 999")

    answer = cli_with_memories("restore", backup_file, "--yes")

    assert answer.exit_code == 1
    assert "newer recollect" in answer.stderr
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_a_backup_whose_bytes_changed_is_refused(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    whole = bytearray(backup_file.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    backup_file.write_bytes(whole)

    answer = cli_with_memories("restore", backup_file, "--yes")

    assert answer.exit_code == 1
    assert "does not match the SHA-256 in its manifest" in answer.stderr
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_a_damaged_backup_without_a_manifest_is_refused(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    backup_file.with_name("copy.db.json").unlink()
    whole = backup_file.read_bytes()
    backup_file.write_bytes(whole[: len(whole) // 2])

    answer = cli_with_memories("restore", backup_file, "--yes")

    assert answer.exit_code == 1
    assert texts(cli_with_memories) == {TEA_TEXT, LATER_TEXT}


def test_a_backup_that_lost_its_manifest_is_restored_with_a_warning(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    backup_file.with_name("copy.db.json").unlink()

    answer = cli_with_memories("restore", backup_file, "--yes")

    assert answer.exit_code == 0
    assert "no manifest" in answer.stderr
    assert texts(cli_with_memories) == {TEA_TEXT}


def test_a_manifest_that_makes_no_sense_is_named(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    backup_file.with_name("copy.db.json").write_text("[]", "utf-8")

    answer = cli_with_memories("restore", backup_file, "--yes")

    assert answer.exit_code == 1
    assert "copy.db.json" in answer.stderr


def test_a_memory_in_use_is_no_backup(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    with Memory(cli_with_memories.folder / "other.db", embedder=LetterEmbedder()) as other:
        other.add("Still in the log")
        answer = cli_with_memories("restore", cli_with_memories.folder / "other.db", "--yes")

    assert answer.exit_code == 4
    assert "in use" in answer.stderr


@pytest.mark.parametrize(("name", "code"), [("nothing.db", 3), ("notes.txt", 1), ("memory.db", 4)])
def test_what_is_no_backup_is_refused(cli_with_memories: InProcessCli, name: str, code: int) -> None:
    (cli_with_memories.folder / "notes.txt").write_text("These are notes and no memory.", "utf-8")

    assert cli_with_memories("restore", cli_with_memories.folder / name, "--yes").exit_code == code
    assert texts(cli_with_memories) == {TEA_TEXT}


def test_a_memory_that_cannot_be_read_any_more_is_put_away_and_replaced(
    cli_with_memories: InProcessCli, backup_file: Path
) -> None:
    cli_with_memories.db.write_bytes(b"this was a memory once" * 1000)

    assert cli_with_memories("restore", backup_file, "--yes").exit_code == 0
    assert texts(cli_with_memories) == {TEA_TEXT}
    assert find_replaced_files(cli_with_memories)[0].read_bytes().startswith(b"this was a memory once")


def test_a_backup_of_an_earlier_schema_is_brought_up_to_date_when_it_is_opened(
    cli_with_memories: InProcessCli,
) -> None:
    old = cli_with_memories.folder / "old.db"
    db = apsw.Connection(str(old))
    db.register_fts5_tokenizer("recollect", make_tokenizer)
    migrate(db, old, target=3)
    db.close()

    done = cli_with_memories.json("restore", old, "--yes")

    assert done["schema"] == 3
    assert texts(cli_with_memories) == set()
    assert cli_with_memories.json("doctor")["ok"]


def test_one_backup_is_restored_at_a_time(cli_with_memories: InProcessCli, backup_file: Path) -> None:
    answer = cli_with_memories("restore", backup_file, "01k9x2v7q3m5")

    assert answer.exit_code == 2
    assert "Only one backup" in answer.stderr
