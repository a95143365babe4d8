"""A memory file that is deleted, moved or replaced while it is open: no write is acknowledged that would be lost."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.job import JobKind, JobState, NewJob
from recollect.domain.scope import Scope
from recollect.errors import StoreMoved
from recollect.testing.builders import a_message, a_receipt
from recollect.testing.clock import FrozenClock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not delete an open database")

TEXTS = ["I live in Lisbon.", "I play the cello.", "My cat is called Nina."]
#: Opens the file named by its first argument, stores what it is sent line by line, and says what came of each.
WRITER = """
import sys
from recollect import Memory
from recollect.errors import StoreMoved
memory = Memory(sys.argv[1], settings={"embedder": "none", "worker": False})
print("open", flush=True)
for line in sys.stdin:
    try:
        memory.add(line.strip())
        print("stored", flush=True)
    except StoreMoved:
        print("refused", flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "x.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    opened = Memory(path, embedder=HashingEmbedder(), settings={"worker": False})
    for text in TEXTS:
        opened.add(text)
    yield opened
    opened.close()


def delete(path: Path) -> None:
    path.unlink()


def delete_with_its_log(path: Path) -> None:
    for file in path.parent.glob("x.db*"):
        file.unlink()


def delete_the_log(path: Path) -> None:
    path.with_name("x.db-wal").unlink()


def rename_away(path: Path) -> None:
    path.rename(path.with_name("renamed.db"))


def rename_the_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("renamed"))


def replace_by_another(path: Path) -> None:
    other = path.with_name("other.db")
    with Memory(other, settings={"embedder": "none"}) as replacement:
        replacement.add("I live in Porto.")
    other.replace(path)


def replace_by_a_copy(path: Path) -> None:
    copy = path.with_name("copy.db")
    shutil.copyfile(path, copy)
    copy.replace(path)


MOVES = [
    delete,
    delete_with_its_log,
    delete_the_log,
    rename_away,
    rename_the_folder,
    replace_by_another,
    replace_by_a_copy,
]
each_move = pytest.mark.parametrize("move", MOVES, ids=[move.__name__ for move in MOVES])


def texts(memory: Memory) -> list[str]:
    return sorted(each.text for each in memory.get_all())


@each_move
def test_a_write_is_refused_once_the_file_has_moved(
    memory: Memory, path: Path, move: Callable[[Path], None]
) -> None:
    move(path)

    with pytest.raises(StoreMoved, match=r"Nothing was written\. .*memory\.maintenance\.backup"):
        memory.add("I work at the harbour.")
    assert texts(memory) == sorted(TEXTS)


@each_move
def test_everything_acknowledged_can_be_saved_after_the_file_has_moved(
    memory: Memory, path: Path, tmp_path: Path, move: Callable[[Path], None]
) -> None:
    receipt = memory.search("where do I live?").receipt.id
    move(path)
    memory.maintenance.backup(tmp_path / "saved.db")

    with Memory(tmp_path / "saved.db", embedder=HashingEmbedder()) as saved:
        assert texts(saved) == sorted(TEXTS)
        assert saved.receipts.get(receipt).id == receipt


@each_move
def test_the_doctor_reports_that_the_file_has_moved(
    memory: Memory, path: Path, move: Callable[[Path], None]
) -> None:
    memory.search("where do I live?")
    move(path)
    report = memory.maintenance.doctor()
    findings = report.findings

    [finding] = [each for each in findings if each.name == "file in place"]
    assert (report.is_healthy, finding.level) == (False, "FAIL")
    assert "memory.maintenance.backup" in (finding.fix or "")


@each_move
def test_an_open_file_is_still_recalled_from(
    memory: Memory, path: Path, move: Callable[[Path], None]
) -> None:
    memory.context("where do I live?")
    move(path)

    assert "Lisbon" in str(memory.context("where do I live?").text)


def test_a_deleted_file_is_not_made_again_by_a_reader(path: Path) -> None:
    store = SqliteStore(path)
    store.messages.add(a_message("Hello"), ())
    path.unlink()

    with pytest.raises(StoreMoved):
        store.messages.list(Scope("ana"))
    assert not path.exists()
    store.close()


def test_a_file_that_comes_back_is_written_again(memory: Memory, path: Path) -> None:
    rename_away(path)
    with pytest.raises(StoreMoved):
        memory.add("I work at the harbour.")
    path.with_name("renamed.db").rename(path)
    memory.add("I work at the harbour.")
    memory.close()

    with Memory(path, embedder=HashingEmbedder()) as reopened:
        assert texts(reopened) == sorted([*TEXTS, "I work at the harbour."])


def test_a_renamed_file_holds_everything_after_close(memory: Memory, path: Path) -> None:
    rename_away(path)
    memory.close()

    with Memory(path.with_name("renamed.db"), embedder=HashingEmbedder()) as reopened:
        assert texts(reopened) == sorted(TEXTS)


def test_closing_leaves_the_log_of_the_replacing_file_alone(memory: Memory, path: Path) -> None:
    delete_with_its_log(path)
    with Memory(path, settings={"embedder": "none"}) as replacement:
        replacement.add("I live in Porto.")
        memory.close()
        replacement.add("I work at the harbour.")

    with Memory(path, embedder=HashingEmbedder()) as reopened:
        assert texts(reopened) == ["I live in Porto.", "I work at the harbour."]


def test_a_file_deleted_during_the_commit_is_not_acknowledged(path: Path) -> None:
    store = SqliteStore(path)

    def delete_after_commit(_: object) -> bool:
        path.unlink()
        return False

    store._database._writer.set_commit_hook(lambda: delete_after_commit(None))
    with pytest.raises(StoreMoved, match="written to the old file only"):
        store.messages.add(a_message("Hello"), ())
    store._database._writer.set_commit_hook(None)
    store.close()


def test_all_threads_of_one_commit_are_refused(path: Path) -> None:
    store = SqliteStore(path)
    outcomes: list[type[BaseException]] = []

    def write(number: int) -> None:
        try:
            store.messages.add(a_message(f"Message {number}"), ())
        except StoreMoved as error:
            outcomes.append(type(error))

    path.unlink()
    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outcomes == [StoreMoved] * 8
    store.close()


def test_a_receipt_is_kept_in_memory_while_the_file_is_away(path: Path) -> None:
    store = SqliteStore(path)
    rename_away(path)
    store.receipts.add(a_receipt("dinner?"))

    assert not store._database.receipt_buffer.flush()
    assert len(store._database.receipt_buffer.pending) == 1

    path.with_name("renamed.db").rename(path)
    assert store._database.receipt_buffer.flush()
    assert len(store.receipts.list(Scope("ana"))) == 1
    store.close()


def test_a_job_is_not_done_in_a_deleted_file(path: Path) -> None:
    store, clock = SqliteStore(path), FrozenClock()
    store.jobs.enqueue("ana", NewJob(kind=JobKind.EXTRACT, key="m1"), now=clock.now())
    job = store.jobs.lease(now=clock.now(), until=clock.now())
    assert job is not None
    path.unlink()

    with pytest.raises(StoreMoved):
        store.jobs.finish(job)
    assert [each.state for each in store.jobs.list(Scope("ana"))] == [JobState.LEASED]
    store.close()


def test_a_symbolic_link_that_points_elsewhere_is_noticed(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    for name in ("one.db", "two.db"):
        Memory(tmp_path / name, settings={"embedder": "none"}).close()
    link.symlink_to("one.db")
    memory = Memory(link, settings={"embedder": "none", "worker": False})
    memory.add(TEXTS[0])
    link.unlink()
    link.symlink_to("two.db")

    with pytest.raises(StoreMoved):
        memory.add(TEXTS[1])
    memory.close()


def test_every_process_that_has_the_file_open_refuses(memory: Memory, path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin
        assert other.stdout
        said = [other.stdout.readline().strip()]
        other.stdin.write("I drink tea.\n")
        other.stdin.flush()
        said.append(other.stdout.readline().strip())
        memory.add("I work at the harbour.")
        path.unlink()
        other.stdin.write("I drink coffee.\n")
        other.stdin.close()
        said.append(other.stdout.readline().strip())

        with pytest.raises(StoreMoved):
            memory.add("I row on Sundays.")
    assert said == ["open", "stored", "refused"]


def test_a_process_that_opens_and_closes_the_file_disturbs_no_other(memory: Memory, path: Path) -> None:
    subprocess.run([sys.executable, "-c", WRITER, str(path)], input="I drink tea.\n", text=True, check=True)
    memory.add("I work at the harbour.")

    assert len(texts(memory)) == len(TEXTS) + 2
