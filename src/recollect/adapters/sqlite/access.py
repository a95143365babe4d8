"""Tokens, sessions, idempotency keys, rate limits and schedules in SQLite."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import fetch, fetch_number, fetch_one
from recollect.domain.access import KeyClaim, Principal, RequestCount, Session
from recollect.storage.timestamps import from_ms, to_ms

UPSERT_REQUESTS = """
    INSERT INTO rate_limits (name, minute, requests) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET requests = requests + excluded.requests
"""
CLAIM_SCHEDULE = """
    INSERT INTO schedules (name, claimed_at) VALUES (?1, ?2)
    ON CONFLICT DO UPDATE SET claimed_at = excluded.claimed_at WHERE claimed_at <= ?3
"""


class SqliteAccessTokens:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, principal: Principal, token_hash: str, *, now: datetime, secret: str | None = None) -> bool:
        with self._database.transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO access_tokens (name, user, is_admin, hash, secret, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (principal.name, principal.user, int(principal.is_admin), token_hash, secret, to_ms(now)),
            )
            return db.changes() > 0

    def find(self, token_hash: str) -> Principal | None:
        with self._database.reader() as db:
            row = fetch_one(
                db, "SELECT name, user, is_admin FROM access_tokens WHERE hash = ?", (token_hash,)
            )
        return None if row is None else _to_principal(*row)

    def secret(self, name: str) -> str | None:
        with self._database.reader() as db:
            row = fetch_one(db, "SELECT secret FROM access_tokens WHERE name = ?", (name,))
        return None if row is None else row[0]

    def list(self) -> Sequence[Principal]:
        with self._database.reader() as db:
            rows = fetch(db, "SELECT name, user, is_admin FROM access_tokens ORDER BY no")
        return [_to_principal(*row) for row in rows]

    def delete(self, name: str) -> bool:
        with self._database.transaction() as db:
            db.execute("DELETE FROM sessions WHERE name = ?", (name,))
            db.execute("DELETE FROM login_codes WHERE name = ?", (name,))
            db.execute("DELETE FROM access_tokens WHERE name = ?", (name,))
            return db.changes() > 0


class SqliteSessions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add_login_code(self, code_hash: str, principal: Principal, *, expires_at: datetime) -> None:
        with self._database.transaction() as db:
            db.execute(
                "INSERT INTO login_codes (hash, name, user, is_admin, expires_at) VALUES (?, ?, ?, ?, ?)",
                (code_hash, principal.name, principal.user, int(principal.is_admin), to_ms(expires_at)),
            )

    def take_login_code(self, code_hash: str, *, now: datetime) -> Principal | None:
        with self._database.transaction() as db:
            rows = fetch(
                db,
                "DELETE FROM login_codes WHERE hash = ? RETURNING expires_at, name, user, is_admin",
                (code_hash,),
            )
        return _to_principal(*rows[0][1:]) if rows and rows[0][0] > to_ms(now) else None

    def add(self, session_hash: str, session: Session) -> None:
        principal = session.principal
        with self._database.transaction() as db:
            db.execute(
                "INSERT INTO sessions (hash, name, user, is_admin, csrf_token, expires_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
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
        with self._database.reader() as db:
            row = fetch_one(
                db,
                "SELECT csrf_token, expires_at, name, user, is_admin FROM sessions"
                " WHERE hash = ? AND expires_at > ?",
                (session_hash, to_ms(now)),
            )
        if row is None:
            return None
        csrf_token, expires_at, *principal = row
        return Session(
            principal=_to_principal(*principal), csrf_token=csrf_token, expires_at=from_ms(expires_at)
        )

    def delete(self, session_hash: str) -> None:
        with self._database.transaction() as db:
            db.execute("DELETE FROM sessions WHERE hash = ?", (session_hash,))

    def prune(self, now: datetime) -> int:
        with self._database.transaction() as db:
            db.execute("DELETE FROM sessions WHERE expires_at <= ?", (to_ms(now),))
            expired = db.changes()
            db.execute("DELETE FROM login_codes WHERE expires_at <= ?", (to_ms(now),))
            return expired + db.changes()


class SqliteIdempotencyKeys:
    """Claims need not be durable: the request's own transaction, which follows, makes its claim durable too."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, key_hash: str, request_hash: str, *, now: datetime, stale_before: datetime) -> KeyClaim:
        with self._database.transaction(durable=False) as db:
            row = fetch_one(
                db,
                "SELECT request_hash, is_finished, claimed_at FROM idempotency_keys WHERE hash = ?",
                (key_hash,),
            )
            if row is not None:
                known_hash, is_finished, claimed_at = row
                if known_hash != request_hash:
                    return KeyClaim.OTHER_REQUEST
                if is_finished:
                    return KeyClaim.FINISHED
                if claimed_at >= to_ms(stale_before):
                    return KeyClaim.RUNNING
            db.execute(
                "INSERT OR REPLACE INTO idempotency_keys (hash, request_hash, is_finished, claimed_at)"
                " VALUES (?, ?, 0, ?)",
                (key_hash, request_hash, to_ms(now)),
            )
        return KeyClaim.NEW

    def finish(self, key_hash: str) -> None:
        with self._database.transaction(durable=False) as db:
            db.execute("UPDATE idempotency_keys SET is_finished = 1 WHERE hash = ?", (key_hash,))

    def release(self, key_hash: str) -> None:
        with self._database.transaction(durable=False) as db:
            db.execute("DELETE FROM idempotency_keys WHERE hash = ?", (key_hash,))

    def prune(self, before: datetime) -> int:
        with self._database.transaction(durable=False) as db:
            db.execute("DELETE FROM idempotency_keys WHERE claimed_at < ?", (to_ms(before),))
            return db.changes()


class SqliteRateLimits:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, minute: int, requests: int) -> RequestCount:
        with self._database.transaction(durable=False) as db:
            db.execute("DELETE FROM rate_limits WHERE minute < ?", (minute - 1,))
            db.execute(UPSERT_REQUESTS, (name, minute, requests))
            counts: dict[int, int] = dict(
                fetch(db, "SELECT minute, requests FROM rate_limits WHERE name = ?", (name,))
            )
        return RequestCount(this_minute=counts.get(minute, 0), previous_minute=counts.get(minute - 1, 0))


class SqliteSchedules:
    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, name: str, *, now: datetime, interval: timedelta) -> bool:
        due_if_claimed_at = to_ms(now - interval)
        with self._database.reader() as db:
            claimed_at = fetch_number(db, "SELECT claimed_at FROM schedules WHERE name = ?", (name,))
        if claimed_at > due_if_claimed_at:
            return False
        with self._database.transaction(durable=False) as db:
            db.execute(CLAIM_SCHEDULE, (name, to_ms(now), due_if_claimed_at))
            return db.changes() > 0

    def release(self, name: str) -> None:
        with self._database.transaction(durable=False) as db:
            db.execute("DELETE FROM schedules WHERE name = ?", (name,))


def _to_principal(name: str, user: str, is_admin: int) -> Principal:
    return Principal(name=name, user=user, is_admin=bool(is_admin))
