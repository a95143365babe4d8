"""Retry policy of jobs: exponential backoff, and when to give up."""

from dataclasses import dataclass
from datetime import timedelta

from recollect.domain.reason import Reason, ReasonCode
from recollect.errors import ProviderBusy, RecollectError, StoreBusy, StoreFull, StoreMoved

MIN_BACKOFF = timedelta(seconds=1)
MAX_BACKOFF = timedelta(minutes=5)
#: Upper limit for a provider's Retry-After.
MAX_RETRY_AFTER = timedelta(hours=1)
#: Unexpected errors (a bug, a poison message) are not retried more often.
MAX_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryLater:
    delay: timedelta
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    reason: Reason


def backoff_delay(attempts: int) -> timedelta:
    """Return 1 s, 2 s, 4 s … up to five minutes."""
    doublings = min(max(attempts, 1) - 1, 16)
    return min(MIN_BACKOFF * (1 << doublings), MAX_BACKOFF)


def decide_retry(error: Exception, attempts: int) -> RetryLater | GiveUp:
    """Retry without limit while a provider or the store is unavailable; give up on any other RecollectError."""
    reason = Reason(ReasonCode.JOB_FAILED, {"error": type(error).__name__, "detail": str(error)})
    if isinstance(error, ProviderBusy) and error.retry_after:
        retry_after = timedelta(seconds=min(error.retry_after, MAX_RETRY_AFTER.total_seconds()))
        return RetryLater(delay=max(retry_after, backoff_delay(attempts)), reason=reason)
    if isinstance(error, ProviderBusy | StoreBusy | StoreFull | StoreMoved):
        return RetryLater(delay=backoff_delay(attempts), reason=reason)
    if isinstance(error, RecollectError) or attempts >= MAX_ATTEMPTS:
        return GiveUp(reason=reason)
    return RetryLater(delay=backoff_delay(attempts), reason=reason)
