"""A second pair of hands."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


class OneThreadExecutor:
    """One thread for all. Whoever wants a result before the helper has come to it does the work themselves."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "recollect-helper")

    def __call__(self, work: Callable[[], Result], /) -> Callable[[], Result]:
        try:
            future = self._pool.submit(work)
        except RuntimeError:
            # Closed, or the program is about to end.
            return work
        return lambda: work() if future.cancel() else future.result()

    def close(self) -> None:
        self._pool.shutdown()
