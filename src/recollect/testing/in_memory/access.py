"""Tokens, sessions, idempotency keys, rate limits and schedules in memory."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from recollect.domain.access import KeyClaim, Principal, RequestCount, Session


class Claim(NamedTuple):
    request_hash: str
    claimed_at: datetime
    is_finished: bool = False


class LoginCode(NamedTuple):
    principal: Principal
    expires_at: datetime


class StoredToken(NamedTuple):
    principal: Principal
    token_hash: str
    secret: str | None


@dataclass(slots=True, kw_only=True)
class AccessTables:
    """What belongs to no user."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    tokens: dict[str, StoredToken] = field(default_factory=dict)
    login_codes: dict[str, LoginCode] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)
    requests: dict[tuple[str, int], int] = field(default_factory=dict)  #: by principal and minute
    schedules: dict[str, datetime] = field(default_factory=dict)


class InMemoryAccessTokens:
    def __init__(self, tables: AccessTables) -> None:
        self._tables = tables

    def add(self, principal: Principal, token_hash: str, *, now: datetime, secret: str | None = None) -> bool:
        with self._tables.lock:
            token = StoredToken(principal, token_hash, secret)
            return self._tables.tokens.setdefault(principal.name, token) is token

    def find(self, token_hash: str) -> Principal | None:
        tokens = list(self._tables.tokens.values())
        return next((token.principal for token in tokens if token.token_hash == token_hash), None)

    def secret(self, name: str) -> str | None:
        token = self._tables.tokens.get(name)
        return token.secret if token else None

    def list(self) -> Sequence[Principal]:
        return [token.principal for token in self._tables.tokens.values()]

    def delete(self, name: str) -> bool:
        with self._tables.lock:
            for key in [key for key, each in self._tables.sessions.items() if each.principal.name == name]:
                del self._tables.sessions[key]
            for key in [key for key, each in self._tables.login_codes.items() if each.principal.name == name]:
                del self._tables.login_codes[key]
            return self._tables.tokens.pop(name, None) is not None


class InMemorySessions:
    def __init__(self, tables: AccessTables) -> None:
        self._tables = tables

    def add_login_code(self, code_hash: str, principal: Principal, *, expires_at: datetime) -> None:
        self._tables.login_codes[code_hash] = LoginCode(principal, expires_at)

    def take_login_code(self, code_hash: str, *, now: datetime) -> Principal | None:
        with self._tables.lock:
            code = self._tables.login_codes.pop(code_hash, None)
        return code.principal if code and code.expires_at > now else None

    def add(self, session_hash: str, session: Session) -> None:
        self._tables.sessions[session_hash] = session

    def find(self, session_hash: str, *, now: datetime) -> Session | None:
        session = self._tables.sessions.get(session_hash)
        return session if session and session.expires_at > now else None

    def delete(self, session_hash: str) -> None:
        self._tables.sessions.pop(session_hash, None)

    def prune(self, now: datetime) -> int:
        with self._tables.lock:
            sessions = [key for key, each in self._tables.sessions.items() if each.expires_at <= now]
            codes = [key for key, each in self._tables.login_codes.items() if each.expires_at <= now]
            for key in sessions:
                del self._tables.sessions[key]
            for key in codes:
                del self._tables.login_codes[key]
        return len(sessions) + len(codes)


class InMemoryIdempotencyKeys:
    def __init__(self, tables: AccessTables) -> None:
        self._tables = tables

    def claim(self, key_hash: str, request_hash: str, *, now: datetime, stale_before: datetime) -> KeyClaim:
        with self._tables.lock:
            known = self._tables.claims.get(key_hash)
            if known is not None:
                if known.request_hash != request_hash:
                    return KeyClaim.OTHER_REQUEST
                if known.is_finished:
                    return KeyClaim.FINISHED
                if known.claimed_at >= stale_before:
                    return KeyClaim.RUNNING
            self._tables.claims[key_hash] = Claim(request_hash, now)
        return KeyClaim.NEW

    def finish(self, key_hash: str) -> None:
        with self._tables.lock:
            if key_hash in self._tables.claims:
                self._tables.claims[key_hash] = self._tables.claims[key_hash]._replace(is_finished=True)

    def release(self, key_hash: str) -> None:
        with self._tables.lock:
            self._tables.claims.pop(key_hash, None)

    def prune(self, before: datetime) -> int:
        with self._tables.lock:
            old = [key for key, claim in self._tables.claims.items() if claim.claimed_at < before]
            for key in old:
                del self._tables.claims[key]
        return len(old)


class InMemoryRateLimits:
    def __init__(self, tables: AccessTables) -> None:
        self._tables = tables

    def add(self, name: str, minute: int, requests: int) -> RequestCount:
        with self._tables.lock:
            counts = self._tables.requests
            for key in [key for key in counts if key[1] < minute - 1]:
                del counts[key]
            counts[name, minute] = counts.get((name, minute), 0) + requests
            return RequestCount(
                this_minute=counts[name, minute], previous_minute=counts.get((name, minute - 1), 0)
            )


class InMemorySchedules:
    def __init__(self, tables: AccessTables) -> None:
        self._tables = tables

    def claim(self, name: str, *, now: datetime, interval: timedelta) -> bool:
        with self._tables.lock:
            claimed_at = self._tables.schedules.get(name)
            if claimed_at is not None and claimed_at > now - interval:
                return False
            self._tables.schedules[name] = now
        return True

    def release(self, name: str) -> None:
        with self._tables.lock:
            self._tables.schedules.pop(name, None)
