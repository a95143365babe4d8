"""What a new fact does to what is known: it joins, it reinforces, it takes a place, or it is contested."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from recollect.consolidation.similarity.duplicates import is_duplicate, merge_memories, more_specific
from recollect.consolidation.similarity.transitions import fulfils_goal, repeats, retracts
from recollect.domain.memory import Memory, MemoryStatus, normalize_fact
from recollect.domain.message import Role
from recollect.domain.policy import ConsolidationPolicy
from recollect.text.analyzer import fold_text

#: What one has for life: another value is a contradiction, not news.
PERMANENT_ATTRIBUTES = frozenset({"name", "birthday", "birthplace", "born_in"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AddFact:
    """Nobody had said it before."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ReinforceMemory:
    """It was known. `memory` is what is known now."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceMemory:
    """It takes the place of something, which stays in history with the time it held."""

    memory: Memory | None  #: None when a thing merely ended
    old: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestMemory:
    """It contradicts what one does not change. Both are kept; the user decides."""

    memory: Memory
    against: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatMemory:
    """The assistant says what it was told. That teaches nothing."""

    memory: Memory


ReconciliationDecision: TypeAlias = AddFact | ReinforceMemory | ReplaceMemory | ContestMemory | RepeatMemory


def reconcile(
    new_memory: Memory,
    *,
    negated: bool,
    identical: Memory | None,
    same_attribute: Sequence[Memory],
    similar: Sequence[tuple[Memory, float | None]],
    policy: ConsolidationPolicy,
    now: datetime,
) -> ReconciliationDecision:
    """
    `equal` says the same word for word, `slot` holds the active values of its attribute, `near` what resembles it,
    nearest first, with the cosine where there is one.
    """
    if (
        repeated_memory := _find_repeated(
            new_memory, [*([identical] if identical else []), *(known for known, _ in similar)]
        )
    ) is not None:
        return RepeatMemory(memory=repeated_memory)
    if identical is not None:
        return ReinforceMemory(memory=reinforce(identical, new_memory, now))
    if new_memory.attribute is not None and same_attribute:
        return _reconcile_attribute(new_memory, same_attribute[0], negated=negated, now=now)
    for known, cosine in similar:
        if negated and retracts(known, new_memory):
            decision: ReconciliationDecision = _retract(known, new_memory, now)
        elif fulfils_goal(known, new_memory):
            decision = ReplaceMemory(memory=new_memory, old=_supersede(known, new_memory, new_memory.id, now))
        elif is_duplicate(known, new_memory, cosine, policy):
            decision = ReinforceMemory(memory=_merge(known, new_memory, now))
        else:
            continue
        return decision
    return AddFact(memory=new_memory)


def is_related(
    existing_memory: Memory, new_memory: Memory, cosine: float | None, policy: ConsolidationPolicy
) -> bool:
    """Whether what is known has a say in what becomes of what is said, or the other way round."""
    return (
        is_duplicate(existing_memory, new_memory, cosine, policy)
        or retracts(existing_memory, new_memory)
        or retracts(new_memory, existing_memory)
        or fulfils_goal(existing_memory, new_memory)
        or fulfils_goal(new_memory, existing_memory)
        or repeats(existing_memory, new_memory)
    )


def _find_repeated(new_memory: Memory, memories: Sequence[Memory]) -> Memory | None:
    if new_memory.speaker is not Role.ASSISTANT:
        return None
    return next((memory for memory in memories if repeats(memory, new_memory)), None)


def _retract(existing_memory: Memory, new_memory: Memory, now: datetime) -> ReplaceMemory:
    """What ends a slot says nothing else; its words stand behind the end."""
    if new_memory.attribute is None:
        return ReplaceMemory(
            memory=new_memory, old=_supersede(existing_memory, new_memory, new_memory.id, now)
        )
    with_sources = replace(
        existing_memory, spans=tuple(dict.fromkeys((*existing_memory.spans, *new_memory.spans)))
    )
    return ReplaceMemory(memory=None, old=_supersede(with_sources, new_memory, None, now))


def reinforce(existing_memory: Memory, new_memory: Memory, now: datetime) -> Memory:
    """Known, and said again: seen now, once more, as heavy as the heavier of the two, with both sources."""
    return replace(
        existing_memory,
        seen_at=max(existing_memory.seen_at, new_memory.seen_at),
        updated_at=now,
        sightings=existing_memory.sightings + 1,
        weight=max(existing_memory.weight, new_memory.weight),
        tags=tuple(dict.fromkeys((*existing_memory.tags, *new_memory.tags))),
        spans=tuple(dict.fromkeys((*existing_memory.spans, *new_memory.spans))),
    )


def _merge(existing_memory: Memory, new_memory: Memory, now: datetime) -> Memory:
    """The broader words, under the id that is known."""
    return replace(
        merge_memories(
            more_specific(existing_memory, new_memory), _less_specific(existing_memory, new_memory), now
        ),
        id=existing_memory.id,
        version=existing_memory.version,
    )


def _less_specific(existing_memory: Memory, new_memory: Memory) -> Memory:
    return new_memory if more_specific(existing_memory, new_memory) is existing_memory else existing_memory


def _reconcile_attribute(
    new_memory: Memory, existing_memory: Memory, *, negated: bool, now: datetime
) -> ReconciliationDecision:
    is_same_value = _is_same_value(
        existing_memory.value or existing_memory.text, new_memory.value or new_memory.text
    )
    if negated:
        # Nothing else rests on the words that ended it.
        with_sources = replace(
            existing_memory, spans=tuple(dict.fromkeys((*existing_memory.spans, *new_memory.spans)))
        )
        return (
            ReplaceMemory(memory=None, old=_supersede(with_sources, new_memory, None, now))
            if is_same_value
            else AddFact(memory=new_memory)
        )
    if is_same_value:
        return ReinforceMemory(memory=reinforce(existing_memory, new_memory, now))
    if new_memory.attribute in PERMANENT_ATTRIBUTES:
        reason = f"contradicts {existing_memory.text!r}"
        return ContestMemory(
            memory=replace(new_memory, standing=MemoryStatus.CONTESTED, reason=reason),
            against=existing_memory,
        )
    if new_memory.seen_at < existing_memory.seen_at:
        # Told late about how it was before: history, not news.
        return ReplaceMemory(
            memory=existing_memory, old=_supersede(new_memory, existing_memory, existing_memory.id, now)
        )
    return ReplaceMemory(memory=new_memory, old=_supersede(existing_memory, new_memory, new_memory.id, now))


def _is_same_value(a: str, b: str) -> bool:
    """Equal, or forms of one word: vegetarian and vegetariana are the same diet in two languages."""
    shorter, longer = sorted((fold_text(normalize_fact(a)), fold_text(normalize_fact(b))), key=len)
    return shorter == longer or (
        len(shorter) >= 5 and longer.startswith(shorter) and len(longer) - len(shorter) <= 2
    )


def _supersede(old: Memory, replacement: Memory, successor_id: str | None, now: datetime) -> Memory:
    return replace(
        old,
        standing=MemoryStatus.SUPERSEDED,
        superseded_by=successor_id,
        valid_to=replacement.valid_from or replacement.seen_at,
        updated_at=now,
        reason=f"superseded by {replacement.text!r}",
    )
