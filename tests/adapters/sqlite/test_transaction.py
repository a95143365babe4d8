"""Group commit: transactions of concurrent writers are atomic and independent of each other."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.file_identity import FileIdentity
from recollect.adapters.sqlite.receipt_buffer import ReceiptBuffer
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.sqlite.transaction import WriteQueue
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.errors import StoreError, StoreFull
from recollect.testing.builders import ANA, a_message

USER_SCOPE = Scope(ANA)
TIMEOUT_SECONDS = 30  #: a test that takes longer hangs


class CallerError(Exception):
    """An error raised by the body of a transaction."""


class WriteQueueHarness:
    """A table of numbers with a write queue and a counter of commits."""

    def __init__(self, path: Path) -> None:
        self.connection = apsw.Connection(str(path))
        self.connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE numbers (n INTEGER)").fetchall()
        # A busy machine must not split a group.
        self.write_queue = WriteQueue(
            self.connection,
            ReceiptBuffer(lambda: None),
            FileIdentity(path),
            max_group_seconds=TIMEOUT_SECONDS,
        )
        self.commits = 0
        self.connection.set_commit_hook(self._count_commit)
        self._path = path

    def _count_commit(self) -> bool:
        self.commits += 1
        return False

    def make_write(self, number: int, *, fails: bool = False) -> Callable[[], None]:
        return lambda: self.write(number, fails=fails)

    def write(self, number: int, *, fails: bool = False) -> None:
        with self.write_queue.transaction() as db:
            db.execute("INSERT INTO numbers VALUES (?)", (number,))
            if fails:
                raise CallerError

    def read_numbers(self) -> list[int]:
        """Return the numbers that another process sees."""
        other = apsw.Connection(str(self._path))
        rows = other.execute("SELECT n FROM numbers ORDER BY n").fetchall()
        other.close()
        return [n for (n,) in rows if isinstance(n, int)]

    def run_concurrently(self, tasks: Sequence[Callable[[], object]]) -> list[BaseException | None]:
        """Queue tasks in threads, in this order, behind a running transaction; return the error of each, if any."""
        outcomes: list[BaseException | None] = [None] * len(tasks)

        def run(place: int) -> None:
            try:
                tasks[place]()
            except (CallerError, StoreError, apsw.Error) as error:
                outcomes[place] = error

        threads = [threading.Thread(target=run, args=(place,), daemon=True) for place in range(len(tasks))]
        with self.write_queue.exclusive():
            for place, thread in enumerate(threads):
                thread.start()
                while len(self.write_queue._queue) <= place:
                    thread.join(0.001)
        for thread in threads:
            thread.join(TIMEOUT_SECONDS)
            assert not thread.is_alive()
        return outcomes


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[WriteQueueHarness]:
    harness = WriteQueueHarness(tmp_path / "numbers.db")
    yield harness
    harness.connection.close()


def test_waiting_transactions_share_one_commit(harness: WriteQueueHarness) -> None:
    works = [harness.make_write(n) for n in range(1, 10)]
    outcomes = harness.run_concurrently(works)

    assert outcomes == [None] * 9
    assert harness.read_numbers() == list(range(1, 10))
    assert harness.commits == 1


def test_a_single_transaction_commits_immediately(harness: WriteQueueHarness) -> None:
    for number in range(3):
        harness.write(number)
        assert harness.read_numbers() == list(range(number + 1))

    assert harness.commits == 3


@settings(max_examples=25, deadline=None)
@given(fails=st.lists(st.booleans(), min_size=1, max_size=8))
def test_a_failing_transaction_does_not_affect_its_group(
    tmp_path_factory: pytest.TempPathFactory, fails: list[bool]
) -> None:
    harness = WriteQueueHarness(tmp_path_factory.mktemp("numbers") / "numbers.db")
    works = [harness.make_write(n, fails=bad) for n, bad in enumerate(fails)]
    outcomes = harness.run_concurrently(works)
    left = harness.read_numbers()
    harness.connection.close()

    assert [isinstance(outcome, CallerError) for outcome in outcomes] == fails
    assert left == [n for n, bad in enumerate(fails) if not bad]


def test_a_transaction_returns_only_after_its_commit(harness: WriteQueueHarness) -> None:
    observations: list[bool] = []

    def write(number: int) -> None:
        harness.write(number)
        observations.append(number in harness.read_numbers())

    harness.run_concurrently([partial(write, n) for n in range(20)])

    assert observations == [True] * 20


def test_a_failed_commit_raises_in_all_group_members(harness: WriteQueueHarness) -> None:
    harness.connection.set_commit_hook(lambda: True)
    outcomes = harness.run_concurrently([harness.make_write(n) for n in range(3)])
    harness.connection.set_commit_hook(None)
    harness.write(7)

    assert [isinstance(outcome, apsw.ConstraintError) for outcome in outcomes] == [True] * 3
    assert harness.read_numbers() == [7]


def test_a_rollback_by_sqlite_raises_in_all_group_members(
    harness: WriteQueueHarness,
) -> None:
    def spoil() -> None:
        with harness.write_queue.transaction() as db:
            db.execute("INSERT INTO numbers VALUES (99)")
            # SQLite does this itself when the disk is full.
            db.execute("ROLLBACK")
            raise StoreFull

    works = [harness.make_write(1), spoil, harness.make_write(3)]
    outcomes = harness.run_concurrently(works)

    assert [type(outcome) for outcome in outcomes] == [StoreFull, StoreFull, type(None)]
    assert harness.read_numbers() == [3]


def test_a_rollback_by_sqlite_is_detected_even_if_the_body_hides_it(harness: WriteQueueHarness) -> None:
    def spoil() -> None:
        with harness.write_queue.transaction() as db:
            db.execute("ROLLBACK")

    outcomes = harness.run_concurrently([spoil, harness.make_write(2)])

    assert [type(outcome) for outcome in outcomes] == [StoreError, type(None)]
    assert harness.read_numbers() == [2]


def test_a_nested_transaction_joins_the_outer_one_and_sees_its_writes(harness: WriteQueueHarness) -> None:
    observations: list[object] = []

    def nested() -> None:
        with harness.write_queue.transaction():
            harness.write(1)
            with harness.write_queue.transaction() as db:
                observations.append(db.execute("SELECT n FROM numbers").fetchall())
            harness.write(2, fails=True)

    with pytest.raises(CallerError):
        nested()

    assert observations == [[(1,)]]
    assert harness.read_numbers() == []
    assert harness.commits == 0


def test_a_durable_transaction_does_not_join_a_non_durable_group(harness: WriteQueueHarness) -> None:
    paces: list[int] = []

    def write(*, durable: bool) -> None:
        with harness.write_queue.transaction(durable=durable) as db:
            db.execute("INSERT INTO numbers VALUES (1)")
            paces.append(int(db.pragma("synchronous")))

    works = [partial(write, durable=durable) for durable in (False, False, True, False)]
    outcomes = harness.run_concurrently(works)

    assert outcomes == [None] * 4
    normal, full = 1, 2
    assert paces == [normal, normal, full, full]
    assert harness.commits == 2


def test_an_interrupted_waiter_leaves_the_queue_intact(harness: WriteQueueHarness) -> None:
    def give_up() -> None:
        # Interrupted after requesting a turn and before using it.
        called = threading.Lock()
        called.acquire()
        harness.write_queue._queue.append((called, threading.get_ident()))
        harness.write_queue._cancel_wait(called, threading.get_ident())
        harness.write(2)

    def give_up_a_turn() -> None:
        harness.write_queue._take_turn()
        harness.write_queue._cancel_wait(threading.Lock(), threading.get_ident())

    outcomes = harness.run_concurrently([harness.make_write(1), give_up_a_turn, give_up, give_up_a_turn])

    assert outcomes == [None] * 4
    assert harness.read_numbers() == [1, 2]


def test_a_thread_interrupted_before_using_its_turn_gets_it_again(
    harness: WriteQueueHarness,
) -> None:
    harness.write_queue._take_turn()
    harness.write(1)

    assert harness.read_numbers() == [1]
    assert harness.run_concurrently([harness.make_write(2)]) == [None]


def test_a_transaction_interrupted_at_its_start_does_not_block_the_next(
    harness: WriteQueueHarness,
) -> None:
    harness.connection.execute("BEGIN IMMEDIATE")
    harness.write(1)

    assert harness.read_numbers() == [1]


def test_an_interrupt_during_the_commit_blocks_no_other_thread(harness: WriteQueueHarness) -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    harness.connection.set_commit_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        harness.write(1)
    harness.connection.set_commit_hook(None)

    assert harness.run_concurrently([harness.make_write(2)]) == [None]
    assert harness.read_numbers() == [2]


def test_acknowledged_writes_of_many_threads_are_stored(store: SqliteStore, path: Path) -> None:
    def work(thread: int) -> list[str]:
        acknowledged = []
        for number in range(12):
            message = a_message(f"{thread} says {number}", chat=f"chat {thread}")
            with suppress(CallerError):
                write(message, fails=(thread + number) % 3 == 0)
                acknowledged.append(message.id)
                assert store.messages.get(USER_SCOPE, message.id) == message
        return acknowledged

    def write(message: Message, *, fails: bool) -> None:
        with store.transaction(ANA):
            store.messages.add(message, ())
            assert store.messages.get(USER_SCOPE, message.id) == message
            if fails:
                raise CallerError

    with ThreadPoolExecutor(16) as pool:
        acknowledged = [message for messages in pool.map(work, range(16)) for message in messages]
    other = SqliteStore(path)
    there = [message.id for message in other.messages.list(USER_SCOPE, limit=1000)]
    findings = [finding for finding in other.maintenance.check(deep=True) if not finding.ok]
    other.close()

    assert sorted(there) == sorted(acknowledged)
    assert len(acknowledged) == 16 * 8
    assert findings == []


def test_writers_of_two_connections_both_make_progress(path: Path) -> None:
    databases = [Database(path), Database(path)]

    def work(number: int) -> None:
        for n in range(5):
            with databases[number % 2].transaction() as db:
                db.execute("INSERT INTO users (id, created_at) VALUES (?, 0)", (f"{number}-{n}",))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    with databases[0].reader() as db:
        [[count]] = db.execute("SELECT count(*) FROM users").fetchall()
    for database in databases:
        database.close()

    assert count == 40
