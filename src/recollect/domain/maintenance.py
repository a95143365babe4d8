"""What the gardener did, or would do."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedMemory:
    """A memory whose time has come, or will have come in so many weeks."""

    memory: Memory
    reason: str
    due_in_weeks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryMerge:
    target: Memory
    duplicates: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceReport:
    at: datetime
    archived_memories: tuple[ArchivedMemory, ...] = ()
    merges: tuple[MemoryMerge, ...] = ()
