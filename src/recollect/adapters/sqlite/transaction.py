"""
Write transactions with group commit.

SQLite has one writer, and a durable commit waits for an fsync. `WriteQueue` serializes the threads of this process
(first come, first served) on one connection and lets consecutive transactions share a commit:

1. A thread waits for its turn, then joins the open `CommitGroup` or begins a new one with BEGIN IMMEDIATE.
2. Every member after the first runs in the savepoint `member`; if it fails, only its own changes are rolled back.
3. A finished thread passes its turn, and the open transaction with it, to the next waiting thread. If no thread waits,
   or the group has 128 members or is 20 ms old, it commits.
4. All members block in `CommitGroup.wait` until that commit is on disk, or get its error.

Invariants: a transaction returns only after its commit; a thread without competitors never waits for others; a durable
member never joins a non-durable group. The file's identity is checked before and after the commit, so that nothing
written to a deleted or replaced file is acknowledged. Ctrl-C never leaves the turn or the group unresolved.

Cost: one fsync per group instead of one per transaction. Example: 8 threads insert one message each: the first begins
the group, seven savepoints follow, and the eighth thread commits once for all.
"""

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

#: A group commits when it reaches this size or age, since other processes wait for the write lock and its first member
#: waits for the commit.
MAX_GROUP_TRANSACTIONS = 128
MAX_GROUP_SECONDS = 0.02
#: Error texts for a file that was moved before the commit, or found moved after it.
NOT_WRITTEN = "Nothing was written."
NOT_SAFE = "This was written to the old file only, and is not safe."


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Run a transaction that takes the write lock at once: one that starts with a read can fail at its first write."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _complete(action: Callable[[], None]) -> None:
    """Run an idempotent action to completion, since other threads wait for it; Ctrl-C is raised afterwards."""
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
    """Transactions of several threads that share one commit."""

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
        """Return when the group is committed, or raise the error that prevented it."""
        # Each waiter releases the next one. An event would wake all threads at once, to contend again.
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
    Serializes the write transactions of all threads on one connection, in order of arrival, with group commit.

    See the module docstring.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        receipt_buffer: ReceiptBuffer,
        identity: FileIdentity,
        *,
        max_group_seconds: float = MAX_GROUP_SECONDS,
    ) -> None:
        self._connection = connection
        self._max_group_seconds = max_group_seconds
        self._identity = identity
        self._receipt_buffer = receipt_buffer
        self._lock = threading.Lock()
        self._queue: deque[tuple[threading.Lock, int]] = deque()  #: the lock and id of each waiting thread
        self._holder: int | None = None  #: id of the thread whose turn it is
        self._owner_thread = 0
        self._group: CommitGroup | None = None
        self._durable = True
        self._nested_context = nullcontext(connection)

    @property
    def is_in_transaction(self) -> bool:
        """Whether this thread is inside a transaction."""
        return self._owner_thread == threading.get_ident()

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[apsw.Connection]:
        """Run a transaction, committed when the block ends. If not `durable`, a power loss may undo it."""
        return (
            self._nested_context if self.is_in_transaction else self._outermost_transaction(durable=durable)
        )

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
        """Yield the connection while no transaction is open, or the current one of this thread."""
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
        """Block other threads from the connection until `resume`; return False if the turn did not come in time."""
        return not self.is_in_transaction and self._take_turn(seconds=seconds)

    def resume(self) -> None:
        self._pass_turn()

    def _take_turn(self, *, seconds: float = -1) -> bool:
        me = threading.get_ident()
        with self._lock:
            # This thread holds the turn already if Ctrl-C arrived before it could pass it on.
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
        """Leave the queue; if the turn has come already, pass it to the next thread."""
        with self._lock:
            if (turn_lock, me) in self._queue:
                self._queue.remove((turn_lock, me))
                return
        self._pass_turn()

    def _call_next(self) -> None:
        turn_lock, self._holder = self._queue.popleft()
        turn_lock.release()

    def _join_group(self, *, durable: bool) -> CommitGroup:
        group = self._group
        if group is not None and (durable > group.durable or not self._connection.in_transaction):
            self._commit()
            group = None
        if group is None:
            if self._connection.in_transaction:
                # Ctrl-C arrived right after BEGIN.
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
            raise StoreError(f"{StoreError.__doc__} (SQLite rolled the transaction back)")
        if group.size:
            self._connection.execute("RELEASE member")
        group.size += 1

    def _roll_back(self, group: CommitGroup, error: BaseException) -> None:
        """Roll back one member. If SQLite ended the transaction itself, as on a full disk, the whole group fails."""
        if group.size and self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK TO member")
                self._connection.execute("RELEASE member")
            except apsw.Error as rollback_error:
                error = rollback_error
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
            # Ctrl-C is raised before or after COMMIT, never during it; a failed COMMIT raises its own error.
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
        """Check the file after the commit and before it is acknowledged: it may have been deleted in between."""
        try:
            self._identity.verify(NOT_SAFE)
        except StoreMoved as error:
            return error
        return None

    def _pass_turn(self) -> None:
        """Pass the turn and the open group to the next thread; commit first if the group is full or no thread waits."""
        _complete(self._pass_or_commit)

    def _pass_or_commit(self) -> None:
        if self._holder != threading.get_ident():
            return
        group = self._group
        is_full = (
            group is None
            or group.size >= MAX_GROUP_TRANSACTIONS
            or time.monotonic() - group.started_at >= self._max_group_seconds
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
        """Set whether a commit waits for the disk."""
        if durable is not self._durable:
            # This pragma takes effect when it is prepared, so a cached statement would change nothing.
            self._connection.execute(
                f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}", can_cache=False
            ).fetchall()
            self._durable = durable
