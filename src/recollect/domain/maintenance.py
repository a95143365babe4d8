"""What a maintenance run did, or would do in a dry run."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import Memory
from recollect.domain.reason import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedMemory:
    """A memory that is archived now, or will be in `due_in_weeks` weeks."""

    memory: Memory
    reason: Reason
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
