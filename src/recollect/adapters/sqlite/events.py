"""Extractions, tombstones, events and triage counts in SQLite."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import Row, fetch, fetch_one, insert_rows, where_clause
from recollect.domain.event import Event, EventAction
from recollect.domain.extraction import Extraction
from recollect.domain.reason import Reason
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.storage.encoding import decode_changes, decode_extraction, encode_changes, encode_extraction
from recollect.storage.reasons import decode_reason, encode_reason
from recollect.storage.timestamps import from_ms, to_ms, to_ms_or_none


class SqliteExtractions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, scope: Scope, message_id: str, extractor: str, extraction: Extraction) -> None:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            db.execute(
                "INSERT OR REPLACE INTO extractions (user_no, message_no, extractor, body)"
                " SELECT ?1, no, ?3, ?4 FROM messages WHERE user_no = ?1 AND id = ?2",
                (user_no, message_id, extractor, encode_extraction(extraction)),
            )

    def get(self, scope: Scope, message_id: str) -> Extraction | None:
        with self._database.reader() as db:
            row = fetch_one(
                db,
                "SELECT e.body FROM extractions e JOIN messages m ON m.user_no = e.user_no AND m.no = e.message_no"
                " WHERE m.user_no = ? AND m.id = ?",
                (self._database.user_number(db, scope.user), message_id),
            )
        return None if row is None else decode_extraction(row[0])

    def get_many(self, scope: Scope, message_ids: Collection[str]) -> Mapping[str, Extraction]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT m.id, e.body FROM messages m"
                " JOIN extractions e ON e.user_no = m.user_no AND e.message_no = m.no"
                " WHERE m.user_no = ? AND m.id IN (SELECT value FROM json_each(?))",
                (self._database.user_number(db, scope.user), json.dumps(list(message_ids))),
            )
        return {message_id: decode_extraction(body) for message_id, body in rows}


class SqliteTombstones:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, user: str, fact_hash: str, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, user, to_ms(now))
            db.execute("INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?)", (user_no, fact_hash, to_ms(now)))

    def forgotten_at(self, user: str, fact_hashes: Collection[str]) -> Mapping[str, datetime]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT fact_hash, created_at FROM tombstones"
                " WHERE user_no = ? AND fact_hash IN (SELECT value FROM json_each(?))",
                (self._database.user_number(db, user), json.dumps(list(fact_hashes))),
            )
        return {fact_hash: from_ms(at) for fact_hash, at in rows}

    def all(self, user: str) -> Mapping[str, datetime]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT fact_hash, created_at FROM tombstones WHERE user_no = ? ORDER BY created_at, fact_hash",
                (self._database.user_number(db, user),),
            )
        return {fact_hash: from_ms(at) for fact_hash, at in rows}

    def remove(self, user: str, fact_hash: str) -> None:
        with self._database.transaction() as db:
            db.execute(
                "DELETE FROM tombstones WHERE user_no = ? AND fact_hash = ?",
                (self._database.user_number(db, user), fact_hash),
            )


class SqliteEvents:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, user: str, events: Sequence[Event]) -> None:
        if not events:
            return
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, user, to_ms(events[0].at))
            insert_rows(
                db,
                "INSERT INTO events (user_no, id, at, action, body)",
                "(?, ?, ?, ?, ?)",
                [(user_no, e.id, to_ms(e.at), e.action, encode_changes(e.changes)) for e in events],
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
        with self._database.reader() as db:
            clause, values = where_clause(
                {
                    "e.user_no = ?": self._database.user_number(db, scope.user),
                    "e.no < (SELECT no FROM events WHERE user_no = e.user_no AND id = ?)": before,
                    "e.at <= ?": to_ms_or_none(until),
                    "e.action IN (SELECT value FROM json_each(?))": json.dumps(sorted(actions))
                    if actions
                    else None,
                    "EXISTS (SELECT 1 FROM json_each(e.body) WHERE value ->> 0 = ?)": memory_id,
                }
            )
            rows = fetch(
                db,
                f"SELECT e.id, e.at, e.action, e.body, e.undone FROM events e {clause} ORDER BY e.no DESC LIMIT ?",
                [*values, limit],
            )
        return [_to_event(scope.user, row) for row in rows]

    def get(self, scope: Scope, event_id: str) -> Event:
        with self._database.reader() as db:
            row = fetch_one(
                db,
                "SELECT id, at, action, body, undone FROM events WHERE user_no = ? AND id = ?",
                (self._database.user_number(db, scope.user), event_id),
            )
        if row is None:
            raise NotFound(f"There is no event {event_id!r} for this user.")
        return _to_event(scope.user, row)

    def mark_undone(self, scope: Scope, event_id: str) -> None:
        with self._database.transaction() as db:
            db.execute(
                "UPDATE events SET undone = 1 WHERE user_no = ? AND id = ?",
                (self._database.user_number(db, scope.user), event_id),
            )


class SqliteTriageCounts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def increment(self, user: str, reason: Reason, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, user, to_ms(now))
            db.execute(
                "INSERT INTO triage_counts VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
                (user_no, encode_reason(reason)),
            )

    def all(self, user: str) -> Mapping[Reason, int]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT reason, count FROM triage_counts WHERE user_no = ? ORDER BY count DESC, reason",
                (self._database.user_number(db, user),),
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
