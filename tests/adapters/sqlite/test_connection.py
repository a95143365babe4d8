"""The database file: permissions, durability, and refusal of other files."""

import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from recollect.adapters.sqlite import schema
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.errors import CorruptStore, NewerStore, NotAStore, StoreBusy, StoreError, StoreReadOnly
from recollect.testing.builders import ANA, a_message, a_receipt

USER_SCOPE = Scope(ANA)


def open_error(path: Path) -> str:
    """Open a file that must be refused; return the error message."""
    try:
        SqliteStore(path).close()
    except StoreError as error:
        return type(error).__name__
    return "opened"


def file_digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_the_file_and_its_side_files_are_readable_by_the_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "memory.db"
    store = SqliteStore(path)
    store.messages.add(a_message("Hello"), ())
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    store.close()

    assert modes == {"memory.db": 0o600, "memory.db-shm": 0o600, "memory.db-wal": 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_acknowledged_writes_are_synced_to_disk(store: SqliteStore) -> None:
    writer = store._database._writer
    full = 2

    assert writer.pragma("journal_mode") == "wal"
    assert writer.pragma("synchronous") == full
    assert writer.pragma("foreign_keys") == 1
    assert writer.pragma("secure_delete") == 1


def test_receipts_do_not_wait_for_the_disk(store: SqliteStore) -> None:
    store.receipts.add(a_receipt("dinner?"))
    store._database.receipt_buffer.flush()
    normal = 1

    assert store._database._writer.pragma("synchronous") == normal

    store.messages.add(a_message("But this does"), ())
    full = 2
    assert store._database._writer.pragma("synchronous") == full


def test_the_file_has_the_application_id(store: SqliteStore, path: Path) -> None:
    store.close()
    header = path.read_bytes()[:100]

    assert header[68:72] == b"RCLT"
    assert int.from_bytes(header[60:64], "big") == schema.list_migrations()[-1][0]


FOREIGN_FILES = {
    "a text": b"Dear diary, today I met somebody.\n",
    "one byte": b"S",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(500),
    "zeros": bytes(4096),
    "almost a database": b"SQLite format 3\x01" + bytes(4080),
}


@pytest.mark.parametrize("content", FOREIGN_FILES.values(), ids=FOREIGN_FILES.keys())
def test_a_file_that_is_no_database_is_refused_and_unchanged(path: Path, content: bytes) -> None:
    path.write_bytes(content)

    assert open_error(path) == "NotAStore"
    assert file_digests(path.parent) == {"memory.db": hashlib.sha256(content).hexdigest()}


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_database_of_another_program_is_refused_and_unchanged(path: Path, journal: str) -> None:
    foreign = apsw.Connection(str(path))
    foreign.pragma("journal_mode", journal)
    foreign.execute("CREATE TABLE places (id INTEGER PRIMARY KEY, url TEXT); PRAGMA user_version = 3")
    foreign.execute("INSERT INTO places VALUES (1, 'about:blank')")
    foreign.close()
    before = file_digests(path.parent)

    assert open_error(path) == "NotAStore"
    assert file_digests(path.parent) == before


def test_a_database_without_the_application_id_is_refused(path: Path, store: SqliteStore) -> None:
    store._database._writer.execute("PRAGMA application_id = 7")

    with pytest.raises(NotAStore):
        SqliteStore(path)


def test_a_file_of_a_newer_version_is_refused_and_unchanged(path: Path) -> None:
    store = SqliteStore(path)
    store.messages.add(a_message("Hello from tomorrow"), ())
    newer = schema.list_migrations()[-1][0] + 1
    store._database._writer.execute(f"PRAGMA user_version = {newer}; CREATE TABLE invented_later (x)")
    store.close()
    before = file_digests(path.parent)

    with pytest.raises(NewerStore, match=f"schema {newer}"):
        SqliteStore(path)
    assert file_digests(path.parent) == before


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("I am not a folder")

    with pytest.raises(StoreReadOnly, match=r"Not a directory|File exists"):
        SqliteStore(tmp_path / "file" / "memory.db")


def test_a_damaged_page_is_reported_as_corruption(path: Path) -> None:
    store = SqliteStore(path)
    for n in range(50):
        store.messages.add(a_message(f"Message {n} " + "x" * 500), ())
    root = store._database._writer.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'messages'")
    page = int(root.fetchone()[0])  # type: ignore[index]
    store.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    store = SqliteStore(path)

    with pytest.raises(CorruptStore, match="recollect doctor"):
        store.messages.list(USER_SCOPE)
    assert {finding.name for finding in store.maintenance.check(deep=True) if not finding.ok} >= {"integrity"}
    store.close()


def test_a_writer_that_exceeds_the_busy_timeout_gets_store_busy(path: Path, store: SqliteStore) -> None:
    impatient = SqliteStore(path, busy_timeout_ms=1)
    with store.transaction(ANA):
        store.messages.add(a_message("I am writing"), ())

        with pytest.raises(StoreBusy, match="Try again"):
            impatient.messages.add(a_message("So am I"), ())
        assert impatient.messages.list(USER_SCOPE) == []
    impatient.messages.add(a_message("So am I"), ())
    assert len(store.messages.list(USER_SCOPE)) == 2
    impatient.close()


def test_a_receipt_of_a_new_user_is_stored_while_others_write(store: SqliteStore) -> None:
    stop = threading.Event()

    def write() -> None:
        n = 0
        while not stop.is_set():
            store.messages.add(a_message(f"Message {n}", user="bruno"), ())
            n += 1

    writer = threading.Thread(target=write)
    writer.start()
    users = [f"user {n}" for n in range(100)]
    try:
        for user in users:
            store.receipts.add(a_receipt("dinner?", user=user))
    finally:
        stop.set()
        writer.join()

    assert [len(store.receipts.list(Scope(user))) for user in users] == [1] * 100


def test_threads_read_and_write_concurrently(store: SqliteStore) -> None:
    def write(name: str) -> None:
        for n in range(25):
            store.messages.add(a_message(f"{name} {n}", chat=name), ())
            assert store.messages.list(Scope(ANA, name))[-1].content == f"{name} {n}"

    threads = [threading.Thread(target=write, args=(f"thread {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert store.maintenance.stats(USER_SCOPE).messages == 100
    assert [finding for finding in store.maintenance.check(deep=True) if not finding.ok] == []


def test_uncommitted_changes_are_invisible_to_other_threads(store: SqliteStore) -> None:
    counts: list[int] = []
    with store.transaction(ANA):
        store.messages.add(a_message("Not yet"), ())
        reader = threading.Thread(target=lambda: counts.append(len(store.messages.list(USER_SCOPE))))
        reader.start()
        reader.join()

    assert counts == [0]


def test_errors_in_nested_transactions_are_translated(store: SqliteStore) -> None:
    def write_twice(message: Message) -> None:
        with store.transaction(ANA):
            store.messages.add(message, ())
            store.messages.add(message, ())

    with pytest.raises(StoreError, match="UNIQUE"):
        write_twice(a_message("Once"))

    assert store.messages.list(Scope(ANA)) == []


def test_a_closed_store_can_be_closed_again_and_refuses_use(store: SqliteStore) -> None:
    store.close()
    store.close()

    with pytest.raises(StoreError):
        store.messages.add(a_message("Too late"), ())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_is_refused_and_the_parent_continues(path: Path, store: SqliteStore) -> None:
    store.messages.add(a_message("Before"), ())
    child = os.fork()
    if not child:
        # The child must exit without running any pytest code.
        refused = 0
        try:
            for use in (
                lambda: store.messages.add(a_message("Child"), ()),
                lambda: store.messages.list(USER_SCOPE),
            ):
                try:
                    use()
                except StoreError:
                    refused += 1
            store.close()
        finally:
            os._exit(refused)
    _, status = os.waitpid(child, 0)
    store.messages.add(a_message("After"), ())

    assert os.waitstatus_to_exitcode(status) == 2
    assert [message.content for message in store.messages.list(USER_SCOPE)] == ["Before", "After"]
