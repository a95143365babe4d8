"""
Detects that an open database file was deleted, renamed or replaced.

SQLite keeps reading and writing such a file; its commits are lost when the path is opened again. The write-ahead log
and its index are checked too: commits are in the log until a checkpoint, and other processes find it by name. A check
costs one `stat` for each of the three files, 7 microseconds in total.
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
    """Device and inode of a database's files at opening. An inode is not reused while the file is open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        names = [f"{path}{suffix}" for suffix in SUFFIXES] if IS_WATCHED else []
        # A file system without shared memory has no write-ahead log to check.
        self._known = {name: identity for name in names if (identity := identify(name)) is not None}

    @property
    def has_moved(self) -> bool:
        """Whether the path of the database, its log or the log's index names another file or none."""
        return any(identify(name) != known for name, known in self._known.items())

    @property
    def is_missing(self) -> bool:
        """Whether the path names no file at all: it was deleted or renamed."""
        return IS_WATCHED and identify(str(self._path)) is None

    def verify(self, consequence: str) -> None:
        """Raise StoreMoved if the files were moved; `consequence` tells what happened to the write."""
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
    cause = "no longer exists" if current is None else "is now a different file"
    return (
        f"{name} {cause}: the memory file was deleted, moved or replaced while it was open. {consequence}"
        " Everything acknowledged before is still readable in this process: save it with"
        " memory.maintenance.backup(NEW_FILE), or on a server with POST /api/backup, before the process ends."
        " Then open that copy, or restore it with `recollect restore NEW_FILE`."
    )
