"""The ledger of imports in SQLite."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import Row, fetch, fetch_one
from recollect.domain.import_ledger import ImportRecord, LedgerEntry, LedgerItem
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.storage.timestamps import from_ms, from_ms_or_none, to_ms, to_ms_or_none

SELECT_IMPORT = "SELECT id, source, started_at, finished_at FROM imports WHERE user_no = ?"
INSERT_ENTRY = """
    INSERT OR IGNORE INTO import_entries (user_no, import_no, source_id, item, item_id)
    SELECT user_no, no, ?3, ?4, ?5 FROM imports WHERE user_no = ?1 AND id = ?2
"""
SELECT_KNOWN = """
    SELECT source_id FROM import_entries
    WHERE user_no = ? AND source_id IN (SELECT value FROM json_each(?))
"""
SELECT_ENTRIES = """
    SELECT e.source_id, e.item, e.item_id FROM imports i
    JOIN import_entries e ON e.user_no = i.user_no AND e.import_no = i.no
    WHERE i.user_no = ? AND i.id = ? ORDER BY e.no
"""


class SqliteImportLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, record: ImportRecord) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, record.user, to_ms(record.started_at))
            db.execute(
                "INSERT INTO imports (user_no, id, source, started_at, finished_at) VALUES (?, ?, ?, ?, ?)",
                (
                    user_no,
                    record.id,
                    record.source,
                    to_ms(record.started_at),
                    to_ms_or_none(record.finished_at),
                ),
            )

    def finish(self, scope: Scope, import_id: str, *, now: datetime) -> None:
        with self._database.transaction() as db:
            db.execute(
                "UPDATE imports SET finished_at = ? WHERE user_no = ? AND id = ?",
                (to_ms(now), self._database.user_number(db, scope.user), import_id),
            )

    def get(self, scope: Scope, import_id: str) -> ImportRecord:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            if import_id == "last":
                row = fetch_one(db, f"{SELECT_IMPORT} ORDER BY no DESC LIMIT 1", (user_no,))
            else:
                row = fetch_one(db, f"{SELECT_IMPORT} AND id = ?", (user_no, import_id))
        if row is None:
            raise NotFound(f"There is no import {import_id!r} of this user.")
        return _to_record(scope.user, row)

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[ImportRecord]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(db, f"{SELECT_IMPORT} ORDER BY no DESC LIMIT ?", (user_no, limit))
        return [_to_record(scope.user, row) for row in rows]

    def add(self, scope: Scope, import_id: str, entries: Sequence[LedgerEntry]) -> None:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            db.executemany(
                INSERT_ENTRY, [(user_no, import_id, e.source_id, e.item, e.item_id) for e in entries]
            )

    def known_source_ids(self, scope: Scope, source_ids: Sequence[str]) -> Collection[str]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(db, SELECT_KNOWN, (user_no, json.dumps(list(source_ids))))
        return {source_id for (source_id,) in rows}

    def entries(self, scope: Scope, import_id: str) -> "Sequence[LedgerEntry]":
        with self._database.reader() as db:
            rows = fetch(db, SELECT_ENTRIES, (self._database.user_number(db, scope.user), import_id))
        return [
            LedgerEntry(source_id=source_id, item=LedgerItem(item), item_id=item_id)
            for source_id, item, item_id in rows
        ]

    def delete(self, scope: Scope, import_id: str) -> None:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            db.execute("DELETE FROM imports WHERE user_no = ? AND id = ?", (user_no, import_id))


def _to_record(user: str, row: Row) -> ImportRecord:
    import_id, source, started_at, finished_at = row
    return ImportRecord(
        id=import_id,
        user=user,
        source=source,
        started_at=from_ms(started_at),
        finished_at=from_ms_or_none(finished_at),
    )
