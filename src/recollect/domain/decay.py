"""What a memory weighs today: what it weighed when it was last said, less its kind's rate for each week since."""

from datetime import datetime, timedelta

from recollect.domain.memory import ImportanceBand, Kind
from recollect.domain.policy import DecayPolicy

WEEK = timedelta(weeks=1)
#: 0.9 less six times 0.1 is 0.3, whatever floating point makes of it.
WEIGHT_DECIMALS = 9


def decay_rate(kind: Kind, weight: float, policy: DecayPolicy, *, pinned: bool = False) -> float:
    """Weight lost a week. What was pinned does not fade, nor does a critical decision, whatever the rates are."""
    if pinned or (
        kind is Kind.DEC and ImportanceBand.from_importance(round(100 * weight)) is ImportanceBand.CRITICAL
    ):
        return 0.0
    rates = {
        Kind.EMO: policy.emotion_per_week,
        Kind.PREF: policy.preference_per_week,
        Kind.OBJ: policy.goal_per_week,
    }
    return rates.get(kind, 0.0)


def base_weight(kind: Kind, weight: float, policy: DecayPolicy) -> float:
    """Biography weighs 1 for ever, where the policy says so."""
    return 1.0 if kind is Kind.BIO and policy.biography_fixed else weight


def weight_at(
    kind: Kind, weight: float, seen_at: datetime, now: datetime, policy: DecayPolicy, *, pinned: bool = False
) -> float:
    age = max(now - seen_at, timedelta())
    decayed_weight = base_weight(kind, weight, policy) - decay_rate(kind, weight, policy, pinned=pinned) * (
        age / WEEK
    )
    return max(round(decayed_weight, WEIGHT_DECIMALS), 0.0)
