"""Memories: short facts with weight, source spans, status and version history."""

import hashlib
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from recollect.domain.message import Role
from recollect.domain.metadata import Metadata
from recollect.domain.reason import Reason


class Kind(StrEnum):
    BIOGRAPHY = "biography"
    PREFERENCE = "preference"
    EMOTION = "emotion"
    GOAL = "goal"
    EVENT = "event"
    DECISION = "decision"  #: a decision or a constraint
    NOTE = "note"  #: added by hand without a kind

    @property
    def short_name(self) -> str:
        """The name in prompts, in replies of models and in the compact format."""
        return _SHORT_NAMES[self]

    @classmethod
    def from_short_name(cls, name: str) -> "Kind | None":
        return next((kind for kind, short_name in _SHORT_NAMES.items() if short_name == name), None)


_SHORT_NAMES = {
    Kind.BIOGRAPHY: "bio",
    Kind.PREFERENCE: "pref",
    Kind.EMOTION: "emo",
    Kind.GOAL: "obj",
    Kind.EVENT: "evt",
    Kind.DECISION: "dec",
    Kind.NOTE: "note",
}


class MemoryStatus(StrEnum):
    ACTIVE = "active"
    QUARANTINED = "quarantined"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"


class Origin(StrEnum):
    """What created a memory."""

    MANUAL = "manual"
    RULES = "rules"
    MODEL = "model"
    IMPORT = "import"


class ImportanceBand(StrEnum):
    """Bands of the importance scale from 0 to 100."""

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
    """The part of a message that supports a memory, in characters."""

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
    last_stated_at: datetime  #: when it was last mentioned
    chat: str | None = None  #: where it was first mentioned
    kind: Kind = Kind.NOTE
    weight: float = 1.0  #: 0 to 1
    status: MemoryStatus = MemoryStatus.ACTIVE
    origin: Origin = Origin.MANUAL
    speaker: Role = Role.USER
    tags: tuple[str, ...] = ()
    times_stated: int = 1
    version: int = 1
    pinned: bool = False
    attribute: str | None = None  #: single-valued attribute ("lives in")
    value: str | None = None  #: the attribute's value
    superseded_by: str | None = None  #: id of the memory that replaced it
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    reason: Reason | None = None  #: why it is not active
    spans: tuple[SourceSpan, ...] = ()
    metadata: Metadata = field(default_factory=dict, hash=False)  #: of its messages

    @property
    def importance(self) -> int:
        return round(100 * self.weight)

    @property
    def fact_hash(self) -> str:
        return fact_hash(self.text)


class ChangeKind(StrEnum):
    """The kind of change of a version; the values follow mem0 where it has one."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    REINFORCE = "REINFORCE"
    SUPERSEDE = "SUPERSEDE"
    ARCHIVE = "ARCHIVE"
    RESTORE = "RESTORE"
    REPLAY = "RELEARN"  #: a source message changed
    MERGE = "MERGE"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVersion:
    """One version in a memory's history."""

    memory_id: str
    version: int
    change: ChangeKind
    text: str
    old_text: str | None
    kind: Kind
    weight: float
    status: MemoryStatus
    changed_at: datetime
    reason: Reason | None = None


# Cached because each new fact is compared with the same hundred known ones.
@lru_cache(maxsize=8192)
def normalize_fact(text: str) -> str:
    """Fold case, width, spaces and final punctuation, so that equal facts compare equal."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(".!")


@lru_cache(maxsize=8192)
def fact_hash(text: str) -> str:
    return hashlib.sha256(normalize_fact(text).encode("utf-8", "surrogatepass")).hexdigest()[:32]
