"""`python -m benchmarks.agent_hook`: how long an agent waits for its hook, with and without a running server."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figures import Figure, format_table
from recollect import Memory
from recollect.server.announcement import find_server

RUN_COUNT = 15
FACTS = [f"I keep the notes of project {number} in folder {number}." for number in range(200)]
START_SECONDS = 60


def measure_agent_hook() -> list[Figure]:
    """Return the median of whole processes, as the agent sees them; the first run loads the model and is left out."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memory.db"
        with Memory(db, settings={"worker": False}) as memory:
            for fact in FACTS:
                memory.add(fact)
            memory.flush()
        idle = _measure([sys.executable, "-c", "pass"], "")
        imported = _measure([sys.executable, "-c", "import recollect.cli.hook"], "")
        without_server = _measure_hook(db)
        with _running_server(db):
            with_server = _measure_hook(db)
    return [
        Figure(name="python, doing nothing", value=idle, unit="ms", most=None),
        Figure(name="import of the hook, besides python", value=imported - idle, unit="ms", most=40),
        Figure(name="agent hook with a running server", value=with_server, unit="ms", most=120),
        Figure(name="agent hook without a server", value=without_server, unit="ms", most=400),
    ]


def _measure_hook(db: Path) -> float:
    payload = {
        "session_id": "s",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Where are the notes of project 7?",
    }
    return _measure(
        [sys.executable, "-m", "recollect.cli.hook", "codex", "--db", str(db)], json.dumps(payload)
    )


def _measure(command: list[str], text: str) -> float:
    times: list[float] = []
    for _ in range(RUN_COUNT + 1):
        started = time.perf_counter()
        subprocess.run(command, input=text.encode(), check=True, capture_output=True)
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times[1:])[RUN_COUNT // 2]


@contextmanager
def _running_server(db: Path) -> Iterator[None]:
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
    print(format_table({"median": measure_agent_hook()}))
