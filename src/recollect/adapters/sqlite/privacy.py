"""Consents, profiles and the audit log in SQLite. Consent is checked inside the queries."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.receipts import clear_receipt_queries
from recollect.adapters.sqlite.rows import Row, fetch, fetch_number, fetch_one
from recollect.domain.consent import DEFAULT_CONSENTS, PROFILE_CATEGORY
from recollect.domain.event import AuditEntry
from recollect.domain.scope import Scope
from recollect.domain.summary import Profile
from recollect.errors import ConsentRequired
from recollect.storage.audit_chain import GENESIS_HASH, AuditRow, hash_entry, is_intact
from recollect.storage.encoding import decode_profile, encode_profile
from recollect.storage.timestamps import from_ms, to_ms

# The outer json(): an empty array loses its type in a subquery, and would be stored as a text.
REMOVE_FACTS_OF_KIND = """
    UPDATE extractions SET body = json_set(body, '$.facts', json((
        SELECT json_group_array(json(f.value)) FROM json_each(body, '$.facts') f WHERE f.value ->> '$.kind' <> ?2
    ))) WHERE user_no = ?1 AND EXISTS (
        SELECT 1 FROM json_each(body, '$.facts') f WHERE f.value ->> '$.kind' = ?2
    )
"""
SELECT_CONSENTS = "SELECT category, granted FROM consents WHERE user_no = :user"
SELECT_PROFILE = """
    SELECT p.body, p.notes, p.updated_at FROM profiles p JOIN consents c
        ON c.user_no = p.user_no AND c.category = 'profile' AND c.granted = 1 WHERE p.user_no = :user
"""


class SqliteAuditLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, user: str, action: str, detail: str, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, user, to_ms(now))
            # One hash chain per user, so that erasing a user does not break the others.
            select_last = "SELECT hash FROM audit_log WHERE user_no = ? ORDER BY no DESC LIMIT 1"
            previous = fetch_one(db, select_last, (user_no,))
            entry_hash = hash_entry(previous[0] if previous else GENESIS_HASH, to_ms(now), action, detail)
            db.execute(
                "INSERT INTO audit_log (user_no, at, action, detail, hash) VALUES (?, ?, ?, ?, ?)",
                (user_no, to_ms(now), action, detail, entry_hash),
            )

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[AuditEntry]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT at, action, detail FROM audit_log WHERE user_no = ? ORDER BY no DESC LIMIT ?",
                (self._database.user_number(db, scope.user), limit),
            )
        return [AuditEntry(at=from_ms(at), action=action, detail=detail) for at, action, detail in rows]

    def is_intact(self, scope: Scope) -> bool:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(
                db, "SELECT at, action, detail, hash FROM audit_log WHERE user_no = ? ORDER BY no", (user_no,)
            )
        return is_intact(AuditRow(*row) for row in rows)


class SqliteConsents:
    def __init__(self, database: Database, audit_log: SqliteAuditLog) -> None:
        self._database = database
        self._audit_log = audit_log

    def all(self, scope: Scope) -> Mapping[str, bool]:
        with self._database.reader() as db:
            rows = fetch(db, SELECT_CONSENTS, {"user": self._database.user_number(db, scope.user)})
        return to_consents(rows)

    def set(self, scope: Scope, category: str, *, granted: bool, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, scope.user, to_ms(now))
            db.execute(
                "INSERT INTO consents (user_no, category, granted, changed_at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET granted = excluded.granted, changed_at = excluded.changed_at",
                (user_no, category, int(granted), to_ms(now)),
            )
            erased_counts = {} if granted else self.count_covered(scope, category)
            if not granted:
                _erase_category(db, user_no, category)
            detail = json.dumps({"category": category, "erased": erased_counts})
            self._audit_log.add(
                scope.user, "consent given" if granted else "consent taken back", detail, now=now
            )

    def count_covered(self, scope: Scope, category: str) -> Mapping[str, int]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            if category == PROFILE_CATEGORY:
                return {
                    "profile": fetch_number(db, "SELECT count(*) FROM profiles WHERE user_no = ?", (user_no,))
                }
            from_clause = "FROM memories WHERE user_no = ? AND kind = ?"
            return {"memories": fetch_number(db, f"SELECT count(*) {from_clause}", (user_no, category))}


class SqliteProfiles:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, scope: Scope) -> Profile | None:
        with self._database.reader() as db:
            rows = fetch(db, SELECT_PROFILE, {"user": self._database.user_number(db, scope.user)})
        return decode_profile(scope.user, *rows[0]) if rows else None

    def put(self, profile: Profile) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, profile.user, to_ms(profile.updated_at))
            db.execute(
                "INSERT OR REPLACE INTO profiles (user_no, body, notes, updated_at) SELECT ?1, ?2, ?3, ?4"
                " FROM consents WHERE user_no = ?1 AND category = 'profile' AND granted = 1",
                (user_no, encode_profile(profile), profile.notes, to_ms(profile.updated_at)),
            )
            if not db.changes():
                raise ConsentRequired(
                    "The profile is stored only with consent, which has not been given. Ask the user for it first."
                )


def to_consents(rows: Sequence[Row]) -> Mapping[str, bool]:
    return {**DEFAULT_CONSENTS, **{category: bool(granted) for category, granted in rows}}


def _erase_category(db: apsw.Connection, user_no: int, category: str) -> None:
    """Erase the data of a category, the stored extractions it could be learned from, and queries that may quote it."""
    if category == PROFILE_CATEGORY:
        db.execute("DELETE FROM profiles WHERE user_no = ?", (user_no,))
        return
    memories = fetch(db, "SELECT id FROM memories WHERE user_no = ? AND kind = ?", (user_no, category))
    db.execute("DELETE FROM memories WHERE user_no = ? AND kind = ?", (user_no, category))
    db.execute(REMOVE_FACTS_OF_KIND, (user_no, category))
    clear_receipt_queries(db, user_no, [memory_id for (memory_id,) in memories])
