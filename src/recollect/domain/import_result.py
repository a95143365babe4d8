"""The result of an import."""

from collections import Counter
from dataclasses import dataclass, field

from recollect.domain.memory import Memory
from recollect.domain.reason import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedMemory:
    text: str
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    memories: tuple[Memory, ...] = ()
    known_count: int = 0  #: memories that existed already
    skipped_memories: tuple[SkippedMemory, ...] = ()
    event_id: str | None = None  #: the event that an undo reverts; None if nothing changed


@dataclass(slots=True, kw_only=True)
class PackImportReport:
    """The result of importing a pack: counts by part."""

    imported_counts: Counter[str] = field(default_factory=Counter)
    known_counts: Counter[str] = field(default_factory=Counter)
    skipped_items: list[tuple[str, str, Reason]] = field(default_factory=list)  #: part, name, reason
