"""What was asked of language models, in SQLite."""

from datetime import datetime

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import fetch, number
from recollect.adapters.sqlite.timestamps import to_ms
from recollect.domain.scope import Scope

TODAY = "FROM spending WHERE user_no = ?1 AND day = ?2"
EVER = "FROM spending WHERE user_no = ?1 AND chat = ?2"


class SqliteSpending:
    def __init__(self, database: Database) -> None:
        self._database = database

    def reserve(self, scope: Scope, tokens: int, *, per_day: int, per_chat: int, now: datetime) -> bool:
        with self._database.transaction() as db:
            user_no = self._database.user_or_new(db, scope.user, to_ms(now))
            today = number(db, f"SELECT sum(tokens) {TODAY}", (user_no, _day(now)))
            here = number(db, f"SELECT sum(tokens) {EVER}", (user_no, _chat(scope)))
            if (per_day and today + tokens > per_day) or (per_chat and here + tokens > per_chat):
                return False
            _add(db, user_no, scope, now, calls=1, tokens=tokens)
        return True

    def settle(self, scope: Scope, reserved: int, spent: int, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.user_or_new(db, scope.user, to_ms(now))
            _add(db, user_no, scope, now, calls=0, tokens=spent - reserved)

    def spent(self, scope: Scope, *, now: datetime) -> tuple[int, int]:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            which = (TODAY, _day(now)) if scope.chat is None else (EVER, scope.chat)
            [row] = fetch(
                db,
                f"SELECT coalesce(sum(calls), 0), coalesce(sum(tokens), 0) {which[0]}",
                (user_no, which[1]),
            )
        return int(row[0]), int(row[1])


def _add(db: apsw.Connection, user_no: int, scope: Scope, now: datetime, *, calls: int, tokens: int) -> None:
    db.execute(
        "INSERT INTO spending (user_no, day, chat, calls, tokens) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, tokens = tokens + excluded.tokens",
        (user_no, _day(now), _chat(scope), calls, tokens),
    )


def _day(now: datetime) -> str:
    return f"{now:%Y-%m-%d}"


def _chat(scope: Scope) -> str:
    return scope.chat or ""
