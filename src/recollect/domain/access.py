"""Who may access a server: principals, browser sessions, and claims of idempotency keys."""

import hmac
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The identity that a token stands for."""

    name: str  #: name of the token
    user: str  #: user whose memory it may access
    is_admin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser session; writes need its CSRF token."""

    principal: Principal
    csrf_token: str
    expires_at: datetime

    def is_csrf_token(self, token: str) -> bool:
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.csrf_token.encode())


class KeyClaim(StrEnum):
    """What became of the attempt to claim an idempotency key for a request."""

    NEW = "new"  #: the caller handles the request
    RUNNING = "running"  #: the same request is being handled
    FINISHED = "finished"  #: the same request was handled
    OTHER_REQUEST = "other_request"  #: the key was used for another request


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCount:
    """Requests of one principal, on all servers."""

    this_minute: int
    previous_minute: int
