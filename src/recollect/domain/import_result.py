"""The result of an import."""

from dataclasses import dataclass

from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedMemory:
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    memories: tuple[Memory, ...] = ()
    known_count: int = 0  #: memories that existed already
    skipped_memories: tuple[SkippedMemory, ...] = ()
