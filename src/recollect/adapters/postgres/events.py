"""Extractions, tombstones, events and triage counts in PostgreSQL."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.rows import (
    Row,
    execute,
    execute_many,
    fetch,
    fetch_one,
    where_clause,
)
from recollect.domain.event import Event, EventAction
from recollect.domain.extraction import Extraction
from recollect.domain.reason import Reason
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.storage.encoding import decode_changes, decode_extraction, encode_changes, encode_extraction
from recollect.storage.reasons import decode_reason, encode_reason
from recollect.storage.timestamps import from_ms, to_ms, to_ms_or_none


class PostgresExtractions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, scope: Scope, message_id: str, extractor: str, extraction: Extraction) -> None:
        with self._database.transaction(scope.user) as db:
            execute(
                db,
                "INSERT INTO extractions (user_id, message_no, extractor, body)"
                " SELECT $1, no, $3, $4 FROM messages WHERE user_id = $1 AND id = $2"
                " ON CONFLICT (user_id, message_no)"
                " DO UPDATE SET extractor = excluded.extractor, body = excluded.body",
                (scope.user, message_id, extractor, encode_extraction(extraction)),
            )

    def get(self, scope: Scope, message_id: str) -> Extraction | None:
        with self._database.reader(scope.user) as db:
            row = fetch_one(
                db,
                "SELECT e.body FROM extractions e JOIN messages m ON m.user_id = e.user_id AND m.no = e.message_no"
                " WHERE m.user_id = $1 AND m.id = $2",
                (scope.user, message_id),
            )
        return None if row is None else decode_extraction(row[0])

    def get_many(self, scope: Scope, message_ids: Collection[str]) -> Mapping[str, Extraction]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                "SELECT m.id, e.body FROM messages m"
                " JOIN extractions e ON e.user_id = m.user_id AND e.message_no = m.no"
                " WHERE m.user_id = $1 AND m.id = ANY($2::text[])",
                (scope.user, list(message_ids)),
            )
        return {message_id: decode_extraction(body) for message_id, body in rows}


class PostgresTombstones:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, user: str, fact_hash: str, *, now: datetime) -> None:
        with self._database.transaction(user) as db:
            self._database.ensure_user(user, to_ms(now))
            execute(
                db,
                "INSERT INTO tombstones (user_id, fact_hash, created_at) VALUES ($1, $2, $3)"
                " ON CONFLICT (user_id, fact_hash) DO UPDATE SET created_at = excluded.created_at",
                (user, fact_hash, to_ms(now)),
            )

    def forgotten_at(self, user: str, fact_hashes: Collection[str]) -> Mapping[str, datetime]:
        with self._database.reader(user) as db:
            rows = fetch(
                db,
                "SELECT fact_hash, created_at FROM tombstones"
                " WHERE user_id = $1 AND fact_hash = ANY($2::text[])",
                (user, list(fact_hashes)),
            )
        return {fact_hash: from_ms(at) for fact_hash, at in rows}

    def all(self, user: str) -> Mapping[str, datetime]:
        with self._database.reader(user) as db:
            rows = fetch(
                db,
                "SELECT fact_hash, created_at FROM tombstones WHERE user_id = $1 ORDER BY created_at, fact_hash",
                (user,),
            )
        return {fact_hash: from_ms(at) for fact_hash, at in rows}

    def remove(self, user: str, fact_hash: str) -> None:
        with self._database.transaction(user) as db:
            execute(
                db,
                "DELETE FROM tombstones WHERE user_id = $1 AND fact_hash = $2",
                (user, fact_hash),
            )


class PostgresEvents:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, user: str, events: Sequence[Event]) -> None:
        if not events:
            return
        with self._database.transaction(user) as db:
            self._database.ensure_user(user, to_ms(events[0].at))
            execute_many(
                db,
                "INSERT INTO events (user_id, id, at, action, body) VALUES ($1, $2, $3, $4, $5)",
                [(user, e.id, to_ms(e.at), e.action, encode_changes(e.changes)) for e in events],
            )

    def list(
        self,
        scope: Scope,
        *,
        limit: int = 50,
        before: str | None = None,
        until: datetime | None = None,
        actions: Collection[EventAction] = (),
        memory_id: str | None = None,
    ) -> Sequence[Event]:
        with self._database.reader(scope.user) as db:
            clause, values = where_clause(
                {
                    "e.user_id = ?": scope.user,
                    "e.no < (SELECT no FROM events b WHERE b.user_id = e.user_id AND b.id = ?)": before,
                    "e.at <= ?": to_ms_or_none(until),
                    "e.action = ANY(?::text[])": sorted(map(str, actions)) if actions else None,
                    "EXISTS (SELECT 1 FROM jsonb_array_elements(e.body::jsonb) c WHERE c ->> 0 = ?)": memory_id,
                }
            )
            rows = fetch(
                db,
                f"SELECT e.id, e.at, e.action, e.body, e.undone FROM events e {clause} ORDER BY e.no DESC"
                f" LIMIT ${len(values) + 1}",
                [*values, limit],
            )
        return [_to_event(scope.user, row) for row in rows]

    def get(self, scope: Scope, event_id: str) -> Event:
        with self._database.reader(scope.user) as db:
            row = fetch_one(
                db,
                "SELECT id, at, action, body, undone FROM events WHERE user_id = $1 AND id = $2",
                (scope.user, event_id),
            )
        if row is None:
            raise NotFound(f"There is no event {event_id!r} for this user.")
        return _to_event(scope.user, row)

    def mark_undone(self, scope: Scope, event_id: str) -> None:
        with self._database.transaction(scope.user) as db:
            execute(
                db,
                "UPDATE events SET undone = 1 WHERE user_id = $1 AND id = $2",
                (scope.user, event_id),
            )


class PostgresTriageCounts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def increment(self, user: str, reason: Reason, *, now: datetime) -> None:
        with self._database.transaction(user, defers=True):
            self._database.ensure_user(user, to_ms(now))
            self._database.defer(
                "INSERT INTO triage_counts AS t (user_id, reason, count) VALUES ($1, $2, 1)"
                " ON CONFLICT (user_id, reason) DO UPDATE SET count = t.count + 1",
                (user, encode_reason(reason)),
            )

    def all(self, user: str) -> Mapping[Reason, int]:
        with self._database.reader(user) as db:
            rows = fetch(
                db,
                "SELECT reason, count FROM triage_counts WHERE user_id = $1 ORDER BY count DESC, reason",
                (user,),
            )
        return {decode_reason(reason): count for reason, count in rows}


def _to_event(user: str, row: Row) -> Event:
    event_id, at, action, body, undone = row
    return Event(
        id=event_id,
        user=user,
        at=from_ms(at),
        action=EventAction(action),
        changes=decode_changes(body),
        is_undone=bool(undone),
    )
