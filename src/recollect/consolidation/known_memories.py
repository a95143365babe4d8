"""
The memories that new facts are compared with, as a value that is updated fact by fact.

They are read once per message (`Memories.related_to`). Each outcome gives the next value, so that the second fact of a
message is compared with the memory that the first one added, as if it had been stored and read again. A memory whose
text changed has no vector yet, and is compared by words only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.domain.memory import Kind, Memory, MemoryStatus
from recollect.domain.outcomes import FactOutcome, changed_memories
from recollect.domain.policy import ConsolidationPolicy
from recollect.domain.related_memories import RelatedMemories

#: Newest memories of the same kind that are compared by words, besides the nearest by cosine.
MAX_RECENT_OF_KIND = 100
#: Kinds that are compared with each other: an event can fulfil a goal.
_COMPARED_KINDS = (Kind.EVENT, Kind.GOAL)


def compared_kinds(kind: Kind) -> tuple[Kind, ...]:
    """Return the kinds whose newest memories are compared with a memory of this kind."""
    return _COMPARED_KINDS if kind in _COMPARED_KINDS else (kind,)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMemories:
    """Memories by id, in the order in which they were stored, and the nearest of each new memory by cosine."""

    memories: Mapping[str, Memory]
    nearest: Mapping[str, Sequence[tuple[str, float]]]

    @classmethod
    def from_related(cls, related: RelatedMemories) -> "KnownMemories":
        return cls(memories={memory.id: memory for memory in related.memories}, nearest=related.nearest)

    def learned_from_same_text(self, new_memory: Memory) -> Memory | None:
        """Return the memory that was already learned from the same source spans, if any."""
        spans = set(new_memory.spans)
        return next(
            (
                memory
                for memory in self.memories.values()
                if spans and spans <= set(memory.spans) and states_same(memory, new_memory)
            ),
            None,
        )

    def identical(self, new_memory: Memory) -> Memory | None:
        """Return the active memory with the same normalized text, if any."""
        fact_hash = new_memory.fact_hash
        return next((memory for memory in self._active() if memory.fact_hash == fact_hash), None)

    def same_attribute(self, new_memory: Memory) -> list[Memory]:
        """Return the active memories with the same attribute, most recently mentioned first."""
        if not new_memory.attribute:
            return []
        return _newest_first(m for m in self._active() if m.attribute == new_memory.attribute)

    def similar(self, new_memory: Memory, policy: ConsolidationPolicy) -> list[tuple[Memory, float | None]]:
        """Return similar memories: the nearest by cosine, then the newest of the same kind with None for the cosine."""
        hits = (
            (self.memories[memory_id], cosine)
            for memory_id, cosine in self.nearest.get(new_memory.id, ())
            if self.memories[memory_id].status is MemoryStatus.ACTIVE
        )
        similar: dict[str, tuple[Memory, float | None]] = {
            memory.id: (memory, cosine)
            for (memory, cosine), _ in zip(hits, range(policy.compared_memories), strict=False)
        }
        for kind in compared_kinds(new_memory.kind):
            newest = _newest_first(memory for memory in self._active() if memory.kind is kind)
            for memory in newest[:MAX_RECENT_OF_KIND]:
                similar.setdefault(memory.id, (memory, None))
        return list(similar.values())

    def after(self, outcome: FactOutcome) -> "KnownMemories":
        """Return what is known after an outcome."""
        changes = {memory.id: memory for memory in changed_memories(outcome)}
        rewritten_ids = {
            memory.id
            for memory in changes.values()
            if memory.id in self.memories and self.memories[memory.id].text != memory.text
        }
        nearest = self.nearest
        if rewritten_ids:
            nearest = {
                new_id: [hit for hit in hits if hit[0] not in rewritten_ids]
                for new_id, hits in nearest.items()
            }
        return replace(self, memories={**self.memories, **changes}, nearest=nearest)

    def _active(self) -> Iterable[Memory]:
        return (memory for memory in self.memories.values() if memory.status is MemoryStatus.ACTIVE)


def states_same(memory: Memory, new_memory: Memory) -> bool:
    """Whether two memories have the same normalized text or the same attribute."""
    return memory.fact_hash == new_memory.fact_hash or memory.attribute == new_memory.attribute is not None


def _newest_first(memories: Iterable[Memory]) -> list[Memory]:
    """Sort by the last mention; of equal ones the last stored comes first."""
    return sorted(memories, key=lambda memory: memory.last_stated_at)[::-1]
