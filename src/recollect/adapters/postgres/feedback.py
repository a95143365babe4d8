"""Relevance feedback on recalled items in PostgreSQL."""

from collections.abc import Sequence

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.rows import (
    execute,
    fetch,
)
from recollect.domain.feedback import RelevanceFeedback
from recollect.domain.scope import Scope
from recollect.storage.timestamps import from_ms, to_ms

SELECT_NEWEST_FEEDBACK = """
    SELECT receipt, item, relevant, query, chat, created_at FROM feedback
    WHERE user_id = $1 AND ($2::text IS NULL OR chat = $2) ORDER BY created_at DESC, receipt, item LIMIT $3
"""


class PostgresFeedback:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, feedback: RelevanceFeedback) -> None:
        at = to_ms(feedback.created_at)
        with self._database.transaction(feedback.user) as db:
            self._database.ensure_user(feedback.user, at)
            execute(
                db,
                "INSERT INTO feedback (user_id, receipt, item, relevant, query, chat, created_at)"
                " VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (user_id, item, receipt) DO UPDATE SET"
                " relevant = excluded.relevant, query = excluded.query, chat = excluded.chat,"
                " created_at = excluded.created_at",
                (
                    feedback.user,
                    feedback.receipt_id,
                    feedback.item_id,
                    int(feedback.relevant),
                    feedback.query,
                    feedback.chat,
                    at,
                ),
            )

    def list(self, scope: Scope, *, limit: int = 1000) -> Sequence[RelevanceFeedback]:
        with self._database.reader(scope.user) as db:
            rows = fetch(db, SELECT_NEWEST_FEEDBACK, (scope.user, scope.chat, limit))
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
