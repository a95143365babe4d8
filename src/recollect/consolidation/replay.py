"""
Replay: recompute memories from stored extractions, as if all messages had been learned in their order.

When a message is edited, deleted or learned late, the memories that depend on it are computed again. This is event
sourcing: extractions are the events, `reconcile` is the reducer, memories are the state. The service drives the reads:

1. It reads the memories related to the affected ones and to the facts stated about them. `neighbours` selects those
   that can affect each other, and `build_replay_set` the facts stated about them. This repeats until the set stops
   growing (the transitive closure).
2. `replay` starts from the memories that are not derived (written, corrected, pinned or restored by the user, archived,
   forgotten) and applies the stated facts in order of time. Forgotten facts and repeated spans are skipped.
3. `diff_memories` matches the result with the stored memories, by equal text and status, then by equal text and a
   shared source, so that a memory keeps its id, version and history when another message changes.

Invariants: user-owned memories are never deleted, though a later fact can supersede them; facts are applied in the
order of their messages, not of their arrival. O(f · m) comparisons for f facts and m affected memories.
Example: "lives in Lisbon" (Monday) was superseded by "lives in Porto" (Tuesday). Deleting Tuesday's message replays
Monday's fact alone: Porto is deleted, and Lisbon is active again under its old id.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from recollect.consolidation.consolidator import is_forgotten
from recollect.consolidation.known_memories import states_same
from recollect.consolidation.reconciliation import is_related, reconcile
from recollect.consolidation.stated_fact import StatedFact
from recollect.domain.extraction import Extraction
from recollect.domain.memory import ChangeKind, Memory, MemoryStatus, Origin, SourceSpan
from recollect.domain.message import Message
from recollect.domain.outcomes import changed_memories
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
class ReplaySet:
    """Memories that depend on each other, and all facts stated about them, oldest first."""

    members: tuple[Memory, ...]
    stated_facts: tuple[StatedFact, ...] = ()
    derived_ids: frozenset[str] = frozenset()  #: memories that are recomputed from the stated facts
    #: Memories that the user wrote, corrected, pinned or restored.
    user_owned_ids: frozenset[str] = frozenset()

    @property
    def size(self) -> tuple[int, int]:
        return len(self.members), len(self.stated_facts)

    @property
    def fact_memories(self) -> list[Memory]:
        """The stated facts in the form of the memories they would become."""
        return [stated_fact.memory for stated_fact in self.stated_facts]

    @property
    def texts(self) -> list[str]:
        """The texts that a replay compares."""
        return list(dict.fromkeys(memory.text for memory in (*self.fact_memories, *self.members)))

    def without_messages(self, excluded_messages: frozenset[str]) -> list[Memory]:
        """
        Return the memories from which a replay without these messages starts.

        User-owned memories stay as they are. Archived and forgotten memories stay as long as they have a source.
        """
        remaining = [
            replace(m, spans=tuple(s for s in m.spans if s.message_id not in excluded_messages))
            for m in self.members
            if m.id not in self.derived_ids
        ]
        return [m for m in remaining if m.spans or m.id in self.user_owned_ids]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySources:
    """What the store knows about the sources of the members: messages, their extractions, and changes by the user."""

    messages: Sequence[Message]  #: in order
    extractions: Mapping[str, Extraction]  #: by message id
    changes: Mapping[str, Collection[ChangeKind]]  #: of each member with more than one version, by memory id


def neighbours(
    related: Iterable[Memory],
    similar: Iterable[tuple[Memory, Memory, float | None]],
    policy: ConsolidationPolicy,
) -> list[Memory]:
    """
    Return the related memories, and those that can affect a stated fact.

    `similar` has pairs of a stored memory and the memory of a stated fact, with their cosine.
    """
    found = {memory.id: memory for memory in related}
    for memory, new_memory, cosine in similar:
        if (
            memory.id not in found
            and memory.status in DERIVED_STATUSES
            and is_related(memory, new_memory, cosine, policy)
        ):
            found[memory.id] = memory
    return list(found.values())


def source_message_ids(members: Iterable[Memory]) -> list[str]:
    """Return the ids of the messages that these memories were learned from."""
    return sorted({span.message_id for memory in members for span in memory.spans})


def build_replay_set(
    members: Sequence[Memory],
    new_facts: Sequence[StatedFact],
    sources: ReplaySources,
    *,
    excluded_messages: frozenset[str],
    new_id: Callable[[], str],
    now: datetime,
) -> ReplaySet:
    """Return the members with all facts stated about them, the new facts included, in order of their messages."""
    user_owned_ids = frozenset(m.id for m in members if is_user_owned(m, sources.changes.get(m.id, ())))
    derived = [m for m in members if m.id not in user_owned_ids and _is_derived(m, sources.extractions)]
    origins = {span: memory.origin for memory in derived for span in memory.spans}
    new_spans = frozenset(span for fact in new_facts for span in fact.memory.spans)
    message_ids = {span.message_id for span in origins} - excluded_messages | {
        s.message_id for s in new_spans
    }
    stated_facts: list[StatedFact] = []
    for message in sources.messages:
        if message.id in message_ids:
            learned_origins = {span: origin for span, origin in origins.items() if span not in new_spans}
            extraction = sources.extractions.get(message.id)
            if extraction is not None:
                stated_facts += _stated_again(message, extraction, learned_origins, new_id, now)
            stated_facts += (fact for fact in new_facts if fact.memory.spans[0].message_id == message.id)
    return ReplaySet(
        members=tuple(members),
        stated_facts=tuple(stated_facts),
        derived_ids=frozenset(m.id for m in derived),
        user_owned_ids=user_owned_ids,
    )


def _stated_again(
    message: Message,
    extraction: Extraction,
    origins: Mapping[SourceSpan, Origin],
    new_id: Callable[[], str],
    now: datetime,
) -> Iterator[StatedFact]:
    """Yield the facts of a stored extraction that memories were learned from."""
    for fact in extraction.facts:
        span = SourceSpan(message_id=message.id, start=fact.start, end=fact.end)
        if span in origins:
            yield StatedFact.from_fact(message, fact, origins[span], memory_id=new_id(), now=now)


def is_user_owned(memory: Memory, changes: Collection[ChangeKind]) -> bool:
    """
    Whether the user wrote, corrected, pinned or restored the memory.

    It is then kept, whatever happens to the messages it was learned from.
    """
    return memory.origin in USER_OWNED_ORIGINS or memory.pinned or not USER_CHANGES.isdisjoint(changes)


def _is_derived(memory: Memory, extractions: Mapping[str, Extraction]) -> bool:
    """Whether the memory can be recomputed: all its sources have stored extractions."""
    return (
        memory.status in DERIVED_STATUSES
        and bool(memory.spans)
        and all(span.message_id in extractions for span in memory.spans)
    )


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
        if stated_fact.key in applied_keys:
            _add_sources(state, new_memory)
        elif not is_forgotten(new_memory, forgotten_at) and not _is_already_learned(state, new_memory):
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
    outcome = reconcile(
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
    state.update((memory.id, memory) for memory in changed_memories(outcome))


def _is_already_learned(state: Mapping[str, Memory], new_memory: Memory) -> bool:
    """Whether a memory already has these source spans and the same text or attribute."""
    return any(
        set(new_memory.spans) <= set(memory.spans) and states_same(memory, new_memory)
        for memory in state.values()
    )


def _add_sources(state: dict[str, Memory], copy: Memory) -> None:
    """Add the copied message as a source of the memory that was learned from the original."""
    for memory in state.values():
        if states_same(memory, copy):
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
