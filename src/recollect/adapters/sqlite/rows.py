"""Rows as they come from SQLite: what a column holds is known by the query beside it, not by the type checker."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import apsw

Row: TypeAlias = tuple[Any, ...]
SqlValue: TypeAlias = int | float | str | bytes | None
SqlValues: TypeAlias = Sequence[SqlValue]


def fetch(db: apsw.Connection, sql: str, values: SqlValues = ()) -> list[Row]:
    return db.execute(sql, values).fetchall()


def fetch_one(db: apsw.Connection, sql: str, values: SqlValues = ()) -> Row | None:
    return db.execute(sql, values).fetchone()


def fetch_number(db: apsw.Connection, sql: str, values: SqlValues = ()) -> int:
    """The first column of the first row; 0 if there is none."""
    row = db.execute(sql, values).fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def to_json_array(numbers: Iterable[int]) -> str:
    """For a query that looks up many at once."""
    return "[" + ",".join(map(str, numbers)) + "]"


def where_clause(conditions: Mapping[str, SqlValue]) -> tuple[str, SqlValues]:
    """A clause of the conditions that have a value: SQLite uses no index for one that may be left open."""
    bound_conditions = {condition: value for condition, value in conditions.items() if value is not None}
    return f" WHERE {' AND '.join(bound_conditions)} ", list(bound_conditions.values())


def chat_number(db: apsw.Connection, user_no: int, chat: str | None) -> int | None:
    """The number of a user's chat; 0, which no chat has, if there is none of that name."""
    if chat is None:
        return None
    return fetch_number(db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, chat))
