"""
Write-behind buffer for receipts.

A recall must not wait for the disk, so its receipt is put into an in-memory buffer and written later:

- any write transaction takes the pending receipts along (`write_into`), at the cost of no additional commit;
- if there is none within 20 ms, a background thread runs a non-durable transaction for them;
- if more than 256 are pending, the caller that adds the next one flushes them (backpressure).

States: pending -> in flight (written in an open transaction) -> gone after commit, or pending again after rollback.
Readers in this process see pending and in-flight receipts through `pending` and must read it before the table. Each
receipt is written in a savepoint, so that a faulty one neither breaks the host transaction nor the other receipts; it
is dropped with a warning after 3 attempts.

Invariants: a receipt is written at most once; a crash loses at most the unwritten ones, which is accepted for receipts
and for nothing else. At exit the buffer is flushed within 5 s, by the process that filled it, not by a forked child.

Example: 10 recalls within 20 ms cause one transaction with 10 inserts.
"""

import atexit
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

import apsw

from recollect.domain.receipt import Receipt
from recollect.errors import StoreError

#: Delay before pending receipts are flushed, so that several share a transaction; and before a failed flush is retried.
FLUSH_DELAY_SECONDS = 0.02
RETRY_DELAY_SECONDS = 1.0
#: With more pending receipts, the caller that adds one flushes them all.
MAX_PENDING_RECEIPTS = 256
#: A receipt is dropped after this many failed attempts.
MAX_WRITE_ATTEMPTS = 3
#: Time limit for the flush at interpreter exit.
EXIT_SECONDS = 5.0

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False, kw_only=True)
class PendingReceipt:
    receipt: Receipt
    write: Callable[[apsw.Connection], None]
    attempts: int = 0


class ReceiptBuffer:
    """
    Pending receipts, written by the next transaction or by a background thread.

    Receipts in an open transaction stay readable here until it commits, and become pending again if it rolls back.
    """

    def __init__(self, run_transaction: Callable[[], None]) -> None:
        self._run_transaction = run_transaction
        # Always notified with `notify_all`: an exception in `notify`, such as KeyboardInterrupt, leaves a woken
        # waiter in the list, and the next `notify` would wake only that one.
        self._condition = threading.Condition()
        self._pending: list[PendingReceipt] = []
        self._in_flight: list[PendingReceipt] = []
        self._thread: threading.Thread | None = None
        self._closed = False
        self._process = os.getpid()

    @property
    def pending(self) -> list[Receipt]:
        """Unwritten receipts, oldest first. Read this before the table, or one that is being written may be missed."""
        with self._condition:
            return [entry.receipt for entry in (*self._in_flight, *self._pending)]

    def enqueue(self, receipt: Receipt, write: Callable[[apsw.Connection], None]) -> None:
        with self._condition:
            self._pending.append(PendingReceipt(receipt=receipt, write=write))
            is_full = len(self._pending) > MAX_PENDING_RECEIPTS
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._flush_until_closed, name="receipts", daemon=True)
                self._thread.start()
                atexit.register(self._close_at_exit)
            self._condition.notify_all()
        if is_full:
            self.flush()

    def write_into(self, connection: apsw.Connection) -> None:
        """Write the pending receipts into the open transaction, which does not fail if a receipt does."""
        with self._condition:
            receipts, self._pending = self._pending, []
            self._in_flight += receipts
        # A full disk ends the whole transaction; later receipts would be written outside of it.
        failures = [
            entry for entry in receipts if not (connection.in_transaction and _try_write(entry, connection))
        ]
        if failures:
            with self._condition:
                self._in_flight = [entry for entry in self._in_flight if entry not in failures]
                self._pending[:0] = [entry for entry in failures if entry.attempts < MAX_WRITE_ATTEMPTS]

    def on_transaction_end(self, *, committed: bool) -> None:
        """Drop the in-flight receipts after a commit, or make them pending again after a rollback."""
        with self._condition:
            if not committed:
                self._pending[:0] = self._in_flight
                self._condition.notify_all()
            self._in_flight = []

    def flush(self) -> bool:
        """Write the pending receipts; if that fails, keep the newest `MAX_PENDING_RECEIPTS` and return False."""
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
            self._condition.notify_all()
        atexit.unregister(self._close_at_exit)
        if self._thread is not None:
            self._thread.join(seconds)
            if self._thread.is_alive():
                log.warning("%d receipts were lost: the database was still locked at exit", len(self.pending))
                return
        self.flush()

    def _close_at_exit(self) -> None:
        # A forked child has a copy of the pending receipts; the parent writes them.
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
