"""Embedders for measuring: one fast enough for a hundred thousand messages, and one that pays the real price."""

import time
from array import array
from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.vocabulary import COLOURS, FUNCTION_WORDS, PLACES, RELATIVES, THINGS, TOPICS
from recollect.ports.embedder import Embedder, Vector
from recollect.text.windows import windows

DIMENSION = 384
ROWS = 8192
#: What all texts share, and how unequal the dimensions are: so chosen that cosines (mean 0.45, standard deviation 0.06,
#: the best of a question 0.72) and the number of dimensions in use (51) are near those of bge-small on LoCoMo.
SHARED = 0.85
DECAY = 0.25
TOPIC, CONTENT, RARE, FUNCTION = 0.5, 1.0, 0.1, 0.05


class SyntheticEmbedder:
    """Adds up a direction for each word and each topic: texts about one thing share words, and so lie together."""

    model_id = "synthetic-384"
    dimension = DIMENSION
    floor = 0.45

    def __init__(self) -> None:
        rng = np.random.default_rng(11)
        spread = np.arange(1, DIMENSION + 1, dtype=np.float32) ** -DECAY
        turned = np.linalg.qr(rng.standard_normal((DIMENSION, DIMENSION)))[0].astype(np.float32)
        drawn = rng.standard_normal((ROWS + len(TOPICS), DIMENSION), dtype=np.float32)
        self._directions: NDArray[np.float32] = (drawn * spread) @ turned
        shared = rng.standard_normal(DIMENSION, dtype=np.float32)
        self._shared = SHARED * shared / np.linalg.norm(shared)
        self._topics = {word: ROWS + row for row, words in enumerate(TOPICS.values()) for word in words}
        self._content = {*self._topics, *COLOURS, *RELATIVES, *THINGS, *PLACES}
        self._function = frozenset(FUNCTION_WORDS)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        words = {word.strip(".,:?`()") for word in text.casefold().split()}
        parts = [(crc32(word.encode()) % ROWS, self._weight(word)) for word in words]
        parts += [(row, TOPIC) for word in words if (row := self._topics.get(word))]
        rows, weights = zip(*parts, strict=True) if parts else ((0,), (1.0,))
        content = np.array(weights, dtype=np.float32) @ self._directions[list(rows)]
        mixed = content / np.linalg.norm(content) + self._shared
        return array("f", (mixed / np.linalg.norm(mixed)).astype(np.float32).tobytes())

    def windows(self, text: str) -> list[str]:
        return windows(text, tokens=lambda piece: len(piece.split()), limit=512)

    def _weight(self, word: str) -> float:
        if word in self._function:
            return FUNCTION
        return CONTENT if word in self._content else RARE


class PaidQueries:
    """Embeds each question with the real model, for the time it takes, and answers with the synthetic vector."""

    model_id = SyntheticEmbedder.model_id
    dimension = SyntheticEmbedder.dimension
    floor = SyntheticEmbedder.floor

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


class Watched:
    """Does as another embedder does, and keeps the milliseconds of processor time that the last question took."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.model_id = inner.model_id
        self.dimension = inner.dimension
        self.floor = inner.floor
        self.spent = 0.0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._inner.embed(texts)

    def embed_query(self, text: str) -> Vector:
        begun = time.thread_time()
        vector = self._inner.embed_query(text)
        self.spent = (time.thread_time() - begun) * 1000
        return vector

    def windows(self, text: str) -> list[str]:
        return self._inner.windows(text)
