"""How many of the truly nearest vectors the search finds."""

from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import Fact
from benchmarks.figures import Figure
from benchmarks.fill import USER, said
from recollect import Memory
from recollect.domain.candidate import Reach, Source
from recollect.domain.scope import Scope
from recollect.ports.embedder import Embedder

NEAREST = 10
MESSAGES = Reach(sources=frozenset({Source.MESSAGE}))
VECTORS = """
    SELECT passage, scale, data FROM vectors
    WHERE user_no = (SELECT no FROM users WHERE id = ?)
        AND model_no = (SELECT no FROM embedding_models WHERE id = ?) AND passage % 4 = 0
    ORDER BY no
"""


def exactness(memory: Memory, path: Path, embedder: Embedder, facts: Sequence[Fact]) -> Figure:
    said("comparing with exact search")
    passages, matrix = _all(path, embedder.model_id)
    shares = []
    for fact in facts:
        vector = embedder.embed_query(fact.asked(0))
        exact = passages[np.argsort(-(matrix @ np.frombuffer(vector, dtype=np.float32)))[:NEAREST]]
        hits = memory.runtime.store.search.dense(
            Scope(USER), vector, model=embedder.model_id, limit=NEAREST, reach=MESSAGES
        )
        shares.append(len({hit.passage for hit in hits} & set(exact.tolist())) / len(exact))
    return Figure(name=f"of the {NEAREST} nearest vectors found", value=float(np.mean(shares)), unit="share")


def _all(path: Path, model: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    passages, scales, data = zip(*db.execute(VECTORS, (USER, model)), strict=True)
    db.close()
    matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(passages), -1)
    lengths = np.array(scales, dtype=np.float32)[:, None]
    return np.array(passages, dtype=np.int64), matrix.astype(np.float32) * lengths
