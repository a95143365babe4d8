"""Token usage of language models in SQLite, per day and chat."""

from datetime import datetime

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import fetch, fetch_number
from recollect.domain.scope import Scope
from recollect.storage.timestamps import to_ms

FROM_USAGE_OF_DAY = "FROM token_usage WHERE user_no = ?1 AND day = ?2"
FROM_USAGE_OF_CHAT = "FROM token_usage WHERE user_no = ?1 AND chat = ?2"


class SqliteTokenUsage:
    def __init__(self, database: Database) -> None:
        self._database = database

    def reserve(self, scope: Scope, tokens: int, *, per_day: int, per_chat: int, now: datetime) -> bool:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, scope.user, to_ms(now))
            day_tokens = fetch_number(db, f"SELECT sum(tokens) {FROM_USAGE_OF_DAY}", (user_no, _day_key(now)))
            chat_tokens = fetch_number(
                db, f"SELECT sum(tokens) {FROM_USAGE_OF_CHAT}", (user_no, _chat_key(scope))
            )
            if (per_day and day_tokens + tokens > per_day) or (per_chat and chat_tokens + tokens > per_chat):
                return False
            _add_usage(db, user_no, scope, now, calls=1, tokens=tokens)
        return True

    def settle(self, scope: Scope, reserved_tokens: int, used_tokens: int, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, scope.user, to_ms(now))
            _add_usage(db, user_no, scope, now, calls=0, tokens=used_tokens - reserved_tokens)

    def usage(self, scope: Scope, *, now: datetime) -> tuple[int, int]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            selection = (
                (FROM_USAGE_OF_DAY, _day_key(now)) if scope.chat is None else (FROM_USAGE_OF_CHAT, scope.chat)
            )
            [row] = fetch(
                db,
                f"SELECT coalesce(sum(calls), 0), coalesce(sum(tokens), 0) {selection[0]}",
                (user_no, selection[1]),
            )
        return int(row[0]), int(row[1])


def _add_usage(
    db: apsw.Connection, user_no: int, scope: Scope, now: datetime, *, calls: int, tokens: int
) -> None:
    db.execute(
        "INSERT INTO token_usage (user_no, day, chat, calls, tokens) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, tokens = tokens + excluded.tokens",
        (user_no, _day_key(now), _chat_key(scope), calls, tokens),
    )


def _day_key(now: datetime) -> str:
    return f"{now:%Y-%m-%d}"


def _chat_key(scope: Scope) -> str:
    return scope.chat or ""
