"""`python -m benchmarks.dense`: dense search alone, on a million synthetic vectors."""

import argparse
import tempfile
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from benchmarks.embedders import COMMON_WEIGHT, DIMENSION_DECAY, EMBEDDING_DIMENSION
from benchmarks.figures import Figure, format_table, percentiles
from benchmarks.fill import USER_ID, print_progress
from benchmarks.sizes import measure_memory
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.candidate import SearchFilter
from recollect.domain.scope import Scope

BLOCK_VECTORS = 20_000
CLUSTER_COUNT = 2_000
QUERY_COUNT = 100
NEAREST_COUNT = 10
SEARCH_LIMIT = 20
MODEL_ID = "made-up"
#: Empty messages, and their passages without full text: only their vectors are searched.
INSERT_MESSAGES = """
    INSERT INTO users (no, id, created_at) VALUES (1, 'ana', 0);
    INSERT INTO chats (no, user_no, id, created_at, updated_at) VALUES (1, 1, 'chat', 0, 0);
    INSERT INTO embedding_models (no, id, dimension) VALUES (1, 'made-up', 384);
    WITH RECURSIVE numbers (no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM numbers LIMIT {size})
    INSERT INTO messages (no, user_no, chat_no, id, role, content, tokens, created_at)
    SELECT no, 1, 1, 'm' || no, 'system', '', 0, 0 FROM numbers;
    UPDATE messages SET role = 'user';
    DROP TRIGGER passages_added;
    INSERT INTO passages (no, user_no, kind, row_no, chat_no) SELECT no, 1, 0, no, 1 FROM messages
"""
INSERT_VECTOR = """
    INSERT INTO vectors (user_no, model_no, passage_no, content_hash, scale, data) VALUES (1, 1, ?, 0, ?, ?)
"""


class VectorGenerator:
    """Generates clustered vectors with the anisotropy and common component of real models."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(5)
        self._spread = np.arange(1, EMBEDDING_DIMENSION + 1, dtype=np.float32) ** -DIMENSION_DECAY
        self._rotation = np.linalg.qr(self._draw_normal(EMBEDDING_DIMENSION))[0]
        self._common_direction = COMMON_WEIGHT * _normalize(self._draw_normal(1))
        self._centres = self._draw_directions(CLUSTER_COUNT)

    def draw_vectors(self, count: int) -> NDArray[np.float32]:
        centres = self._centres[self._rng.integers(CLUSTER_COUNT, size=count)]
        return _normalize(_normalize(centres + 0.8 * self._draw_directions(count)) + self._common_direction)

    def _draw_directions(self, count: int) -> NDArray[np.float32]:
        return _normalize((self._draw_normal(count) * self._spread) @ self._rotation)

    def _draw_normal(self, count: int) -> NDArray[np.float32]:
        return self._rng.standard_normal((count, EMBEDDING_DIMENSION), dtype=np.float32)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dense", description=__doc__)
    parser.add_argument("--vectors", type=int, default=1_000_000)
    size = parser.parse_args(arguments).vectors
    space = VectorGenerator()
    queries = space.draw_vectors(QUERY_COUNT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dense.db"
        store = SqliteStore(path)
        nearest = _fill(path, size, space, queries)
        figures = _measure(store, queries, nearest)
        store.close()
    print(format_table({f"{size:,} vectors": figures}))


def _fill(path: Path, size: int, space: VectorGenerator, queries: NDArray[np.float32]) -> list[set[int]]:
    """Write the vectors; return the exact nearest passages of each query."""
    db = apsw.Connection(str(path))
    db.execute(INSERT_MESSAGES.format(size=size))
    best = np.empty((QUERY_COUNT, 0), dtype=np.float32)
    passages = np.empty((QUERY_COUNT, 0), dtype=np.int64)
    for start in range(0, size, BLOCK_VECTORS):
        print_progress(f"{start:,} vectors written")
        vectors = space.draw_vectors(min(BLOCK_VECTORS, size - start))
        numbers = np.arange(start + 1, start + 1 + len(vectors))
        with db:
            db.executemany(INSERT_VECTOR, _quantize_rows(numbers, vectors))
        best = np.hstack([best, queries @ vectors.T])
        passages = np.hstack([passages, np.broadcast_to(numbers, (QUERY_COUNT, len(numbers)))])
        order = np.argsort(-best, axis=1)[:, :NEAREST_COUNT]
        best, passages = np.take_along_axis(best, order, 1), np.take_along_axis(passages, order, 1)
    db.close()
    return [set(row.tolist()) for row in passages]


def _quantize_rows(
    numbers: NDArray[np.int64], vectors: NDArray[np.float32]
) -> list[tuple[int, float, bytes]]:
    scales = np.abs(vectors).max(axis=1) / 127
    quantized = np.round(vectors / scales[:, None]).astype(np.int8)
    return [
        (int(number), float(scale), row.tobytes())
        for number, scale, row in zip(numbers, scales, quantized, strict=True)
    ]


def _measure(
    store: SqliteStore, queries: NDArray[np.float32], nearest_by_query: Sequence[set[int]]
) -> list[Figure]:
    print_progress("asking")
    wall_ms, cpu_ms, recalls = [], [], []
    for query, nearest in zip((queries[0], *queries), (nearest_by_query[0], *nearest_by_query), strict=True):
        vector = array("f", query.tobytes())
        wall_start, cpu_start = time.perf_counter(), time.thread_time()
        hits = store.search.dense(
            Scope(USER_ID), vector, model=MODEL_ID, limit=SEARCH_LIMIT, search_filter=SearchFilter()
        )
        wall_ms.append((time.perf_counter() - wall_start) * 1000)
        cpu_ms.append((time.thread_time() - cpu_start) * 1000)
        recalls.append(len(nearest & {hit.passage_id for hit in hits[:NEAREST_COUNT]}) / NEAREST_COUNT)
    return [
        Figure(name="first search: all vectors are read", value=wall_ms[0], unit="ms"),
        *percentiles("dense search", wall_ms[1:]),
        *percentiles("dense search, CPU time", cpu_ms[1:])[:2],
        Figure(
            name=f"of the {NEAREST_COUNT} nearest vectors found",
            value=float(np.mean(recalls[1:])),
            unit="share",
        ),
        *measure_memory("resident memory"),
    ]


def _normalize(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    normalized: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return normalized


if __name__ == "__main__":
    main()
