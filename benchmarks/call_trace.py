"""
What one call costs in code: functions, files, calls and SQL statements on the path of `context` and of learning.

    python -m benchmarks.call_trace [--list] [--db postgresql://…]

A profile hook counts the functions of this package that run, in all threads; a trace of the connections counts SQL
statements, or on PostgreSQL round trips to the server (statements that are sent together are one). The store has 60
messages, the hashing embedder and no worker, and has answered queries before, so that caches are filled, a connection
is open for each thread, and one-time work is not counted. A PostgreSQL database must be empty.
"""

import argparse
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar

import apsw
import psycopg
from psycopg.pq import PipelineStatus

import recollect
from recollect import Memory
from recollect.adapters.postgres.store import PostgresStore
from recollect.adapters.sqlite.store import SqliteStore
from recollect.ports.store import Store

PACKAGE = str(Path(recollect.__file__).parent)
STORE_FOLDERS = ("/adapters/sqlite/", "/adapters/postgres/")
#: Calls before the traced one, since threads open connections when they first read at the same time.
WARM_UP_CALLS = 5
SETTINGS = {"worker": False, "embedder": "hashing"}
CHATS = ("kitchen", "garden", "office")
MESSAGE_COUNT = 60
QUERY = "Where does my sister Rosa live?"
#: A message from which the rules extract two facts.
MESSAGE = "My sister Rosa moved to Porto. I am allergic to peanuts."
TOPICS = ("the oven", "the roses", "the printer", "the soup", "the lawn", "the invoices")


@dataclass(slots=True, kw_only=True)
class Trace:
    """What ran while tracing."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)  #: by file and function
    store_calls: Counter[str] = field(default_factory=Counter)  #: calls from other packages into the store
    statements: list[str] = field(default_factory=list)

    @property
    def files(self) -> set[str]:
        return {file for file, _ in self.calls}

    def summary(self) -> str:
        return (
            f"{len(self.calls)} functions, {len(self.files)} files, {self.calls.total()} calls, "
            f"{self.store_calls.total()} store calls, {len(self.statements)} database calls"
        )


class Tracer:
    """Profiles all threads that start after it, and all connections that are opened after it."""

    def __init__(self) -> None:
        self._current: Trace | None = None
        apsw.connection_hooks.append(self._watch_connection)
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    @contextmanager
    def trace(self) -> Iterator[Trace]:
        self._current = trace = Trace()
        try:
            yield trace
        finally:
            self._current = None

    def close(self) -> None:
        sys.setprofile(None)
        threading.setprofile(None)
        apsw.connection_hooks.remove(self._watch_connection)

    def _watch_connection(self, connection: apsw.Connection) -> None:
        def record(_: apsw.Cursor, sql: str, _bindings: object) -> bool:
            self.record(sql)
            return True

        connection.exec_trace = record

    def record(self, sql: str) -> None:
        if (trace := self._active_trace()) is not None:
            trace.statements.append(" ".join(sql.split()))

    def _active_trace(self) -> Trace | None:
        # Receipts are written later, by a thread of their own.
        return None if threading.current_thread().name == "receipts" else self._current

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or self._current is None or not code.co_filename.startswith(PACKAGE):
            return
        # A comprehension or generator expression is part of the function that contains it.
        if (trace := self._active_trace()) is None or code.co_name in {
            "<listcomp>",
            "<genexpr>",
            "<dictcomp>",
            "<setcomp>",
        }:
            return
        trace.calls[code.co_filename.removeprefix(PACKAGE + "/"), code.co_qualname] += 1
        caller = frame.f_back.f_code.co_filename if frame.f_back else ""
        if _is_in_store(code.co_filename) and not _is_in_store(caller) and caller.startswith(PACKAGE):
            trace.store_calls[code.co_qualname] += 1


def _is_in_store(file: str) -> bool:
    return any(folder in file for folder in STORE_FOLDERS)


class RoundTripCursor(psycopg.RawCursor[Any]):
    """A cursor that reports each round trip: a statement, or several that are sent together."""

    tracer: ClassVar[Tracer]
    #: Connections with an open pipeline, whose first statement was reported.
    pipelined: ClassVar[set[int]] = set()

    def execute(self, query: Any, params: Any = None, **options: Any) -> "RoundTripCursor":  # noqa: ANN401 - psycopg's own signature
        self._report(query)
        super().execute(query, params, **options)
        return self

    def executemany(self, query: Any, params_seq: Iterable[Any], *, returning: bool = False) -> None:  # noqa: ANN401 - the same
        self._report(query)
        super().executemany(query, params_seq, returning=returning)

    def _report(self, query: object) -> None:
        connection = id(self.connection)
        is_open = self.connection.info.pipeline_status is not PipelineStatus.OFF
        if not (is_open and connection in self.pipelined):
            self.tracer.record(str(query))
        (self.pipelined.add if is_open else self.pipelined.discard)(connection)


def fill(memory: Memory) -> None:
    for chat in CHATS:
        memory.add(
            [
                {"role": role, "content": f"Note {number} of the {chat}: {TOPICS[number % len(TOPICS)]}."}
                for number in range(MESSAGE_COUNT // len(CHATS) // 2)
                for role in ("user", "assistant")
            ],
            chat_id=chat,
        )
    memory.add([{"role": "user", "content": "My sister Rosa lives in Lisbon."}], chat_id=CHATS[0])
    memory.flush()


def trace_calls(memory: Memory, tracer: Tracer) -> dict[str, Trace]:
    """Return the traces of the same calls, each after a call of its kind that fills the caches."""
    for _ in range(WARM_UP_CALLS):
        memory.context("Who waters the roses?", chat_id=CHATS[0])
    with tracer.trace() as context:
        memory.context(QUERY, chat_id=CHATS[0])
    memory.search("Who waters the roses?")
    with tracer.trace() as search:
        memory.search(QUERY)
    memory.add(
        [{"role": "user", "content": "I play the cello. My brother Ivo is a baker."}], chat_id=CHATS[1]
    )
    memory.flush()
    with tracer.trace() as add:
        memory.add([{"role": "user", "content": MESSAGE}], chat_id=CHATS[1])
    with tracer.trace() as learn:
        memory.flush()
    return {"context": context, "search": search, "add": add, "learn": learn}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.call_trace", description=__doc__)
    parser.add_argument("--list", action="store_true", help="also list functions, store calls and statements")
    parser.add_argument("--db", help="the URL of an empty PostgreSQL database; default: a new SQLite file")
    options = parser.parse_args()
    RoundTripCursor.tracer = tracer = Tracer()
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_store(options.db, Path(folder))) as store,
        Memory(store=store, user_id="ana", settings=SETTINGS) as memory,
    ):
        fill(memory)
        traces = trace_calls(memory, tracer)
        tracer.close()
    for name, trace in traces.items():
        print(f"{name}: {trace.summary()}")
        if options.list:
            print_details(trace)


def open_store(url: str | None, folder: Path) -> Store:
    if url is None:
        return SqliteStore(folder / "memory.db")
    return PostgresStore(url, cursor_class=RoundTripCursor)


def print_details(trace: Trace) -> None:
    for (file, function), count in sorted(trace.calls.items()):
        print(f"  {count:5} {file} {function}")
    for function, count in trace.store_calls.most_common():
        print(f"  {count:5} store call {function}")
    for number, statement in enumerate(trace.statements, start=1):
        print(f"  {number:5} {statement[:160]}")


if __name__ == "__main__":
    main()
