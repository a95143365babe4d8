"""Port for running a call concurrently with the caller."""

from collections.abc import Callable
from typing import Protocol, TypeVar

ResultT = TypeVar("ResultT")
ResultT_co = TypeVar("ResultT_co", covariant=True)


class PendingCall(Protocol[ResultT_co]):
    def result(self, timeout: float | None = None) -> ResultT_co:
        """
        Return the result of the call, or raise its exception.

        Without a timeout, a call that has not started yet runs in the caller's thread. With one, in seconds, the
        caller waits that long at most, and gets TimeoutError if there is no result by then.
        """

    def cancel(self) -> None:
        """Do not start the call if it has not started yet; its result is never requested again."""


class Executor(Protocol):
    def submit(self, work: Callable[[], ResultT], /) -> PendingCall[ResultT]:
        """Schedule a call, on another thread if there is one."""

    def close(self) -> None:
        """Wait for running calls; later calls run in the caller's thread."""
