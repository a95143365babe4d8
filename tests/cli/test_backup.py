"""backup and restore: a copy of one moment, looked through; and nothing lost when it is put back."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest
from tests.cli.runner import Cli, on_a_terminal

from recollect import Memory
from recollect.adapters.sqlite.schema import migrate
from recollect.adapters.sqlite.tokenizer import tokenizer
from recollect.testing.embedders import LetterEmbedder

TEA = "I like green tea with mint"
LATER = "I moved to Porto in autumn"


@pytest.fixture
def told(cli: Cli) -> Cli:
    cli("add", TEA)
    return cli


@pytest.fixture
def copy(told: Cli) -> Path:
    """A backup of a memory in which something was said since."""
    path = told.folder / "copy.db"
    assert told("backup", path).code == 0
    told("add", LATER)
    return path


def texts(cli: Cli, db: Path | None = None) -> set[str]:
    listed = cli.bare("--db", db or cli.db, "list", "--json").shape
    return {each["memory"] for each in listed["results"]}


def kept(cli: Cli) -> list[Path]:
    return sorted(cli.folder.glob("memory.db.before-*"))


def meddled(path: Path, statement: str) -> None:
    """Change a copy behind recollect's back, and take its manifest away."""
    db = apsw.Connection(str(path))
    db.execute(statement)
    db.close()
    path.with_name(f"{path.name}.json").unlink()


def test_a_copy_says_what_it_holds_and_only_its_owner_can_read_it(told: Cli) -> None:
    made = told.json("backup", told.folder / "copy.db")
    manifest = json.loads((told.folder / "copy.db.json").read_text("utf-8"))

    assert (made["users"], made["messages"], made["memories"]) == (1, 1, 1)
    assert made["rows"] == manifest["rows"]
    assert made["sha256"] == manifest["sha256"]
    assert {path.stat().st_mode & 0o777 for path in told.folder.glob("copy.db*")} == {0o600}
    assert {path.name for path in told.folder.glob("copy.db*")} == {"copy.db", "copy.db.json"}


def test_a_copy_is_a_memory_like_any_other(told: Cli, copy: Path) -> None:
    assert texts(told, copy) == {TEA}


def test_in_a_folder_a_copy_is_named_by_the_time(told: Cli) -> None:
    folder = told.folder / "backups"
    folder.mkdir()

    made = Path(told.json("backup", folder)["file"])

    assert made.parent == folder
    assert made.name.startswith("memory-2")
    assert made.suffix == ".db"


def test_nothing_is_overwritten(told: Cli, copy: Path) -> None:
    before = copy.read_bytes()

    answer = told("backup", copy)

    assert answer.code == 4
    assert "overwrites nothing" in answer.err
    assert copy.read_bytes() == before


def test_where_nothing_can_be_written_that_is_said(told: Cli) -> None:
    answer = told("backup", told.folder / "nowhere" / "copy.db")

    assert answer.code == 1
    assert "cannot be written" in answer.err


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


def test_a_backup_takes_the_memorys_place_and_what_was_there_is_kept(told: Cli, copy: Path) -> None:
    done = told.json("restore", copy, "--yes")

    assert texts(told) == {TEA}
    assert [str(path) for path in kept(told)] == [done["kept"]]
    assert texts(told, kept(told)[0]) == {TEA, LATER}
    assert told.db.stat().st_mode & 0o777 == 0o600
    assert told.json("doctor", "--deep")["ok"]


def test_a_backup_can_be_restored_where_there_is_no_memory(told: Cli, copy: Path) -> None:
    elsewhere = told.folder / "new" / "memory.db"

    answer = told.bare("--db", elsewhere, "restore", copy, "--yes")

    assert answer.code == 0
    assert texts(told, elsewhere) == {TEA}


def test_what_a_backup_holds_is_shown_before_anybody_agrees(told: Cli, copy: Path) -> None:
    code, seen = on_a_terminal("--db", told.db, "restore", copy, typed=b"n\n")

    assert code == 4
    assert "messages" in seen
    assert "comes back with it" in seen
    assert texts(told) == {TEA, LATER}


def test_where_nobody_can_be_asked_nothing_is_replaced(told: Cli, copy: Path) -> None:
    assert told("restore", copy).code == 4
    assert texts(told) == {TEA, LATER}


def test_while_a_process_has_the_memory_open_nothing_is_replaced(told: Cli, copy: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "recollect",
        "--db",
        str(told.db),
        "--json",
        "up",
        "--port",
        "0",
        "--no-browser",
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ}) as server:
        assert server.stdout is not None
        server.stdout.readline()
        answer = told("restore", copy, "--yes")
        server.terminate()

    assert answer.code == 4
    assert "open: a server" in answer.err
    assert kept(told) == []
    assert texts(told) == {TEA, LATER}


def test_a_memory_that_is_open_in_this_very_process_is_not_replaced(told: Cli, copy: Path) -> None:
    with Memory(told.db, embedder=LetterEmbedder()):
        assert told("restore", copy, "--yes").code == 4


def test_a_backup_of_a_newer_recollect_is_refused(told: Cli, copy: Path) -> None:
    meddled(copy, "PRAGMA user_version = 999")

    answer = told("restore", copy, "--yes")

    assert answer.code == 1
    assert "newer recollect" in answer.err
    assert texts(told) == {TEA, LATER}


def test_a_backup_whose_bytes_changed_is_refused(told: Cli, copy: Path) -> None:
    whole = bytearray(copy.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    copy.write_bytes(whole)

    answer = told("restore", copy, "--yes")

    assert answer.code == 1
    assert "not what its manifest says" in answer.err
    assert texts(told) == {TEA, LATER}


def test_a_damaged_backup_without_a_manifest_is_refused(told: Cli, copy: Path) -> None:
    copy.with_name("copy.db.json").unlink()
    whole = copy.read_bytes()
    copy.write_bytes(whole[: len(whole) // 2])

    answer = told("restore", copy, "--yes")

    assert answer.code == 1
    assert texts(told) == {TEA, LATER}


def test_a_backup_that_lost_its_manifest_is_restored_with_a_warning(told: Cli, copy: Path) -> None:
    copy.with_name("copy.db.json").unlink()

    answer = told("restore", copy, "--yes")

    assert answer.code == 0
    assert "no manifest" in answer.err
    assert texts(told) == {TEA}


def test_a_manifest_that_makes_no_sense_is_named(told: Cli, copy: Path) -> None:
    copy.with_name("copy.db.json").write_text("[]", "utf-8")

    answer = told("restore", copy, "--yes")

    assert answer.code == 1
    assert "copy.db.json" in answer.err


def test_a_memory_in_use_is_no_backup(told: Cli, copy: Path) -> None:
    with Memory(told.folder / "other.db", embedder=LetterEmbedder()) as other:
        other.add("Still in the log")
        answer = told("restore", told.folder / "other.db", "--yes")

    assert answer.code == 4
    assert "in use" in answer.err


@pytest.mark.parametrize(("name", "code"), [("nothing.db", 3), ("notes.txt", 1), ("memory.db", 4)])
def test_what_is_no_backup_is_refused(told: Cli, name: str, code: int) -> None:
    (told.folder / "notes.txt").write_text("These are notes and no memory.", "utf-8")

    assert told("restore", told.folder / name, "--yes").code == code
    assert texts(told) == {TEA}


def test_a_memory_that_cannot_be_read_any_more_is_put_away_and_replaced(told: Cli, copy: Path) -> None:
    told.db.write_bytes(b"this was a memory once" * 1000)

    assert told("restore", copy, "--yes").code == 0
    assert texts(told) == {TEA}
    assert kept(told)[0].read_bytes().startswith(b"this was a memory once")


def test_a_backup_of_an_earlier_schema_is_brought_up_to_date_when_it_is_opened(told: Cli) -> None:
    old = told.folder / "old.db"
    db = apsw.Connection(str(old))
    db.register_fts5_tokenizer("recollect", tokenizer)
    migrate(db, old, to=3)
    db.close()

    done = told.json("restore", old, "--yes")

    assert done["schema"] == 3
    assert texts(told) == set()
    assert told.json("doctor")["ok"]


def test_one_backup_is_restored_at_a_time(told: Cli, copy: Path) -> None:
    answer = told("restore", copy, "01k9x2v7q3m5")

    assert answer.code == 2
    assert "One backup" in answer.err
