"""The vector cache: scores, and consistency with the table."""

from contextlib import closing
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.adapters.sqlite.schema import migrate
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.sqlite.tokenizer import register_fulltext
from recollect.adapters.sqlite.transaction import transaction
from recollect.adapters.sqlite.vector_cache import VectorCache
from recollect.retrieval.centroid import MAX_CENTROID_BONUS
from recollect.storage.quantization import FloatArray, QuantizedVectors, VectorQuery

COMPONENTS = st.lists(st.integers(-127, 127), min_size=4, max_size=4).filter(any)


def unit(values: list[int]) -> FloatArray:
    vector = np.array(values, dtype=np.float32)
    scaled: FloatArray = vector / np.linalg.norm(vector)
    return scaled


@given(COMPONENTS, st.lists(COMPONENTS, min_size=2, max_size=9), st.floats(0, 1))
def test_the_centroid_penalty_is_subtracted_and_its_bonus_is_capped(
    question: list[int], rows: list[list[int]], share: float
) -> None:
    matrix = np.array(rows, dtype=np.int8)
    scales = (1 / np.linalg.norm(matrix.astype(np.float32), axis=1)).astype(np.float32)
    vectors = matrix * scales[:, None]
    middle = vectors.mean(axis=0).astype(np.float32)
    near = VectorQuery(vector=unit(question), centroid=middle, centroid_penalty=share).score(matrix, scales)
    taken = vectors @ unit(question) - near.corrected
    beyond = vectors @ middle - middle @ middle

    assert taken == pytest.approx(share * np.maximum(beyond, -MAX_CENTROID_BONUS), abs=1e-4)


#: Operations on vectors: put by passage, delete, or refresh.
OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["put", "delete", "look", "delete half", "undo"]), st.integers(0, 40)),
    max_size=40,
)


#: An embedding model, and passages of all kinds without text.
INSERT_PASSAGES = """
    INSERT INTO embedding_models (id, dimension) VALUES ('any', 64);
    DROP TRIGGER passages_added;
    WITH RECURSIVE numbers (no) AS (SELECT 0 UNION ALL SELECT no + 1 FROM numbers LIMIT 400)
    INSERT INTO passages (no, user_no, kind, row_no, chat_no) SELECT no, 1, no % 4, no, 1 FROM numbers
"""


def open_connection() -> apsw.Connection:
    db = apsw.Connection(":memory:")
    register_fulltext(db)
    migrate(db, Path("memory"))
    db.execute(INSERT_PASSAGES)
    return db


def put_vector(db: apsw.Connection, passage: int) -> None:
    """Store a vector for a passage, replacing an existing one."""
    db.execute("DELETE FROM vectors WHERE passage_no = ?", (passage,))
    db.execute(
        "INSERT INTO vectors (user_no, model_no, passage_no, content_hash, scale, data)"
        " VALUES (1, 1, ?, 0, 1.0, randomblob(64))",
        (passage,),
    )


def read_stored_vectors(db: apsw.Connection) -> dict[int, bytes]:
    return dict(db.execute("SELECT passage_no, data FROM vectors"))


def read_cached_vectors(quantized: QuantizedVectors) -> dict[int, bytes]:
    """Return the vectors found by nearest-neighbour search and by passage, which must be equal."""
    assert quantized.int8 is not None
    everywhere = quantized.make_query(np.ones(64, dtype=np.float32), 0.0)
    near = quantized.nearest(everywhere, limit=10_000, kinds=(0, 1, 2, 3), chats=None)
    assert sorted(near) == sorted(quantized.positions_of(np.arange(400)))
    return dict(zip(quantized.passages[near].tolist(), map(bytes, quantized.int8[near]), strict=True))


@settings(deadline=None)
@given(OPERATIONS, st.integers(0, 60))
def test_a_cache_equals_the_table_after_any_sequence_of_changes(
    deeds: list[tuple[str, int]], before: int
) -> None:
    db, shelf = open_connection(), VectorCache(64)
    for passage in range(before):
        put_vector(db, passage)
    for deed, passage in [*deeds, ("look", 0)]:
        match deed:
            case "put":
                put_vector(db, passage)
            case "delete":
                db.execute("DELETE FROM vectors WHERE passage_no = ?", (passage,))
            case "delete half":
                db.execute("DELETE FROM vectors WHERE passage_no % 2 = ?", (passage % 2,))
            case "undo":
                with transaction(db):
                    put_vector(db, passage)
                    db.execute("DELETE FROM vectors WHERE passage_no = ?", (passage + 1,))
                    trying = shelf.snapshot()
                    trying.refresh(db, 1, 1)
                    assert read_cached_vectors(trying.vectors) == read_stored_vectors(db)
                    db.execute("ROLLBACK")
                    db.execute("BEGIN")
            case _:
                shelf.refresh(db, 1, 1)
                assert read_cached_vectors(shelf.vectors) == read_stored_vectors(db)


def test_a_cache_that_missed_pruned_deletions_reads_everything_again() -> None:
    db, shelf = open_connection(), VectorCache(64)
    for passage in range(300):
        put_vector(db, passage)
    shelf.refresh(db, 1, 1)
    db.execute("DELETE FROM vectors WHERE passage_no = 7")
    # More deletions than the log keeps, so that the deletion of the seventh is pruned.
    for _ in range(10_010):
        put_vector(db, 8)
    shelf.refresh(db, 1, 1)

    assert db.execute("SELECT count(*) FROM deleted_vectors").fetchone() == (10_000,)
    assert read_cached_vectors(shelf.vectors) == read_stored_vectors(db)
    assert len(read_stored_vectors(db)) == 299


def test_vectors_taken_before_a_deletion_stay_unchanged() -> None:
    db, shelf = open_connection(), VectorCache(64)
    for passage in range(100):
        put_vector(db, passage)
    shelf.refresh(db, 1, 1)
    looking, then = shelf.vectors, read_stored_vectors(db)
    db.execute("DELETE FROM vectors WHERE passage_no < 10")
    put_vector(db, 100)
    shelf.refresh(db, 1, 1)

    assert read_cached_vectors(looking) == then
    assert read_cached_vectors(shelf.vectors) == read_stored_vectors(db)


def test_a_refresh_from_an_older_snapshot_does_not_restore_deleted_vectors(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(SqliteStore(path)):
        """The file is made."""
    db, earlier = (apsw.Connection(str(path)) for _ in range(2))
    db.execute(INSERT_PASSAGES)
    for passage in range(10):
        put_vector(db, passage)
    shelf = VectorCache(64)
    shelf.refresh(db, 1, 1)
    for passage in range(10, 30):
        put_vector(db, passage)
    earlier.execute("BEGIN; SELECT count(*) FROM vectors")
    db.execute("DELETE FROM vectors WHERE passage_no = 3")
    [(last,)] = db.execute("SELECT max(no) FROM deleted_vectors")
    shelf._read_deletions(db, last)
    # The cache is recentred by a reader with an older snapshot, which does not have the deletion.
    shelf.refresh(earlier, 1, 1)
    assert 3 in read_cached_vectors(shelf.vectors)
    shelf.refresh(db, 1, 1)

    assert read_cached_vectors(shelf.vectors) == read_stored_vectors(db)
