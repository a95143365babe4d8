"""Rows as they come from SQLite: what a column holds is known by the query beside it, not by the type checker."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import apsw

Row: TypeAlias = tuple[Any, ...]
Value: TypeAlias = int | float | str | bytes | None
Values: TypeAlias = Sequence[Value]


def fetch(db: apsw.Connection, sql: str, values: Values = ()) -> list[Row]:
    return db.execute(sql, values).fetchall()


def fetch_one(db: apsw.Connection, sql: str, values: Values = ()) -> Row | None:
    return db.execute(sql, values).fetchone()


def number(db: apsw.Connection, sql: str, values: Values = ()) -> int:
    """The first column of the first row; 0 if there is none."""
    row = db.execute(sql, values).fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def as_json(numbers: Iterable[int]) -> str:
    """For a query that looks up many at once."""
    return "[" + ",".join(map(str, numbers)) + "]"


def where(conditions: Mapping[str, Value]) -> tuple[str, Values]:
    """A clause of the conditions that have a value: SQLite uses no index for one that may be left open."""
    given = {condition: value for condition, value in conditions.items() if value is not None}
    return f" WHERE {' AND '.join(given)} ", list(given.values())


def chat_number(db: apsw.Connection, user_no: int, chat: str | None) -> int | None:
    """The number of a user's chat; 0, which no chat has, if there is none of that name."""
    if chat is None:
        return None
    return number(db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, chat))
