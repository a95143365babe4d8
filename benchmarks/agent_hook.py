"""`python -m benchmarks.agent_hook`: how long an agent waits for its hook, with and without a running server."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure, format_table
from recollect import Memory
from recollect.server.announcement import find_server

RUN_COUNT = 15
FACTS = [f"I keep the notes of project {number} in folder {number}." for number in range(200)]
START_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessTime:
    """The best of several runs of a process, in milliseconds."""

    elapsed: float
    processor: float  #: does not depend on what else the machine does


def measure_agent_hook() -> list[Figure]:
    """Return the times of whole processes, as the agent sees them. The first run loads the model and is left out."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memory.db"
        with Memory(db, settings={"worker": False}) as memory:
            for fact in FACTS:
                memory.add(fact)
            memory.flush()
        idle = _measure([sys.executable, "-c", "pass"], "")
        imported = _measure([sys.executable, "-c", "import recollect.cli.hook"], "")
        without_server = _measure_hook(db)
        with running_server(db):
            with_server = _measure_hook(db)
    rows = (
        ("python, doing nothing", idle, None),
        ("import of the hook, with python", imported, 40 + idle.elapsed),
        ("agent hook with a running server", with_server, 120),
        ("agent hook without a server", without_server, 400),
    )
    return [
        figure
        for name, time_of, most in rows
        for figure in (
            Figure(name=name, value=time_of.elapsed, unit="ms", most=most),
            Figure(name=f"{name}, processor time of the process", value=time_of.processor, unit="ms"),
        )
    ]


def _measure_hook(db: Path) -> ProcessTime:
    payload = {
        "session_id": "s",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Where are the notes of project 7?",
    }
    return _measure(
        [sys.executable, "-m", "recollect.cli.hook", "codex", "--db", str(db)], json.dumps(payload)
    )


def _measure(command: list[str], text: str) -> ProcessTime:
    elapsed: list[float] = []
    processor: list[float] = []
    for _ in range(RUN_COUNT + 1):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, input=text.encode(), check=True, capture_output=True, env=hook_environment())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        elapsed.append((time.perf_counter() - started) * 1000)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        processor.append(spent * 1000)
    return ProcessTime(elapsed=min(elapsed[1:]), processor=min(processor[1:]))


def hook_environment() -> dict[str, str]:
    """
    Return the environment of an agent. Where Python may not write bytecode, as in some containers, each start would
    compile all modules, which installed packages do only once.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@contextmanager
def running_server(db: Path) -> Iterator[None]:
    command = [sys.executable, "-m", "recollect", "--db", str(db), "up", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + START_SECONDS
            while find_server(str(db)) is None and time.monotonic() < deadline:
                time.sleep(0.1)
            yield
        finally:
            server.terminate()


if __name__ == "__main__":
    print(format_table({"best": measure_agent_hook()}))
