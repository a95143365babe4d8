"""Waits for the write lock, a little and often: who sleeps long finds it taken again."""

import random
import time
from collections.abc import Callable

#: Seconds between two looks at the most. SQLite's own waits grow to 100 ms, and a busy worker in another process,
#: which lets go for a moment only between two jobs, then keeps others out for seconds.
MAX_SLEEP_SECONDS = 0.005


def make_busy_handler(timeout_ms: int) -> Callable[[int], bool]:
    """A busy handler: whether to look again, after a moment."""
    started_at = 0.0

    def wait(attempts: int) -> bool:
        nonlocal started_at
        now = time.monotonic()
        if attempts == 0:
            started_at = now
        if (now - started_at) * 1000 >= timeout_ms:
            return False
        time.sleep(random.uniform(0, MAX_SLEEP_SECONDS))
        return True

    return wait
