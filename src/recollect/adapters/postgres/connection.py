"""
Connections to PostgreSQL: a pool, transactions of one user, and snapshots.

A connection taken from the pool has no state: every setting is `SET LOCAL`, in one message with BEGIN, so that a
transaction pooler such as PgBouncer may give each transaction another server connection. BEGIN also names the user for
row-level security (`recollect.user_id`) and takes the user's advisory lock, which makes write transactions of one user
run one after another in all processes. Those of SYSTEM_USER take the lock exclusively that all others share.

A thread has at most one connection. Reads and writes inside `transaction` or `snapshot` use it, so that no thread waits
for a second connection while it holds one.
"""

import hashlib
import selectors
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import cast

import psycopg
from psycopg import pq, sql
from psycopg_pool import ConnectionPool, PoolTimeout

from recollect.adapters.postgres import schema
from recollect.adapters.postgres.errors import translate_errors
from recollect.adapters.postgres.rows import Connection, Row, SqlValues
from recollect.domain.scope import SYSTEM_USER
from recollect.errors import StoreError

#: Advisory lock: transactions of users share it, those of the whole system take it exclusively.
SYSTEM_LOCK = 0x5243_4C54_0000_0001
#: Time limits of a connection attempt, and of the wait for a free connection.
CONNECT_SECONDS = 3
POOL_SECONDS = 5.0
#: Wait for a free connection while the server cannot be reached, so that requests fail at once until it returns.
UNREACHABLE_POOL_SECONDS = 0.25
#: With these a server that vanished without closing its connections is noticed within about ten seconds.
KEEPALIVE_OPTIONS = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
#: SQLSTATE of a write to a standby, which may have been the primary before.
READ_ONLY_STATE = "25006"
#: Limit of any statement. A rebuild of an index over all users may take longer and sets its own.
STATEMENT_SECONDS = 60
#: Minimum time between two notifications of this process: each takes a lock that all committing transactions share.
NOTIFY_INTERVAL_SECONDS = 0.1
NOTIFY_CHANNEL = "recollect_jobs"
#: How often a listening thread checks whether it must end, and how long it waits before it connects again.
LISTEN_SECONDS = 0.5
RECONNECT_SECONDS = 2.0
INSERT_USER = "INSERT INTO users (user_id, created_at) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING"


@dataclass(slots=True, eq=False, kw_only=True)
class Session:
    """What a thread's connection is used for, until its transaction ends."""

    connection: Connection
    writes: bool
    user: str | None  #: whose rows it may see; None before the first read of a snapshot
    lock_user: str | None = None  #: of a transaction that excludes other writers of this user
    user_exists: bool = False
    notifies: bool = False  #: whether workers are notified after the commit
    created_users: set[str] = field(default_factory=set)
    #: Statements to send with the next one, or with COMMIT.
    deferred: list[tuple[str, SqlValues]] = field(default_factory=list)


class Database:
    """The connections of a store. See the module docstring."""

    def __init__(
        self,
        url: str,
        *,
        busy_timeout_ms: int = 5000,
        pool_size: int = 16,
        prepares: bool = True,
        migrates: bool = True,
        cursor_class: type[psycopg.RawCursor[Row]] = psycopg.RawCursor,
    ) -> None:
        self.location = describe_url(url)
        self.url = url
        self._lock_timeout_ms = busy_timeout_ms
        self._local = threading.local()
        self._last_notification = 0.0
        self._is_unreachable = False
        self._in_use = 0
        self._counter_lock = threading.Lock()
        self._prepares = prepares
        self._cursor_class = cursor_class
        with translate_errors(self.location):
            # A direct connection: it fails at once, with the server's own message.
            with self.connect() as connection:
                schema.open_schema(connection, self.location, migrates=migrates)
            self._pool: ConnectionPool[Connection] = ConnectionPool(
                url,
                kwargs=self._connection_options(),
                min_size=0,
                max_size=pool_size,
                timeout=POOL_SECONDS,
                max_idle=60.0,
                # The pool retries with growing waits; the next request starts it afresh.
                reconnect_timeout=POOL_SECONDS,
                check=_discard_if_closed,
                name="recollect",
                open=True,
            )

    def _connection_options(self) -> dict[str, object]:
        return {
            "autocommit": True,
            "cursor_factory": self._cursor_class,
            "connect_timeout": CONNECT_SECONDS,
            **KEEPALIVE_OPTIONS,
            "prepare_threshold": 5 if self._prepares else None,
        }

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        try:
            taken = self._pool.connection(
                timeout=UNREACHABLE_POOL_SECONDS if self._is_unreachable else POOL_SECONDS
            )
            with taken as connection:
                self._is_unreachable = False
                with self._counter_lock:
                    self._in_use += 1
                try:
                    yield connection
                except psycopg.Error as error:
                    if error.sqlstate == READ_ONLY_STATE:
                        # The next connection is made to the server that accepts writes now.
                        connection.close()
                    raise
                finally:
                    with self._counter_lock:
                        self._in_use -= 1
        except PoolTimeout:
            # The pool is not exhausted: no new connection could be made.
            self._is_unreachable = self._in_use < self._pool.max_size
            raise

    def connect(self) -> Connection:
        """Open a connection outside the pool, in autocommit mode, for commands that no transaction allows."""
        options = self._connection_options()
        return cast("Connection", psycopg.connect(self.url, **options))  # type: ignore[arg-type]

    @contextmanager
    def transaction(self, user: str, *, durable: bool = True, defers: bool = False) -> Iterator[Connection]:
        """
        Run a write transaction on a user's rows, or join the current one of this thread.

        If not `durable`, it does not wait for the disk, and a crash of the server may undo it. With `defers`, the block
        does nothing but `defer` statements, and those deferred before need not be sent.
        """
        session = self._session
        if session is not None and session.writes:
            if not defers:
                _send_deferred(session)
            yield session.connection
            return
        with self._outermost(user, lock_user=user, durable=durable) as session:
            yield session.connection

    @contextmanager
    def row_transaction(self, user: str, *, durable: bool = True) -> Iterator[Connection]:
        """Run a write transaction on single rows of a user, which needs not exclude the user's other writers."""
        session = self._session
        if session is not None and session.writes:
            _send_deferred(session)
            yield session.connection
            return
        with self._outermost(user, lock_user=None, durable=durable) as session:
            yield session.connection

    @contextmanager
    def system_transaction(self, *, durable: bool = True) -> Iterator[Connection]:
        """Run a write transaction on rows of all users, or of none, that excludes no other."""
        session = self._session
        if session is not None and session.writes:
            _send_deferred(session)
            yield session.connection
            return
        with self._outermost(SYSTEM_USER, lock_user=None, durable=durable) as session:
            yield session.connection

    @contextmanager
    def user_transaction(self, user: str, *, durable: bool = True) -> Iterator[None]:
        """Run a transaction on one user's data; raise StoreError inside a transaction of another user."""
        session = self._session
        if session is not None and session.lock_user is not None:
            if session.lock_user not in {user, SYSTEM_USER}:
                raise StoreError(
                    f"A transaction of user {user!r} was begun inside one of {session.lock_user!r}, which does not"
                    " exclude other writers of that user. End the outer transaction first."
                )
            yield
            return
        with self._outermost(user, lock_user=user, durable=durable):
            yield

    @contextmanager
    def _outermost(self, user: str, *, lock_user: str | None, durable: bool) -> Iterator[Session]:
        with translate_errors(self.location), self._connection() as connection:
            session = Session(connection=connection, writes=True, user=user, lock_user=lock_user)
            self._begin(session, "BEGIN", durable=durable)
            previous, self._local.session = self._session, session
            try:
                yield session
                _send_deferred(session, "COMMIT")
            except BaseException:
                _roll_back(connection)
                raise
            finally:
                self._local.session = previous
            if session.notifies:
                self._notify(connection)

    def _begin(self, session: Session, begin: str, *, durable: bool = True) -> None:
        """Begin a transaction with its settings and locks, in one message."""
        statements = [begin, *self._identify(session.user)]
        if not durable:
            statements.append("SET LOCAL synchronous_commit = off")
        if session.lock_user == SYSTEM_USER:
            statements.append(f"SELECT pg_advisory_xact_lock({SYSTEM_LOCK})")
        elif session.lock_user is not None:
            statements.append(
                f"SELECT pg_advisory_xact_lock_shared({SYSTEM_LOCK}),"
                f" pg_advisory_xact_lock({user_lock(session.lock_user)})"
            )
            # A statement of its own, which sees what the previous holder of the lock has committed.
            statements.append(f"SELECT 1 FROM users WHERE user_id = {_quote(session.lock_user)}")
        cursor = _execute_all(session.connection, statements)
        if session.lock_user:
            session.user_exists = cursor.fetchone() is not None

    def _identify(self, user: str | None) -> list[str]:
        """Return the settings of a transaction: whose rows it sees, and its time limits."""
        return [
            "SET LOCAL recollect.all_users = 'on'"
            if user == SYSTEM_USER
            else f"SET LOCAL recollect.user_id = {_quote(user or '')}",
            f"SET LOCAL lock_timeout = {self._lock_timeout_ms}",
            f"SET LOCAL statement_timeout = '{STATEMENT_SECONDS}s'",
        ]

    @property
    def _session(self) -> Session | None:
        session: Session | None = getattr(self._local, "session", None)
        return session

    @property
    def is_in_transaction(self) -> bool:
        """Whether this thread is inside a write transaction."""
        session = self._session
        return session is not None and session.writes

    @contextmanager
    def reader(self, user: str) -> Iterator[Connection]:
        session = self._session
        if session is None:
            with self.snapshot(), self.reader(user) as connection:
                yield connection
            return
        _send_deferred(session)
        if session.user is None:
            self._begin_snapshot(session, user)
        elif session.user not in {user, SYSTEM_USER} and not session.writes:
            _execute_all(session.connection, self._identify(user))
            session.user = user
        yield session.connection

    def system_reader(self) -> AbstractContextManager[Connection]:
        """Read rows of all users, or of none."""
        return self.reader(SYSTEM_USER)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Give all reads of this thread in the block one consistent state. It begins with the first read."""
        if self._session is not None:
            yield
            return
        with translate_errors(self.location), self._connection() as connection:
            session = Session(connection=connection, writes=False, user=None)
            self._local.session = session
            try:
                yield
                if session.user is not None:
                    connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise
            finally:
                self._local.session = None

    def _begin_snapshot(self, session: Session, user: str) -> None:
        session.user = user
        self._begin(session, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def defer(self, sql: str, values: SqlValues) -> None:
        """
        Run a statement whose result nobody needs, in the current transaction.

        It is sent with the next statement that is not deferred, or with COMMIT, so that it takes no round trip.
        """
        session = self._session
        assert session is not None
        assert session.writes
        session.deferred.append((sql, values))

    def ensure_user(self, user: str, now_ms: int) -> None:
        """Store the user, if this transaction has not found them stored already."""
        session = self._session
        assert session is not None
        if (session.user_exists and session.lock_user == user) or user in session.created_users:
            return
        session.deferred.append((INSERT_USER, (user, now_ms)))
        session.created_users.add(user)

    def forget_user(self, user: str) -> None:
        """Record that this transaction erased the user."""
        session = self._session
        assert session is not None
        session.user_exists = False
        session.created_users.discard(user)

    def notify_workers(self) -> None:
        """Wake the workers of all processes when the current transaction has committed."""
        session = self._session
        assert session is not None
        session.notifies = True

    def _notify(self, connection: Connection) -> None:
        # Outside the transaction: commits with a notification wait for each other. Workers poll besides.
        now = time.monotonic()
        if now - self._last_notification >= NOTIFY_INTERVAL_SECONDS:
            self._last_notification = now
            connection.execute(f"NOTIFY {NOTIFY_CHANNEL}")

    @contextmanager
    def listen(self, wake: Callable[[], None]) -> Iterator[None]:
        """
        Call `wake` on each notification of `notify_workers` in any process, until the context is closed.

        A connection of its own listens, since a pooled one is given to others. Without prepared statements there is
        a transaction pooler in between, on which nobody can listen.
        """
        if not self._prepares:
            yield
            return
        is_closed = threading.Event()
        thread = threading.Thread(
            target=self._listen_until_closed, args=(wake, is_closed), name="recollect-listen", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            is_closed.set()
            thread.join(2 * LISTEN_SECONDS)

    def _listen_until_closed(self, wake: Callable[[], None], is_closed: threading.Event) -> None:
        while not is_closed.is_set():
            try:
                with self.connect() as connection:
                    connection.execute(f"LISTEN {NOTIFY_CHANNEL}")
                    # Jobs may have been enqueued while nobody listened.
                    wake()
                    while not is_closed.is_set():
                        for _ in connection.notifies(timeout=LISTEN_SECONDS, stop_after=1):
                            wake()
            except psycopg.Error:
                # The server restarts; meanwhile the worker polls.
                is_closed.wait(RECONNECT_SECONDS)

    def pool_statistics(self) -> tuple[int, int, int]:
        """Return the connections of the pool in use, their maximum, and the requests that wait for one."""
        return self._in_use, self._pool.max_size, self._pool.get_stats().get("requests_waiting", 0)

    def close(self) -> None:
        self._pool.close()


def describe_url(url: str) -> str:
    """Return a connection URL without its password, for messages."""
    try:
        parameters = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        return "PostgreSQL"
    host, name = (
        parameters.get("host") or "localhost",
        parameters.get("dbname") or parameters.get("user") or "",
    )
    return f"postgresql://{host}/{name}"


def user_lock(user: str) -> int:
    """Return the number of the advisory lock of a user."""
    digest = hashlib.blake2b(user.encode(), digest_size=8, person=b"recollect").digest()
    return int.from_bytes(digest, "big", signed=True)


def _quote(text: str) -> str:
    # A literal: Citus passes `SET LOCAL` on to its workers only in this form.
    return sql.Literal(text).as_string()


def _execute_all(connection: Connection, statements: list[str]) -> "psycopg.Cursor[Row]":
    """Send statements without parameters as one message; return the last result."""
    cursor = connection.execute("; ".join(statements), prepare=False)
    while cursor.nextset():
        pass
    return cursor


def _send_deferred(session: Session, last: str | None = None) -> None:
    """Send the deferred statements, and a last one without parameters, in one round trip."""
    connection, deferred = session.connection, session.deferred
    if not deferred:
        if last is not None:
            connection.execute(last)
        return
    session.deferred = []
    with connection.pipeline():
        for sql, values in deferred:
            connection.execute(sql, values)
        if last is not None:
            connection.execute(last, prepare=False)


def _discard_if_closed(connection: Connection) -> None:
    """
    Raise an error if the server has closed an idle connection, so that the pool takes another.

    It costs no round trip: only a connection with unread data is tested.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(connection.fileno(), selectors.EVENT_READ)
        is_readable = bool(selector.select(0))
    if is_readable:
        ConnectionPool.check_connection(connection)


def _roll_back(connection: Connection) -> None:
    if connection.closed or connection.info.transaction_status == pq.TransactionStatus.IDLE:
        return
    try:
        connection.execute("ROLLBACK")
    except psycopg.Error:
        # The pool discards a connection that cannot be rolled back.
        connection.close()
