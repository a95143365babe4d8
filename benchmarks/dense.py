"""`python -m benchmarks.dense`: the search by meaning alone, on a million made-up vectors."""

import argparse
import tempfile
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from benchmarks.embedders import DECAY, DIMENSION, SHARED
from benchmarks.figures import Figure, percentiles, table
from benchmarks.fill import USER, said
from benchmarks.sizes import in_memory
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.candidate import Reach
from recollect.domain.scope import Scope

BLOCK = 20_000
CLUSTERS = 2_000
QUESTIONS = 100
NEAREST = 10
FETCHED = 20
MODEL = "made-up"
#: Messages of nobody's words: they are searched by their vectors only, so nothing is put into the full text.
MESSAGES = """
    INSERT INTO users (no, id, created_at) VALUES (1, 'ana', 0);
    INSERT INTO chats (no, user_no, id, created_at, updated_at) VALUES (1, 1, 'chat', 0, 0);
    INSERT INTO embedding_models (no, id, dimension) VALUES (1, 'made-up', 384);
    WITH RECURSIVE numbers (no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM numbers LIMIT {size})
    INSERT INTO messages (no, user_no, chat_no, id, role, content, tokens, created_at)
    SELECT no, 1, 1, 'm' || no, 'system', '', 0, 0 FROM numbers;
    UPDATE messages SET role = 'user'
"""
VECTOR = """
    INSERT INTO vectors (user_no, model_no, passage, chat_no, content_hash, scale, data) VALUES (1, 1, ?, 1, 0, ?, ?)
"""


class Space:
    """Vectors in clusters, with dimensions as unequal and as much in common as those of real models."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(5)
        self._spread = np.arange(1, DIMENSION + 1, dtype=np.float32) ** -DECAY
        self._turned = np.linalg.qr(self._drawn(DIMENSION))[0]
        self._shared = SHARED * _unit(self._drawn(1))
        self._centres = self._directions(CLUSTERS)

    def vectors(self, count: int) -> NDArray[np.float32]:
        centres = self._centres[self._rng.integers(CLUSTERS, size=count)]
        return _unit(_unit(centres + 0.8 * self._directions(count)) + self._shared)

    def _directions(self, count: int) -> NDArray[np.float32]:
        return _unit((self._drawn(count) * self._spread) @ self._turned)

    def _drawn(self, count: int) -> NDArray[np.float32]:
        return self._rng.standard_normal((count, DIMENSION), dtype=np.float32)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dense", description=__doc__)
    parser.add_argument("--vectors", type=int, default=1_000_000)
    size = parser.parse_args(arguments).vectors
    space = Space()
    questions = space.vectors(QUESTIONS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dense.db"
        store = SqliteStore(path)
        exact = _fill(path, size, space, questions)
        figures = _measure(store, questions, exact)
        store.close()
    print(table({f"{size:,} vectors": figures}))


def _fill(path: Path, size: int, space: Space, questions: NDArray[np.float32]) -> list[set[int]]:
    """Write the vectors; return the passages that are truly nearest to each question."""
    db = apsw.Connection(str(path))
    db.execute(MESSAGES.format(size=size))
    best = np.empty((QUESTIONS, 0), dtype=np.float32)
    passages = np.empty((QUESTIONS, 0), dtype=np.int64)
    for start in range(0, size, BLOCK):
        said(f"{start:,} vectors written")
        vectors = space.vectors(min(BLOCK, size - start))
        numbers = 4 * np.arange(start + 1, start + 1 + len(vectors))
        with db:
            db.executemany(VECTOR, _rows(numbers, vectors))
        best = np.hstack([best, questions @ vectors.T])
        passages = np.hstack([passages, np.broadcast_to(numbers, (QUESTIONS, len(numbers)))])
        first = np.argsort(-best, axis=1)[:, :NEAREST]
        best, passages = np.take_along_axis(best, first, 1), np.take_along_axis(passages, first, 1)
    db.close()
    return [set(row.tolist()) for row in passages]


def _rows(numbers: NDArray[np.int64], vectors: NDArray[np.float32]) -> list[tuple[int, float, bytes]]:
    scales = np.abs(vectors).max(axis=1) / 127
    coded = np.round(vectors / scales[:, None]).astype(np.int8)
    return [
        (int(number), float(scale), row.tobytes())
        for number, scale, row in zip(numbers, scales, coded, strict=True)
    ]


def _measure(store: SqliteStore, questions: NDArray[np.float32], exact: Sequence[set[int]]) -> list[Figure]:
    said("asking")
    spent, worked, shares = [], [], []
    for question, nearest in zip((questions[0], *questions), (exact[0], *exact), strict=True):
        vector = array("f", question.tobytes())
        begun, working = time.perf_counter(), time.thread_time()
        hits = store.search.dense(Scope(USER), vector, model=MODEL, limit=FETCHED, reach=Reach())
        spent.append((time.perf_counter() - begun) * 1000)
        worked.append((time.thread_time() - working) * 1000)
        shares.append(len(nearest & {hit.passage for hit in hits[:NEAREST]}) / NEAREST)
    return [
        Figure(name="first search: all vectors are read", value=spent[0], unit="ms"),
        *percentiles("dense search", spent[1:]),
        *percentiles("dense search, processor time", worked[1:])[:2],
        Figure(
            name=f"of the {NEAREST} nearest vectors found", value=float(np.mean(shares[1:])), unit="share"
        ),
        *in_memory("resident memory"),
    ]


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    units: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units


if __name__ == "__main__":
    main()
