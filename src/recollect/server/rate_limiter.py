"""
Rate limits per token, shared by all servers on one database.

A sliding window in the manner of most gateways: the requests of this minute, plus those of the previous one weighted by
the part of it that lies within the last 60 seconds. Each server counts in memory and exchanges its counts with the
store at most once per second and token, so that a request does not wait for a write.
"""

import logging
from dataclasses import dataclass
from functools import partial

from anyio import to_thread

from recollect.domain.access import Principal, RequestCount
from recollect.errors import StoreError
from recollect.services.access import AccessService

SECONDS_PER_MINUTE = 60
#: Interval in which a server exchanges the counts of one token with the store.
EXCHANGE_SECONDS = 1.0

NO_REQUESTS = RequestCount(this_minute=0, previous_minute=0)

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Window:
    """The requests of one token as this server knows them."""

    minute: int = 0
    shared: RequestCount = NO_REQUESTS
    unshared: int = 0  #: requests of this minute that the store does not know yet
    exchanged_at: float = 0.0


class RateLimiter:
    """Used on the event loop only."""

    def __init__(self, access: AccessService) -> None:
        self._access = access
        self._windows: dict[str, Window] = {}

    async def exceeds(self, principal: Principal, max_per_minute: int) -> bool:
        """Count a request; return whether the principal has made too many."""
        now = self._access.clock.now().timestamp()
        window = self._windows.setdefault(principal.name, Window())
        _advance(window, int(now // SECONDS_PER_MINUTE))
        window.unshared += 1
        if now - window.exchanged_at >= EXCHANGE_SECONDS:
            window.exchanged_at = now
            await self._exchange(principal, window)
        previous_weight = 1 - now % SECONDS_PER_MINUTE / SECONDS_PER_MINUTE
        recent = window.shared.this_minute + window.unshared
        return recent + window.shared.previous_minute * previous_weight > max_per_minute

    async def _exchange(self, principal: Principal, window: Window) -> None:
        minute, requests, window.unshared = window.minute, window.unshared, 0
        try:
            shared = await to_thread.run_sync(
                partial(self._access.count_requests, principal, minute, requests)
            )
            if window.minute == minute:
                window.shared = shared
        except StoreError as error:
            # Requests of other servers are not counted until the store can be written again.
            log.warning("requests were counted on this server only: %s", error)
            window.unshared += requests


def _advance(window: Window, minute: int) -> None:
    if window.minute == minute:
        return
    is_next = window.minute == minute - 1
    previous = window.shared.this_minute + window.unshared if is_next else 0
    window.minute, window.unshared = minute, 0
    window.shared = RequestCount(this_minute=0, previous_minute=previous)
