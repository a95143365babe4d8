"""Vectors in SQLite: int8 with one scale per vector, in the same file as their passages."""

from collections.abc import Sequence

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import fetch, fetch_number, fetch_one
from recollect.adapters.sqlite.vector_cache import VectorCaches
from recollect.domain.candidate import Passage
from recollect.errors import Refused
from recollect.ports.embedder import Vector
from recollect.storage.passages import content_hash
from recollect.storage.quantization import quantize

#: Deleted explicitly, since INSERT OR REPLACE does not fire the trigger that logs deletions.
DELETE_VECTOR = "DELETE FROM vectors WHERE passage_no = ? AND model_no = ?"
INSERT_VECTOR = """
    INSERT INTO vectors (user_no, model_no, passage_no, content_hash, scale, data) VALUES (?, ?, ?, ?, ?, ?)
"""
#: Passages of a user without a vector of one model.
SELECT_WITHOUT_VECTOR = """
    SELECT user_no, no FROM passages p
    WHERE user_no = ?1 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage_no = p.no AND v.model_no = ?2)
"""


class SqliteVectors:
    def __init__(self, database: Database, vector_caches: VectorCaches) -> None:
        self._database = database
        self._vector_caches = vector_caches

    def queued_passages(self, user: str, *, limit: int, newest_first: bool = False) -> list[Passage]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, user)
            rows = fetch(
                db,
                "SELECT p.no, p.content FROM embedding_queue q CROSS JOIN passage_contents p ON p.no = q.passage_no"
                " WHERE q.user_no = ? AND p.content IS NOT NULL"
                f" ORDER BY q.passage_no {'DESC' if newest_first else 'ASC'} LIMIT ?",
                (user_no, limit),
            )
        return [Passage(id=passage, text=text) for passage, text in rows]

    def put(self, user: str, model: str, items: Sequence[tuple[Passage, Vector]]) -> None:
        if not items:
            return
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, user)
            model_no = _ensure_model(db, model, {len(vector) for _, vector in items})
            for passage, vector in items:
                if _read_content(db, user_no, passage.id) != passage.text:
                    continue
                row = (user_no, model_no, passage.id, content_hash(passage.text), *quantize(vector))
                db.execute(DELETE_VECTOR, (passage.id, model_no))
                db.execute(INSERT_VECTOR, row)
                db.execute(
                    "DELETE FROM embedding_queue WHERE user_no = ? AND passage_no = ?", (user_no, passage.id)
                )

    def count_queued(self, user: str) -> int:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, user)
            return fetch_number(db, "SELECT count(*) FROM embedding_queue WHERE user_no = ?", (user_no,))

    def count_by_model(self, user: str) -> dict[str, int]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT e.id, count(*) FROM vectors v JOIN embedding_models e ON e.no = v.model_no"
                " WHERE v.user_no = ? GROUP BY e.id",
                (self._database.user_number(db, user),),
            )
        return dict(rows)

    def enqueue_missing(self, user: str, model: str) -> int:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, user)
            row = fetch_one(db, "SELECT no FROM embedding_models WHERE id = ?", (model,))
            db.execute(
                f"INSERT OR IGNORE INTO embedding_queue (user_no, passage_no) {SELECT_WITHOUT_VECTOR}",
                (user_no, row[0] if row else 0),
            )
            return fetch_number(db, "SELECT count(*) FROM embedding_queue WHERE user_no = ?", (user_no,))

    def passages_without_vector(self, user: str, model: str, *, limit: int) -> list[Passage]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, user)
            rows = fetch(
                db,
                f"SELECT c.no, c.content FROM ({SELECT_WITHOUT_VECTOR} AND NOT EXISTS (SELECT 1 FROM embedding_queue q"
                " WHERE q.user_no = p.user_no AND q.passage_no = p.no) ORDER BY no LIMIT ?3) w"
                " CROSS JOIN passage_contents c ON c.no = w.no ORDER BY w.no",
                (user_no, _model_number(db, model), limit),
            )
        return [Passage(id=passage, text=text) for passage, text in rows]

    def count_without_vector(self, user: str, model: str) -> int:
        with self._database.reader() as db:
            numbers = self._database.user_number(db, user), _model_number(db, model)
            return fetch_number(db, f"SELECT count(*) FROM ({SELECT_WITHOUT_VECTOR})", numbers)

    def delete_model(self, user: str, model: str) -> int:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, user)
            row = fetch_one(db, "SELECT no FROM embedding_models WHERE id = ?", (model,))
            if row is None:
                return 0
            db.execute("DELETE FROM vectors WHERE user_no = ? AND model_no = ?", (user_no, row[0]))
            self._vector_caches.drop(user_no, row[0])
            return db.changes()


def _ensure_model(db: apsw.Connection, model: str, dimensions: set[int]) -> int:
    [dimension, *others] = dimensions
    db.execute("INSERT OR IGNORE INTO embedding_models (id, dimension) VALUES (?, ?)", (model, dimension))
    [no, stored_dimension] = fetch(db, "SELECT no, dimension FROM embedding_models WHERE id = ?", (model,))[0]
    if others or dimension != stored_dimension:
        raise Refused(
            f"Stored vectors of {model} have {stored_dimension} dimensions; these have"
            f" {', '.join(map(str, dimensions))}. Give the changed model another name and re-embed."
        )
    return int(no)


def _model_number(db: apsw.Connection, model: str) -> int:
    """Return the row number of a model; 0, which no row has, if it is unknown."""
    return fetch_number(db, "SELECT no FROM embedding_models WHERE id = ?", (model,))


def _read_content(db: apsw.Connection, user_no: int, passage: int) -> str | None:
    row = fetch_one(
        db, "SELECT content FROM passage_contents WHERE no = ? AND user_no = ?", (passage, user_no)
    )
    return None if row is None else str(row[0])
