"""Common operations use an index and never scan a growing table."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from recollect import Memory
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.candidate import SearchFilter
from recollect.domain.memory import MemoryStatus
from recollect.domain.scope import Scope
from recollect.testing.clock import MONDAY, CountingIds, FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of

USER_SCOPE = Scope("ana")
CHAT_SCOPE = Scope("ana", "kitchen")
#: Full scans or sorts of tables that grow with every message, by their names and aliases in queries.
FULL_SCAN_PATTERN = re.compile(
    r"(SCAN (messages|chunks|memories|memory_\w+|summaries|vectors|embedding_queue|receipts|jobs|passage\w*"
    r"|m|k|s|v|p|q|j|r)( USING (COVERING )?INDEX \w+)?$)|(USE TEMP B-TREE FOR ORDER BY)"
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


def find_slow_steps(memory: Memory, operation: Callable[[], object]) -> list[str]:
    """Run an operation, trace its SQL, and return the slow steps of the query plans."""
    store = store_of(memory.application)
    assert isinstance(store, SqliteStore)
    database = store._database
    bindings_by_sql: dict[str, apsw.Bindings] = {}

    def trace(_cursor: apsw.Cursor, sql: str, bindings: "apsw.Bindings | None") -> bool:
        bindings_by_sql[sql] = bindings or ()
        return True

    database.receipt_buffer.flush()
    connections = [database._writer, *database._idle_readers]
    for connection in connections:
        connection.exec_trace = trace
    operation()
    database.receipt_buffer.flush()
    for connection in connections:
        connection.exec_trace = None
    assert bindings_by_sql
    queries = [sql for sql in bindings_by_sql if re.match(r"\s*(SELECT|UPDATE|DELETE|WITH)", sql)]
    plans = [
        (str(row[3]), " ".join(sql.split()))
        for sql in queries
        for row in database._writer.execute(f"EXPLAIN QUERY PLAN {sql}", bindings_by_sql[sql])
    ]
    return [f"{step} <- {sql}" for step, sql in plans if FULL_SCAN_PATTERN.match(step)]


#: Called with the ids of a message and of a memory.
COMMON_OPERATIONS: dict[str, Callable[[Memory, str, str], object]] = {
    "messages of a user": lambda m, _, __: store_of(m.application).messages.list(USER_SCOPE),
    "messages of a chat": lambda m, message_id, __: store_of(m.application).messages.list(
        CHAT_SCOPE, before=message_id
    ),
    "the end of a chat": lambda m, _, __: store_of(m.application).messages.recent(
        CHAT_SCOPE, full=2, limit=9, importance_above=0
    ),
    "a message": lambda m, message_id, _: store_of(m.application).messages.get(CHAT_SCOPE, message_id),
    "unextracted messages": lambda m, _, __: store_of(m.application).messages.list_unextracted(
        USER_SCOPE, limit=9
    ),
    "memories": lambda m, _, __: store_of(m.application).memories.list(USER_SCOPE, limit=9),
    "forgotten memories": lambda m, _, __: store_of(m.application).memories.list(
        USER_SCOPE, status=MemoryStatus.FORGOTTEN
    ),
    "a memory": lambda m, _, memory_id: store_of(m.application).memories.get(USER_SCOPE, memory_id),
    "how many memories": lambda m, _, __: store_of(m.application).memories.count(USER_SCOPE),
    "the same fact": lambda m, _, __: store_of(m.application).memories.by_hash(USER_SCOPE, "hash"),
    "memories of a message": lambda m, message_id, _: store_of(m.application).memories.of_messages(
        USER_SCOPE, [message_id]
    ),
    "the history of a memory": lambda m, _, memory_id: store_of(m.application).memories.history(
        USER_SCOPE, memory_id
    ),
    "a receipt": lambda m, _, __: store_of(m.application).receipts.get(CHAT_SCOPE, "last"),
    "receipts": lambda m, _, __: store_of(m.application).receipts.list(CHAT_SCOPE),
    "most important": lambda m, _, __: store_of(m.application).search.most_important(
        USER_SCOPE, limit=9, search_filter=SearchFilter()
    ),
    "queued passages": lambda m, _, __: store_of(m.application).vectors.queue("ana", limit=9).passages,
    "a job": lambda m, _, __: store_of(m.application).jobs.lease(now=MONDAY, until=MONDAY),
    "a message added": lambda m, _, __: m.add({"role": "user", "content": "I like bread", "id": "1"}),
    "a memory added": lambda m, _, __: m.add("I like butter"),
    "a memory corrected": lambda m, _, memory_id: m.update(memory_id, "I like green tea"),
    "a memory erased": lambda m, _, memory_id: store_of(m.application).memories.erase(USER_SCOPE, memory_id),
    "a message deleted": lambda m, message_id, _: store_of(m.application).messages.delete(
        USER_SCOPE, message_id
    ),
}
#: Sorts of few rows: versions of a memory, leased jobs, the best of two lists, the end of a chat.
ALLOWED_SCANS = (
    "FROM memory_versions v",
    "SELECT no, run_at FROM",
    "ORDER BY weight DESC",
    "memory_spans s JOIN messages q",
    "WITH last AS",
)


@pytest.mark.parametrize("ask", COMMON_OPERATIONS.values(), ids=COMMON_OPERATIONS.keys())
def test_common_operations_scan_no_growing_table(
    memory: Memory, ask: Callable[[Memory, str, str], object]
) -> None:
    store = store_of(memory.application)
    message_id, memory_id = store.messages.list(USER_SCOPE)[0].id, store.memories.list(USER_SCOPE)[0].id
    slow = find_slow_steps(memory, lambda: ask(memory, message_id, memory_id))

    assert [each for each in slow if not any(short in each for short in ALLOWED_SCANS)] == []
