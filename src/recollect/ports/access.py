"""
Ports for what several servers on one database share: tokens, sessions, idempotency keys, rate limits, schedules.

They belong to no user's data and are never part of a backup. Secrets are stored as hashes, except for the owner's
token, which the command line prints.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from recollect.domain.access import KeyClaim, Principal, RequestCount, Session


class AccessTokens(Protocol):
    def add(self, principal: Principal, token_hash: str, *, now: datetime, secret: str | None = None) -> bool:
        """Store a token, optionally with its value; return False if the principal's name has one already."""

    def find(self, token_hash: str) -> Principal | None: ...

    def secret(self, name: str) -> str | None:
        """Return the value of a token that was stored with it."""

    def list(self) -> Sequence[Principal]:
        """Return the principals of all tokens, in the order in which they were added."""

    def delete(self, name: str) -> bool:
        """Delete a token with its sessions; return False if there is none of that name."""


class Sessions(Protocol):
    def add_login_code(self, code_hash: str, principal: Principal, *, expires_at: datetime) -> None: ...

    def take_login_code(self, code_hash: str, *, now: datetime) -> Principal | None:
        """Delete a login code and return its principal; None if it expired or was taken before."""

    def add(self, session_hash: str, session: Session) -> None: ...

    def find(self, session_hash: str, *, now: datetime) -> Session | None:
        """Return a session that has not expired."""

    def delete(self, session_hash: str) -> None: ...

    def prune(self, now: datetime) -> int:
        """Delete expired login codes and sessions; return how many."""


class IdempotencyKeys(Protocol):
    def claim(self, key_hash: str, request_hash: str, *, now: datetime, stale_before: datetime) -> KeyClaim:
        """Claim a key for a request. A claim from before `stale_before` that was not finished is taken over."""

    def finish(self, key_hash: str) -> None:
        """Record that the request was handled."""

    def release(self, key_hash: str) -> None:
        """Delete a claim, so that the request can be sent again."""

    def prune(self, before: datetime) -> int:
        """Delete keys claimed before a time; return how many."""


class RateLimits(Protocol):
    def add(self, name: str, minute: int, requests: int) -> RequestCount:
        """Add requests of a principal in a minute since 1970; forget those before the previous minute."""


class Schedules(Protocol):
    def claim(self, name: str, *, now: datetime, interval: timedelta) -> bool:
        """Return whether the interval has passed since the last claim; if so, `now` becomes the last claim."""

    def release(self, name: str) -> None:
        """Forget the last claim, so that the task can be claimed again at once."""
