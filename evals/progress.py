"""Says on the error stream how far a long run has come."""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
WIDTH = 30


def progress(items: Sequence[Item], what: str) -> Iterator[Item]:
    begun = time.monotonic()
    shown = sys.stderr.isatty()
    for place, item in enumerate(items):
        if shown or place % max(len(items) // 10, 1) == 0:
            _show(place, len(items), what, time.monotonic() - begun, end="\r" if shown else "\n")
        yield item
    _show(len(items), len(items), what, time.monotonic() - begun, end="\n")


def _show(done: int, total: int, what: str, seconds: float, *, end: str) -> None:
    filled = WIDTH * done // max(total, 1)
    bar = "█" * filled + "░" * (WIDTH - filled)
    print(f"{bar} {done}/{total} {what} {seconds:.0f} s", end=end, file=sys.stderr, flush=True)
