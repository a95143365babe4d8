"""Relevance feedback on recalled items in SQLite."""

from collections.abc import Sequence

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import fetch
from recollect.domain.feedback import RelevanceFeedback
from recollect.domain.scope import Scope
from recollect.storage.timestamps import from_ms, to_ms

SELECT_NEWEST_FEEDBACK = """
    SELECT receipt, item, relevant, query, chat, created_at FROM feedback
    WHERE user_no = ?1 AND (?2 IS NULL OR chat = ?2) ORDER BY created_at DESC, receipt, item LIMIT ?3
"""


class SqliteFeedback:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, feedback: RelevanceFeedback) -> None:
        at = to_ms(feedback.created_at)
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, feedback.user, at)
            db.execute(
                "INSERT OR REPLACE INTO feedback (user_no, receipt, item, relevant, query, chat, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    user_no,
                    feedback.receipt_id,
                    feedback.item_id,
                    int(feedback.relevant),
                    feedback.query,
                    feedback.chat,
                    at,
                ),
            )

    def list(self, scope: Scope, *, limit: int = 1000) -> Sequence[RelevanceFeedback]:
        with self._database.reader() as db:
            rows = fetch(
                db, SELECT_NEWEST_FEEDBACK, (self._database.user_number(db, scope.user), scope.chat, limit)
            )
        return [
            RelevanceFeedback(
                user=scope.user,
                receipt_id=receipt,
                item_id=item,
                relevant=bool(relevant),
                query=query,
                chat=chat,
                created_at=from_ms(at),
            )
            for receipt, item, relevant, query, chat, at in rows
        ]
