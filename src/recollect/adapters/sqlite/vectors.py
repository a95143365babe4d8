"""Vectors in SQLite: int8 with one scale per vector, in the same file as their passages."""

from collections.abc import Sequence

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import fetch, fetch_number, fetch_one, insert_rows, to_json_array
from recollect.adapters.sqlite.vector_cache import VectorCaches
from recollect.domain.candidate import Passage
from recollect.domain.embedding_model import ACTIVE_MODEL_KEY, EmbeddingModel, EmbeddingQueue
from recollect.errors import Refused
from recollect.ports.embedder import Vector
from recollect.storage.passages import content_hash
from recollect.storage.quantization import quantize

#: Replaced vectors are deleted explicitly, since INSERT OR REPLACE does not fire the trigger that logs deletions.
DELETE_VECTORS = "DELETE FROM vectors WHERE passage_no IN (SELECT value FROM json_each(?)) AND model_no = ?"
DELETE_QUEUED = """
    DELETE FROM embedding_queue WHERE user_no = ? AND passage_no IN (SELECT value FROM json_each(?))
"""
SELECT_MODEL = f"SELECT value FROM preferences WHERE user_no = ?1 AND key = '{ACTIVE_MODEL_KEY}'"
#: The user's model; then the text of each passage, and whether it has a vector of the model with this number.
SELECT_CONTENTS = f"""
    SELECT NULL, ({SELECT_MODEL}), NULL
    UNION ALL
    SELECT c.no, c.content, EXISTS (SELECT 1 FROM vectors v WHERE v.passage_no = c.no AND v.model_no = ?3)
    FROM json_each(?2) j CROSS JOIN passage_contents c ON c.no = j.value AND c.user_no = ?1
"""
SELECT_QUEUED = """
    SELECT p.no, p.content FROM embedding_queue q CROSS JOIN passage_contents p ON p.no = q.passage_no
    WHERE q.user_no = ?1 AND p.content IS NOT NULL ORDER BY q.passage_no LIMIT ?2
"""
#: The order is known without the texts, of which only the first are read.
SELECT_QUEUED_BY_VALUE = """
    SELECT c.no, c.content FROM (
        SELECT
            q.passage_no,
            CASE WHEN p.kind = 2 THEN 0 WHEN m.role = 'user' THEN 1 ELSE 2 END AS rank,
            coalesce(m.created_at, 0) AS created_at
        FROM embedding_queue q CROSS JOIN passages p ON p.no = q.passage_no
        LEFT JOIN chunks s ON p.kind = 1 AND s.no = p.row_no
        LEFT JOIN messages m ON m.no = CASE p.kind WHEN 0 THEN p.row_no WHEN 1 THEN s.message_no END
        WHERE q.user_no = ?1 ORDER BY rank, created_at DESC, q.passage_no DESC LIMIT ?2
    ) f CROSS JOIN passage_contents c ON c.no = f.passage_no WHERE c.content IS NOT NULL
    ORDER BY f.rank, f.created_at DESC, f.passage_no DESC
"""
#: The first row has the user's model, if there is one.
SELECT_QUEUE = {
    by_value: f"""
        SELECT NULL, ({SELECT_MODEL})
        UNION ALL SELECT * FROM ({select})
    """
    for by_value, select in {False: SELECT_QUEUED, True: SELECT_QUEUED_BY_VALUE}.items()
}
INSERT_VECTORS = "INSERT INTO vectors (user_no, model_no, passage_no, content_hash, scale, data)"
#: Passages of a user without a vector of one model.
SELECT_WITHOUT_VECTOR = """
    SELECT user_no, no FROM passages p
    WHERE user_no = ?1 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage_no = p.no AND v.model_no = ?2)
"""


class SqliteVectors:
    def __init__(self, database: Database, vector_caches: VectorCaches) -> None:
        self._database = database
        self._vector_caches = vector_caches

    def queue(self, user: str, *, limit: int, by_value: bool = False) -> EmbeddingQueue:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, user)
            (_, model), *rows = fetch(db, SELECT_QUEUE[by_value], (user_no, limit))
        return EmbeddingQueue(
            passages=[Passage(id=passage, text=text) for passage, text in rows],
            model=_to_model(model),
        )

    def put(
        self,
        user: str,
        model: str,
        items: Sequence[tuple[Passage, Vector]],
        *,
        queue: EmbeddingQueue | None = None,
    ) -> bool:
        if not items:
            return True
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, user)
            model_no = self._ensure_model(db, model, {len(vector) for _, vector in items})
            values = (user_no, to_json_array(passage.id for passage, _ in items), model_no)
            (_, active_model, _), *rows = fetch(db, SELECT_CONTENTS, values)
            if queue is not None and _to_model(active_model) != queue.model:
                return False
            stored = {passage: columns for passage, *columns in rows}
            current = [item for item in items if stored.get(item[0].id, [None])[0] == item[0].text]
            if not current:
                return True
            passages = to_json_array(passage.id for passage, _ in current)
            if any(stored[passage.id][1] for passage, _ in current):
                db.execute(DELETE_VECTORS, (passages, model_no))
            insert_rows(
                db,
                INSERT_VECTORS,
                "(?, ?, ?, ?, ?, ?)",
                [
                    (user_no, model_no, passage.id, content_hash(passage.text), *quantize(vector))
                    for passage, vector in current
                ],
            )
            db.execute(DELETE_QUEUED, (user_no, passages))
        return True

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

    def _ensure_model(self, db: apsw.Connection, model: str, dimensions: set[int]) -> int:
        [dimension, *others] = dimensions
        no, stored_dimension = self._database.embedding_model(db, model) or (0, dimension)
        if not no:
            db.execute("INSERT INTO embedding_models (id, dimension) VALUES (?, ?)", (model, dimension))
            no = db.last_insert_rowid()
        if others or dimension != stored_dimension:
            raise Refused(
                f"Stored vectors of {model} have {stored_dimension} dimensions; these have"
                f" {', '.join(map(str, dimensions))}. Give the changed model another name and re-embed."
            )
        return no


def _to_model(text: str | None) -> EmbeddingModel | None:
    return EmbeddingModel.from_json(text) if text else None


def _model_number(db: apsw.Connection, model: str) -> int:
    """Return the row number of a model; 0, which no row has, if it is unknown."""
    return fetch_number(db, "SELECT no FROM embedding_models WHERE id = ?", (model,))
