"""
Consolidation: fold the facts of a message into the known memories. A pure function of values, without I/O.

A fact that was already learned from the same text, or that the user forgot after it was stated, is rejected; otherwise
`reconcile` decides. Each outcome changes what the next fact is compared with. O(f · m) for f facts and m memories.

Example: "I moved to Porto. I live in Porto." after "lives in Lisbon" gives `Superseded` (Lisbon by Porto), then
`Reinforced` (Porto).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from recollect.consolidation.known_memories import KnownMemories
from recollect.consolidation.reconciliation import reconcile
from recollect.consolidation.stated_fact import StatedFact
from recollect.domain.memory import Memory
from recollect.domain.outcomes import FactOutcome, Reinforced, Rejected, Superseded
from recollect.domain.policy import ConsolidationPolicy
from recollect.domain.reason import Reason, ReasonCode

LEARNED_ALREADY_REASON = Reason(ReasonCode.LEARNED_ALREADY)
FORGOTTEN_REASON = Reason(ReasonCode.FORGOTTEN_SINCE)


def consolidate(
    facts: Iterable[StatedFact],
    known: KnownMemories,
    policy: ConsolidationPolicy,
    *,
    forgotten_at: Mapping[str, datetime],
    now: datetime,
) -> list[FactOutcome]:
    """
    Return the outcome of each fact, in order. Changed memories carry the version that they get when they are stored.

    `forgotten_at` has the times at which the user forgot facts, by fact hash.
    """
    outcomes: list[FactOutcome] = []
    for fact in facts:
        outcome = _with_next_versions(_consolidate_fact(fact, known, policy, forgotten_at, now))
        known = known.after(outcome)
        outcomes.append(outcome)
    return outcomes


def is_forgotten(memory: Memory, forgotten_at: Mapping[str, datetime]) -> bool:
    """Whether the user forgot the fact after it was last stated."""
    forgotten_time = forgotten_at.get(memory.fact_hash)
    return forgotten_time is not None and memory.last_stated_at <= forgotten_time


def _consolidate_fact(
    fact: StatedFact,
    known: KnownMemories,
    policy: ConsolidationPolicy,
    forgotten_at: Mapping[str, datetime],
    now: datetime,
) -> FactOutcome:
    new_memory = fact.memory
    if (learned_memory := known.learned_from_same_text(new_memory)) is not None:
        return Rejected(text=new_memory.text, reason=LEARNED_ALREADY_REASON, memory=learned_memory)
    if is_forgotten(new_memory, forgotten_at):
        return Rejected(text=new_memory.text, reason=FORGOTTEN_REASON)
    return reconcile(
        new_memory,
        negated=fact.negated,
        identical=known.identical(new_memory),
        same_attribute=known.same_attribute(new_memory),
        similar=known.similar(new_memory, policy),
        policy=policy,
        now=now,
    )


def _with_next_versions(outcome: FactOutcome) -> FactOutcome:
    match outcome:
        case Reinforced(memory=memory):
            return Reinforced(memory=replace(memory, version=memory.version + 1))
        case Superseded(memory=memory, old=old):
            return Superseded(memory=memory, old=replace(old, version=old.version + 1))
        case _:
            return outcome
