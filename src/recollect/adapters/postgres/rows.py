"""Helpers for PostgreSQL rows. Column types follow from the query, so rows are tuples of `Any`."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, TypeAlias

import psycopg

Row: TypeAlias = tuple[Any, ...]
SqlValue: TypeAlias = int | float | str | bytes | Sequence[int | None] | Sequence[str | None] | None
SqlValues: TypeAlias = Sequence[SqlValue]
Connection: TypeAlias = psycopg.Connection[Row]


def execute(db: Connection, sql: str, values: SqlValues = ()) -> int:
    """Run a statement and return the number of rows that it changed."""
    return db.execute(sql, values).rowcount


def execute_many(db: Connection, sql: str, rows: Iterable[SqlValues]) -> None:
    with db.cursor() as cursor:
        cursor.executemany(sql, list(rows))


def fetch(db: Connection, sql: str, values: SqlValues = (), *, binary: bool = False) -> list[Row]:
    with db.cursor(binary=binary) as cursor:
        return cursor.execute(sql, values).fetchall()


def fetch_one(db: Connection, sql: str, values: SqlValues = ()) -> Row | None:
    return db.execute(sql, values).fetchone()


def fetch_number(db: Connection, sql: str, values: SqlValues = ()) -> int:
    """Return the first column of the first row; 0 if there is no row or it is NULL."""
    row = fetch_one(db, sql, values)
    return int(row[0]) if row and row[0] is not None else 0


def where_clause(conditions: Mapping[str, SqlValue]) -> tuple[str, list[SqlValue]]:
    """Build a WHERE clause from the conditions with a value; their `?` become numbered placeholders."""
    bound_conditions = {condition: value for condition, value in conditions.items() if value is not None}
    numbered = [
        condition.replace("?", f"${number}")
        for number, condition in zip(count(1), bound_conditions, strict=False)
    ]
    return f" WHERE {' AND '.join(numbered)} ", list(bound_conditions.values())


def array_literal(numbers: Iterable[int]) -> str:
    """Return numbers as the text of an array, for `$1::text::bigint[]`: psycopg takes several times as long."""
    return "{" + ",".join(map(str, numbers)) + "}"


def chat_number(db: Connection, user: str, chat: str | None) -> int | None:
    """Return the row number of a chat; 0, which no row has, if it does not exist; None for no chat."""
    if chat is None:
        return None
    return fetch_number(db, "SELECT no FROM chats WHERE user_id = $1 AND id = $2", (user, chat))


def fetch_all(
    db: Connection, queries: Sequence[tuple[str, SqlValues]], *, binary: bool = False
) -> list[list[Row]]:
    """Run several queries in one round trip; return the rows of each."""
    if len(queries) == 1:
        return [fetch(db, *queries[0], binary=binary)]
    with db.pipeline():
        cursors = [db.execute(sql, values, binary=binary) for sql, values in queries]
    return [cursor.fetchall() for cursor in cursors]
