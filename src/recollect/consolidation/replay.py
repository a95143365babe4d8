"""Works out what is known from what was said, as if it had been heard in order; for what was said anew, or unsaid."""

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

#: How near two texts are, if anybody knows.
SimilarityFunction: TypeAlias = Callable[[str, str], float | None]

#: What a user wrote is theirs, and is not worked out again.
USER_OWNED_ORIGINS = frozenset({Origin.MANUAL, Origin.IMPORT})
#: What a user does to a memory to make it theirs.
USER_CHANGES = frozenset({ChangeKind.UPDATE, ChangeKind.RESTORE})
#: Only these come of what was said; the others come of what was done.
DERIVED_STANDINGS = frozenset({MemoryStatus.ACTIVE, MemoryStatus.SUPERSEDED, MemoryStatus.CONTESTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """A fact as it stood in one message."""

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
            seen_at=message.created_at,
            spans=(SourceSpan(message_id=message.id, start=fact.start, end=fact.end),),
        )
        return cls(memory=memory, negated=fact.negated)

    @property
    def key(self) -> tuple[object, ...]:
        """A copy of a message, in a chat that branched off, says nothing new."""
        return (self.memory.created_at, self.memory.fact_hash, *((s.start, s.end) for s in self.memory.spans))


def is_user_owned(memory: Memory, changes: Collection[ChangeKind]) -> bool:
    """Whether the user wrote it, corrected it, pinned it or brought it back: then it stays, whatever becomes of
    the messages it was learned from.
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
    """What is known in the end, beginning with what is known anyway; sayings come in the order they were said."""
    state = {memory.id: memory for memory in memories}
    applied_keys: set[tuple[object, ...]] = set()
    for stated_fact in stated_facts:
        new_memory = stated_fact.memory
        forgotten_time = forgotten_at.get(new_memory.fact_hash)
        is_forgotten = forgotten_time is not None and new_memory.seen_at <= forgotten_time
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
    active = [memory for memory in state.values() if memory.standing is MemoryStatus.ACTIVE]
    active.sort(key=lambda memory: memory.seen_at, reverse=True)
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
    """Learning from the same words twice teaches nothing."""
    return any(
        set(new_memory.spans) <= set(memory.spans)
        and (memory.fact_hash == new_memory.fact_hash or memory.attribute == new_memory.attribute is not None)
        for memory in state.values()
    )


def _add_sources(state: dict[str, Memory], copy: Memory) -> None:
    """A copy stands behind what its original taught."""
    for memory in state.values():
        if memory.fact_hash == copy.fact_hash or memory.attribute == copy.attribute is not None:
            state[memory.id] = replace(memory, spans=tuple(dict.fromkeys((*memory.spans, *copy.spans))))
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDiff:
    """What to write so that what was known becomes what is known now."""

    to_delete: tuple[Memory, ...]
    to_update: tuple[Memory, ...]  #: as they are now, with the id and version they had
    to_add: tuple[Memory, ...]


def diff_memories(before: Sequence[Memory], after: Sequence[Memory]) -> MemoryDiff:
    """Pair what says the same before and after, so that a memory keeps its id through a correction elsewhere."""
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
    """The old id for each new one that says the same, in the same words first, then from the same source."""
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
    return old.fact_hash == new.fact_hash and old.standing is new.standing


def _shares_source(old: Memory, new: Memory) -> bool:
    return bool(set(old.spans) & set(new.spans)) and old.fact_hash == new.fact_hash
