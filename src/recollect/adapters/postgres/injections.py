"""Context injected after messages, in PostgreSQL: kept so that later turns can replay the same bytes."""

from collections.abc import Collection, Mapping

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.rows import (
    Row,
    execute,
    execute_many,
    fetch,
    fetch_one,
)
from recollect.domain.candidate import PassageKey, Source
from recollect.domain.scope import Scope
from recollect.errors import NotFound

FROM_INJECTIONS = """
    FROM injections i JOIN messages m ON m.user_id = i.user_id AND m.no = i.message_no
        JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no
    WHERE m.user_id = $1 AND c.id = $2 ORDER BY m.no
"""
SELECT_SHOWN_ITEMS = """
    SELECT m.id, s.source, s.id FROM chats c JOIN messages m ON m.user_id = c.user_id AND m.chat_no = c.no
        JOIN injection_items s ON s.user_id = m.user_id AND s.message_no = m.no
    WHERE c.user_id = $1 AND c.id = $2
"""


class PostgresInjections:
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
        with self._database.transaction(scope.user) as db:
            row = fetch_one(
                db, "SELECT no FROM messages WHERE user_id = $1 AND id = $2", (scope.user, message_id)
            )
            if row is None:
                raise NotFound(f"There is no message {message_id!r} for this user.")
            execute(db, "DELETE FROM injections WHERE user_id = $1 AND message_no = $2", (scope.user, row[0]))
            execute(
                db,
                "INSERT INTO injections (user_id, message_no, receipt_id, text) VALUES ($1, $2, $3, $4)",
                (scope.user, row[0], receipt_id, text),
            )
            execute_many(
                db,
                "INSERT INTO injection_items (user_id, message_no, source, id, owner)"
                " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (user_id, message_no, source, id) DO NOTHING",
                [
                    (
                        scope.user,
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
        with self._database.reader(scope.user) as db:
            return fetch(db, sql, (scope.user, scope.chat))
