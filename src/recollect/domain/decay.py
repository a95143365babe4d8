"""
Linear decay of memory weights.

    weight(now) = max(0, base − rate(kind) · weeks since last mentioned)

The base is the stored weight, or 1 for biography if `decay.biography_fixed` is set. The rate depends on the kind:
emotions lose 0.1 a week by default, preferences and goals 0, everything else never decays. Pinned memories and
critical decisions (kind DEC, importance above 70) never decay.

Invariants: the stored weight does not change over time; the current weight is computed at read time, so
nothing has to be rewritten weekly and a memory that is mentioned again restarts from its full weight. The result is
in [0, base], never increases with age, and is rounded to 9 decimals, so that 0.9 − 6 · 0.1 is 0.3. A time before
`last_stated_at` counts as age 0. Cost: O(1) per memory.

Example: an emotion of weight 0.9 weighs 0.7 after two weeks and 0.3 after six; with `decay.archive_below` = 0.3 the
next maintenance run after that archives it.
"""

from datetime import datetime, timedelta

from recollect.domain.memory import ImportanceBand, Kind
from recollect.domain.policy import DecayPolicy

WEEK = timedelta(weeks=1)
#: Hides floating-point error: 0.9 - 6 * 0.1 must be 0.3.
WEIGHT_DECIMALS = 9


def decay_rate(kind: Kind, weight: float, policy: DecayPolicy, *, pinned: bool = False) -> float:
    """Return the weight lost per week. Pinned memories and critical decisions never decay."""
    if pinned or (
        kind is Kind.DECISION
        and ImportanceBand.from_importance(round(100 * weight)) is ImportanceBand.CRITICAL
    ):
        return 0.0
    rates = {
        Kind.EMOTION: policy.emotion_per_week,
        Kind.PREFERENCE: policy.preference_per_week,
        Kind.GOAL: policy.goal_per_week,
    }
    return rates.get(kind, 0.0)


def base_weight(kind: Kind, weight: float, policy: DecayPolicy) -> float:
    """Return the weight before decay: 1 for biography if the policy fixes it, else the stored weight."""
    return 1.0 if kind is Kind.BIOGRAPHY and policy.biography_fixed else weight


def weight_at(
    kind: Kind,
    weight: float,
    last_stated_at: datetime,
    now: datetime,
    policy: DecayPolicy,
    *,
    pinned: bool = False,
) -> float:
    age = max(now - last_stated_at, timedelta())
    decayed_weight = base_weight(kind, weight, policy) - decay_rate(kind, weight, policy, pinned=pinned) * (
        age / WEEK
    )
    return max(round(decayed_weight, WEIGHT_DECIMALS), 0.0)
