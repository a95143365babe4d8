"""
Replay: recompute memories from stored extractions, as if all messages had been learned in their order.

When a message is edited, deleted or learned late, the memories that depend on it are computed again. This is event
sourcing: extractions are the events, `reconcile` is the reducer, memories are the state.

1. `Replayer.collect` finds the affected memories and all facts stated about them (the transitive closure).
2. `replay` starts from the memories that are not derived (written, corrected, pinned or restored by the user, archived,
   forgotten) and applies the stated facts in order of time. Forgotten facts and repeated spans are skipped.
3. `diff_memories` matches the result with the stored memories, by equal text and status, then by equal text and a
   shared source, so that a memory keeps its id, version and history when another message changes.

Invariants: user-owned memories are never deleted, though a later fact can supersede them; facts are applied in the
order of their messages, not of their arrival. O(f · m) comparisons for f facts and m affected memories.
Example: "lives in Lisbon" (Monday) was superseded by "lives in Porto" (Tuesday). Deleting Tuesday's message replays
Monday's fact alone: Porto is deleted, and Lisbon is active again under its old id.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from recollect.consolidation.reconciliation import (
    AddFact,
    ContestMemory,
    ReinforceMemory,
    RepeatMemory,
    ReplaceMemory,
    reconcile,
)
from recollect.domain.extraction import Fact
from recollect.domain.memory import ChangeKind, Memory, MemoryStatus, Origin, SourceSpan
from recollect.domain.message import Message
from recollect.domain.policy import ConsolidationPolicy

#: Returns the cosine of two texts, or None without vectors.
SimilarityFunction: TypeAlias = Callable[[str, str], float | None]

#: Memories of these origins belong to the user and are not recomputed.
USER_OWNED_ORIGINS = frozenset({Origin.MANUAL, Origin.IMPORT})
#: Changes that make a memory the user's own.
USER_CHANGES = frozenset({ChangeKind.UPDATE, ChangeKind.RESTORE})
#: Statuses that result from reconciliation; the others result from actions of the user or of maintenance.
DERIVED_STATUSES = frozenset({MemoryStatus.ACTIVE, MemoryStatus.SUPERSEDED, MemoryStatus.CONTESTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """A fact as stated in one message, in the form of the memory it would become."""

    memory: Memory
    negated: bool = False

    @classmethod
    def from_fact(
        cls, message: Message, fact: Fact, origin: Origin, *, memory_id: str, now: datetime
    ) -> "StatedFact":
        memory = Memory(
            id=memory_id,
            user=message.user,
            chat=message.chat,
            text=fact.text,
            kind=fact.kind,
            weight=fact.weight,
            origin=origin,
            speaker=message.role,
            attribute=fact.attribute,
            value=fact.value,
            valid_from=fact.valid_from,
            created_at=message.created_at,
            updated_at=now,
            last_stated_at=message.created_at,
            spans=(SourceSpan(message_id=message.id, start=fact.start, end=fact.end),),
        )
        return cls(memory=memory, negated=fact.negated)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for the copies of a message in branched chats, so that a copy does not count as stated again."""
        return (self.memory.created_at, self.memory.fact_hash, *((s.start, s.end) for s in self.memory.spans))


def is_user_owned(memory: Memory, changes: Collection[ChangeKind]) -> bool:
    """
    Whether the user wrote, corrected, pinned or restored the memory.

    It is then kept, whatever happens to the messages it was learned from.
    """
    return memory.origin in USER_OWNED_ORIGINS or memory.pinned or not USER_CHANGES.isdisjoint(changes)


def replay(
    memories: Sequence[Memory],
    stated_facts: Iterable[StatedFact],
    *,
    forgotten_at: Mapping[str, datetime],
    similarity: SimilarityFunction,
    policy: ConsolidationPolicy,
    now: datetime,
) -> list[Memory]:
    """Apply stated facts, oldest first, to the initial memories and return the resulting memories."""
    state = {memory.id: memory for memory in memories}
    applied_keys: set[tuple[object, ...]] = set()
    for stated_fact in stated_facts:
        new_memory = stated_fact.memory
        forgotten_time = forgotten_at.get(new_memory.fact_hash)
        is_forgotten = forgotten_time is not None and new_memory.last_stated_at <= forgotten_time
        if stated_fact.key in applied_keys:
            _add_sources(state, new_memory)
        elif not is_forgotten and not _is_already_learned(state, new_memory):
            _apply_fact(state, stated_fact, similarity, policy, now)
        applied_keys.add(stated_fact.key)
    return list(state.values())


def _apply_fact(
    state: dict[str, Memory],
    stated_fact: StatedFact,
    similarity: SimilarityFunction,
    policy: ConsolidationPolicy,
    now: datetime,
) -> None:
    new_memory = stated_fact.memory
    active = [memory for memory in state.values() if memory.status is MemoryStatus.ACTIVE]
    active.sort(key=lambda memory: memory.last_stated_at, reverse=True)
    similar = ((memory, similarity(memory.text, new_memory.text)) for memory in active)
    decision = reconcile(
        new_memory,
        negated=stated_fact.negated,
        identical=next((memory for memory in active if memory.fact_hash == new_memory.fact_hash), None),
        same_attribute=[
            m for m in active if new_memory.attribute is not None and m.attribute == new_memory.attribute
        ],
        similar=sorted(similar, key=lambda pair: -(pair[1] or 0.0)),
        policy=policy,
        now=now,
    )
    match decision:
        case AddFact(memory=memory) | ReinforceMemory(memory=memory) | ContestMemory(memory=memory):
            state[memory.id] = memory
        case RepeatMemory():
            pass
        case ReplaceMemory(memory=memory, old=old):
            state[old.id] = old
            if memory is not None:
                state[memory.id] = memory


def _is_already_learned(state: Mapping[str, Memory], new_memory: Memory) -> bool:
    """Whether a memory already has these source spans and the same text or attribute."""
    return any(
        set(new_memory.spans) <= set(memory.spans)
        and (memory.fact_hash == new_memory.fact_hash or memory.attribute == new_memory.attribute is not None)
        for memory in state.values()
    )


def _add_sources(state: dict[str, Memory], copy: Memory) -> None:
    """Add the copied message as a source of the memory that was learned from the original."""
    for memory in state.values():
        if memory.fact_hash == copy.fact_hash or memory.attribute == copy.attribute is not None:
            state[memory.id] = replace(memory, spans=tuple(dict.fromkeys((*memory.spans, *copy.spans))))
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDiff:
    """Changes that turn the stored memories into the replayed ones."""

    to_delete: tuple[Memory, ...]
    to_update: tuple[Memory, ...]  #: new content under the stored id and version
    to_add: tuple[Memory, ...]


def diff_memories(before: Sequence[Memory], after: Sequence[Memory]) -> MemoryDiff:
    """Match memories before and after the replay, so that an unchanged memory keeps its id."""
    old_ids = _match_old_ids(before, after)
    renamed = [
        replace(
            memory, id=old_ids.get(memory.id, memory.id), superseded_by=_map_id(memory.superseded_by, old_ids)
        )
        for memory in after
    ]
    old_memories = {memory.id: memory for memory in before}
    remaining_ids = {memory.id for memory in renamed}
    surviving = (replace(m, version=old_memories[m.id].version) for m in renamed if m.id in old_memories)
    return MemoryDiff(
        to_delete=tuple(memory for memory in before if memory.id not in remaining_ids),
        to_update=tuple(
            m for m in surviving if replace(m, updated_at=old_memories[m.id].updated_at) != old_memories[m.id]
        ),
        to_add=tuple(memory for memory in renamed if memory.id not in old_memories),
    )


def _map_id(memory_id: str | None, old_ids: Mapping[str, str]) -> str | None:
    return None if memory_id is None else old_ids.get(memory_id, memory_id)


def _match_old_ids(before: Sequence[Memory], after: Sequence[Memory]) -> dict[str, str]:
    """Map new ids to old ids: by equal text and status first, then by a shared source."""
    after_ids = {memory.id for memory in after}
    unmatched = {memory.id: memory for memory in before if memory.id not in after_ids}
    before_ids = {memory.id for memory in before}
    new_memories = [memory for memory in after if memory.id not in before_ids]
    old_ids: dict[str, str] = {}
    for is_match in (_has_same_text, _shares_source):
        for memory in new_memories:
            if memory.id not in old_ids:
                match = next((old for old in unmatched.values() if is_match(old, memory)), None)
                if match is not None:
                    old_ids[memory.id] = match.id
                    del unmatched[match.id]
    return old_ids


def _has_same_text(old: Memory, new: Memory) -> bool:
    return old.fact_hash == new.fact_hash and old.status is new.status


def _shares_source(old: Memory, new: Memory) -> bool:
    return bool(set(old.spans) & set(new.spans)) and old.fact_hash == new.fact_hash
