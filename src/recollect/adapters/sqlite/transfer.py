"""Whole rows of a SQLite file, read and written to move it to or from another kind of store."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

import numpy as np

from recollect.adapters.sqlite.rows import fetch, fetch_number, fetch_one, to_json_array
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.candidate import Passage
from recollect.ports.transfer import StoredVector
from recollect.ports.transfer_tables import ACCESS_TOKEN_COLUMNS, NUMBERED_TABLES, RowValues, UserTable
from recollect.storage.passages import content_hash

#: Columns with another name than in the port.
COLUMN_NAMES = {
    ("memory_spans", "start_char"): "start",
    ("memory_spans", "end_char"): "end",
    ("access_tokens", "user_name"): "user",
}
SELECT_VECTORS = """
    SELECT v.no, v.passage_no, v.content_hash, v.scale, v.data FROM vectors v
    WHERE v.user_no = ?1 AND v.model_no = (SELECT no FROM embedding_models WHERE id = ?2) AND v.no > ?3
    ORDER BY v.no LIMIT ?4
"""
SELECT_TEXTS = """
    SELECT c.no, c.content FROM json_each(?2) j CROSS JOIN passage_contents c ON c.no = j.value AND c.user_no = ?1
"""


class SqliteTransfer:
    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._database = store._database  # noqa: SLF001 - the rows behind the repositories

    def users(self) -> Mapping[str, int]:
        with self._database.reader() as db:
            return dict(fetch(db, "SELECT id, created_at FROM users ORDER BY no"))

    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    def read(
        self, user: str, table: UserTable, *, after: RowValues | None, limit: int
    ) -> Sequence[RowValues]:
        key = ", ".join(_column(table.name, name) for name in table.key)
        condition = f" AND ({key}) > ({', '.join('?' * len(table.key))})" if after else ""
        order = f" ORDER BY {key}" if key else ""
        columns = ", ".join(_column(table.name, name) for name in table.columns)
        sql = f"SELECT {columns} FROM {table.name} WHERE user_no = ?{condition}{order} LIMIT ?"
        with self._database.reader() as db:
            return fetch(db, sql, (self._database.user_number(db, user), *(after or ()), limit))

    def number_range(self, user: str) -> tuple[int, int] | None:
        with self._database.reader() as db:
            values = self._database.user_number(db, user)
            ranges = [
                row
                for table in NUMBERED_TABLES
                for row in fetch(db, f"SELECT min(no), max(no) FROM {table} WHERE user_no = ?", (values,))
                if row[0] is not None
            ]
        return (min(row[0] for row in ranges), max(row[1] for row in ranges)) if ranges else None

    def lowest_numbers(self, user: str) -> Mapping[str, int]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, user)
            return {
                table: fetch_number(db, f"SELECT min(no) FROM {table} WHERE user_no = ?", (user_no,))
                for table in NUMBERED_TABLES
            }

    def read_vectors(self, user: str, model: str, *, after: int, limit: int) -> Sequence[StoredVector]:
        with self._database.reader() as db:
            rows = fetch(db, SELECT_VECTORS, (self._database.user_number(db, user), model, after, limit))
        return [
            StoredVector(
                position=no,
                passage=passage,
                content_hash=text_hash,
                vector=array("f", (np.frombuffer(data, dtype=np.int8) * np.float32(scale)).tobytes()),
            )
            for no, passage, text_hash, scale, data in rows
        ]

    def models(self, user: str) -> Mapping[str, int]:
        return self._store.vectors.count_by_model(user)

    @contextmanager
    def add_user(self, user: str, created_at: int) -> Iterator[None]:
        with self._store.transaction(user), self._database.transaction() as db:
            self._database.get_or_create_user(db, user, created_at)
            yield

    def number_shift(self, lowest: int, highest: int) -> int:
        """A row number belongs to one user only; after a shift, all follow those that are used."""
        with self._database.reader() as db:
            used = [
                fetch_number(db, f"SELECT max(no) FROM {table} WHERE no BETWEEN ? AND ?", (lowest, highest))
                for table in NUMBERED_TABLES
            ]
            if not any(used):
                return 0
            highest_used = max(fetch_number(db, f"SELECT max(no) FROM {table}") for table in NUMBERED_TABLES)
        return highest_used + 1 - lowest

    def write(self, user: str, table: UserTable, rows: Sequence[RowValues]) -> None:
        columns = ", ".join(_column(table.name, name) for name in table.columns)
        places = ", ".join("?" * (len(table.columns) + 1))
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, user)
            sql = f"INSERT INTO {table.name} (user_no, {columns}) VALUES ({places})"
            db.executemany(sql, [(user_no, *row) for row in rows])

    def derive(self, user: str) -> None:
        """Do nothing: triggers have done it."""

    def write_vectors(self, user: str, model: str, vectors: Sequence[StoredVector]) -> None:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, user)
            texts: dict[int, str] = dict(
                fetch(db, SELECT_TEXTS, (user_no, to_json_array(each.passage for each in vectors)))
            )
        items = [
            (Passage(id=each.passage, text=texts[each.passage]), each.vector)
            for each in vectors
            if each.passage in texts and content_hash(texts[each.passage]) == each.content_hash
        ]
        self._store.vectors.put(user, model, items)

    def read_access_tokens(self) -> Sequence[RowValues]:
        with self._database.reader() as db:
            columns = ", ".join(_column("access_tokens", name) for name in ACCESS_TOKEN_COLUMNS)
            return fetch(db, f"SELECT {columns} FROM access_tokens ORDER BY no")

    def write_access_tokens(self, rows: Sequence[RowValues]) -> None:
        columns = ", ".join(_column("access_tokens", name) for name in ACCESS_TOKEN_COLUMNS)
        with self._database.transaction() as db:
            for row in rows:
                if fetch_one(db, "SELECT 1 FROM access_tokens WHERE name = ? OR hash = ?", (row[0], row[3])):
                    continue
                db.execute(f"INSERT INTO access_tokens ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)


def _column(table: str, name: str) -> str:
    return f'"{COLUMN_NAMES.get((table, name), name)}"'
