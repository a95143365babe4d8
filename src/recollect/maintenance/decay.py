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

from recollect.domain.decay import WEEK, base, rate, weight_at
from recollect.domain.memory import Band, Kind, Memory, Standing
from recollect.domain.policy import Decay

#: Put away already; nothing more happens to them by themselves.
_SETTLED = frozenset({Standing.SUPERSEDED, Standing.ARCHIVED, Standing.FORGOTTEN})


@dataclass(frozen=True, slots=True)
class Keep:
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
class Erase:
    """It is deleted, as the policy asks for memories that grew too light."""

    reason: str


Outlook: TypeAlias = Keep | Archive | Expire | Erase


def effective_weight(memory: Memory, now: datetime, policy: Decay) -> float:
    return weight_at(memory.kind, memory.weight, memory.seen_at, now, policy, pinned=memory.pinned)


def decayed(memory: Memory, now: datetime, policy: Decay) -> Memory:
    """
    The memory as the gardener leaves it: put away with the reason if it is time, biography at its full weight.

    The stored weight does not fall (see above), so doing this twice, late or in another order gives the same.
    """
    kept = replace(memory, weight=base(memory.kind, memory.weight, policy))
    match fate(memory, now, policy):
        case Keep():
            return kept
        case Archive(reason) | Expire(reason):
            return replace(kept, standing=Standing.ARCHIVED, reason=reason)
        case Erase(reason):
            return replace(kept, standing=Standing.FORGOTTEN, reason=reason)


def fate(memory: Memory, now: datetime, policy: Decay) -> Outlook:
    """
    What time has done to a memory: the first thing that came over it since it was last said.

    Reasons name the memory's own dates, never the day somebody looked.
    """
    if memory.standing in _SETTLED:
        return Keep()
    came = min(_came(memory, now, policy), key=lambda event: event[0], default=(0.0, Keep()))
    return came[1]


def forecast(
    memories: Iterable[Memory], now: datetime, weeks: int, policy: Decay
) -> list[tuple[int, Memory, Outlook]]:
    """
    What will be put away within so many weeks if nothing is said again: the week it happens by, 0 being today.

    What stays is not listed. Ordered by week, then by id.
    """
    listed = []
    for memory in memories:
        for week in range(weeks + 1):
            outlook = fate(memory, now + week * WEEK, policy)
            if not isinstance(outlook, Keep):
                listed.append((week, memory, outlook))
                break
    return sorted(listed, key=lambda line: (line[0], line[1].id))


def _came(memory: Memory, now: datetime, policy: Decay) -> Iterator[tuple[float, Outlook]]:
    """Everything that has come over it by now, and how many weeks after it was last said."""
    said = f"last said on {memory.seen_at:%Y-%m-%d}"
    if memory.expires_at is not None and memory.expires_at <= now:
        reason = f"it was to be kept until {memory.expires_at:%Y-%m-%d}"
        yield (memory.expires_at - memory.seen_at) / WEEK, Expire(reason)
    if memory.pinned:
        return
    if memory.kind is Kind.OBJ and memory.valid_to is not None and memory.valid_to <= now:
        reason = f"the goal was for {memory.valid_to:%Y-%m-%d}"
        yield (memory.valid_to - memory.seen_at) / WEEK, Archive(reason)
    if _is_temporary(memory, policy) and now - memory.seen_at >= timedelta(days=policy.temporary_days):
        yield policy.temporary_days / 7, Expire(f"temporary, {policy.temporary_days} days: {said}")
    lost, floor = rate(memory.kind, memory.weight, policy, pinned=memory.pinned), policy.archive_below
    if lost > 0 and effective_weight(memory, now, policy) < floor:
        reason = f"weight under {floor:g}: {said}"
        weeks = max((base(memory.kind, memory.weight, policy) - floor) / lost, 0.0)
        yield weeks, Archive(reason) if policy.forget == "archive" else Erase(reason)


def _is_temporary(memory: Memory, policy: Decay) -> bool:
    importance = round(100 * base(memory.kind, memory.weight, policy))
    return policy.temporary_days > 0 and Band.of(importance) is Band.TEMPORARY
