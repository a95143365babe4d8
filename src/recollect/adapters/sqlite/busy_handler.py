"""Waits for the write lock, a little and often: who sleeps long finds it taken again."""

import random
import time
from collections.abc import Callable

#: Seconds between two looks at the most. SQLite's own waits grow to 100 ms, and a busy worker in another process,
#: which lets go for a moment only between two jobs, then keeps others out for seconds.
LONGEST = 0.005


def patience(timeout_ms: int) -> Callable[[int], bool]:
    """A busy handler: whether to look again, after a moment."""
    begun = 0.0

    def wait(looks: int) -> bool:
        nonlocal begun
        now = time.monotonic()
        if looks == 0:
            begun = now
        if (now - begun) * 1000 >= timeout_ms:
            return False
        time.sleep(random.uniform(0, LONGEST))
        return True

    return wait
