"""Busy handler that waits for the write lock in short random steps."""

import random
import time
from collections.abc import Callable

#: Longest pause between two attempts. SQLite's own back-off grows to 100 ms; a busy worker in another process, which
#: releases the lock only briefly between two jobs, would then block others for seconds.
MAX_SLEEP_SECONDS = 0.005


def make_busy_handler(timeout_ms: int) -> Callable[[int], bool]:
    """Return a busy handler: it sleeps briefly and returns whether to retry."""
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
