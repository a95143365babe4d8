"""Rows as they come from SQLite: what a column holds is known by the query beside it, not by the type checker."""

from collections.abc import Sequence
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
