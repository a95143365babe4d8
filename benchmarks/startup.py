"""Startup time of fresh processes."""

import subprocess
import sys
import time
from collections.abc import Sequence

from benchmarks.figures import Figure
from benchmarks.fill import print_progress

RUNS_PER_COMMAND = 10


def measure_startup() -> list[Figure]:
    print_progress("starting")
    python = [sys.executable]
    return [
        _measure_command("python, doing nothing", [*python, "-c", "pass"]),
        _measure_command("import recollect", [*python, "-c", "import recollect"], max_ms=150),
        _measure_command("from recollect import Memory", [*python, "-c", "from recollect import Memory"]),
        _measure_command("recollect --help", [*python, "-m", "recollect", "--help"], max_ms=250),
    ]


def _measure_command(name: str, command: Sequence[str], *, max_ms: float | None = None) -> Figure:
    best = float("inf")
    for _ in range(RUNS_PER_COMMAND):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, time.perf_counter() - started)
    return Figure(name=name, value=best * 1000, unit="ms", most=max_ms)
