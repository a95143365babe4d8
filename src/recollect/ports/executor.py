"""Port for running a call concurrently with the caller."""

from collections.abc import Callable
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Executor(Protocol):
    def __call__(self, work: Callable[[], Result], /) -> Callable[[], Result]:
        """
        Schedule a call and return a function that waits for its result.

        The call may run on another thread or only when the result is requested. The returned function returns the
        result or raises the call's exception.
        """


def run_inline(work: Callable[[], Result], /) -> Callable[[], Result]:
    """Run the call in the caller's thread when its result is requested."""
    return work
