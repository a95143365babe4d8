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
SOON = 0.02
LATER = 1.0
#: So many may wait. Who brings one more writes them all.
MOST = 256
#: One that cannot be written so many times will never be.
TRIES = 3
#: Seconds that the interpreter waits at exit for the thread that writes.
EXIT_SECONDS = 5.0

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False, kw_only=True)
class Letter:
    receipt: Receipt
    write: Callable[[apsw.Connection], None]
    tries: int = 0


class Outbox:
    """
    Whoever opens a transaction takes along what lies here; if nobody does, a thread of its own does so soon.

    What is in a transaction stays readable here until that is committed, and comes back if it is not.
    """

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._changed = threading.Condition()
        self._waiting: list[Letter] = []
        self._carried: list[Letter] = []
        self._thread: threading.Thread | None = None
        self._closed = False
        self._process = os.getpid()

    @property
    def undelivered(self) -> list[Receipt]:
        """Oldest first. Look here before you look into the file, or you may miss what is written in between."""
        with self._changed:
            return [letter.receipt for letter in (*self._carried, *self._waiting)]

    def post(self, receipt: Receipt, write: Callable[[apsw.Connection], None]) -> None:
        with self._changed:
            self._waiting.append(Letter(receipt=receipt, write=write))
            crowded = len(self._waiting) > MOST
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._keep_sending, name="receipts", daemon=True)
                self._thread.start()
                atexit.register(self._close_at_exit)
            self._changed.notify()
        if crowded:
            self.flush()

    def carry(self, connection: apsw.Connection) -> None:
        """Write what waits into the open transaction. Whose it is must not suffer from what cannot be written."""
        with self._changed:
            letters, self._waiting = self._waiting, []
            self._carried += letters
        # A full disk ends the whole transaction; what follows would be written outside of it.
        failed = [
            letter for letter in letters if not (connection.in_transaction and _written(letter, connection))
        ]
        if failed:
            with self._changed:
                self._carried = [letter for letter in self._carried if letter not in failed]
                self._waiting[:0] = [letter for letter in failed if letter.tries < TRIES]

    def settle(self, *, committed: bool) -> None:
        """The transaction is over: what it carried is on disk, or waits again."""
        with self._changed:
            if not committed:
                self._waiting[:0] = self._carried
                self._changed.notify()
            self._carried = []

    def flush(self) -> bool:
        """Write what waits; False if that did not work. It is kept then, up to a number."""
        try:
            if self._waiting:
                self._send()
        except StoreError as error:
            with self._changed:
                lost, self._waiting = self._waiting[:-MOST], self._waiting[-MOST:]
            if lost:
                log.warning("%d receipts were lost: %s", len(lost), error)
            return False
        return True

    def close(self, *, seconds: float | None = None) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        atexit.unregister(self._close_at_exit)
        if self._thread is not None:
            self._thread.join(seconds)
            if self._thread.is_alive():
                log.warning("%d receipts were lost: the file was busy at exit", len(self.undelivered))
                return
        self.flush()

    def _close_at_exit(self) -> None:
        # A forked child has a copy of what waits here; its parent writes it.
        if os.getpid() == self._process:
            self.close(seconds=EXIT_SECONDS)

    def _keep_sending(self) -> None:
        pause = SOON
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._changed.wait_for(lambda: self._closed, timeout=pause):
                    return
            pause = SOON if self.flush() else LATER


def _written(letter: Letter, connection: apsw.Connection) -> bool:
    try:
        with connection:
            letter.write(connection)
    except (apsw.Error, ValueError) as error:
        letter.tries += 1
        if letter.tries == TRIES:
            log.warning("receipt %s was lost: %s", letter.receipt.id, error)
        return False
    return True
