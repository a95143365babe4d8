"""Receipts are readable at once and written later, and never delay or fail a caller."""

import logging
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from recollect.adapters.sqlite.receipt_buffer import MAX_PENDING_RECEIPTS, MAX_WRITE_ATTEMPTS, ReceiptBuffer
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.receipt import Disposition
from recollect.domain.scope import Scope
from recollect.errors import StoreBusy
from recollect.testing.builders import ANA, KITCHEN, a_message, a_receipt, without_texts

USER_SCOPE = Scope(ANA)


def read_receipt_ids(path: Path) -> list[str]:
    """Return the receipts that another process sees."""
    other = apsw.Connection(str(path))
    rows = other.execute("SELECT id FROM receipts ORDER BY no").fetchall()
    other.close()
    return [str(receipt) for (receipt,) in rows]


def test_a_receipt_is_readable_at_once_and_by_other_processes_once_written(
    store: SqliteStore, path: Path
) -> None:
    receipts = [a_receipt(f"question {n}", chat=KITCHEN) for n in range(3)]
    with store._database._write_queue.exclusive():
        for receipt in receipts:
            store.receipts.add(receipt)
        before = read_receipt_ids(path)
        read = store.receipts.list(USER_SCOPE)
    store._database.receipt_buffer.flush()

    assert before == []
    assert read == store.receipts.list(USER_SCOPE) == list(map(without_texts, receipts[::-1]))
    assert read_receipt_ids(path) == [receipt.id for receipt in receipts]


def test_adding_a_receipt_does_not_wait_for_another_writing_process(store: SqliteStore, path: Path) -> None:
    other = SqliteStore(path)
    receipt = a_receipt("dinner?")
    with other.transaction(ANA):
        other.messages.add(a_message("I take my time"), ())
        store.receipts.add(receipt)
        read = store.receipts.get(USER_SCOPE, "last")
    store._database.receipt_buffer.flush()

    assert read.id == receipt.id
    assert other.receipts.list(USER_SCOPE) == [without_texts(receipt)]
    other.close()


def test_pending_receipts_are_written_on_close(store: SqliteStore, path: Path) -> None:
    with store._database._write_queue.exclusive():
        store.receipts.add(a_receipt("dinner?"))
    store.close()

    assert read_receipt_ids(path) == [a_receipt("dinner?").id]


def test_pending_receipts_are_written_at_interpreter_exit(path: Path) -> None:
    program = (
        "import sys; from recollect.adapters.sqlite.store import SqliteStore\n"
        "from recollect.testing.builders import a_receipt\n"
        "SqliteStore(sys.argv[1]).receipts.add(a_receipt('dinner?'))"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=60)

    assert read_receipt_ids(path) == [a_receipt("dinner?").id]


def test_a_transaction_writes_pending_receipts_and_returns_them_on_rollback(
    store: SqliteStore, path: Path
) -> None:
    receipt = a_receipt("dinner?")
    with store._database._write_queue.exclusive():
        store.receipts.add(receipt)
    with pytest.raises(RuntimeError), store.transaction(ANA):
        raise RuntimeError
    stored = store.receipts.list(USER_SCOPE)
    with store.transaction(ANA) as _:
        inside = store.receipts.list(USER_SCOPE)

    assert stored == inside == store.receipts.list(USER_SCOPE) == [without_texts(receipt)]
    assert read_receipt_ids(path) == [receipt.id]


def test_erasing_a_user_erases_pending_receipts(store: SqliteStore, path: Path) -> None:
    store.messages.add(a_message("I live in Lisbon"), ())
    with store._database._write_queue.exclusive():
        store.receipts.add(a_receipt("where do I live?"))
    certificate = store.erasure.erase_user(ANA)

    assert certificate.rows["receipts"] == 1
    assert store.receipts.list(USER_SCOPE) == []
    assert read_receipt_ids(path) == []


def test_texts_of_left_out_items_are_truncated_and_others_are_complete(store: SqliteStore) -> None:
    long = "soup and " * 100
    message = a_message(long)
    store.messages.add(message, ())
    receipt = a_receipt("dinner?")
    [_, item] = receipt.items
    items = (replace(item, id=message.id, disposition=disposition) for disposition in Disposition)
    long_receipt = replace(receipt, items=tuple(items))
    store.receipts.add(long_receipt)
    buffered = store.receipts.get(USER_SCOPE, long_receipt.id)
    store._database.receipt_buffer.flush()

    assert buffered == store.receipts.get(USER_SCOPE, long_receipt.id)
    assert {each.disposition: each.text for each in buffered.items} == {
        Disposition.INJECTED: long,
        Disposition.RETURNED: long,
        Disposition.LEFT_OUT: long[:199] + "…",
    }


class BufferHarness:
    """A buffer that writes receipts to a list, or fails while the file is busy."""

    def __init__(self) -> None:
        self.connection = apsw.Connection(":memory:")
        self.buffer = ReceiptBuffer(self._flush)
        self.written_ids: list[str] = []
        self.is_busy = False

    def _flush(self) -> None:
        if self.is_busy:
            raise StoreBusy
        with self.connection:
            self.buffer.write_into(self.connection)
        self.buffer.on_transaction_end(committed=True)

    def enqueue(self, number: int, *, broken: bool = False) -> None:
        def write(_connection: apsw.Connection) -> None:
            if broken:
                raise apsw.ConstraintError
            self.written_ids.append(f"{number}")

        self.buffer.enqueue(replace(a_receipt("?"), id=f"{number}"), write)

    @property
    def pending_ids(self) -> list[str]:
        return [receipt.id for receipt in self.buffer.pending]


def test_a_busy_file_keeps_the_newest_receipts_and_logs_lost_ones(
    caplog: pytest.LogCaptureFixture,
) -> None:
    harness = BufferHarness()
    harness.is_busy = True
    for number in range(MAX_PENDING_RECEIPTS + 5):
        harness.enqueue(number)
    stored = harness.pending_ids
    harness.is_busy = False
    harness.buffer.close()

    assert stored == [f"{number}" for number in range(5, MAX_PENDING_RECEIPTS + 5)]
    assert harness.written_ids == stored
    assert harness.pending_ids == []
    assert caplog.messages[-1].startswith("1 receipts were lost")


def test_a_receipt_that_cannot_be_written_is_dropped_and_blocks_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    harness = BufferHarness()
    harness.is_busy = True
    harness.enqueue(1)
    harness.enqueue(2, broken=True)
    harness.enqueue(3)
    harness.is_busy = False
    with caplog.at_level(logging.WARNING):
        for _ in range(MAX_WRITE_ATTEMPTS):
            harness.buffer.flush()
    harness.buffer.close()

    assert harness.written_ids == ["1", "3"]
    assert harness.pending_ids == []
    assert [message.partition(" was lost")[0] for message in caplog.messages] == ["receipt 2"]


def test_recalls_of_many_threads_store_each_receipt_once(store: SqliteStore, path: Path) -> None:
    def recall(thread: int) -> None:
        for number in range(10):
            receipt = a_receipt(f"{thread} asks {number}", user=f"user {thread}")
            store.receipts.add(receipt)
            assert store.receipts.get(Scope(f"user {thread}"), "last").id == receipt.id
            store.messages.add(a_message(f"{thread} says {number}", user=f"user {thread}"), ())

    threads = [threading.Thread(target=recall, args=(thread,)) for thread in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = [len(store.receipts.list(Scope(f"user {thread}"))) for thread in range(6)]
    store.close()

    assert counts == [10] * 6
    assert len(set(read_receipt_ids(path))) == len(read_receipt_ids(path)) == 60
