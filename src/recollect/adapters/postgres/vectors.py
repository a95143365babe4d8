"""Vectors in PostgreSQL: pgvector's `halfvec`, and the centroid of each user's vectors."""

from collections.abc import Iterable, Sequence

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.passages import read_texts
from recollect.adapters.postgres.postings import REMOVE_FROM_BLOCKS
from recollect.adapters.postgres.receipts import SELECT_PREFERENCE
from recollect.adapters.postgres.rows import (
    Connection,
    Row,
    SqlValues,
    array_literal,
    execute,
    execute_many,
    fetch,
    fetch_all,
    fetch_number,
)
from recollect.adapters.postgres.vector_codes import (
    DELETE_BLOCKS,
    MIN_PACKED_VECTORS,
    append_codes,
    pack_vectors,
)
from recollect.domain.candidate import Passage
from recollect.domain.embedding_model import ACTIVE_MODEL_KEY, EmbeddingModel, EmbeddingQueue
from recollect.errors import Refused
from recollect.ports.embedder import Vector
from recollect.storage.passages import content_hash

SELECT_QUEUED = "SELECT passage_no FROM embedding_queue WHERE user_id = $1 ORDER BY passage_no LIMIT $2"
SELECT_QUEUED_BY_VALUE = """
    SELECT q.passage_no FROM embedding_queue q
    LEFT JOIN LATERAL (
        SELECT role, created_at FROM messages WHERE user_id = $1 AND no = CASE q.passage_no % 4
            WHEN 0 THEN q.passage_no / 4
            WHEN 1 THEN (SELECT message_no FROM chunks WHERE user_id = $1 AND no = q.passage_no / 4)
        END
    ) m ON true
    WHERE q.user_id = $1
    ORDER BY
        CASE WHEN q.passage_no % 4 = 2 THEN 0 WHEN m.role = 'user' THEN 1 ELSE 2 END,
        coalesce(m.created_at, 0) DESC,
        q.passage_no DESC
    LIMIT $2
"""
INSERT_VECTOR = """
    INSERT INTO vectors (user_id, passage_no, model, chat_no, content_hash, embedding)
    SELECT p.user_id, p.no, $3::text, p.chat_no, $4::bigint, $5::halfvec FROM passages p
    WHERE p.user_id = $1 AND p.no = $2
    ON CONFLICT (user_id, passage_no, model)
    DO UPDATE SET content_hash = excluded.content_hash, embedding = excluded.embedding
"""
#: Passages of a user without a vector of one model.
SELECT_WITHOUT_VECTOR = """
    SELECT p.user_id, p.no FROM passages p WHERE p.user_id = $1 AND NOT EXISTS (
        SELECT 1 FROM vectors v WHERE v.user_id = p.user_id AND v.passage_no = p.no AND v.model = $2
    )
"""
#: The first vectors of a model fix its dimension.
INSERT_CENTROID = """
    INSERT INTO centroids (user_id, model, dimension, vectors, added, centroid)
    VALUES ($1, $2, $3, 0, 0, array_fill(0::real, ARRAY[$3::integer])::vector)
    ON CONFLICT (user_id, model) DO NOTHING
"""
COUNT_ADDED = """
    UPDATE centroids SET added = added + $3 WHERE user_id = $1 AND model = $2 RETURNING vectors, added
"""
#: A centroid is computed again when a part of the vectors, one in this many, is newer.
VECTORS_PER_ADDED = 8
UPDATE_CENTROID = """
    UPDATE centroids c SET vectors = v.vectors, added = 0, centroid = coalesce(v.centroid, c.centroid) FROM (
        SELECT count(*) AS vectors, avg(embedding::vector) AS centroid FROM vectors WHERE user_id = $1 AND model = $2
    ) v WHERE c.user_id = $1 AND c.model = $2 RETURNING c.vectors
"""
DELETE_VECTORS = f"""
    WITH changed AS (
        SELECT no, false AS is_posted, terms FROM passages WHERE user_id = $1 AND no = ANY($2::text::bigint[])
    ), {REMOVE_FROM_BLOCKS}
    DELETE FROM vectors WHERE user_id = $1 AND passage_no = ANY($2::text::bigint[])
"""


class PostgresVectors:
    def __init__(self, database: Database) -> None:
        self._database = database

    def queue(self, user: str, *, limit: int, by_value: bool = False) -> EmbeddingQueue:
        with self._database.reader(user) as db:
            queries: list[tuple[str, SqlValues]] = [
                (SELECT_PREFERENCE, (user, ACTIVE_MODEL_KEY)),
                (SELECT_QUEUED_BY_VALUE if by_value else SELECT_QUEUED, (user, limit)),
            ]
            models, rows = fetch_all(db, queries)
            return EmbeddingQueue(
                passages=_load_passages(db, user, [passage for (passage,) in rows]),
                model=_to_model(models),
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
        with self._database.transaction(user) as db:
            select_dimension = "SELECT dimension FROM centroids WHERE user_id = $1 AND model = $2"
            queries: list[tuple[str, SqlValues]] = [
                (select_dimension, (user, model)),
                (SELECT_PREFERENCE, (user, ACTIVE_MODEL_KEY)),
            ]
            known_dimensions, models = fetch_all(db, queries)
            if queue is not None and _to_model(models) != queue.model:
                return False
            _ensure_model(db, user, model, {len(vector) for _, vector in items}, known_dimensions)
            texts = read_texts(db, user, [passage.id for passage, _ in items])
            current = [
                (passage, vector) for passage, vector in items if texts.get(passage.id) == passage.text
            ]
            if not current:
                return True
            execute_many(
                db,
                INSERT_VECTOR,
                [
                    (user, passage.id, model, content_hash(passage.text), format_vector(vector))
                    for passage, vector in current
                ],
            )
            execute(
                db,
                "DELETE FROM embedding_queue WHERE user_id = $1 AND passage_no = ANY($2::bigint[])",
                (user, [passage.id for passage, _ in current]),
            )
            [(vectors, added)] = fetch(db, COUNT_ADDED, (user, model, len(current)))
            if added * VECTORS_PER_ADDED > vectors:
                if fetch_number(db, UPDATE_CENTROID, (user, model)) >= MIN_PACKED_VECTORS:
                    pack_vectors(db, user, model)
            elif vectors >= MIN_PACKED_VECTORS:
                append_codes(db, user, model, [passage.id for passage, _ in current])
        return True

    def count_queued(self, user: str) -> int:
        with self._database.reader(user) as db:
            return fetch_number(db, "SELECT count(*) FROM embedding_queue WHERE user_id = $1", (user,))

    def count_by_model(self, user: str) -> dict[str, int]:
        with self._database.reader(user) as db:
            rows = fetch(db, "SELECT model, count(*) FROM vectors WHERE user_id = $1 GROUP BY model", (user,))
        return dict(rows)

    def enqueue_missing(self, user: str, model: str) -> int:
        with self._database.transaction(user) as db:
            execute(
                db,
                f"INSERT INTO embedding_queue (user_id, passage_no) {SELECT_WITHOUT_VECTOR}"
                " ON CONFLICT (user_id, passage_no) DO NOTHING",
                (user, model),
            )
            return fetch_number(db, "SELECT count(*) FROM embedding_queue WHERE user_id = $1", (user,))

    def passages_without_vector(self, user: str, model: str, *, limit: int) -> list[Passage]:
        with self._database.reader(user) as db:
            rows = fetch(
                db,
                f"SELECT no FROM ({SELECT_WITHOUT_VECTOR} AND NOT EXISTS (SELECT 1 FROM embedding_queue q"
                " WHERE q.user_id = p.user_id AND q.passage_no = p.no) ORDER BY p.no LIMIT $3) w ORDER BY no",
                (user, model, limit),
            )
            return _load_passages(db, user, [passage for (passage,) in rows])

    def count_without_vector(self, user: str, model: str) -> int:
        with self._database.reader(user) as db:
            return fetch_number(db, f"SELECT count(*) FROM ({SELECT_WITHOUT_VECTOR}) w", (user, model))

    def delete_model(self, user: str, model: str) -> int:
        with self._database.transaction(user) as db:
            execute(db, DELETE_BLOCKS, (user, model))
            execute(db, "DELETE FROM centroids WHERE user_id = $1 AND model = $2", (user, model))
            return execute(db, "DELETE FROM vectors WHERE user_id = $1 AND model = $2", (user, model))


def format_vector(vector: Vector) -> str:
    """Return a vector in pgvector's text form."""
    return "[" + ",".join(["%.6g"] * len(vector)) % tuple(vector) + "]"


def delete_vectors(db: Connection, user: str, passages: Iterable[int]) -> None:
    execute(db, DELETE_VECTORS, (user, array_literal(passages)))


def _to_model(rows: Sequence[Row]) -> EmbeddingModel | None:
    return EmbeddingModel.from_json(rows[0][0]) if rows else None


def _ensure_model(
    db: Connection, user: str, model: str, dimensions: set[int], known_dimensions: Sequence[Row]
) -> None:
    [dimension, *others] = dimensions
    if not known_dimensions:
        execute(db, INSERT_CENTROID, (user, model, dimension))
        known_dimensions = [(dimension,)]
    [(known_dimension,)] = known_dimensions
    if others or dimension != known_dimension:
        raise Refused(
            f"Stored vectors of {model} have {known_dimension} dimensions; these have"
            f" {', '.join(map(str, dimensions))}. Give the changed model another name and re-embed."
        )


def _load_passages(db: Connection, user: str, passages: Sequence[int]) -> list[Passage]:
    texts = read_texts(db, user, passages)
    return [Passage(id=passage, text=texts[passage]) for passage in passages if passage in texts]
