"""Writers at the same time: each is whole or nothing, whatever becomes of the others, and nobody waits for company."""

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
from recollect.adapters.sqlite.receipt_buffer import Outbox
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.sqlite.transaction import Turns
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.errors import StoreError, StoreFull
from recollect.testing.builders import ANA, a_message

MINE = Scope(ANA)
SECONDS = 30  #: after which a test is stuck


class Mistake(Exception):
    """Somebody's own fault."""


class Notebook:
    """A table of numbers, the turns to write to it, and how often it was committed."""

    def __init__(self, path: Path) -> None:
        self.connection = apsw.Connection(str(path))
        self.connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE numbers (n INTEGER)").fetchall()
        self.turns = Turns(self.connection, Outbox(lambda: None), FileIdentity(path))
        self.commits = 0
        self.connection.set_commit_hook(self._count)
        self._path = path

    def _count(self) -> bool:
        self.commits += 1
        return False

    def writing(self, number: int, *, fails: bool = False) -> Callable[[], None]:
        return lambda: self.write(number, fails=fails)

    def write(self, number: int, *, fails: bool = False) -> None:
        with self.turns.transaction() as db:
            db.execute("INSERT INTO numbers VALUES (?)", (number,))
            if fails:
                raise Mistake

    def on_disk(self) -> list[int]:
        """As another process sees it."""
        other = apsw.Connection(str(self._path))
        found = other.execute("SELECT n FROM numbers ORDER BY n").fetchall()
        other.close()
        return [n for (n,) in found if isinstance(n, int)]

    def together(self, works: Sequence[Callable[[], object]]) -> list[BaseException | None]:
        """Do these in threads that come, in this order, while somebody else writes; tell what became of each."""
        outcomes: list[BaseException | None] = [None] * len(works)

        def run(place: int) -> None:
            try:
                works[place]()
            except (Mistake, StoreError, apsw.Error) as error:
                outcomes[place] = error

        threads = [threading.Thread(target=run, args=(place,), daemon=True) for place in range(len(works))]
        with self.turns.alone():
            for place, thread in enumerate(threads):
                thread.start()
                while len(self.turns._queue) <= place:
                    thread.join(0.001)
        for thread in threads:
            thread.join(SECONDS)
            assert not thread.is_alive()
        return outcomes


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    notebook = Notebook(tmp_path / "numbers.db")
    yield notebook
    notebook.connection.close()


def test_those_who_wait_for_their_turn_reach_the_disk_together(notebook: Notebook) -> None:
    works = [notebook.writing(n) for n in range(1, 10)]
    outcomes = notebook.together(works)

    assert outcomes == [None] * 9
    assert notebook.on_disk() == list(range(1, 10))
    assert notebook.commits == 1


def test_who_comes_alone_commits_alone(notebook: Notebook) -> None:
    for number in range(3):
        notebook.write(number)
        assert notebook.on_disk() == list(range(number + 1))

    assert notebook.commits == 3


@settings(max_examples=25, deadline=None)
@given(fails=st.lists(st.booleans(), min_size=1, max_size=8))
def test_who_fails_takes_nobody_along(tmp_path_factory: pytest.TempPathFactory, fails: list[bool]) -> None:
    notebook = Notebook(tmp_path_factory.mktemp("numbers") / "numbers.db")
    works = [notebook.writing(n, fails=bad) for n, bad in enumerate(fails)]
    outcomes = notebook.together(works)
    left = notebook.on_disk()
    notebook.connection.close()

    assert [isinstance(outcome, Mistake) for outcome in outcomes] == fails
    assert left == [n for n, bad in enumerate(fails) if not bad]


def test_nobody_is_told_that_it_is_written_before_it_is(notebook: Notebook) -> None:
    seen: list[bool] = []

    def write(number: int) -> None:
        notebook.write(number)
        seen.append(number in notebook.on_disk())

    notebook.together([partial(write, n) for n in range(20)])

    assert seen == [True] * 20


def test_when_the_disk_says_no_all_who_waited_for_it_are_told(notebook: Notebook) -> None:
    notebook.connection.set_commit_hook(lambda: True)
    outcomes = notebook.together([notebook.writing(n) for n in range(3)])
    notebook.connection.set_commit_hook(None)
    notebook.write(7)

    assert [isinstance(outcome, apsw.ConstraintError) for outcome in outcomes] == [True] * 3
    assert notebook.on_disk() == [7]


def test_when_sqlite_takes_everything_back_no_neighbour_is_told_that_it_was_written(
    notebook: Notebook,
) -> None:
    def spoil() -> None:
        with notebook.turns.transaction() as db:
            db.execute("INSERT INTO numbers VALUES (99)")
            # What SQLite does by itself when the disk is full.
            db.execute("ROLLBACK")
            raise StoreFull

    works = [notebook.writing(1), spoil, notebook.writing(3)]
    outcomes = notebook.together(works)

    assert [type(outcome) for outcome in outcomes] == [StoreFull, StoreFull, type(None)]
    assert notebook.on_disk() == [3]


def test_a_body_that_hides_that_sqlite_took_it_back_is_not_believed(notebook: Notebook) -> None:
    def spoil() -> None:
        with notebook.turns.transaction() as db:
            db.execute("ROLLBACK")

    outcomes = notebook.together([spoil, notebook.writing(2)])

    assert [type(outcome) for outcome in outcomes] == [StoreError, type(None)]
    assert notebook.on_disk() == [2]


def test_one_inside_another_is_part_of_it_and_sees_what_it_wrote(notebook: Notebook) -> None:
    seen: list[object] = []

    def nested() -> None:
        with notebook.turns.transaction():
            notebook.write(1)
            with notebook.turns.transaction() as db:
                seen.append(db.execute("SELECT n FROM numbers").fetchall())
            notebook.write(2, fails=True)

    with pytest.raises(Mistake):
        nested()

    assert seen == [[(1,)]]
    assert notebook.on_disk() == []
    assert notebook.commits == 0


def test_what_must_last_does_not_join_what_need_not(notebook: Notebook) -> None:
    paces: list[int] = []

    def write(*, durable: bool) -> None:
        with notebook.turns.transaction(durable=durable) as db:
            db.execute("INSERT INTO numbers VALUES (1)")
            paces.append(int(db.pragma("synchronous")))

    works = [partial(write, durable=durable) for durable in (False, False, True, False)]
    outcomes = notebook.together(works)

    assert outcomes == [None] * 4
    normal, full = 1, 2
    assert paces == [normal, normal, full, full]
    assert notebook.commits == 2


def test_who_is_interrupted_while_waiting_leaves_the_queue_in_order(notebook: Notebook) -> None:
    def give_up() -> None:
        # Asked for a turn, got it or not, and was interrupted before using it.
        called = threading.Lock()
        called.acquire()
        notebook.turns._queue.append((called, threading.get_ident()))
        notebook.turns._give_up(called, threading.get_ident())
        notebook.write(2)

    def give_up_a_turn() -> None:
        notebook.turns._take_turn()
        notebook.turns._give_up(threading.Lock(), threading.get_ident())

    outcomes = notebook.together([notebook.writing(1), give_up_a_turn, give_up, give_up_a_turn])

    assert outcomes == [None] * 4
    assert notebook.on_disk() == [1, 2]


def test_a_thread_interrupted_between_taking_and_using_its_turn_gets_it_again(notebook: Notebook) -> None:
    notebook.turns._take_turn()
    notebook.write(1)

    assert notebook.on_disk() == [1]
    assert notebook.together([notebook.writing(2)]) == [None]


def test_a_transaction_interrupted_at_its_beginning_does_not_block_the_next(notebook: Notebook) -> None:
    notebook.connection.execute("BEGIN IMMEDIATE")
    notebook.write(1)

    assert notebook.on_disk() == [1]


def test_an_interrupt_during_the_commit_keeps_nobody_waiting(notebook: Notebook) -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    notebook.connection.set_commit_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        notebook.write(1)
    notebook.connection.set_commit_hook(None)

    assert notebook.together([notebook.writing(2)]) == [None]
    assert notebook.on_disk() == [2]


def test_many_threads_that_write_fail_and_read_leave_what_was_acknowledged(
    store: SqliteStore, path: Path
) -> None:
    def work(thread: int) -> list[str]:
        kept = []
        for number in range(12):
            message = a_message(f"{thread} says {number}", chat=f"chat {thread}")
            with suppress(Mistake):
                write(message, fails=(thread + number) % 3 == 0)
                kept.append(message.id)
                assert store.messages.get(MINE, message.id) == message
        return kept

    def write(message: Message, *, fails: bool) -> None:
        with store.transaction():
            store.messages.add(message, ())
            assert store.messages.get(MINE, message.id) == message
            if fails:
                raise Mistake

    with ThreadPoolExecutor(16) as pool:
        kept = [message for messages in pool.map(work, range(16)) for message in messages]
    other = SqliteStore(path)
    there = [message.id for message in other.messages.list(MINE, limit=1000)]
    findings = [finding for finding in other.upkeep.check(deep=True) if not finding.ok]
    other.close()

    assert sorted(there) == sorted(kept)
    assert len(kept) == 16 * 8
    assert findings == []


def test_two_processes_worth_of_writers_both_get_their_turns(path: Path) -> None:
    databases = [Database(path), Database(path)]

    def work(number: int) -> None:
        for n in range(5):
            with databases[number % 2].transaction() as db:
                db.execute("INSERT INTO users (id, created_at) VALUES (?, 0)", (f"{number}-{n}",))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    with databases[0].reading() as db:
        [[count]] = db.execute("SELECT count(*) FROM users").fetchall()
    for database in databases:
        database.close()

    assert count == 40
