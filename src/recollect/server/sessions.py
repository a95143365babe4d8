"""Browsers: a link that works once gives a cookie; what changes something needs a second token besides."""

import hmac
import secrets
import time
from dataclasses import dataclass
from threading import Lock

from recollect.server.tokens import Person

COOKIE = "recollect_session"
CSRF_HEADER = "x-csrf-token"
#: Seconds a link works, and a session lasts.
LINK_SECONDS = 300
SESSION_SECONDS = 30 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    person: Person
    csrf: str
    ends_at: float

    def proves(self, token: str) -> bool:
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.csrf.encode())


class Sessions:
    """Kept in memory: who restarts the server logs in again with a new link."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._links: dict[str, tuple[Person, float]] = {}
        self._open: dict[str, Session] = {}

    def link(self, person: Person) -> str:
        """A code for a link that opens one session."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._links[code] = (person, time.monotonic() + LINK_SECONDS)
        return code

    def begin(self, code: str) -> tuple[str, Session] | None:
        """Use a link; None if it was used, is too old, or never was."""
        with self._lock:
            person, ends_at = self._links.pop(code, (None, 0.0))
            if person is None or ends_at < time.monotonic():
                return None
            name = secrets.token_urlsafe(32)
            session = Session(
                person=person, csrf=secrets.token_urlsafe(32), ends_at=time.monotonic() + SESSION_SECONDS
            )
            self._open[name] = session
        return name, session

    def get(self, name: str) -> Session | None:
        with self._lock:
            session = self._open.get(name)
            if session is not None and session.ends_at < time.monotonic():
                del self._open[name]
                return None
            return session

    def end(self, name: str) -> None:
        with self._lock:
            self._open.pop(name, None)
