"""What is remembered: short facts with their weight, their source and their history."""

import hashlib
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.domain.message import Role


class Kind(StrEnum):
    BIO = "bio"
    PREF = "pref"
    EMO = "emo"
    OBJ = "obj"  #: a goal
    EVT = "evt"  #: something that happened
    DEC = "dec"  #: a decision or a constraint
    NOTE = "note"  #: kept because it was asked for; nobody said what it is


class MemoryStatus(StrEnum):
    ACTIVE = "active"
    QUARANTINED = "quarantined"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"


class Origin(StrEnum):
    """Who wrote a memory down."""

    MANUAL = "manual"
    RULES = "rules"
    MODEL = "model"
    IMPORT = "import"


class ImportanceBand(StrEnum):
    """What an importance from 0 to 100 means."""

    TRIVIAL = "trivial"
    TEMPORARY = "temporary"
    CONTEXT = "context"
    CRITICAL = "critical"

    @classmethod
    def from_importance(cls, importance: int) -> "ImportanceBand":
        if importance <= 0:
            return cls.TRIVIAL
        if importance <= 30:
            return cls.TEMPORARY
        return cls.CONTEXT if importance <= 70 else cls.CRITICAL


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSpan:
    """The words of a message that a memory rests on, in characters."""

    message_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    id: str
    user: str
    text: str
    created_at: datetime
    updated_at: datetime
    seen_at: datetime  #: when it was last said again
    chat: str | None = None  #: where it was first said
    kind: Kind = Kind.NOTE
    weight: float = 1.0  #: 0 to 1
    standing: MemoryStatus = MemoryStatus.ACTIVE
    origin: Origin = Origin.MANUAL
    speaker: Role = Role.USER
    tags: tuple[str, ...] = ()
    sightings: int = 1
    version: int = 1
    pinned: bool = False
    attribute: str | None = None  #: the slot a fact fills ("lives in"); one value at a time
    value: str | None = None  #: what fills the slot
    superseded_by: str | None = None  #: the memory that took its place
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    reason: str | None = None  #: why it is not active
    spans: tuple[SourceSpan, ...] = ()

    @property
    def importance(self) -> int:
        return round(100 * self.weight)

    @property
    def fact_hash(self) -> str:
        return fact_hash(self.text)


class ChangeKind(StrEnum):
    """What happened to a memory; mem0's words where it has one."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    REINFORCE = "REINFORCE"
    SUPERSEDE = "SUPERSEDE"
    ARCHIVE = "ARCHIVE"
    RESTORE = "RESTORE"
    REPLAY = "RELEARN"  #: what it was learned from changed
    MERGE = "MERGE"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVersion:
    """One line of a memory's history."""

    memory_id: str
    version: int
    change: ChangeKind
    text: str
    old_text: str | None
    kind: Kind
    weight: float
    standing: MemoryStatus
    changed_at: datetime
    reason: str | None = None


def normalize_fact(text: str) -> str:
    """The same fact in other clothes: case, width, spaces and the final stop do not matter."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(".!")


def fact_hash(text: str) -> str:
    return hashlib.sha256(normalize_fact(text).encode("utf-8", "surrogatepass")).hexdigest()[:32]
