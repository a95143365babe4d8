"""Everything in one copy, and the copy back in its place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

#: Told how many bytes are done, of how many.
ProgressCallback: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupContents:
    """What is in a file, in numbers."""

    schema_version: int
    users: int
    messages: int
    memories: int  #: in use
    last_message_at: datetime | None = None  #: when something was said last
    rows: Mapping[str, int] = field(default_factory=dict)  #: by table


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy that was looked through and found whole."""

    path: str
    size_bytes: int
    sha256: str
    contents: BackupContents
    created_at: datetime | None = None  #: None if no manifest lies beside it
    warnings: tuple[str, ...] = ()


class Backups(Protocol):
    """What can be done with copies while the memory itself is not open."""

    def inspect(self, path: str) -> Backup:
        """Look a copy through. Raises if it is damaged, something else, or of a newer recollect; changes nothing."""

    def restore(
        self, backup: Backup, *, now: datetime, progress: ProgressCallback | None = None
    ) -> str | None:
        """
        Put a copy that was looked through in the memory's place; return where the file went that was there.

        Refused while anybody has the memory open, and if the copy has changed since.
        """
