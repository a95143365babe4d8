"""Whole rows of a PostgreSQL database, read and written to move it to or from another kind of store."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from recollect.adapters.postgres.maintenance import index_missing_passages
from recollect.adapters.postgres.passages import read_texts
from recollect.adapters.postgres.rows import execute_many, fetch, fetch_number
from recollect.adapters.postgres.store import PostgresStore
from recollect.domain.candidate import Passage
from recollect.ports.transfer import StoredVector
from recollect.ports.transfer_tables import ACCESS_TOKEN_COLUMNS, NUMBERED_TABLES, RowValues, UserTable
from recollect.storage.passages import content_hash

SELECT_USERS = "/* all users: their list */ SELECT user_id, created_at FROM users ORDER BY no"
SELECT_VECTORS = """
    SELECT passage_no, content_hash, embedding::vector::real[] FROM vectors
    WHERE user_id = $1 AND model = $2 AND passage_no > $3 ORDER BY passage_no LIMIT $4
"""
#: New row numbers follow those that were written.
ADVANCE_NUMBERS = """
    SELECT setval(
        pg_get_serial_sequence('{table}', 'no'),
        greatest(nextval(pg_get_serial_sequence('{table}', 'no')), (SELECT max(no) FROM {table} WHERE user_id = $1))
    )
"""
INSERT_ACCESS_TOKEN = f"""
    INSERT INTO access_tokens ({", ".join(ACCESS_TOKEN_COLUMNS)}) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT DO NOTHING
"""


class PostgresTransfer:
    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        self._database = store._database  # noqa: SLF001 - the rows behind the repositories

    def users(self) -> Mapping[str, int]:
        with self._database.system_reader() as db:
            return dict(fetch(db, SELECT_USERS))

    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    def read(
        self, user: str, table: UserTable, *, after: RowValues | None, limit: int
    ) -> Sequence[RowValues]:
        key = ", ".join(table.key)
        places = ", ".join(f"${number + 3}" for number in range(len(table.key)))
        condition = f" AND ({key}) > ({places})" if after else ""
        order = f" ORDER BY {key}" if key else ""
        sql = f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE user_id = $1{condition}{order} LIMIT $2"
        with self._database.reader(user) as db:
            return fetch(db, sql, (user, limit, *(after or ())))

    def number_range(self, user: str) -> tuple[int, int] | None:
        with self._database.reader(user) as db:
            ranges = [
                row
                for table in NUMBERED_TABLES
                for row in fetch(db, f"SELECT min(no), max(no) FROM {table} WHERE user_id = $1", (user,))
                if row[0] is not None
            ]
        return (min(row[0] for row in ranges), max(row[1] for row in ranges)) if ranges else None

    def lowest_numbers(self, user: str) -> Mapping[str, int]:
        with self._database.reader(user) as db:
            return {
                table: fetch_number(db, f"SELECT min(no) FROM {table} WHERE user_id = $1", (user,))
                for table in NUMBERED_TABLES
            }

    def read_vectors(self, user: str, model: str, *, after: int, limit: int) -> Sequence[StoredVector]:
        with self._database.reader(user) as db:
            rows = fetch(db, SELECT_VECTORS, (user, model, after, limit))
        return [
            StoredVector(position=passage, passage=passage, content_hash=text_hash, vector=array("f", values))
            for passage, text_hash, values in rows
        ]

    def models(self, user: str) -> Mapping[str, int]:
        return self._store.vectors.count_by_model(user)

    @contextmanager
    def add_user(self, user: str, created_at: int) -> Iterator[None]:
        with self._store.transaction(user):
            self._database.ensure_user(user, created_at)
            yield

    def number_shift(self, lowest: int, highest: int) -> int:  # noqa: ARG002 - needed by other stores
        """Return 0: row numbers are per user."""
        return 0

    def write(self, user: str, table: UserTable, rows: Sequence[RowValues]) -> None:
        places = ", ".join(f"${number + 2}" for number in range(len(table.columns)))
        sql = f"INSERT INTO {table.name} (user_id, {', '.join(table.columns)}) VALUES ($1, {places})"
        with self._database.transaction(user) as db:
            execute_many(db, sql, [(user, *row) for row in rows])

    def derive(self, user: str) -> None:
        with self._database.transaction(user) as db:
            for table in NUMBERED_TABLES:
                fetch(db, ADVANCE_NUMBERS.format(table=table), (user,))
            index_missing_passages(db, user)

    def write_vectors(self, user: str, model: str, vectors: Sequence[StoredVector]) -> None:
        with self._database.transaction(user) as db:
            texts = read_texts(db, user, [each.passage for each in vectors])
            items = [
                (Passage(id=each.passage, text=texts[each.passage]), each.vector)
                for each in vectors
                if each.passage in texts and content_hash(texts[each.passage]) == each.content_hash
            ]
            self._store.vectors.put(user, model, items)

    def read_access_tokens(self) -> Sequence[RowValues]:
        with self._database.system_reader() as db:
            return fetch(db, f"SELECT {', '.join(ACCESS_TOKEN_COLUMNS)} FROM access_tokens ORDER BY no")

    def write_access_tokens(self, rows: Sequence[RowValues]) -> None:
        with self._database.system_transaction() as db:
            execute_many(db, INSERT_ACCESS_TOKEN, rows)
