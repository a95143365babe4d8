"""Gets something done while one waits for something else."""

from collections.abc import Callable
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Executor(Protocol):
    def __call__(self, work: Callable[[], Result], /) -> Callable[[], Result]:
        """
        Begin with it now, maybe on another thread, or leave it for later.

        To call what comes back is to want the result: it is handed over, or whatever went wrong is raised.
        """


def run_inline(work: Callable[[], Result], /) -> Callable[[], Result]:
    """With nobody to help, it is done when it is wanted."""
    return work
