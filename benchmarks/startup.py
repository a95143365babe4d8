"""How long it takes to start, in a process of its own."""

import subprocess
import sys
import time
from collections.abc import Sequence

from benchmarks.figures import Figure
from benchmarks.fill import said

TRIES = 10


def starting() -> list[Figure]:
    said("starting")
    python = [sys.executable]
    return [
        _started("python, doing nothing", [*python, "-c", "pass"]),
        _started("import recollect", [*python, "-c", "import recollect"], most=150),
        _started("from recollect import Memory", [*python, "-c", "from recollect import Memory"]),
        _started("recollect --help", [*python, "-m", "recollect", "--help"], most=250),
    ]


def _started(name: str, command: Sequence[str], *, most: float | None = None) -> Figure:
    best = float("inf")
    for _ in range(TRIES):
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, time.perf_counter() - begun)
    return Figure(name=name, value=best * 1000, unit="ms", most=most)
