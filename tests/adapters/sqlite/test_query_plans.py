"""What is asked every day is answered through an index, however much there is."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from recollect import Memory
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.candidate import Reach
from recollect.domain.memory import Standing
from recollect.domain.scope import Scope
from recollect.testing.clock import MONDAY, CountingIds, FrozenClock
from recollect.testing.embedders import LetterEmbedder

MINE = Scope("ana")
HERE = Scope("ana", "kitchen")
#: Tables that grow with every message, and what they are called in queries. To read one of them from end to end, or to
#: sort it, is an answer that comes later every day.
GROWING = re.compile(
    r"(SCAN (messages|message_chunks|memories|memory_\w+|vectors|unembedded|receipts|jobs|passages\w*|conversation_\w+"
    r"|m|k|s|v|p|q|j)( USING (COVERING )?INDEX \w+)?$)|(USE TEMP B-TREE FOR ORDER BY)"
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(
        tmp_path / "memory.db",
        user_id="ana",
        embedder=LetterEmbedder(),
        clock=FrozenClock(),
        ids=CountingIds(),
        settings={"worker": False},
    ) as memory:
        memory.add([{"role": "user", "content": "I like saffron soup"}], chat_id="kitchen")
        memory.add("I like tea", chat_id="kitchen")
        memory.flush()
        memory.context("soup?", chat_id="kitchen")
        yield memory


def slow_parts(memory: Memory, ask: Callable[[], object]) -> list[str]:
    """Do something, listen to what is asked of SQLite, and have it say how it goes about it."""
    store = memory.runtime.store
    assert isinstance(store, SqliteStore)
    database = store._database
    said: dict[str, apsw.Bindings] = {}

    def trace(_cursor: apsw.Cursor, sql: str, bindings: "apsw.Bindings | None") -> bool:
        said[sql] = bindings or ()
        return True

    database.outbox.flush()
    connections = [database._writer, *database._idle]
    for connection in connections:
        connection.exec_trace = trace
    ask()
    database.outbox.flush()
    for connection in connections:
        connection.exec_trace = None
    assert said
    asked = [sql for sql in said if re.match(r"\s*(SELECT|UPDATE|DELETE|WITH)", sql)]
    plans = [
        (str(row[3]), " ".join(sql.split()))
        for sql in asked
        for row in database._writer.execute(f"EXPLAIN QUERY PLAN {sql}", said[sql])
    ]
    return [f"{step} <- {sql}" for step, sql in plans if GROWING.match(step)]


#: By what is done, with the ids of a message and of a memory.
DAILY: dict[str, Callable[[Memory, str, str], object]] = {
    "messages of a user": lambda m, _, __: m.runtime.store.messages.list(MINE),
    "messages of a chat": lambda m, said, __: m.runtime.store.messages.list(HERE, before=said),
    "the end of a chat": lambda m, _, __: m.runtime.store.messages.tail(HERE, whole=2, limit=9, above=0),
    "a message": lambda m, said, _: m.runtime.store.messages.get(HERE, said),
    "messages to read": lambda m, _, __: m.runtime.store.messages.unextracted(MINE, limit=9),
    "memories": lambda m, _, __: m.runtime.store.memories.list(MINE, limit=9),
    "forgotten memories": lambda m, _, __: m.runtime.store.memories.list(MINE, standing=Standing.FORGOTTEN),
    "a memory": lambda m, _, kept: m.runtime.store.memories.get(MINE, kept),
    "how many memories": lambda m, _, __: m.runtime.store.memories.count(MINE),
    "the same fact": lambda m, _, __: m.runtime.store.memories.by_hash(MINE, "hash"),
    "what rests on a message": lambda m, said, _: m.runtime.store.memories.of_messages(MINE, [said]),
    "the history of a memory": lambda m, _, kept: m.runtime.store.memories.history(MINE, kept),
    "a receipt": lambda m, _, __: m.runtime.store.receipts.get(HERE, "last"),
    "receipts": lambda m, _, __: m.runtime.store.receipts.list(HERE),
    "what is important": lambda m, _, __: m.runtime.store.search.important(MINE, limit=9, reach=Reach()),
    "what waits for a vector": lambda m, _, __: m.runtime.store.vectors.missing("ana", limit=9),
    "a job": lambda m, _, __: m.runtime.store.jobs.lease(now=MONDAY, until=MONDAY),
    "a message added": lambda m, _, __: m.add({"role": "user", "content": "I like bread", "id": "1"}),
    "a memory added": lambda m, _, __: m.add("I like butter"),
    "a memory corrected": lambda m, _, kept: m.update(kept, "I like green tea"),
    "a memory erased": lambda m, _, kept: m.runtime.store.memories.erase(MINE, kept),
    "a message deleted": lambda m, said, _: m.runtime.store.messages.delete(MINE, said),
}
#: What is sorted all the same, since it is never much: versions of a memory, leased jobs, the best of two lists,
#: the end of a chat.
SHORT = (
    "FROM memory_versions v",
    "SELECT no, run_at FROM",
    "ORDER BY weight DESC",
    "memory_spans s JOIN messages q",
    "WITH last AS",
)


@pytest.mark.parametrize("ask", DAILY.values(), ids=DAILY.keys())
def test_nothing_that_grows_is_read_from_end_to_end(
    memory: Memory, ask: Callable[[Memory, str, str], object]
) -> None:
    store = memory.runtime.store
    said, kept = store.messages.list(MINE)[0].id, store.memories.list(MINE)[0].id
    slow = slow_parts(memory, lambda: ask(memory, said, kept))

    assert [each for each in slow if not any(short in each for short in SHORT)] == []
