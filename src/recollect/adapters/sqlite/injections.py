"""Context injected after messages, in SQLite: kept so that later turns can replay the same bytes."""

from collections.abc import Collection, Mapping

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import Row, fetch, fetch_one
from recollect.domain.candidate import PassageKey, Source
from recollect.domain.scope import Scope
from recollect.errors import NotFound

FROM_INJECTIONS = """
    FROM injections i JOIN messages m ON m.user_no = i.user_no AND m.no = i.message_no JOIN chats c ON c.no = m.chat_no
    WHERE m.user_no = ? AND c.id = ? ORDER BY m.no
"""
SELECT_SHOWN_ITEMS = """
    SELECT m.id, s.source, s.id FROM chats c JOIN messages m ON m.user_no = c.user_no AND m.chat_no = c.no
        JOIN injection_items s ON s.user_no = m.user_no AND s.message_no = m.no
    WHERE c.user_no = ? AND c.id = ?
"""


class SqliteInjections:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self,
        scope: Scope,
        message_id: str,
        text: str,
        *,
        passage_keys: Collection[PassageKey] = (),
        receipt_id: str | None = None,
    ) -> None:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            row = fetch_one(db, "SELECT no FROM messages WHERE user_no = ? AND id = ?", (user_no, message_id))
            if row is None:
                raise NotFound(f"There is no message {message_id!r} for this user.")
            db.execute("DELETE FROM injections WHERE user_no = ? AND message_no = ?", (user_no, row[0]))
            db.execute(
                "INSERT INTO injections (message_no, user_no, receipt_id, text) VALUES (?, ?, ?, ?)",
                (row[0], user_no, receipt_id, text),
            )
            db.executemany(
                "INSERT OR IGNORE INTO injection_items (user_no, message_no, source, id, owner)"
                " VALUES (?, ?, ?, ?, ?)",
                [
                    (
                        user_no,
                        row[0],
                        source,
                        name,
                        name.partition("#")[0] if source is Source.CHUNK else name,
                    )
                    for source, name in passage_keys
                ],
            )

    def texts(self, scope: Scope) -> Mapping[str, str]:
        return dict(self._fetch_rows(scope, f"SELECT m.id, i.text {FROM_INJECTIONS}"))

    def receipt_ids(self, scope: Scope) -> Mapping[str, str]:
        rows = self._fetch_rows(scope, f"SELECT m.id, i.receipt_id {FROM_INJECTIONS}")
        return {message: receipt for message, receipt in rows if receipt}

    def passage_keys(self, scope: Scope) -> Mapping[str, frozenset[PassageKey]]:
        keys_by_message: dict[str, set[PassageKey]] = {}
        for message, source, name in self._fetch_rows(scope, SELECT_SHOWN_ITEMS):
            keys_by_message.setdefault(message, set()).add((Source(source), name))
        return {message: frozenset(keys) for message, keys in keys_by_message.items()}

    def _fetch_rows(self, scope: Scope, sql: str) -> list[Row]:
        with self._database.reader() as db:
            return fetch(db, sql, (self._database.user_number(db, scope.user), scope.chat))
