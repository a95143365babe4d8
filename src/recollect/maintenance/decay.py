"""
Decay of memories: memories that are not mentioned again lose weight each week until they are archived.

The stored weight is the weight at ``last_stated_at``, when the memory was last mentioned; decay does not change it. The
current weight is computed from both, so that a missed or repeated maintenance run does not change the result. Only
biography is corrected in place: its weight is 1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from recollect.domain.decay import WEEK, base_weight, decay_rate, weight_at
from recollect.domain.memory import ImportanceBand, Kind, Memory, MemoryStatus
from recollect.domain.policy import DecayPolicy
from recollect.domain.reason import Reason, ReasonCode

#: Memories with these statuses are inactive and no longer decay.
_FINAL_STATUSES = frozenset({MemoryStatus.SUPERSEDED, MemoryStatus.ARCHIVED, MemoryStatus.FORGOTTEN})


@dataclass(frozen=True, slots=True)
class Retain:
    """The memory stays active."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The memory is no longer recalled, but can be restored."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Expire:
    """The memory was stored for a limited time, which is over."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Forget:
    """The memory is deleted, because the policy deletes memories below the minimum weight."""

    reason: Reason


DecayOutcome: TypeAlias = Retain | Archive | Expire | Forget


def effective_weight(memory: Memory, now: datetime, policy: DecayPolicy) -> float:
    return weight_at(memory.kind, memory.weight, memory.last_stated_at, now, policy, pinned=memory.pinned)


def apply_decay(memory: Memory, now: datetime, policy: DecayPolicy) -> Memory:
    """
    Return the memory after maintenance: archived or forgotten with the reason if due, biography with weight 1.

    The stored weight does not decay (see above), so applying this twice, late or in another order gives the same.
    """
    corrected = replace(memory, weight=base_weight(memory.kind, memory.weight, policy))
    match decay_outcome(memory, now, policy):
        case Retain():
            return corrected
        case Archive(reason) | Expire(reason):
            return replace(corrected, status=MemoryStatus.ARCHIVED, reason=reason)
        case Forget(reason):
            return replace(corrected, status=MemoryStatus.FORGOTTEN, reason=reason)


def decay_outcome(memory: Memory, now: datetime, policy: DecayPolicy) -> DecayOutcome:
    """
    Return the earliest outcome that is due since the memory was last mentioned.

    Reasons contain the memory's own dates, never the date of the maintenance run.
    """
    if memory.status in _FINAL_STATUSES:
        return Retain()
    _, outcome = min(_due_outcomes(memory, now, policy), key=lambda due: due[0], default=(0.0, Retain()))
    return outcome


def forecast_decay(
    memories: Iterable[Memory], now: datetime, weeks: int, policy: DecayPolicy
) -> list[tuple[int, Memory, DecayOutcome]]:
    """
    Return the memories that decay within so many weeks if none is mentioned again, with week and outcome.

    Week 0 is now. Memories that stay active are omitted. Ordered by week, then by id.
    """
    changes = []
    for memory in memories:
        for week in range(weeks + 1):
            outcome = decay_outcome(memory, now + week * WEEK, policy)
            if not isinstance(outcome, Retain):
                changes.append((week, memory, outcome))
                break
    return sorted(changes, key=lambda change: (change[0], change[1].id))


def _due_outcomes(memory: Memory, now: datetime, policy: DecayPolicy) -> Iterator[tuple[float, DecayOutcome]]:
    """Yield every outcome that is due, with the number of weeks between the last mention and its due date."""
    last_mention = _iso_day(memory.last_stated_at)
    if memory.expires_at is not None and memory.expires_at <= now:
        reason = Reason(ReasonCode.EXPIRED, {"day": _iso_day(memory.expires_at)})
        yield (memory.expires_at - memory.last_stated_at) / WEEK, Expire(reason)
    if memory.pinned:
        return
    if memory.kind is Kind.GOAL and memory.valid_to is not None and memory.valid_to <= now:
        reason = Reason(ReasonCode.GOAL_DUE, {"day": _iso_day(memory.valid_to)})
        yield (memory.valid_to - memory.last_stated_at) / WEEK, Archive(reason)
    if _is_temporary(memory, policy) and now - memory.last_stated_at >= timedelta(days=policy.temporary_days):
        reason = Reason(ReasonCode.TEMPORARY, {"days": policy.temporary_days, "day": last_mention})
        yield policy.temporary_days / 7, Expire(reason)
    weekly_loss, floor = (
        decay_rate(memory.kind, memory.weight, policy, pinned=memory.pinned),
        policy.archive_below,
    )
    if weekly_loss > 0 and effective_weight(memory, now, policy) < floor:
        reason = Reason(ReasonCode.WEIGHT_BELOW_MINIMUM, {"floor": floor, "day": last_mention})
        weeks = max((base_weight(memory.kind, memory.weight, policy) - floor) / weekly_loss, 0.0)
        yield weeks, Archive(reason) if policy.action == "archive" else Forget(reason)


def _iso_day(timestamp: datetime) -> str:
    return timestamp.date().isoformat()


def _is_temporary(memory: Memory, policy: DecayPolicy) -> bool:
    importance = round(100 * base_weight(memory.kind, memory.weight, policy))
    return (
        policy.temporary_days > 0 and ImportanceBand.from_importance(importance) is ImportanceBand.TEMPORARY
    )


def archive_reason(outcome: DecayOutcome) -> Reason | None:
    """Return why a memory is archived; None if it is retained."""
    return None if isinstance(outcome, Retain) else outcome.reason
