"""Executor with one background thread."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


class OneThreadExecutor:
    """Runs calls in one shared thread. If a result is requested before the call has started, it runs inline."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "recollect-helper")

    def __call__(self, work: Callable[[], Result], /) -> Callable[[], Result]:
        try:
            future = self._pool.submit(work)
        except RuntimeError:
            # The executor is closed or the interpreter is shutting down: run inline.
            return work
        return lambda: work() if future.cancel() else future.result()

    def close(self) -> None:
        self._pool.shutdown()
