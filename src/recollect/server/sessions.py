"""Browser sessions: a one-time login link sets a session cookie; writes also need a CSRF token."""

import hmac
import secrets
import time
from dataclasses import dataclass
from threading import Lock

from recollect.server.tokens import Principal

SESSION_COOKIE = "recollect_session"
CSRF_HEADER = "x-csrf-token"
#: Lifetimes of a login link and of a session.
LOGIN_CODE_SECONDS = 300
SESSION_SECONDS = 30 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    principal: Principal
    csrf_token: str
    expires_at: float

    def is_csrf_token(self, token: str) -> bool:
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.csrf_token.encode())


class SessionStore:
    """Login codes and sessions, in memory: after a restart of the server users log in again."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._login_codes: dict[str, tuple[Principal, float]] = {}
        self._sessions: dict[str, Session] = {}

    def create_login_code(self, principal: Principal) -> str:
        """Return the code of a login link, which starts one session."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._login_codes[code] = (principal, time.monotonic() + LOGIN_CODE_SECONDS)
        return code

    def start(self, code: str) -> tuple[str, Session] | None:
        """Exchange a login code for a session; None if it was used, expired, or never existed."""
        with self._lock:
            principal, expires_at = self._login_codes.pop(code, (None, 0.0))
            if principal is None or expires_at < time.monotonic():
                return None
            session_id = secrets.token_urlsafe(32)
            session = Session(
                principal=principal,
                csrf_token=secrets.token_urlsafe(32),
                expires_at=time.monotonic() + SESSION_SECONDS,
            )
            self._sessions[session_id] = session
        return session_id, session

    def get(self, session_id: str) -> Session | None:
        with self._lock:
            session = self._sessions.get(session_id)
            if session is not None and session.expires_at < time.monotonic():
                del self._sessions[session_id]
                return None
            return session

    def end(self, session_id: str) -> None:
        with self._lock:
            self._sessions.pop(session_id, None)
