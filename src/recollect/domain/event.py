"""Events (undoable changes of memories), audit entries and erasure certificates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.domain.memory import Memory


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
    """One memory changed by an event, and its version before; None if it did not exist."""

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
    """A line of the audit log. It records actions and consents, never message text."""

    at: datetime
    action: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTrail:
    """Entries of the audit log, newest first."""

    entries: tuple[AuditEntry, ...]
    is_intact: bool  #: whether the hash chain of the log is unbroken


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePreview:
    """What an erasure would delete."""

    target: str
    rows: Mapping[str, int]
    memories: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureCertificate:
    """The rows an erasure deleted, and whether a scan of the file confirmed that their bytes are gone."""

    target: str
    rows: dict[str, int]
    is_physical: bool  #: False if only rows were deleted: their bytes may still be on disk
    detail: str
    bytes_scanned: int = 0
