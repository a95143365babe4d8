"""
Reconciliation: decide what one new fact does to the stored memories. A pure function, without I/O.

The rules are tried in this order, and the first that applies decides:

1. the assistant repeats a memory                          → `Rejected`
2. a memory has the same normalized text                   → `Reinforced`
3. a memory has the same attribute (name, city, diet, …):
   negated, same value → `Superseded` without successor;  negated, other value → `New`
   same value → `Reinforced`;  other value of a permanent attribute → `Conflicting`
   other value, stated later → `Superseded`;  stated earlier → `New`, but already superseded
4. for each similar memory, nearest first: a retraction, the opposite preference, a reached goal, a state that ended or
   another value ("the exam is on Saturday") → `Superseded`, a duplicate → merged;
   stated earlier → `New`, but already superseded
5. otherwise                                               → `New`

Invariants: inputs are not modified, and versions stay as they are; a superseded memory keeps its row, `valid_to` and
the id of its successor; sources (spans) are only added. The result depends on `last_stated_at`, so facts learned late
do not overwrite newer ones.
O(s) for s similar memories. Example: "lives in Porto" seen on Tuesday replaces "lives in Lisbon" seen on Monday;
"born in Porto" after "born in Lisbon" is contested, since a birthplace does not change, and the user decides.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.consolidation.similarity.duplicates import is_duplicate, merge_memories, more_specific
from recollect.consolidation.similarity.state_changes import changes_value, ends, says_more
from recollect.consolidation.similarity.transitions import fulfils_goal, repeats, retracts, reverses
from recollect.domain.memory import Memory, MemoryStatus, normalize_fact
from recollect.domain.message import Role
from recollect.domain.metadata import merge_metadata
from recollect.domain.outcomes import Conflicting, FactOutcome, New, Reinforced, Rejected, Superseded
from recollect.domain.policy import ConsolidationPolicy
from recollect.domain.reason import Reason, ReasonCode
from recollect.text.analyzer import fold_text

#: Attributes that do not change: another value is a contradiction, not an update.
PERMANENT_ATTRIBUTES = frozenset({"name", "birthday", "birthplace", "born_in"})
REPEATED_REASON = Reason(ReasonCode.REPEATED_BY_ASSISTANT)


def reconcile(
    new_memory: Memory,
    *,
    negated: bool,
    identical: Memory | None,
    same_attribute: Sequence[Memory],
    similar: Sequence[tuple[Memory, float | None]],
    policy: ConsolidationPolicy,
    now: datetime,
) -> FactOutcome:
    """
    Decide what a new fact does to the stored memories.

    `identical` has the same normalized text, `same_attribute` are the active memories of its attribute, `similar` are
    the nearest memories with their cosines, nearest first; the cosine is None if there are no vectors.
    """
    if (
        repeated_memory := _find_repeated(
            new_memory, [*([identical] if identical else []), *(known for known, _ in similar)]
        )
    ) is not None:
        return Rejected(text=new_memory.text, reason=REPEATED_REASON, memory=repeated_memory)
    if identical is not None:
        return Reinforced(memory=reinforce(identical, new_memory, now))
    if new_memory.attribute is not None and same_attribute:
        return _reconcile_attribute(new_memory, same_attribute[0], negated=negated, now=now)
    outcomes = (
        _reconcile_similar(known, new_memory, cosine, negated=negated, policy=policy, now=now)
        for known, cosine in similar
    )
    return next((outcome for outcome in outcomes if outcome is not None), New(memory=new_memory))


def _reconcile_similar(
    existing_memory: Memory,
    new_memory: Memory,
    cosine: float | None,
    *,
    negated: bool,
    policy: ConsolidationPolicy,
    now: datetime,
) -> Superseded | Reinforced | New | None:
    if negated and retracts(existing_memory, new_memory):
        return _retract(existing_memory, new_memory, now)
    if fulfils_goal(existing_memory, new_memory):
        return Superseded(memory=new_memory, old=_supersede(existing_memory, new_memory, new_memory.id, now))
    if is_duplicate(existing_memory, new_memory, cosine, policy):
        return Reinforced(memory=_merge(existing_memory, new_memory, now))
    return _reconcile_state(existing_memory, new_memory, now)


def _reconcile_state(existing_memory: Memory, new_memory: Memory, now: datetime) -> Superseded | New | None:
    is_later = new_memory.last_stated_at >= existing_memory.last_stated_at
    if is_later and (
        ends(existing_memory, new_memory)
        or changes_value(existing_memory, new_memory)
        or reverses(existing_memory, new_memory)
    ):
        return Superseded(memory=new_memory, old=_supersede(existing_memory, new_memory, new_memory.id, now))
    if not is_later and (
        ends(new_memory, existing_memory)
        or changes_value(new_memory, existing_memory)
        or reverses(new_memory, existing_memory)
    ):
        # Learned late: the state had ended already.
        return New(memory=_supersede(new_memory, existing_memory, existing_memory.id, now))
    return None


def is_related(
    existing_memory: Memory, new_memory: Memory, cosine: float | None, policy: ConsolidationPolicy
) -> bool:
    """Whether one memory can affect the reconciliation of the other."""
    return (
        is_duplicate(existing_memory, new_memory, cosine, policy)
        or retracts(existing_memory, new_memory)
        or retracts(new_memory, existing_memory)
        or fulfils_goal(existing_memory, new_memory)
        or fulfils_goal(new_memory, existing_memory)
        or repeats(existing_memory, new_memory)
        or ends(existing_memory, new_memory)
        or ends(new_memory, existing_memory)
        or changes_value(existing_memory, new_memory)
        or reverses(existing_memory, new_memory)
    )


def _find_repeated(new_memory: Memory, memories: Sequence[Memory]) -> Memory | None:
    if new_memory.speaker is not Role.ASSISTANT:
        return None
    return next((memory for memory in memories if repeats(memory, new_memory)), None)


def _retract(existing_memory: Memory, new_memory: Memory, now: datetime) -> Superseded:
    """Supersede the existing memory. If the retraction has an attribute, it only ends it and becomes a source of it."""
    if new_memory.attribute is None:
        return Superseded(memory=new_memory, old=_supersede(existing_memory, new_memory, new_memory.id, now))
    with_sources = replace(
        existing_memory, spans=tuple(dict.fromkeys((*existing_memory.spans, *new_memory.spans)))
    )
    return Superseded(memory=None, old=_supersede(with_sources, new_memory, None, now))


def reinforce(existing_memory: Memory, new_memory: Memory, now: datetime) -> Memory:
    """Return the memory stated once more, with the later time, the greater weight and the sources of both."""
    return replace(
        existing_memory,
        last_stated_at=max(existing_memory.last_stated_at, new_memory.last_stated_at),
        updated_at=now,
        times_stated=existing_memory.times_stated + 1,
        weight=max(existing_memory.weight, new_memory.weight),
        tags=tuple(dict.fromkeys((*existing_memory.tags, *new_memory.tags))),
        metadata=merge_metadata(existing_memory.metadata, new_memory.metadata),
        spans=tuple(dict.fromkeys((*existing_memory.spans, *new_memory.spans))),
    )


def _merge(existing_memory: Memory, new_memory: Memory, now: datetime) -> Memory:
    """Merge two memories into the more specific text, under the existing id."""
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
) -> FactOutcome:
    is_same_value = _is_same_value(
        existing_memory.value or existing_memory.text, new_memory.value or new_memory.text
    )
    if negated and is_same_value and says_more(new_memory.text, existing_memory.text):
        # "Not vegetarian any more, I eat fish": the rest of the statement is a fact of its own.
        successor = replace(new_memory, attribute=None, value=None)
        return Superseded(memory=successor, old=_supersede(existing_memory, successor, successor.id, now))
    if negated:
        # The retraction is stored only as a source of the memory that it ended.
        with_sources = replace(
            existing_memory, spans=tuple(dict.fromkeys((*existing_memory.spans, *new_memory.spans)))
        )
        return (
            Superseded(memory=None, old=_supersede(with_sources, new_memory, None, now))
            if is_same_value
            else New(memory=new_memory)
        )
    if is_same_value:
        return Reinforced(memory=reinforce(existing_memory, new_memory, now))
    if new_memory.attribute in PERMANENT_ATTRIBUTES:
        reason = Reason(ReasonCode.CONTRADICTS, {"text": existing_memory.text})
        return Conflicting(
            memory=replace(new_memory, status=MemoryStatus.CONTESTED, reason=reason),
            against=existing_memory,
        )
    if new_memory.last_stated_at < existing_memory.last_stated_at:
        # A fact about an earlier state, learned late: it becomes history.
        return New(memory=_supersede(new_memory, existing_memory, existing_memory.id, now))
    return Superseded(memory=new_memory, old=_supersede(existing_memory, new_memory, new_memory.id, now))


def _is_same_value(a: str, b: str) -> bool:
    """Whether two values are equal or forms of one word, such as "vegetarian" and "vegetariana"."""
    shorter, longer = sorted((fold_text(normalize_fact(a)), fold_text(normalize_fact(b))), key=len)
    return shorter == longer or (
        len(shorter) >= 5 and longer.startswith(shorter) and len(longer) - len(shorter) <= 2
    )


def _supersede(old: Memory, replacement: Memory, successor_id: str | None, now: datetime) -> Memory:
    return replace(
        old,
        status=MemoryStatus.SUPERSEDED,
        superseded_by=successor_id,
        valid_to=replacement.valid_from or replacement.last_stated_at,
        updated_at=now,
        reason=Reason(ReasonCode.SUPERSEDED_BY, {"text": replacement.text}),
    )
