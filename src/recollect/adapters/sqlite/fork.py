"""
Fork safety of open databases.

A child must neither use nor close a connection of its parent (https://sqlite.org/howtocorrupt.html, section 2.6), and
the locks that another thread holds inside SQLite at that moment would stay locked in the child for ever. So a fork
waits until no thread is inside SQLite, and the child leaves the inherited connections open until it ends.
"""

import ctypes
import os
from collections.abc import Callable
from typing import Protocol
from weakref import WeakSet

import apsw

#: Seconds that a fork waits for a transaction or a read of another thread.
MAX_WAIT_SECONDS = 5.0


class Forkable(Protocol):
    def prepare_fork(self, *, seconds: float) -> Callable[[], None]:
        """Wait until no thread is inside SQLite; return a function that resumes them."""

    def disown(self) -> list[apsw.Connection]:
        """In a forked child: stop using the parent's connections and return them."""


open_databases: WeakSet[Forkable] = WeakSet()
_resume_callbacks: list[Callable[[], None]] = []


def _prepare() -> None:
    _resume_callbacks.extend(
        database.prepare_fork(seconds=MAX_WAIT_SECONDS) for database in [*open_databases]
    )


def _resume_parent() -> None:
    while _resume_callbacks:
        _resume_callbacks.pop()()


def _resume_child() -> None:
    _resume_callbacks.clear()
    for database in open_databases:
        for connection in database.disown():
            # A reference that is never released: a connection closes itself when it is garbage collected.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_prepare, after_in_parent=_resume_parent, after_in_child=_resume_child)
