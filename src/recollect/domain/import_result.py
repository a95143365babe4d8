"""What became of memories that were brought from elsewhere."""

from dataclasses import dataclass

from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedMemory:
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    memories: tuple[Memory, ...] = ()
    known_count: int = 0  #: that were here already
    skipped_memories: tuple[SkippedMemory, ...] = ()
