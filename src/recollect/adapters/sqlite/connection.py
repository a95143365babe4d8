"""Connections to the SQLite file: one writer with a write queue, and a pool of readers."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import count
from pathlib import Path

import apsw

from recollect.adapters.sqlite import schema
from recollect.adapters.sqlite.busy_handler import make_busy_handler
from recollect.adapters.sqlite.errors import translate_errors
from recollect.adapters.sqlite.file_identity import FileIdentity
from recollect.adapters.sqlite.fork import open_databases
from recollect.adapters.sqlite.receipt_buffer import ReceiptBuffer
from recollect.adapters.sqlite.tokenizer import register_fulltext
from recollect.adapters.sqlite.transaction import WriteQueue, transaction
from recollect.domain.scope import SYSTEM_USER
from recollect.errors import InvalidInput, NotAStore, StoreError, StoreMoved, StoreReadOnly

SQLITE_HEADER = b"SQLite format 3\x00"
#: SQLite before this release can lose pages when two connections write and checkpoint at once.
MIN_SQLITE_VERSION = 3_051_003

#: Virtual table with every occurrence of every term, read from the full-text index.
CREATE_VOCAB_TABLE = "CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, passages_fts, instance)"
#: Error text for a new connection to a file that was moved.
NOT_READ = "No other connection to it can be opened."
#: Maximum wait for a reader of another thread, once the file was moved and no other can be opened.
READER_WAIT_SECONDS = 1.0


class Database:
    """
    The SQLite file of a store. Writes share one connection through a queue; reads use one connection per thread.

    Inside `transaction()`, reads of the same thread see its uncommitted writes.
    """

    def __init__(self, path: Path, *, busy_timeout_ms: int = 5000) -> None:
        if apsw.SQLITE_VERSION_NUMBER < MIN_SQLITE_VERSION:
            raise StoreError(f"SQLite {apsw.sqlite_lib_version()} is too old to be safe. Upgrade `apsw`.")
        self.path = path
        self._busy_timeout_ms = busy_timeout_ms
        self._idle_readers: list[apsw.Connection] = []
        self._user_numbers: dict[str, int] = {}
        self._embedding_models: dict[str, tuple[int, int]] = {}
        self._local = threading.local()
        self._closed = False
        self._readers = threading.Condition()
        self._reader_count = 0
        self._is_inherited = False
        prepared = _prepare_file(path)
        with translate_errors(str(path)):
            connection = self._open("PRAGMA synchronous = FULL")
            try:
                # Nothing is written, not even the journal mode, before we know that the file is ours.
                schema.check_version(connection, path)
                self._enable_wal(connection)
                schema.migrate(connection, path)
                connection.execute(CREATE_VOCAB_TABLE)
                self.identity = self._identify(prepared)
            except BaseException:
                connection.close()
                raise
        self.receipt_buffer = ReceiptBuffer(self._flush_receipts)
        self._writer, self._write_queue = (
            connection,
            WriteQueue(connection, self.receipt_buffer, self.identity),
        )
        open_databases.add(self)

    def _identify(self, prepared: os.stat_result) -> FileIdentity:
        identity = FileIdentity(self.path)
        if not self.path.exists() or not os.path.samestat(prepared, self.path.stat()):
            raise StoreMoved(f"{self.path} was deleted or replaced while it was being opened. Open it again.")
        return identity

    def _open_reader(self, pragmas: str) -> apsw.Connection:
        """Open another connection to the same file, never to one that replaced it."""
        # Checked before, so that SQLite does not create a deleted file again, and after, since it opens by name.
        self.identity.verify(NOT_READ)
        connection = self._open(f"{pragmas}; PRAGMA query_only = ON")
        try:
            self.identity.verify(NOT_READ)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open(self, pragmas: str) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_handler(make_busy_handler(self._busy_timeout_ms))
        # Without it SQLite prepares a statement again whenever a value is bound that might change its plan, as in
        # `:as_of IS NULL OR …`: that took five times as long as loading forty passages.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        # The first read of the file: damage is reported most clearly here.
        connection.pragma("schema_version")
        register_fulltext(connection)
        for pragma in ("PRAGMA foreign_keys = ON", "PRAGMA secure_delete = ON", *pragmas.split(";")):
            connection.execute(pragma).fetchall()
        return connection

    def _enable_wal(self, connection: apsw.Connection) -> None:
        """Switch to write-ahead logging. SQLite does not call the busy handler while another process does the same."""
        wait = make_busy_handler(self._busy_timeout_ms)
        for attempts in count():
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            except apsw.BusyError:
                if not wait(attempts):
                    raise
            else:
                return

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[apsw.Connection]:
        """Run an atomic transaction. If `durable`, it is on disk when the block ends; the outermost one decides."""
        self._refuse_after_fork()
        # Nested transactions leave the translation of errors to the outermost one, which saves time per message.
        return (
            self._write_queue.transaction(durable=durable)
            if self.is_in_transaction
            else self._outermost_transaction(durable=durable)
        )

    @contextmanager
    def _outermost_transaction(self, *, durable: bool) -> Iterator[apsw.Connection]:
        with translate_errors(str(self.path)), self._write_queue.transaction(durable=durable) as connection:
            yield connection

    @contextmanager
    def user_transaction(self, user: str, *, durable: bool = True) -> Iterator[None]:
        """Run a transaction on one user's data; raise StoreError inside a transaction of another user."""
        outer: str | None = getattr(self._local, "transaction_user", None)
        if outer is not None:
            if outer not in {user, SYSTEM_USER}:
                raise StoreError(
                    f"A transaction of user {user!r} was begun inside one of {outer!r}, which does not exclude other"
                    " writers of that user. End the outer transaction first."
                )
            yield
            return
        with self.transaction(durable=durable):
            self._local.transaction_user = user
            try:
                yield
            finally:
                self._local.transaction_user = None

    def _flush_receipts(self) -> None:
        # Every transaction writes the pending receipts.
        with self.transaction(durable=False):
            pass

    @property
    def is_in_transaction(self) -> bool:
        """Whether this thread is inside a transaction."""
        return self._write_queue.is_in_transaction

    @contextmanager
    def reader(self) -> Iterator[apsw.Connection]:
        if self.is_in_transaction:
            yield self._writer
            return
        with translate_errors(str(self.path)):
            if (pinned := self._pinned_reader) is not None:
                yield pinned
                return
            with self._pooled_reader() as connection:
                yield connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Give all reads of this thread in the block one consistent state, with one lock of the file."""
        if self.is_in_transaction or self._pinned_reader is not None:
            yield
            return
        with translate_errors(str(self.path)), self._pooled_reader() as connection:
            connection.execute("BEGIN")
            self._local.reader = connection
            try:
                yield
            finally:
                self._local.reader = None
                if connection.in_transaction:
                    connection.execute("COMMIT")

    @property
    def _pinned_reader(self) -> apsw.Connection | None:
        """The connection of this thread's snapshot, if one is open."""
        reader: apsw.Connection | None = getattr(self._local, "reader", None)
        return reader

    @contextmanager
    def _pooled_reader(self) -> Iterator[apsw.Connection]:
        self._refuse_after_fork()
        with self._readers:
            self._reader_count += 1
        try:
            connection = self._idle_or_new_reader()
            try:
                yield connection
            finally:
                if self._closed:
                    connection.close()
                else:
                    self._idle_readers.append(connection)
        finally:
            with self._readers:
                self._reader_count -= 1
                self._readers.notify_all()

    def _idle_or_new_reader(self) -> apsw.Connection:
        while True:
            try:
                return self._idle_readers.pop()
            except IndexError:
                pass
            try:
                return self._open_reader(CREATE_VOCAB_TABLE)
            except StoreMoved:
                # Nobody can open the moved file again, but readers of other threads are still valid: wait for one.
                with self._readers:
                    if self._reader_count == 1 and not self._idle_readers:
                        raise
                    if not self._readers.wait_for(lambda: self._idle_readers, READER_WAIT_SECONDS):
                        raise

    @contextmanager
    def new_reader(self) -> Iterator[apsw.Connection]:
        """Open a reader without cached state."""
        self._refuse_after_fork()
        with (
            translate_errors(str(self.path)),
            closing(self._open_reader("PRAGMA query_only = ON")) as connection,
        ):
            yield connection

    @contextmanager
    def remains(self) -> Iterator[apsw.Connection]:
        """
        Yield the writing connection exclusively, with pending receipts written: the only way to read a file that was
        moved or deleted.
        """
        with translate_errors(str(self.path)), self._write_queue.exclusive() as connection:
            try:
                with transaction(connection):
                    self.receipt_buffer.write_into(connection)
            except apsw.Error:
                # For example a full disk: receipts stay pending, and all other data can be read.
                self.receipt_buffer.on_transaction_end(committed=False)
            else:
                self.receipt_buffer.on_transaction_end(committed=True)
            yield connection

    def user_number(self, connection: apsw.Connection, user: str) -> int:
        """Return the user's row number; 0, which no row has, for an unknown user."""
        number = self._user_numbers.get(user)
        if number is not None:
            return number
        row = connection.execute("SELECT no FROM users WHERE id = ?", (user,)).fetchone()
        if row is None:
            return 0
        # A user inserted by an open transaction may still be rolled back, including the number.
        if connection is self._pinned_reader or not connection.in_transaction:
            self._user_numbers[user] = row[0]
        return int(row[0])

    def embedding_model(self, connection: apsw.Connection, model: str) -> tuple[int, int] | None:
        """Return the row number and the dimension of an embedding model; None if it is unknown."""
        if model not in self._embedding_models:
            select = "SELECT no, dimension FROM embedding_models WHERE id = ?"
            row = connection.execute(select, (model,)).fetchone()
            if row is None or (connection is not self._pinned_reader and connection.in_transaction):
                # A model inserted by an open transaction may still be rolled back, including the number.
                return row
            self._embedding_models[model] = row
        return self._embedding_models[model]

    def get_or_create_user(self, connection: apsw.Connection, user: str, now_ms: int) -> int:
        number = self.user_number(connection, user)
        if not number:
            connection.execute("INSERT INTO users (id, created_at) VALUES (?, ?)", (user, now_ms))
            number = connection.last_insert_rowid()
        return number

    def clear_user_cache(self) -> None:
        """Forget cached user numbers, after a user was erased."""
        self._user_numbers.clear()

    def checkpoint(self) -> bool:
        """Checkpoint and truncate the write-ahead log; return False if a reader prevents it."""
        with translate_errors(str(self.path)), self._write_queue.exclusive() as connection:
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
        return not busy

    def prepare_fork(self, *, seconds: float) -> Callable[[], None]:
        """Wait until no thread is inside SQLite; return a function that resumes them."""
        is_paused = self._write_queue.pause(seconds=seconds)
        self._readers.acquire()
        self._readers.wait_for(lambda: not self._reader_count, timeout=seconds)

        def resume() -> None:
            self._readers.release()
            if is_paused:
                self._write_queue.resume()

        return resume

    def disown(self) -> list[apsw.Connection]:
        """In a forked child: stop using the parent's connections and return them."""
        self._is_inherited = True
        return [self._writer, *self._idle_readers]

    def _refuse_after_fork(self) -> None:
        if self._is_inherited:
            raise StoreError(
                f"{self.path} was opened before this process was forked, and SQLite cannot share it with the parent."
                " Open a new Memory in the child."
            )

    def close(self) -> None:
        if self._is_inherited:
            return
        open_databases.discard(self)
        self.receipt_buffer.close()
        with self._write_queue.exclusive() as connection:
            if self.identity.is_missing and not self._closed:
                # SQLite does not checkpoint on close when the file's name is gone; a renamed file would lack the log.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._closed = True
            connections = [*self._idle_readers, connection]
            self._idle_readers.clear()
            for each in connections:
                each.close()


def _prepare_file(path: Path) -> os.stat_result:
    """Create the file with mode 600 if it is missing; raise NotAStore if it is no SQLite database."""
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder. Give the path of a memory file.")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        with path.open("rb") as file:
            header = file.read(len(SQLITE_HEADER))
            status = os.fstat(file.fileno())
    except OSError as error:
        raise StoreReadOnly(f"{StoreReadOnly.__doc__} ({path}: {error.strerror})") from error
    # A power loss during creation may leave zeros, which SQLite handles.
    if header.strip(b"\0") and header != SQLITE_HEADER:
        raise NotAStore(f"{NotAStore.__doc__} ({path})")
    return status
