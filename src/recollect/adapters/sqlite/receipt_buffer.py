"""Receipts on their way to the disk: nobody waits for them, everybody here can read them, and each is written once."""

import atexit
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

import apsw

from recollect.domain.receipt import Receipt
from recollect.errors import StoreError

#: Seconds that a receipt may lie here, so that those of one moment are written together; and how long to wait when the
#: file could not be written.
FLUSH_DELAY_SECONDS = 0.02
RETRY_DELAY_SECONDS = 1.0
#: So many may wait. Who brings one more writes them all.
MAX_PENDING_RECEIPTS = 256
#: One that cannot be written so many times will never be.
MAX_WRITE_ATTEMPTS = 3
#: Seconds that the interpreter waits at exit for the thread that writes.
EXIT_SECONDS = 5.0

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False, kw_only=True)
class PendingReceipt:
    receipt: Receipt
    write: Callable[[apsw.Connection], None]
    attempts: int = 0


class ReceiptBuffer:
    """
    Whoever opens a transaction takes along what lies here; if nobody does, a thread of its own does so soon.

    What is in a transaction stays readable here until that is committed, and comes back if it is not.
    """

    def __init__(self, run_transaction: Callable[[], None]) -> None:
        self._run_transaction = run_transaction
        self._condition = threading.Condition()
        self._pending: list[PendingReceipt] = []
        self._in_flight: list[PendingReceipt] = []
        self._thread: threading.Thread | None = None
        self._closed = False
        self._process = os.getpid()

    @property
    def pending(self) -> list[Receipt]:
        """Oldest first. Look here before you look into the file, or you may miss what is written in between."""
        with self._condition:
            return [letter.receipt for letter in (*self._in_flight, *self._pending)]

    def enqueue(self, receipt: Receipt, write: Callable[[apsw.Connection], None]) -> None:
        with self._condition:
            self._pending.append(PendingReceipt(receipt=receipt, write=write))
            is_full = len(self._pending) > MAX_PENDING_RECEIPTS
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._flush_until_closed, name="receipts", daemon=True)
                self._thread.start()
                atexit.register(self._close_at_exit)
            self._condition.notify()
        if is_full:
            self.flush()

    def write_into(self, connection: apsw.Connection) -> None:
        """Write what waits into the open transaction. Whose it is must not suffer from what cannot be written."""
        with self._condition:
            receipts, self._pending = self._pending, []
            self._in_flight += receipts
        # A full disk ends the whole transaction; what follows would be written outside of it.
        failures = [
            letter
            for letter in receipts
            if not (connection.in_transaction and _try_write(letter, connection))
        ]
        if failures:
            with self._condition:
                self._in_flight = [letter for letter in self._in_flight if letter not in failures]
                self._pending[:0] = [letter for letter in failures if letter.attempts < MAX_WRITE_ATTEMPTS]

    def on_transaction_end(self, *, committed: bool) -> None:
        """The transaction is over: what it carried is on disk, or waits again."""
        with self._condition:
            if not committed:
                self._pending[:0] = self._in_flight
                self._condition.notify()
            self._in_flight = []

    def flush(self) -> bool:
        """Write what waits; False if that did not work. It is kept then, up to a number."""
        try:
            if self._pending:
                self._run_transaction()
        except StoreError as error:
            with self._condition:
                dropped_receipts, self._pending = (
                    self._pending[:-MAX_PENDING_RECEIPTS],
                    self._pending[-MAX_PENDING_RECEIPTS:],
                )
            if dropped_receipts:
                log.warning("%d receipts were lost: %s", len(dropped_receipts), error)
            return False
        return True

    def close(self, *, seconds: float | None = None) -> None:
        with self._condition:
            self._closed = True
            self._condition.notify()
        atexit.unregister(self._close_at_exit)
        if self._thread is not None:
            self._thread.join(seconds)
            if self._thread.is_alive():
                log.warning("%d receipts were lost: the file was busy at exit", len(self.pending))
                return
        self.flush()

    def _close_at_exit(self) -> None:
        # A forked child has a copy of what waits here; its parent writes it.
        if os.getpid() == self._process:
            self.close(seconds=EXIT_SECONDS)

    def _flush_until_closed(self) -> None:
        delay = FLUSH_DELAY_SECONDS
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._pending or self._closed)
                if self._condition.wait_for(lambda: self._closed, timeout=delay):
                    return
            delay = FLUSH_DELAY_SECONDS if self.flush() else RETRY_DELAY_SECONDS


def _try_write(pending: PendingReceipt, connection: apsw.Connection) -> bool:
    try:
        with connection:
            pending.write(connection)
    except (apsw.Error, ValueError) as error:
        pending.attempts += 1
        if pending.attempts == MAX_WRITE_ATTEMPTS:
            log.warning("receipt %s was lost: %s", pending.receipt.id, error)
        return False
    return True
