"""A database is moved from SQLite to PostgreSQL and back, whole, whatever interrupts it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.contract.stores import OpenStore, open_stores

from recollect import Memory
from recollect.adapters.postgres.store import PostgresStore
from recollect.adapters.postgres.transfer import PostgresTransfer
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.sqlite.transfer import SqliteTransfer
from recollect.domain.access import Principal
from recollect.domain.move import MoveProgress, MoveReport
from recollect.domain.scope import Scope
from recollect.errors import Refused
from recollect.ports.store import Store
from recollect.ports.transfer import RowTransfer
from recollect.ports.transfer_tables import TABLES
from recollect.services.move import MoveService
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder

USERS = ("ana", "bruno", "carla")
QUERIES = ("Where do I live?", "jazz", "the bridge over the river", "nurse", "carne")
TEXTS = (
    "I live in Lisbon.",
    "I love jazz.",
    "My sister works as a nurse.",
    "Não gosto de carne.",
    "The bridge over the river is old. " * 60,
    "I moved to Porto.",
)


@pytest.fixture(params=[("sqlite", "postgres"), ("postgres", "sqlite")], ids="-to-".join)
def open_pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[OpenStore, OpenStore]]:
    source, target = request.param
    (tmp_path / "source").mkdir()
    (tmp_path / "target").mkdir()
    with (
        open_stores(source, tmp_path / "source") as open_source,
        open_stores(target, tmp_path / "target") as open_target,
    ):
        yield open_source, open_target


def transfer_of(store: Store) -> RowTransfer:
    if isinstance(store, SqliteStore):
        return SqliteTransfer(store)
    assert isinstance(store, PostgresStore)
    return PostgresTransfer(store)


def open_memory(store: Store, clock: FrozenClock) -> Memory:
    return Memory(store=store, embedder=LetterEmbedder(), clock=clock, settings={"worker": False})


def fill(memory: Memory, clock: FrozenClock) -> None:
    for user in USERS:
        for text in TEXTS:
            clock.advance(timedelta(hours=1))
            turn = [{"role": "user", "content": text}, {"role": "assistant", "content": "I see."}]
            memory.add(turn, user_id=user, chat_id="kitchen", metadata={"source": "test"})
        memory.flush()
        [first, second, *_] = memory.get_all(user_id=user)
        memory.update(first.id, "corrected by hand", user_id=user)
        memory.delete(second.id, user_id=user)
        memory.privacy.consent("profile", granted=True, user_id=user)
        memory.profile.set({"freeformNotes": f"notes of {user}"}, user_id=user)
        memory.profile.add_context_file("plan", "All about bridges.", chat_id="kitchen", user_id=user)
        memory.context("Where do I live?", user_id=user, chat_id="kitchen")
        # Stored soon rather than at once.
        memory.receipts.list(user_id=user)
        memory.flush()
    memory.add([{"role": "user", "content": "Not learned yet: I have a dog."}], user_id="ana", chat_id="late")


def describe(memory: Memory, user: str) -> dict[str, object]:
    found = {query: [item.id for item in memory.search(query, user_id=user, limit=10)] for query in QUERIES}
    return {
        "messages": memory.chats.messages("kitchen", user_id=user),
        "memories": memory.get_all(user_id=user),
        "histories": [memory.history(each.id, user_id=user) for each in memory.get_all(user_id=user)],
        "events": memory.memories.events(user_id=user),
        "profile": memory.profile.get(user_id=user),
        "files": memory.profile.context_files(user_id=user),
        "audit log": memory.privacy.audit_log(user_id=user),
        "jobs": memory.maintenance.jobs(user_id=user),
        "found": found,
    }


def move(source: RowTransfer, target: RowTransfer, on_progress: Callable[[MoveProgress], None]) -> MoveReport:
    return MoveService(source=source, target=target, on_progress=on_progress).move()


def ignore(_progress: MoveProgress) -> None:
    """Progress is not looked at."""


def test_everything_of_every_user_is_moved_and_found_again(open_pair: tuple[OpenStore, OpenStore]) -> None:
    open_source, open_target = open_pair
    clock, store, target = FrozenClock(), open_source(), open_target()
    principal = Principal(name="phone", user="ana", is_admin=False)
    store.access_tokens.add(principal, "hash of phone", now=clock.now())
    memory = open_memory(store, clock)
    fill(memory, clock)
    seen: list[MoveProgress] = []
    report = move(transfer_of(store), transfer_of(target), seen.append)
    moved = open_memory(target, clock)

    assert (report.moved_users, report.known_users) == (3, 0)
    assert report.vectors > 30
    assert [each.users_done for each in seen[:1] + seen[-1:]] == [0, 2]
    for user in USERS:
        assert describe(moved, user) == describe(memory, user)
        assert moved.maintenance.stats(user_id=user).vectors == memory.maintenance.stats(user_id=user).vectors
    assert target.access_tokens.find("hash of phone") == principal
    assert [check.name for check in target.maintenance.check(deep=True) if not check.ok] == []
    # What is stored from now on has row numbers of its own.
    moved.add("likes saffron", user_id="ana")
    moved.flush()
    assert moved.get_all(user_id="ana")[0].text == "likes saffron"


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("interruption", range(0, 60, 7))
def test_an_interrupted_move_loses_nothing_and_goes_on(
    open_pair: tuple[OpenStore, OpenStore], interruption: int
) -> None:
    open_source, open_target = open_pair
    clock, store = FrozenClock(), open_source()
    memory = open_memory(store, clock)
    fill(memory, clock)
    calls = 0

    def interrupt(_progress: MoveProgress) -> None:
        nonlocal calls
        calls += 1
        if calls > interruption:
            raise Interrupted

    target = transfer_of(open_target())
    if interruption < 40:
        with pytest.raises(Interrupted):
            move(transfer_of(store), target, interrupt)
    else:
        move(transfer_of(store), target, ignore)
    partial = set(target.users())
    report = move(transfer_of(store), target, ignore)

    assert (report.moved_users, report.known_users) == (3 - len(partial), len(partial))
    assert list(target.users()) == list(USERS)


def test_what_is_written_to_the_source_meanwhile_is_noticed(open_pair: tuple[OpenStore, OpenStore]) -> None:
    open_source, open_target = open_pair
    clock, store, target = FrozenClock(), open_source(), transfer_of(open_target())
    memory = open_memory(store, clock)
    fill(memory, clock)
    move(transfer_of(store), target, ignore)
    memory.add({"role": "user", "content": "One more."}, user_id="bruno", chat_id="kitchen")

    with pytest.raises(Refused, match="'bruno' in chats differ"):
        move(transfer_of(store), target, ignore)


def test_files_of_several_people_become_one_database_and_files_again(tmp_path: Path) -> None:
    """Row numbers of two files are the same; a file has each of them once."""
    with open_stores("sqlite", tmp_path) as open_file, open_stores("postgres", tmp_path) as open_database:
        database = open_database()
        for user in ("ana", "bruno"):
            memory = open_memory(open_file(user), FrozenClock())
            memory.add("likes saffron", user_id=user)
            memory.add({"role": "user", "content": "I live in Lisbon."}, user_id=user, chat_id="c", sync=True)
            move(transfer_of(open_file(user)), transfer_of(database), ignore)
        merged = open_file("merged")
        report = move(transfer_of(database), transfer_of(merged), ignore)
        known = {user: texts_of(merged, user) for user in ("ana", "bruno")}
        checks = [check.name for check in merged.maintenance.check(deep=True) if not check.ok]

    assert report.moved_users == 2
    assert known["ana"] == known["bruno"] == ["lives in Lisbon", "likes saffron"]
    assert checks == []


def texts_of(store: Store, user: str) -> Sequence[str]:
    return sorted((each.text for each in store.memories.list(Scope(user))), reverse=True)


def test_all_tables_of_user_data_are_moved(tmp_path: Path) -> None:
    """A table that is added to the schema must be listed, or be derived."""
    derived = {
        "passages", "passage_statistics", "postings", "vectors", "vector_blocks", "centroids", "embedding_queue",
        "users",
    }  # fmt: skip
    with open_stores("postgres", tmp_path) as open_database:
        store = open_database()
        assert isinstance(store, PostgresStore)
        with store._database.system_reader() as db:
            columns: Mapping[str, list[str]] = dict(
                db.execute(
                    "SELECT table_name::text, array_agg(column_name::text ORDER BY ordinal_position)"
                    " FROM information_schema.columns WHERE table_schema = 'public' AND table_name IN ("
                    " SELECT table_name FROM information_schema.columns WHERE column_name = 'user_id')"
                    " GROUP BY 1"
                ).fetchall()
            )

    assert {name: sorted(names) for name, names in columns.items() if name not in derived} == {
        table.name: sorted(("user_id", *table.columns)) for table in TABLES
    }
