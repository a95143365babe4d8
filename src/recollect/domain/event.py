"""What was done to memories, so that it can be seen and undone."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Action(StrEnum):
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
class Step:
    """One memory in an event: its id, and the version it had before; None if it did not exist."""

    memory_id: str
    before: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    id: str
    user: str
    at: datetime
    action: Action
    steps: tuple[Step, ...]
    undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the ledger: what was agreed to or done, never what was said."""

    at: datetime
    action: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What an erasure did, and whether the file's bytes were looked at and found clean."""

    what: str
    rows: dict[str, int]
    physical: bool  #: False if only the rows are gone: the bytes may still be on disk
    detail: str
    bytes_scanned: int = 0
