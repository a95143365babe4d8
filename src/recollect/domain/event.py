"""What was done to memories, so that it can be seen and undone."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class EventAction(StrEnum):
    FORGET = "forget"
    EDIT = "edit"
    MERGE = "merge"
    ARCHIVE = "archive"
    LEARN = "learn"
    SUPERSEDE = "supersede"
    PIN = "pin"
    RESTORE = "restore"
    ACCEPT = "accept"
    UNDO = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventChange:
    """One memory in an event: its id, and the version it had before; None if it did not exist."""

    memory_id: str
    previous_version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    id: str
    user: str
    at: datetime
    action: EventAction
    changes: tuple[EventChange, ...]
    is_undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """A line of the ledger: what was agreed to or done, never what was said."""

    at: datetime
    action: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureCertificate:
    """What an erasure did, and whether the file's bytes were looked at and found clean."""

    target: str
    rows: dict[str, int]
    is_physical: bool  #: False if only the rows are gone: the bytes may still be on disk
    detail: str
    bytes_scanned: int = 0
