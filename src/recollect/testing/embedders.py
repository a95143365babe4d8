"""Embedders for tests: one that counts letters, and one that fails until healed."""

from collections.abc import Sequence

from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import unit_vector
from recollect.text.windows import split_windows


class LetterEmbedder:
    """Embeds a text as its letter counts. Deterministic, instant, no files."""

    model_id = "letters"
    #: High, because letter frequencies are similar in any two texts of one language.
    cosine_floor = 0.9

    def __init__(self, dimension: int = 26, *, window_words: int = 64) -> None:
        self._dimension = dimension
        self._window_words = window_words

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        # A small constant per letter, so that a text without letters has a nonzero vector.
        counts = [0.01] * self._dimension
        for letter in filter(str.isalpha, text.casefold()):
            counts[(ord(letter) - ord("a")) % self._dimension] += 1
        return unit_vector(counts)

    def windows(self, text: str) -> list[str]:
        return split_windows(text, count_tokens=lambda piece: len(piece.split()), limit=self._window_words)


class FailingEmbedder:
    """Raises the given error when embedding until `heal` is called; then delegates to ``inner``."""

    def __init__(self, error: Exception, inner: Embedder | None = None) -> None:
        self._error: Exception | None = error
        self._inner = inner or LetterEmbedder()

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def cosine_floor(self) -> float:
        return self._inner.cosine_floor

    def heal(self) -> None:
        self._error = None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self._raise_error()
        return self._inner.embed(texts)

    def embed_query(self, text: str) -> Vector:
        self._raise_error()
        return self._inner.embed_query(text)

    def windows(self, text: str) -> list[str]:
        self._raise_error()
        return self._inner.windows(text)

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error
