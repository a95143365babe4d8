"""Embedders for benchmarks: a fast synthetic one, and wrappers that add or measure the real model's cost."""

import time
from array import array
from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.vocabulary import COLOURS, FUNCTION_WORDS, PLACES, RELATIVES, THINGS, TOPICS
from recollect.ports.embedder import Embedder, Vector
from recollect.text.windows import split_windows

EMBEDDING_DIMENSION = 384
WORD_DIRECTIONS = 8192
#: Weight of the common component and anisotropy of the dimensions, chosen so that cosines (mean 0.45, standard
#: deviation 0.06, best of a query 0.72) and the effective number of dimensions (51) are close to bge-small on LoCoMo.
COMMON_WEIGHT = 0.85
DIMENSION_DECAY = 0.25
TOPIC_WEIGHT, CONTENT_WEIGHT, RARE_WEIGHT, FUNCTION_WEIGHT = 0.5, 1.0, 0.1, 0.05


class SyntheticEmbedder:
    """Sums a direction per word and per topic, so that texts with common words or topics are close."""

    model_id = "synthetic-384"
    dimension = EMBEDDING_DIMENSION
    cosine_floor = 0.45

    def __init__(self) -> None:
        rng = np.random.default_rng(11)
        spread = np.arange(1, EMBEDDING_DIMENSION + 1, dtype=np.float32) ** -DIMENSION_DECAY
        rotation = np.linalg.qr(rng.standard_normal((EMBEDDING_DIMENSION, EMBEDDING_DIMENSION)))[0].astype(
            np.float32
        )
        random_rows = rng.standard_normal(
            (WORD_DIRECTIONS + len(TOPICS), EMBEDDING_DIMENSION), dtype=np.float32
        )
        self._directions: NDArray[np.float32] = (random_rows * spread) @ rotation
        common = rng.standard_normal(EMBEDDING_DIMENSION, dtype=np.float32)
        self._common_direction = COMMON_WEIGHT * common / np.linalg.norm(common)
        self._topic_rows = {
            word: WORD_DIRECTIONS + row for row, words in enumerate(TOPICS.values()) for word in words
        }
        self._content_words = {*self._topic_rows, *COLOURS, *RELATIVES, *THINGS, *PLACES}
        self._function_words = frozenset(FUNCTION_WORDS)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        words = {word.strip(".,:?`()") for word in text.casefold().split()}
        parts = [(crc32(word.encode()) % WORD_DIRECTIONS, self._weight(word)) for word in words]
        parts += [(row, TOPIC_WEIGHT) for word in words if (row := self._topic_rows.get(word))]
        rows, weights = zip(*parts, strict=True) if parts else ((0,), (1.0,))
        content = np.array(weights, dtype=np.float32) @ self._directions[list(rows)]
        mixed = content / np.linalg.norm(content) + self._common_direction
        return array("f", (mixed / np.linalg.norm(mixed)).astype(np.float32).tobytes())

    def windows(self, text: str) -> list[str]:
        return split_windows(text, count_tokens=lambda piece: len(piece.split()), limit=512)

    def _weight(self, word: str) -> float:
        if word in self._function_words:
            return FUNCTION_WEIGHT
        return CONTENT_WEIGHT if word in self._content_words else RARE_WEIGHT


class RealCostEmbedder:
    """Runs the real model on each query for its latency, and returns the synthetic vector."""

    model_id = SyntheticEmbedder.model_id
    dimension = SyntheticEmbedder.dimension
    cosine_floor = SyntheticEmbedder.cosine_floor

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self._synthetic = SyntheticEmbedder()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._synthetic.embed(texts)

    def embed_query(self, text: str) -> Vector:
        self._real.embed_query(text)
        return self._synthetic.embed_query(text)

    def windows(self, text: str) -> list[str]:
        return self._synthetic.windows(text)


class TimedEmbedder:
    """Wraps an embedder and records the CPU milliseconds of the last query."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.model_id = inner.model_id
        self.dimension = inner.dimension
        self.cosine_floor = inner.cosine_floor
        self.query_cpu_ms = 0.0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._inner.embed(texts)

    def embed_query(self, text: str) -> Vector:
        cpu_start = time.thread_time()
        vector = self._inner.embed_query(text)
        self.query_cpu_ms = (time.thread_time() - cpu_start) * 1000
        return vector

    def windows(self, text: str) -> list[str]:
        return self._inner.windows(text)
