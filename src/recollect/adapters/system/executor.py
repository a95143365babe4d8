"""Executor with a few background threads."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

ResultT = TypeVar("ResultT")


class ThreadCall(Generic[ResultT]):
    """A call that runs once, in the first thread that claims it."""

    def __init__(self, work: Callable[[], ResultT]) -> None:
        self._work = work
        self._claim = threading.Lock()
        self._future: Future[ResultT] = Future()

    def run(self) -> None:
        if not self._claim.acquire(blocking=False):
            return
        try:
            self._future.set_result(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again where the result is requested
            self._future.set_exception(error)

    def result(self, timeout: float | None = None) -> ResultT:
        if timeout is None:
            self.run()
        return self._future.result(timeout)

    def cancel(self) -> None:
        self._claim.acquire(blocking=False)


class ThreadExecutor:
    """Runs calls in a pool of threads, which a forked child starts again."""

    def __init__(self, max_threads: int, name: str) -> None:
        self._max_threads = max_threads
        self._name = name
        self._process = os.getpid()
        self._pool = ThreadPoolExecutor(max_threads, name)

    def submit(self, work: Callable[[], ResultT], /) -> ThreadCall[ResultT]:
        call = ThreadCall(work)
        if self._process != os.getpid():
            self._process, self._pool = os.getpid(), ThreadPoolExecutor(self._max_threads, self._name)
        try:
            self._pool.submit(call.run)
        except RuntimeError:
            # The executor is closed or the interpreter is shutting down.
            call.run()
        return call

    def close(self) -> None:
        self._pool.shutdown()
