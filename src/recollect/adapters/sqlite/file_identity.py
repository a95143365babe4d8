"""
Tells whether the path of an open database still names the file that is open.

SQLite goes on reading and writing a file that was deleted, renamed or replaced; what it commits then is gone when the
path is opened again. The log and its index are watched too: commits stand in the log until a checkpoint, and other
processes find it by its name. A look costs one `stat` for each of the three files, 7 microseconds together.
"""

import os
from pathlib import Path
from typing import TypeAlias

from recollect.errors import StoreMoved

#: Device and inode; None if the path names nothing.
Identity: TypeAlias = tuple[int, int] | None

SUFFIXES = ("", "-wal", "-shm")
#: Windows neither deletes nor renames a file that SQLite has open.
IS_WATCHED = os.name != "nt"


class FileIdentity:
    """The files of one database as they were when it was opened. An identity stays taken while the file is open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        names = [f"{path}{suffix}" for suffix in SUFFIXES] if IS_WATCHED else []
        # A file system without shared memory has no log; what is not there cannot go.
        self._known = {name: identity for name in names if (identity := identify(name)) is not None}

    @property
    def has_moved(self) -> bool:
        """Whether the database file, its log or the log's index is no longer found by its name."""
        return any(identify(name) != known for name, known in self._known.items())

    @property
    def is_missing(self) -> bool:
        """Whether the path names no file at all: it was deleted or renamed."""
        return IS_WATCHED and identify(str(self._path)) is None

    def verify(self, consequence: str) -> None:
        """Raise if the files have moved. The `consequence` says what became of the write."""
        for name, known in self._known.items():
            current = identify(name)
            if current != known:
                raise StoreMoved(describe(name, current, consequence))


def identify(name: str) -> Identity:
    try:
        status = os.stat(name)  # noqa: PTH116 - on every commit: a Path costs as much as the call
    except OSError:
        return None
    return status.st_dev, status.st_ino


def describe(name: str, current: Identity, consequence: str) -> str:
    cause = "is not there any more" if current is None else "is another file now"
    return (
        f"{name} {cause}: the memory file was deleted, moved or replaced while it was open. {consequence}"
        " Everything acknowledged before can still be read here: save it with Memory.backup(NEW_FILE), or on a server"
        " with POST /api/backup, before this process ends. Then open that copy, or put it back with"
        " `recollect restore NEW_FILE`."
    )
