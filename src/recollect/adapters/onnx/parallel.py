"""
Native calls on all cores.

Threads for many items have a lower priority than the rest of the process, so that a query of a running chat is embedded
first while an import is embedded on every core.
"""

import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from recollect.errors import ProviderBusy

#: The nice value of background threads on Linux; other systems have no priority per thread.
BACKGROUND_NICENESS = 10
#: From this many items on, work is in the background; for fewer, a request may be waiting.
MIN_BACKGROUND_ITEMS = 16

Item = TypeVar("Item")
Result = TypeVar("Result")


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def map_in_threads(
    function: Callable[[Item], Result], items: Sequence[Item], *, threads: int
) -> list[Result]:
    """Apply a function to each item, in threads if there are several items; return the results in order."""
    if threads < 2 or len(items) < 2:
        return [function(item) for item in items]
    initializer = _lower_priority if len(items) >= MIN_BACKGROUND_ITEMS else None
    with ThreadPoolExecutor(min(threads, len(items)), "recollect-embedding", initializer=initializer) as pool:
        try:
            futures = [pool.submit(function, item) for item in items]
        except RuntimeError as error:
            # Python refuses new threads while it exits.
            raise ProviderBusy(
                "The program is exiting, so no model can run. The work stays queued."
            ) from error
        try:
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()


def _lower_priority() -> None:
    if sys.platform == "linux":
        thread = threading.get_native_id()
        niceness = max(BACKGROUND_NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
        os.setpriority(os.PRIO_PROCESS, thread, niceness)
