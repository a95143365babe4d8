"""All of it, or none of it; those who write at the same time wait for the disk together."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial

import apsw

from recollect.adapters.sqlite.file_identity import FileIdentity
from recollect.adapters.sqlite.receipt_buffer import ReceiptBuffer
from recollect.errors import StoreError, StoreMoved

#: Nobody may join a group any more once it has so many, or is so many seconds old: other processes want to write too,
#: and the first of them has waited long enough.
MAX_GROUP_TRANSACTIONS = 128
MAX_GROUP_SECONDS = 0.02
#: What became of a write when the file had moved before the commit, or was found to have moved after it.
NOT_WRITTEN = "Nothing was written."
NOT_SAFE = "This was written to the old file only, and is not safe."


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Take the write lock first: one that begins by reading may find the file changed when it comes to write."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _complete(action: Callable[[], None]) -> None:
    """Do what other threads wait for, whole: Ctrl-C in the middle of it is raised when it is done."""
    try:
        action()
    except KeyboardInterrupt:
        action()
        raise


def _make_acquired_lock() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


@dataclass(slots=True, eq=False, kw_only=True)
class CommitGroup:
    """Transactions of several threads that reach the disk as one."""

    durable: bool
    started_at: float
    size: int = 0
    done_lock: threading.Lock = field(default_factory=_make_acquired_lock)
    failure: BaseException | None = None
    is_settled: bool = False

    def resolve(self, failure: BaseException | None = None) -> None:
        if not self.is_settled:
            self.failure = failure
            self.done_lock.release()
            self.is_settled = True

    def wait(self) -> None:
        """Return when it is on disk, or say why it is not."""
        # Each lets the next one through. An event would wake all at once, to wait for each other again.
        with self.done_lock:
            pass
        match self.failure:
            case None:
                return
            case apsw.Error():
                raise self.failure
            case StoreError():
                raise type(self.failure)(str(self.failure)) from self.failure
            case _:
                raise StoreError(f"{StoreError.__doc__} ({self.failure})") from self.failure


class WriteQueue:
    """
    Threads take turns at the one connection that writes, in the order they came.

    Who is done while others wait does not commit, but hands the open transaction on, and the last one commits for all.
    Each has a savepoint of its own, so that one who fails takes back only what is theirs. Nobody who comes alone waits
    for company.
    """

    def __init__(
        self, connection: apsw.Connection, receipt_buffer: ReceiptBuffer, identity: FileIdentity
    ) -> None:
        self._connection = connection
        self._identity = identity
        self._receipt_buffer = receipt_buffer
        self._lock = threading.Lock()
        self._queue: deque[tuple[threading.Lock, int]] = deque()  #: with the thread that waits
        self._holder: int | None = None  #: the thread whose turn it is
        self._owner_thread = 0
        self._group: CommitGroup | None = None
        self._durable = True
        self._nested_context = nullcontext(connection)

    @property
    def is_in_transaction(self) -> bool:
        """Whether this thread is inside a transaction."""
        return self._owner_thread == threading.get_ident()

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[apsw.Connection]:
        """On disk when this is left. One that need not be `durable` is committed, but may be lost with the power."""
        if not self.is_in_transaction:
            return self._outermost_transaction(durable=durable)
        assert self._group is not None
        assert self._group.durable or not durable, "what must last was put inside of what need not"
        return self._nested_context

    @contextmanager
    def _outermost_transaction(self, *, durable: bool) -> Iterator[apsw.Connection]:
        self._take_turn()
        try:
            group = self._join_group(durable=durable)
            try:
                yield self._connection
                self._leave_group(group)
            except BaseException as error:
                self._roll_back(group, error)
                raise
            finally:
                self._owner_thread = 0
        finally:
            self._pass_turn()
        group.wait()

    @contextmanager
    def exclusive(self) -> Iterator[apsw.Connection]:
        """The connection between two transactions."""
        if self.is_in_transaction:
            yield self._connection
            return
        self._take_turn()
        try:
            self._commit()
            yield self._connection
        finally:
            self._pass_turn()

    def pause(self, *, seconds: float) -> bool:
        """Keep everybody else from the connection until `resume`; False if the turn did not come in time."""
        return not self.is_in_transaction and self._take_turn(seconds=seconds)

    def resume(self) -> None:
        self._pass_turn()

    def _take_turn(self, *, seconds: float = -1) -> bool:
        me = threading.get_ident()
        with self._lock:
            # It is this thread's already if Ctrl-C came after it took its turn and before it handed it on.
            if self._holder in {None, me}:
                self._holder = me
                return True
            turn_lock = _make_acquired_lock()
            self._queue.append((turn_lock, me))
        try:
            if turn_lock.acquire(timeout=seconds):
                return True
        except BaseException:
            self._cancel_wait(turn_lock, me)
            raise
        self._cancel_wait(turn_lock, me)
        return False

    def _cancel_wait(self, turn_lock: threading.Lock, me: int) -> None:
        """Interrupted while waiting; if the turn has come meanwhile, the next one gets it."""
        with self._lock:
            if (turn_lock, me) in self._queue:
                self._queue.remove((turn_lock, me))
                return
        self._pass_turn()

    def _call_next(self) -> None:
        called, self._holder = self._queue.popleft()
        called.release()

    def _join_group(self, *, durable: bool) -> CommitGroup:
        group = self._group
        if group is not None and (durable > group.durable or not self._connection.in_transaction):
            self._commit()
            group = None
        if group is None:
            if self._connection.in_transaction:
                # Ctrl-C came right after BEGIN.
                self._connection.execute("ROLLBACK")
            self._set_synchronous(durable=durable)
            self._connection.execute("BEGIN IMMEDIATE")
            group = self._group = CommitGroup(durable=durable, started_at=time.monotonic())
            self._receipt_buffer.write_into(self._connection)
        else:
            self._receipt_buffer.write_into(self._connection)
            self._connection.execute("SAVEPOINT member")
        self._owner_thread = threading.get_ident()
        return group

    def _leave_group(self, group: CommitGroup) -> None:
        if not self._connection.in_transaction:
            raise StoreError(f"{StoreError.__doc__} (SQLite took the transaction back)")
        if group.size:
            self._connection.execute("RELEASE member")
        group.size += 1

    def _roll_back(self, group: CommitGroup, error: BaseException) -> None:
        """Take back what one of them did. When SQLite itself gave up, on a full disk say, it is lost for all."""
        if group.size and self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK TO member")
                self._connection.execute("RELEASE member")
            except apsw.Error as broken:
                error = broken
            else:
                return
        self._fail_group(group, error)

    def _fail_group(self, group: CommitGroup, error: BaseException) -> None:
        self._group = None
        self._receipt_buffer.on_transaction_end(committed=False)
        group.resolve(error)
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _commit(self) -> None:
        group = self._group
        if group is None:
            return
        try:
            self._identity.verify(NOT_WRITTEN)
            self._connection.execute("COMMIT")
        except (apsw.Error, StoreMoved) as error:
            self._fail_group(group, error)
        except BaseException as error:
            # Ctrl-C is raised before the statement or after it, and one that failed has raised its own error.
            if self._connection.in_transaction:
                self._fail_group(group, error)
            else:
                self._acknowledge(group)
            raise
        else:
            _complete(partial(self._acknowledge, group))

    def _acknowledge(self, group: CommitGroup) -> None:
        self._receipt_buffer.on_transaction_end(committed=True)
        group.resolve(self._moved_since())
        self._group = None

    def _moved_since(self) -> StoreMoved | None:
        """After the commit and before anybody is told of it: the file may have been deleted in between."""
        try:
            self._identity.verify(NOT_SAFE)
        except StoreMoved as error:
            return error
        return None

    def _pass_turn(self) -> None:
        """Give the turn to the next one. The group goes along with it unless it is full, or nobody is there."""
        _complete(self._pass_or_commit)

    def _pass_or_commit(self) -> None:
        if self._holder != threading.get_ident():
            return
        group = self._group
        is_full = (
            group is None
            or group.size >= MAX_GROUP_TRANSACTIONS
            or time.monotonic() - group.started_at >= MAX_GROUP_SECONDS
        )
        with self._lock:
            if self._queue and not is_full:
                self._call_next()
                return
        self._commit()
        with self._lock:
            if self._queue:
                self._call_next()
            else:
                self._holder = None

    def _set_synchronous(self, *, durable: bool) -> None:
        """Whether a commit waits for the disk."""
        if durable is not self._durable:
            # SQLite obeys when it reads the words: a statement that it remembers would change nothing.
            self._connection.execute(
                f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}", can_cache=False
            ).fetchall()
            self._durable = durable
