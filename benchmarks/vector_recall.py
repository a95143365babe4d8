"""Recall of the approximate vector search against exact search."""

from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import Fact
from benchmarks.figures import Figure
from benchmarks.fill import USER_ID, print_progress
from recollect import Memory
from recollect.domain.candidate import SearchFilter, Source
from recollect.domain.scope import Scope
from recollect.ports.embedder import Embedder
from recollect.testing.inspection import store_of

NEAREST_COUNT = 10
MESSAGE_FILTER = SearchFilter(sources=frozenset({Source.MESSAGE}))
SELECT_VECTORS = """
    SELECT v.passage_no, v.scale, v.data FROM vectors v JOIN passages p ON p.no = v.passage_no
    WHERE v.user_no = (SELECT no FROM users WHERE id = ?)
        AND v.model_no = (SELECT no FROM embedding_models WHERE id = ?) AND p.kind = 0
    ORDER BY v.no
"""


def measure_vector_recall(memory: Memory, path: Path, embedder: Embedder, facts: Sequence[Fact]) -> Figure:
    print_progress("comparing with exact search")
    passages, matrix = _read_all_vectors(path, embedder.model_id)
    recalls = []
    for fact in facts:
        vector = embedder.embed_query(fact.phrase_query(0))
        exact = passages[np.argsort(-(matrix @ np.frombuffer(vector, dtype=np.float32)))[:NEAREST_COUNT]]
        hits = store_of(memory.application).search.dense(
            Scope(USER_ID), vector, model=embedder.model_id, limit=NEAREST_COUNT, search_filter=MESSAGE_FILTER
        )
        recalls.append(len({hit.passage_id for hit in hits} & set(exact.tolist())) / len(exact))
    return Figure(
        name=f"of the {NEAREST_COUNT} nearest vectors found", value=float(np.mean(recalls)), unit="share"
    )


def _read_all_vectors(path: Path, model: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    passages, scales, data = zip(*db.execute(SELECT_VECTORS, (USER_ID, model)), strict=True)
    db.close()
    matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(passages), -1)
    scale_column = np.array(scales, dtype=np.float32)[:, None]
    return np.array(passages, dtype=np.int64), matrix.astype(np.float32) * scale_column
