"""
What one call costs in code: functions, files, calls and SQL statements on the path of `context` and of learning.

    python -m benchmarks.call_trace [--list]

A profile hook counts the functions of this package that run, in all threads; a trace of the connections counts SQL
statements. The store has 60 messages, the hashing embedder and no worker, and has answered a query before, so that
caches are filled and one-time work is not counted.
"""

import argparse
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import apsw

import recollect
from recollect import Memory

PACKAGE = str(Path(recollect.__file__).parent)
STORE_FOLDER = "/adapters/sqlite/"
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
            f"{self.store_calls.total()} store calls, {len(self.statements)} SQL statements"
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
            if (trace := self._active_trace()) is not None:
                trace.statements.append(" ".join(sql.split()))
            return True

        connection.exec_trace = record

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
        if STORE_FOLDER in code.co_filename and STORE_FOLDER not in caller and caller.startswith(PACKAGE):
            trace.store_calls[code.co_qualname] += 1


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
    options = parser.parse_args()
    tracer = Tracer()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory(Path(folder) / "memory.db", user_id="ana", settings=SETTINGS) as memory,
    ):
        fill(memory)
        traces = trace_calls(memory, tracer)
        tracer.close()
    for name, trace in traces.items():
        print(f"{name}: {trace.summary()}")
        if options.list:
            print_details(trace)


def print_details(trace: Trace) -> None:
    for (file, function), count in sorted(trace.calls.items()):
        print(f"  {count:5} {file} {function}")
    for function, count in trace.store_calls.most_common():
        print(f"  {count:5} store call {function}")
    for number, statement in enumerate(trace.statements, start=1):
        print(f"  {number:5} {statement[:160]}")


if __name__ == "__main__":
    main()
