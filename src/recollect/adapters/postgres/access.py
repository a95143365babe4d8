"""Tokens, sessions, idempotency keys, rate limits and schedules in PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.rows import (
    execute,
    fetch,
    fetch_number,
    fetch_one,
)
from recollect.domain.access import KeyClaim, Principal, RequestCount, Session
from recollect.storage.timestamps import from_ms, to_ms

UPSERT_REQUESTS = """
    INSERT INTO rate_limits AS r (name, minute, requests) VALUES ($1, $2, $3)
    ON CONFLICT (name, minute) DO UPDATE SET requests = r.requests + excluded.requests
"""
#: A new key, or one whose claim is stale, is claimed; otherwise no row changes.
CLAIM_KEY = """
    INSERT INTO idempotency_keys AS k (hash, request_hash, is_finished, claimed_at) VALUES ($1, $2, 0, $3)
    ON CONFLICT (hash) DO UPDATE SET claimed_at = excluded.claimed_at
    WHERE k.request_hash = excluded.request_hash AND k.is_finished = 0 AND k.claimed_at < $4
"""
CLAIM_SCHEDULE = """
    INSERT INTO schedules AS s (name, claimed_at) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET claimed_at = excluded.claimed_at WHERE s.claimed_at <= $3
"""


class PostgresAccessTokens:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, principal: Principal, token_hash: str, *, now: datetime, secret: str | None = None) -> bool:
        with self._database.system_transaction() as db:
            added = execute(
                db,
                "INSERT INTO access_tokens (name, user_name, is_admin, hash, secret, created_at)"
                " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
                (principal.name, principal.user, int(principal.is_admin), token_hash, secret, to_ms(now)),
            )
            return added > 0

    def find(self, token_hash: str) -> Principal | None:
        with self._database.system_reader() as db:
            row = fetch_one(
                db, "SELECT name, user_name, is_admin FROM access_tokens WHERE hash = $1", (token_hash,)
            )
        return None if row is None else _to_principal(*row)

    def secret(self, name: str) -> str | None:
        with self._database.system_reader() as db:
            row = fetch_one(db, "SELECT secret FROM access_tokens WHERE name = $1", (name,))
        return None if row is None else row[0]

    def list(self) -> Sequence[Principal]:
        with self._database.system_reader() as db:
            rows = fetch(db, "SELECT name, user_name, is_admin FROM access_tokens ORDER BY no")
        return [_to_principal(*row) for row in rows]

    def delete(self, name: str) -> bool:
        with self._database.system_transaction() as db:
            execute(db, "DELETE FROM sessions WHERE name = $1", (name,))
            execute(db, "DELETE FROM login_codes WHERE name = $1", (name,))
            return execute(db, "DELETE FROM access_tokens WHERE name = $1", (name,)) > 0


class PostgresSessions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add_login_code(self, code_hash: str, principal: Principal, *, expires_at: datetime) -> None:
        with self._database.system_transaction() as db:
            execute(
                db,
                "INSERT INTO login_codes (hash, name, user_name, is_admin, expires_at) VALUES ($1, $2, $3, $4, $5)",
                (code_hash, principal.name, principal.user, int(principal.is_admin), to_ms(expires_at)),
            )

    def take_login_code(self, code_hash: str, *, now: datetime) -> Principal | None:
        with self._database.system_transaction() as db:
            rows = fetch(
                db,
                "DELETE FROM login_codes WHERE hash = $1 RETURNING expires_at, name, user_name, is_admin",
                (code_hash,),
            )
        return _to_principal(*rows[0][1:]) if rows and rows[0][0] > to_ms(now) else None

    def add(self, session_hash: str, session: Session) -> None:
        principal = session.principal
        with self._database.system_transaction() as db:
            execute(
                db,
                "INSERT INTO sessions (hash, name, user_name, is_admin, csrf_token, expires_at)"
                " VALUES ($1, $2, $3, $4, $5, $6)",
                (
                    session_hash,
                    principal.name,
                    principal.user,
                    int(principal.is_admin),
                    session.csrf_token,
                    to_ms(session.expires_at),
                ),
            )

    def find(self, session_hash: str, *, now: datetime) -> Session | None:
        with self._database.system_reader() as db:
            row = fetch_one(
                db,
                "SELECT csrf_token, expires_at, name, user_name, is_admin FROM sessions"
                " WHERE hash = $1 AND expires_at > $2",
                (session_hash, to_ms(now)),
            )
        if row is None:
            return None
        csrf_token, expires_at, *principal = row
        return Session(
            principal=_to_principal(*principal), csrf_token=csrf_token, expires_at=from_ms(expires_at)
        )

    def delete(self, session_hash: str) -> None:
        with self._database.system_transaction() as db:
            execute(db, "DELETE FROM sessions WHERE hash = $1", (session_hash,))

    def prune(self, now: datetime) -> int:
        with self._database.system_transaction() as db:
            expired = execute(db, "DELETE FROM sessions WHERE expires_at <= $1", (to_ms(now),))
            return expired + execute(db, "DELETE FROM login_codes WHERE expires_at <= $1", (to_ms(now),))


class PostgresIdempotencyKeys:
    """Claims need not be durable: the request's own transaction, which follows, makes its claim durable too."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, key_hash: str, request_hash: str, *, now: datetime, stale_before: datetime) -> KeyClaim:
        with self._database.system_transaction(durable=False) as db:
            if execute(db, CLAIM_KEY, (key_hash, request_hash, to_ms(now), to_ms(stale_before))):
                return KeyClaim.NEW
            row = fetch_one(
                db, "SELECT request_hash, is_finished FROM idempotency_keys WHERE hash = $1", (key_hash,)
            )
        if row is None:
            # Released between the two statements: the request may be sent again, and finds out then.
            return KeyClaim.RUNNING
        known_hash, is_finished = row
        if known_hash != request_hash:
            return KeyClaim.OTHER_REQUEST
        return KeyClaim.FINISHED if is_finished else KeyClaim.RUNNING

    def finish(self, key_hash: str) -> None:
        with self._database.system_transaction(durable=False) as db:
            execute(db, "UPDATE idempotency_keys SET is_finished = 1 WHERE hash = $1", (key_hash,))

    def release(self, key_hash: str) -> None:
        with self._database.system_transaction(durable=False) as db:
            execute(db, "DELETE FROM idempotency_keys WHERE hash = $1", (key_hash,))

    def prune(self, before: datetime) -> int:
        with self._database.system_transaction(durable=False) as db:
            return execute(db, "DELETE FROM idempotency_keys WHERE claimed_at < $1", (to_ms(before),))


class PostgresRateLimits:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, minute: int, requests: int) -> RequestCount:
        with self._database.system_transaction(durable=False) as db:
            execute(db, "DELETE FROM rate_limits WHERE minute < $1", (minute - 1,))
            execute(db, UPSERT_REQUESTS, (name, minute, requests))
            counts: dict[int, int] = dict(
                fetch(db, "SELECT minute, requests FROM rate_limits WHERE name = $1", (name,))
            )
        return RequestCount(this_minute=counts.get(minute, 0), previous_minute=counts.get(minute - 1, 0))


class PostgresSchedules:
    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, name: str, *, now: datetime, interval: timedelta) -> bool:
        due_if_claimed_at = to_ms(now - interval)
        with self._database.system_reader() as db:
            claimed_at = fetch_number(db, "SELECT claimed_at FROM schedules WHERE name = $1", (name,))
        if claimed_at > due_if_claimed_at:
            return False
        with self._database.system_transaction(durable=False) as db:
            return execute(db, CLAIM_SCHEDULE, (name, to_ms(now), due_if_claimed_at)) > 0

    def release(self, name: str) -> None:
        with self._database.system_transaction(durable=False) as db:
            execute(db, "DELETE FROM schedules WHERE name = $1", (name,))


def _to_principal(name: str, user: str, is_admin: int) -> Principal:
    return Principal(name=name, user=user, is_admin=bool(is_admin))
