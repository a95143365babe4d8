"""Progress bar on standard error."""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
BAR_WIDTH = 30


def progress(items: Sequence[Item], label: str) -> Iterator[Item]:
    started = time.monotonic()
    is_terminal = sys.stderr.isatty()
    for position, item in enumerate(items):
        if is_terminal or position % max(len(items) // 10, 1) == 0:
            _show(position, len(items), label, time.monotonic() - started, end="\r" if is_terminal else "\n")
        yield item
    _show(len(items), len(items), label, time.monotonic() - started, end="\n")


def _show(done: int, total: int, label: str, seconds: float, *, end: str) -> None:
    filled = BAR_WIDTH * done // max(total, 1)
    bar = "█" * filled + "░" * (BAR_WIDTH - filled)
    print(f"{bar} {done}/{total} {label} {seconds:.0f} s", end=end, file=sys.stderr, flush=True)
