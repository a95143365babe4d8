"""
What a fork means for open databases.

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
        """Wait until no thread is inside SQLite; what is returned lets them go on."""

    def disown(self) -> list[apsw.Connection]:
        """In a forked child: use the parent's connections no more, and return them."""


open_databases: WeakSet[Forkable] = WeakSet()
_paused: list[Callable[[], None]] = []


def _prepare() -> None:
    _paused.extend(each.prepare_fork(seconds=MAX_WAIT_SECONDS) for each in [*open_databases])


def _resume_parent() -> None:
    while _paused:
        _paused.pop()()


def _resume_child() -> None:
    _paused.clear()
    for database in open_databases:
        for connection in database.disown():
            # One reference that nobody gives back: a connection that is collected closes itself.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_prepare, after_in_parent=_resume_parent, after_in_child=_resume_child)
