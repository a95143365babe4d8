"""When to try again, and when to stop trying."""

from dataclasses import dataclass
from datetime import timedelta

from recollect.errors import ProviderBusy, RecollectError, StoreBusy, StoreFull, StoreMoved

FIRST = timedelta(seconds=1)
LONGEST = timedelta(minutes=5)
#: Providers that ask for more are asked again sooner.
PATIENCE = timedelta(hours=1)
#: A mistake of ours, or a poisoned message, does not get better by waiting.
TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    delay: timedelta
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    reason: str


def backoff(attempts: int) -> timedelta:
    """1 s, 2 s, 4 s … up to five minutes."""
    doublings = min(max(attempts, 1) - 1, 16)
    return min(FIRST * (1 << doublings), LONGEST)


def decide(error: Exception, attempts: int) -> Later | GiveUp:
    """What is busy, full or out of place is waited for as long as it takes; what is wrong is parked with its reason."""
    reason = f"{type(error).__name__}: {error}"
    if isinstance(error, ProviderBusy) and error.retry_after:
        asked = timedelta(seconds=min(error.retry_after, PATIENCE.total_seconds()))
        return Later(delay=max(asked, backoff(attempts)), reason=reason)
    if isinstance(error, ProviderBusy | StoreBusy | StoreFull | StoreMoved):
        return Later(delay=backoff(attempts), reason=reason)
    if isinstance(error, RecollectError) or attempts >= TRIES:
        return GiveUp(reason=reason)
    return Later(delay=backoff(attempts), reason=reason)
