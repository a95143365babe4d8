"""What a memory weighs today: what it weighed when it was last said, less its kind's rate for each week since."""

from datetime import datetime, timedelta

from recollect.domain.memory import Band, Kind
from recollect.domain.policy import Decay

WEEK = timedelta(weeks=1)
#: 0.9 less six times 0.1 is 0.3, whatever floating point makes of it.
PLACES = 9


def rate(kind: Kind, weight: float, policy: Decay, *, pinned: bool = False) -> float:
    """Weight lost a week. What was pinned does not fade, nor does a critical decision, whatever the rates are."""
    if pinned or (kind is Kind.DEC and Band.of(round(100 * weight)) is Band.CRITICAL):
        return 0.0
    rates = {
        Kind.EMO: policy.emo_per_week,
        Kind.PREF: policy.pref_per_week,
        Kind.OBJ: policy.obj_per_week,
    }
    return rates.get(kind, 0.0)


def base(kind: Kind, weight: float, policy: Decay) -> float:
    """Biography weighs 1 for ever, where the policy says so."""
    return 1.0 if kind is Kind.BIO and policy.bio_fixed else weight


def weight_at(
    kind: Kind, weight: float, seen_at: datetime, now: datetime, policy: Decay, *, pinned: bool = False
) -> float:
    age = max(now - seen_at, timedelta())
    faded = base(kind, weight, policy) - rate(kind, weight, policy, pinned=pinned) * (age / WEEK)
    return max(round(faded, PLACES), 0.0)
