"""Receipts: read at once, written soon, and never a reason for anybody to wait or to fail."""

import logging
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from recollect.adapters.sqlite.receipt_buffer import MOST, TRIES, Outbox
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.receipt import Fate
from recollect.domain.scope import Scope
from recollect.errors import StoreBusy
from recollect.testing.builders import ANA, KITCHEN, a_message, a_receipt

MINE = Scope(ANA)


def on_disk(path: Path) -> list[str]:
    """As another process sees it."""
    other = apsw.Connection(str(path))
    found = other.execute("SELECT id FROM receipts ORDER BY no").fetchall()
    other.close()
    return [str(receipt) for (receipt,) in found]


def test_a_receipt_is_read_at_once_and_by_others_as_soon_as_it_is_written(
    store: SqliteStore, path: Path
) -> None:
    receipts = [a_receipt(f"question {n}", chat=KITCHEN) for n in range(3)]
    with store._database._turns.alone():
        for receipt in receipts:
            store.receipts.add(receipt)
        before = on_disk(path)
        read = store.receipts.list(MINE)
    store._database.outbox.flush()

    assert before == []
    assert read == store.receipts.list(MINE) == receipts[::-1]
    assert on_disk(path) == [receipt.id for receipt in receipts]


def test_a_receipt_does_not_wait_for_another_process_that_writes(store: SqliteStore, path: Path) -> None:
    other = SqliteStore(path)
    receipt = a_receipt("dinner?")
    with other.transaction():
        other.messages.add(a_message("I take my time"), ())
        store.receipts.add(receipt)
        read = store.receipts.get(MINE, "last")
    store._database.outbox.flush()

    assert read == receipt
    assert other.receipts.list(MINE) == [receipt]
    other.close()


def test_what_waits_is_written_when_the_store_is_closed(store: SqliteStore, path: Path) -> None:
    with store._database._turns.alone():
        store.receipts.add(a_receipt("dinner?"))
    store.close()

    assert on_disk(path) == [a_receipt("dinner?").id]


def test_what_waits_is_written_when_the_program_ends_without_a_word(path: Path) -> None:
    program = (
        "import sys; from recollect.adapters.sqlite.store import SqliteStore\n"
        "from recollect.testing.builders import a_receipt\n"
        "SqliteStore(sys.argv[1]).receipts.add(a_receipt('dinner?'))"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=60)

    assert on_disk(path) == [a_receipt("dinner?").id]


def test_a_transaction_takes_along_what_waits_and_brings_it_back_if_it_fails(
    store: SqliteStore, path: Path
) -> None:
    receipt = a_receipt("dinner?")
    with store._database._turns.alone():
        store.receipts.add(receipt)
    with pytest.raises(RuntimeError), store.transaction():
        raise RuntimeError
    kept = store.receipts.list(MINE)
    with store.transaction() as _:
        inside = store.receipts.list(MINE)

    assert kept == inside == store.receipts.list(MINE) == [receipt]
    assert on_disk(path) == [receipt.id]


def test_a_user_who_is_erased_takes_along_what_was_not_written_yet(store: SqliteStore, path: Path) -> None:
    store.messages.add(a_message("I live in Lisbon"), ())
    with store._database._turns.alone():
        store.receipts.add(a_receipt("where do I live?"))
    certificate = store.erasure.user(ANA)

    assert certificate.rows["receipts"] == 1
    assert store.receipts.list(MINE) == []
    assert on_disk(path) == []


def test_what_was_left_out_is_told_by_its_beginning_and_the_rest_word_for_word(store: SqliteStore) -> None:
    receipt = a_receipt("dinner?")
    [item, *_] = receipt.items
    long = "soup and " * 100
    told = replace(receipt, items=tuple(replace(item, text=long, fate=fate) for fate in Fate))
    store.receipts.add(told)
    at_once = store.receipts.get(MINE, told.id)
    store._database.outbox.flush()

    assert at_once == store.receipts.get(MINE, told.id)
    assert {each.fate: each.text for each in at_once.items} == {
        Fate.INJECTED: long,
        Fate.RETURNED: long,
        Fate.LEFT_OUT: long[:199] + "…",
    }


class Desk:
    """An outbox whose receipts are sent to a list, or nowhere while the file is busy."""

    def __init__(self) -> None:
        self.connection = apsw.Connection(":memory:")
        self.outbox = Outbox(self._send)
        self.sent: list[str] = []
        self.busy = False

    def _send(self) -> None:
        if self.busy:
            raise StoreBusy
        with self.connection:
            self.outbox.carry(self.connection)
        self.outbox.settle(committed=True)

    def post(self, number: int, *, broken: bool = False) -> None:
        def write(_connection: apsw.Connection) -> None:
            if broken:
                raise apsw.ConstraintError
            self.sent.append(f"{number}")

        self.outbox.post(replace(a_receipt("?"), id=f"{number}"), write)

    @property
    def kept(self) -> list[str]:
        return [receipt.id for receipt in self.outbox.undelivered]


def test_a_busy_file_keeps_the_newest_waiting_and_says_what_was_lost(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.busy = True
    for number in range(MOST + 5):
        desk.post(number)
    kept = desk.kept
    desk.busy = False
    desk.outbox.close()

    assert kept == [f"{number}" for number in range(5, MOST + 5)]
    assert desk.sent == kept
    assert desk.kept == []
    assert caplog.messages[-1].startswith("1 receipts were lost")


def test_a_receipt_that_cannot_be_written_is_given_up_and_holds_up_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.busy = True
    desk.post(1)
    desk.post(2, broken=True)
    desk.post(3)
    desk.busy = False
    with caplog.at_level(logging.WARNING):
        for _ in range(TRIES):
            desk.outbox.flush()
    desk.outbox.close()

    assert desk.sent == ["1", "3"]
    assert desk.kept == []
    assert [message.partition(" was lost")[0] for message in caplog.messages] == ["receipt 2"]


def test_recalls_of_many_threads_leave_each_receipt_once(store: SqliteStore, path: Path) -> None:
    def recall(thread: int) -> None:
        for number in range(10):
            receipt = a_receipt(f"{thread} asks {number}", user=f"user {thread}")
            store.receipts.add(receipt)
            assert store.receipts.get(Scope(f"user {thread}"), "last") == receipt
            store.messages.add(a_message(f"{thread} says {number}", user=f"user {thread}"), ())

    threads = [threading.Thread(target=recall, args=(thread,)) for thread in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = [len(store.receipts.list(Scope(f"user {thread}"))) for thread in range(6)]
    store.close()

    assert counts == [10] * 6
    assert len(set(on_disk(path))) == len(on_disk(path)) == 60
