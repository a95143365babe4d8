"""Ports for backups: copying an open store, and inspecting or restoring a copy while the store is closed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

#: Called with the bytes done and the total.
ProgressCallback: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupContents:
    """Counts of a backup's contents."""

    schema_version: int
    users: int
    messages: int
    memories: int  #: active memories
    last_message_at: datetime | None = None  #: time of the newest message
    rows: Mapping[str, int] = field(default_factory=dict)  #: by table


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy whose integrity was checked."""

    path: str
    size_bytes: int
    sha256: str
    contents: BackupContents
    created_at: datetime | None = None  #: None without a manifest next to the file
    warnings: tuple[str, ...] = ()


class Backups(Protocol):
    """Copies of an open store. A store may lack this, if its database has tools of its own."""

    def create(
        self, destination: str | None, *, now: datetime, progress: ProgressCallback | None = None
    ) -> Backup:
        """
        Copy a consistent snapshot while others may write.

        In a folder the file's name contains the time; without a destination it is created in the store's own folder
        for backups. The copy is checked before it gets its final name. Raise Refused if a file of that name exists.
        """


class BackupFiles(Protocol):
    """Operations on backups while the store itself is closed."""

    def inspect(self, path: str) -> Backup:
        """
        Check a copy without changing it.

        Raise CorruptStore, NotAStore, OutdatedStore or NewerStore if it is not usable.
        """

    def restore(
        self, backup: Backup, *, now: datetime, progress: ProgressCallback | None = None
    ) -> str | None:
        """
        Replace the store by an inspected copy; return the path that the old file was moved to.

        Raise Refused while another process has the store open, or if the copy has changed since its inspection.
        """
