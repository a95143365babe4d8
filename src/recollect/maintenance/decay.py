"""
Natural forgetting: what is not said again grows lighter, until it is put away.

The weight in the store is what a memory weighed when it was last said, at ``seen_at``, and stays that.
What it weighs today is always computed from the two, so that no tick of the gardener, missed or repeated,
changes the result. Only biography is corrected where it stands: its weight is 1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from recollect.domain.decay import WEEK, base_weight, decay_rate, weight_at
from recollect.domain.memory import ImportanceBand, Kind, Memory, MemoryStatus
from recollect.domain.policy import DecayPolicy

#: Put away already; nothing more happens to them by themselves.
_FINAL_STANDINGS = frozenset({MemoryStatus.SUPERSEDED, MemoryStatus.ARCHIVED, MemoryStatus.FORGOTTEN})


@dataclass(frozen=True, slots=True)
class Retain:
    """It stays."""


@dataclass(frozen=True, slots=True)
class Archive:
    """It is no longer recalled, and can be brought back."""

    reason: str


@dataclass(frozen=True, slots=True)
class Expire:
    """Its time was limited, and is over."""

    reason: str


@dataclass(frozen=True, slots=True)
class Forget:
    """It is deleted, as the policy asks for memories that grew too light."""

    reason: str


DecayOutcome: TypeAlias = Retain | Archive | Expire | Forget


def effective_weight(memory: Memory, now: datetime, policy: DecayPolicy) -> float:
    return weight_at(memory.kind, memory.weight, memory.seen_at, now, policy, pinned=memory.pinned)


def apply_decay(memory: Memory, now: datetime, policy: DecayPolicy) -> Memory:
    """
    The memory as the gardener leaves it: put away with the reason if it is time, biography at its full weight.

    The stored weight does not fall (see above), so doing this twice, late or in another order gives the same.
    """
    corrected = replace(memory, weight=base_weight(memory.kind, memory.weight, policy))
    match decay_outcome(memory, now, policy):
        case Retain():
            return corrected
        case Archive(reason) | Expire(reason):
            return replace(corrected, standing=MemoryStatus.ARCHIVED, reason=reason)
        case Forget(reason):
            return replace(corrected, standing=MemoryStatus.FORGOTTEN, reason=reason)


def decay_outcome(memory: Memory, now: datetime, policy: DecayPolicy) -> DecayOutcome:
    """
    What time has done to a memory: the first thing that came over it since it was last said.

    Reasons name the memory's own dates, never the day somebody looked.
    """
    if memory.standing in _FINAL_STANDINGS:
        return Retain()
    first_outcome = min(
        _due_outcomes(memory, now, policy), key=lambda event: event[0], default=(0.0, Retain())
    )
    return first_outcome[1]


def forecast_decay(
    memories: Iterable[Memory], now: datetime, weeks: int, policy: DecayPolicy
) -> list[tuple[int, Memory, DecayOutcome]]:
    """
    What will be put away within so many weeks if nothing is said again: the week it happens by, 0 being today.

    What stays is not listed. Ordered by week, then by id.
    """
    changes = []
    for memory in memories:
        for week in range(weeks + 1):
            outcome = decay_outcome(memory, now + week * WEEK, policy)
            if not isinstance(outcome, Retain):
                changes.append((week, memory, outcome))
                break
    return sorted(changes, key=lambda line: (line[0], line[1].id))


def _due_outcomes(memory: Memory, now: datetime, policy: DecayPolicy) -> Iterator[tuple[float, DecayOutcome]]:
    """Everything that has come over it by now, and how many weeks after it was last said."""
    last_stated = f"last said on {memory.seen_at:%Y-%m-%d}"
    if memory.expires_at is not None and memory.expires_at <= now:
        reason = f"it was to be kept until {memory.expires_at:%Y-%m-%d}"
        yield (memory.expires_at - memory.seen_at) / WEEK, Expire(reason)
    if memory.pinned:
        return
    if memory.kind is Kind.OBJ and memory.valid_to is not None and memory.valid_to <= now:
        reason = f"the goal was for {memory.valid_to:%Y-%m-%d}"
        yield (memory.valid_to - memory.seen_at) / WEEK, Archive(reason)
    if _is_temporary(memory, policy) and now - memory.seen_at >= timedelta(days=policy.temporary_days):
        yield policy.temporary_days / 7, Expire(f"temporary, {policy.temporary_days} days: {last_stated}")
    weekly_loss, floor = (
        decay_rate(memory.kind, memory.weight, policy, pinned=memory.pinned),
        policy.archive_below,
    )
    if weekly_loss > 0 and effective_weight(memory, now, policy) < floor:
        reason = f"weight under {floor:g}: {last_stated}"
        weeks = max((base_weight(memory.kind, memory.weight, policy) - floor) / weekly_loss, 0.0)
        yield weeks, Archive(reason) if policy.action == "archive" else Forget(reason)


def _is_temporary(memory: Memory, policy: DecayPolicy) -> bool:
    importance = round(100 * base_weight(memory.kind, memory.weight, policy))
    return (
        policy.temporary_days > 0 and ImportanceBand.from_importance(importance) is ImportanceBand.TEMPORARY
    )
