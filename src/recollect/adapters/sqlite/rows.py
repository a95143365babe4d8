"""Helpers for SQLite rows. Column types follow from the query, so rows are tuples of `Any`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import apsw

Row: TypeAlias = tuple[Any, ...]
SqlValue: TypeAlias = int | float | str | bytes | None
SqlValues: TypeAlias = Sequence[SqlValue]

#: Rows of one INSERT statement: the number of values is limited.
MAX_INSERTED_ROWS = 500


def fetch(db: apsw.Connection, sql: str, values: SqlValues | Mapping[str, SqlValue] = ()) -> list[Row]:
    return db.execute(sql, values).fetchall()


def fetch_one(db: apsw.Connection, sql: str, values: SqlValues = ()) -> Row | None:
    return db.execute(sql, values).fetchone()


def fetch_number(db: apsw.Connection, sql: str, values: SqlValues = ()) -> int:
    """Return the first column of the first row; 0 if there is no row or it is NULL."""
    row = db.execute(sql, values).fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def insert_rows(db: apsw.Connection, insert: str, row: str, rows: Sequence[SqlValues]) -> None:
    """Insert rows with one statement; `row` is the expression of one of them, as in `(?, ?)`."""
    for start in range(0, len(rows), MAX_INSERTED_ROWS):
        part = rows[start : start + MAX_INSERTED_ROWS]
        db.execute(
            f"{insert} VALUES {', '.join([row] * len(part))}", [value for each in part for value in each]
        )


def to_json_array(numbers: Iterable[int]) -> str:
    """Return a JSON array, for `json_each` in a query."""
    return "[" + ",".join(map(str, numbers)) + "]"


def where_clause(conditions: Mapping[str, SqlValue]) -> tuple[str, SqlValues]:
    """Build a WHERE clause from the conditions with a value: `? IS NULL OR …` would prevent the use of an index."""
    bound_conditions = {condition: value for condition, value in conditions.items() if value is not None}
    return f" WHERE {' AND '.join(bound_conditions)} ", list(bound_conditions.values())


def chat_number(db: apsw.Connection, user_no: int, chat: str | None) -> int | None:
    """Return the row number of a chat; 0, which no row has, if it does not exist; None for no chat."""
    if chat is None:
        return None
    return fetch_number(db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, chat))
