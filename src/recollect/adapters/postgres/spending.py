"""Token usage of language models in PostgreSQL, per day and chat."""

from datetime import datetime

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.rows import (
    Connection,
    execute,
    fetch,
    fetch_number,
)
from recollect.domain.scope import Scope
from recollect.storage.timestamps import to_ms

FROM_USAGE_OF_DAY = "FROM token_usage WHERE user_id = $1 AND day = $2"
FROM_USAGE_OF_CHAT = "FROM token_usage WHERE user_id = $1 AND chat = $2"


class PostgresTokenUsage:
    def __init__(self, database: Database) -> None:
        self._database = database

    def reserve(self, scope: Scope, tokens: int, *, per_day: int, per_chat: int, now: datetime) -> bool:
        with self._database.transaction(scope.user) as db:
            self._database.ensure_user(scope.user, to_ms(now))
            day_tokens = fetch_number(
                db, f"SELECT sum(tokens) {FROM_USAGE_OF_DAY}", (scope.user, _day_key(now))
            )
            chat_tokens = fetch_number(
                db, f"SELECT sum(tokens) {FROM_USAGE_OF_CHAT}", (scope.user, _chat_key(scope))
            )
            if (per_day and day_tokens + tokens > per_day) or (per_chat and chat_tokens + tokens > per_chat):
                return False
            _add_usage(db, scope.user, scope, now, calls=1, tokens=tokens)
        return True

    def settle(self, scope: Scope, reserved_tokens: int, used_tokens: int, *, now: datetime) -> None:
        with self._database.transaction(scope.user) as db:
            self._database.ensure_user(scope.user, to_ms(now))
            _add_usage(db, scope.user, scope, now, calls=0, tokens=used_tokens - reserved_tokens)

    def usage(self, scope: Scope, *, now: datetime) -> tuple[int, int]:
        with self._database.reader(scope.user) as db:
            selection = (
                (FROM_USAGE_OF_DAY, _day_key(now)) if scope.chat is None else (FROM_USAGE_OF_CHAT, scope.chat)
            )
            [row] = fetch(
                db,
                f"SELECT coalesce(sum(calls), 0), coalesce(sum(tokens), 0) {selection[0]}",
                (scope.user, selection[1]),
            )
        return int(row[0]), int(row[1])


def _add_usage(db: Connection, user: str, scope: Scope, now: datetime, *, calls: int, tokens: int) -> None:
    execute(
        db,
        "INSERT INTO token_usage AS u (user_id, day, chat, calls, tokens) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (user_id, day, chat)"
        " DO UPDATE SET calls = u.calls + excluded.calls, tokens = u.tokens + excluded.tokens",
        (user, _day_key(now), _chat_key(scope), calls, tokens),
    )


def _day_key(now: datetime) -> str:
    return f"{now:%Y-%m-%d}"


def _chat_key(scope: Scope) -> str:
    return scope.chat or ""
