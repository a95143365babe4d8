"""Consents, profiles and the audit log in PostgreSQL. Consent is checked inside the queries."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.dependents import delete_injections, delete_memories
from recollect.adapters.postgres.receipts import clear_receipt_queries
from recollect.adapters.postgres.rows import (
    Connection,
    Row,
    execute,
    fetch,
    fetch_number,
    fetch_one,
)
from recollect.domain.candidate import PROFILE_KEY, Source
from recollect.domain.consent import DEFAULT_CONSENTS, PROFILE_CATEGORY
from recollect.domain.event import AuditEntry
from recollect.domain.scope import Scope
from recollect.domain.summary import Profile
from recollect.errors import ConsentRequired
from recollect.storage.audit_chain import GENESIS_HASH, AuditRow, hash_entry, is_intact
from recollect.storage.encoding import decode_profile, encode_profile
from recollect.storage.timestamps import from_ms, to_ms

#: Facts stay in their order.
REMOVE_FACTS_OF_KIND = """
    UPDATE extractions SET body = jsonb_set(body::jsonb, '{facts}', (
        SELECT coalesce(jsonb_agg(f.value ORDER BY f.place), '[]')
        FROM jsonb_array_elements(body::jsonb -> 'facts') WITH ORDINALITY f (value, place)
        WHERE f.value ->> 'kind' <> $2
    ))::text WHERE user_id = $1 AND EXISTS (
        SELECT 1 FROM jsonb_array_elements(body::jsonb -> 'facts') f WHERE f ->> 'kind' = $2
    )
"""


SELECT_CONSENTS = "SELECT category, granted FROM consents WHERE user_id = $1"


class PostgresAuditLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, user: str, action: str, detail: str, *, now: datetime) -> None:
        with self._database.transaction(user) as db:
            self._database.ensure_user(user, to_ms(now))
            # One hash chain per user, so that erasing a user does not break the others.
            select_last = "SELECT hash FROM audit_log WHERE user_id = $1 ORDER BY no DESC LIMIT 1"
            previous = fetch_one(db, select_last, (user,))
            entry_hash = hash_entry(previous[0] if previous else GENESIS_HASH, to_ms(now), action, detail)
            execute(
                db,
                "INSERT INTO audit_log (user_id, at, action, detail, hash) VALUES ($1, $2, $3, $4, $5)",
                (user, to_ms(now), action, detail, entry_hash),
            )

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[AuditEntry]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                "SELECT at, action, detail FROM audit_log WHERE user_id = $1 ORDER BY no DESC LIMIT $2",
                (scope.user, limit),
            )
        return [AuditEntry(at=from_ms(at), action=action, detail=detail) for at, action, detail in rows]

    def is_intact(self, scope: Scope) -> bool:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                "SELECT at, action, detail, hash FROM audit_log WHERE user_id = $1 ORDER BY no",
                (scope.user,),
            )
        return is_intact(AuditRow(*row) for row in rows)


class PostgresConsents:
    def __init__(self, database: Database, audit_log: PostgresAuditLog) -> None:
        self._database = database
        self._audit_log = audit_log

    def all(self, scope: Scope) -> Mapping[str, bool]:
        with self._database.reader(scope.user) as db:
            return to_consents(fetch(db, SELECT_CONSENTS, (scope.user,)))

    def set(self, scope: Scope, category: str, *, granted: bool, now: datetime) -> None:
        with self._database.transaction(scope.user) as db:
            self._database.ensure_user(scope.user, to_ms(now))
            execute(
                db,
                "INSERT INTO consents (user_id, category, granted, changed_at) VALUES ($1, $2, $3, $4)"
                " ON CONFLICT (user_id, category)"
                " DO UPDATE SET granted = excluded.granted, changed_at = excluded.changed_at",
                (scope.user, category, int(granted), to_ms(now)),
            )
            erased_counts = {} if granted else self.count_covered(scope, category)
            if not granted:
                _erase_category(db, scope.user, category)
            detail = json.dumps({"category": category, "erased": erased_counts})
            self._audit_log.add(
                scope.user, "consent given" if granted else "consent taken back", detail, now=now
            )

    def count_covered(self, scope: Scope, category: str) -> Mapping[str, int]:
        with self._database.reader(scope.user) as db:
            if category == PROFILE_CATEGORY:
                return {
                    "profile": fetch_number(
                        db, "SELECT count(*) FROM profiles WHERE user_id = $1", (scope.user,)
                    )
                }
            from_clause = "FROM memories WHERE user_id = $1 AND kind = $2"
            return {"memories": fetch_number(db, f"SELECT count(*) {from_clause}", (scope.user, category))}


class PostgresProfiles:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, scope: Scope) -> Profile | None:
        with self._database.reader(scope.user) as db:
            row = fetch_one(
                db,
                "SELECT p.body, p.notes, p.updated_at FROM profiles p JOIN consents c"
                " ON c.user_id = p.user_id AND c.category = 'profile' AND c.granted = 1 WHERE p.user_id = $1",
                (scope.user,),
            )
        if row is None:
            return None
        return decode_profile(scope.user, *row)

    def put(self, profile: Profile) -> None:
        with self._database.transaction(profile.user) as db:
            self._database.ensure_user(profile.user, to_ms(profile.updated_at))
            stored = execute(
                db,
                "INSERT INTO profiles (user_id, body, notes, updated_at) SELECT user_id, $2::text, $3::text, $4::bigint"
                " FROM consents WHERE user_id = $1 AND category = 'profile' AND granted = 1"
                " ON CONFLICT (user_id) DO UPDATE SET"
                " body = excluded.body, notes = excluded.notes, updated_at = excluded.updated_at",
                (profile.user, encode_profile(profile), profile.notes, to_ms(profile.updated_at)),
            )
            if not stored:
                raise ConsentRequired(
                    "The profile is stored only with consent, which has not been given. Ask the user for it first."
                )


def _erase_category(db: Connection, user: str, category: str) -> None:
    """Erase the data of a category, the stored extractions it could be learned from, and queries that may quote it."""
    if category == PROFILE_CATEGORY:
        execute(db, "DELETE FROM profiles WHERE user_id = $1", (user,))
        delete_injections(db, user, (Source.PROFILE,), [PROFILE_KEY[1]])
        return
    memories = fetch(db, "SELECT no, id FROM memories WHERE user_id = $1 AND kind = $2", (user, category))
    delete_memories(db, user, [no for no, _ in memories])
    execute(db, REMOVE_FACTS_OF_KIND, (user, category))
    clear_receipt_queries(db, user, [memory_id for _, memory_id in memories])


def to_consents(rows: Sequence[Row]) -> Mapping[str, bool]:
    return {**DEFAULT_CONSENTS, **{category: bool(granted) for category, granted in rows}}
