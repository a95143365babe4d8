"""The ledger of imports in PostgreSQL."""

from collections.abc import Collection, Sequence
from datetime import datetime

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.rows import (
    Row,
    execute,
    execute_many,
    fetch,
    fetch_one,
)
from recollect.domain.import_ledger import ImportRecord, LedgerEntry, LedgerItem
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.storage.timestamps import from_ms, from_ms_or_none, to_ms, to_ms_or_none

SELECT_IMPORT = "SELECT id, source, started_at, finished_at FROM imports WHERE user_id = $1"
INSERT_ENTRY = """
    INSERT INTO import_entries (user_id, import_no, source_id, item, item_id)
    SELECT user_id, no, $3::text, $4::text, $5::text FROM imports WHERE user_id = $1 AND id = $2
    ON CONFLICT (user_id, source_id) DO NOTHING
"""
SELECT_KNOWN = """
    SELECT source_id FROM import_entries
    WHERE user_id = $1 AND source_id = ANY($2::text[])
"""
SELECT_ENTRIES = """
    SELECT e.source_id, e.item, e.item_id FROM imports i
    JOIN import_entries e ON e.user_id = i.user_id AND e.import_no = i.no
    WHERE i.user_id = $1 AND i.id = $2 ORDER BY e.no
"""


class PostgresImportLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, record: ImportRecord) -> None:
        with self._database.transaction(record.user) as db:
            self._database.ensure_user(record.user, to_ms(record.started_at))
            execute(
                db,
                "INSERT INTO imports (user_id, id, source, started_at, finished_at) VALUES ($1, $2, $3, $4, $5)",
                (
                    record.user,
                    record.id,
                    record.source,
                    to_ms(record.started_at),
                    to_ms_or_none(record.finished_at),
                ),
            )

    def finish(self, scope: Scope, import_id: str, *, now: datetime) -> None:
        with self._database.transaction(scope.user) as db:
            execute(
                db,
                "UPDATE imports SET finished_at = $1 WHERE user_id = $2 AND id = $3",
                (to_ms(now), scope.user, import_id),
            )

    def get(self, scope: Scope, import_id: str) -> ImportRecord:
        with self._database.reader(scope.user) as db:
            if import_id == "last":
                row = fetch_one(db, f"{SELECT_IMPORT} ORDER BY no DESC LIMIT 1", (scope.user,))
            else:
                row = fetch_one(db, f"{SELECT_IMPORT} AND id = $2", (scope.user, import_id))
        if row is None:
            raise NotFound(f"There is no import {import_id!r} of this user.")
        return _to_record(scope.user, row)

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[ImportRecord]:
        with self._database.reader(scope.user) as db:
            rows = fetch(db, f"{SELECT_IMPORT} ORDER BY no DESC LIMIT $2", (scope.user, limit))
        return [_to_record(scope.user, row) for row in rows]

    def add(self, scope: Scope, import_id: str, entries: Sequence[LedgerEntry]) -> None:
        with self._database.transaction(scope.user) as db:
            execute_many(
                db, INSERT_ENTRY, [(scope.user, import_id, e.source_id, e.item, e.item_id) for e in entries]
            )

    def known_source_ids(self, scope: Scope, source_ids: Sequence[str]) -> Collection[str]:
        with self._database.reader(scope.user) as db:
            rows = fetch(db, SELECT_KNOWN, (scope.user, list(source_ids)))
        return {source_id for (source_id,) in rows}

    def entries(self, scope: Scope, import_id: str) -> "Sequence[LedgerEntry]":
        with self._database.reader(scope.user) as db:
            rows = fetch(db, SELECT_ENTRIES, (scope.user, import_id))
        return [
            LedgerEntry(source_id=source_id, item=LedgerItem(item), item_id=item_id)
            for source_id, item, item_id in rows
        ]

    def delete(self, scope: Scope, import_id: str) -> None:
        with self._database.transaction(scope.user) as db:
            execute(db, "DELETE FROM imports WHERE user_id = $1 AND id = $2", (scope.user, import_id))


def _to_record(user: str, row: Row) -> ImportRecord:
    import_id, source, started_at, finished_at = row
    return ImportRecord(
        id=import_id,
        user=user,
        source=source,
        started_at=from_ms(started_at),
        finished_at=from_ms_or_none(finished_at),
    )
