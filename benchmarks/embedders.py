"""Embedders for measuring: one fast enough for a hundred thousand messages, and one that pays the real price."""

from array import array
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from benchmarks.vocabulary import FUNCTION_WORDS
from recollect.ports.embedder import Embedder, Vector
from recollect.text.windows import windows

DIMENSION = 384
ROWS = 8192
#: What all texts share: with it, texts about different things have a cosine near that of real models.
SHARED = 0.8


class SyntheticEmbedder:
    """Adds up a fixed random direction for each word: texts about one topic share words, and so lie together."""

    model_id = "synthetic-384"
    dimension = DIMENSION
    floor = 0.45

    def __init__(self) -> None:
        rng = np.random.default_rng(11)
        self._directions = rng.standard_normal((ROWS, DIMENSION), dtype=np.float32)
        shared = rng.standard_normal(DIMENSION, dtype=np.float32)
        self._shared = shared / np.linalg.norm(shared)
        self._directions[: len(FUNCTION_WORDS)] *= 0.1
        self._rows = {word: row for row, word in enumerate(FUNCTION_WORDS)}

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        rows = [self._row(word.strip(".,:?`()")) for word in text.casefold().split()]
        content = self._directions[rows].sum(axis=0)
        mixed = content / (np.linalg.norm(content) or 1) + SHARED * self._shared
        return array("f", (mixed / np.linalg.norm(mixed)).astype(np.float32).tobytes())

    def windows(self, text: str) -> list[str]:
        return windows(text, tokens=lambda piece: len(piece.split()), limit=512)

    def _row(self, word: str) -> int:
        known = len(FUNCTION_WORDS)
        return self._rows.setdefault(word, known + crc32(word.encode()) % (ROWS - known))


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
