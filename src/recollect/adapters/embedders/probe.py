"""What an embedder finds out about its vectors by making some, when nobody has told it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from recollect.errors import ProviderError
from recollect.ports.embedder import Vector
from recollect.ports.vector_math import estimate_cosine_floor, unit_vector


class VectorSpace:
    """The dimension and floor of a model's vectors, learned from its first answers; checks all later ones."""

    def __init__(
        self,
        embed: Callable[[Sequence[str]], list[Vector]],
        *,
        dimension: int | None,
        cosine_floor: float | None,
    ) -> None:
        self._embed = embed
        self._dimension = dimension
        self._cosine_floor = cosine_floor

    @property
    def dimension(self) -> int:
        """Embeds one word if it is not known."""
        return self._dimension or len(self._embed(["dimension"])[0])

    @property
    def cosine_floor(self) -> float:
        """Embeds a few sentences if it is not known."""
        if self._cosine_floor is None:
            self._cosine_floor = estimate_cosine_floor(self._embed)
        return self._cosine_floor

    def make_vectors(self, rows: Iterable[Iterable[float]], *, count: int) -> list[Vector]:
        """Make what a model gave for ``count`` texts into vectors, or raise ProviderError."""
        vectors = [unit_vector(row, dimension=self._dimension) for row in rows]
        lengths = {len(vector) for vector in vectors}
        if len(vectors) != count or len(lengths) > 1:
            raise ProviderError(
                f"The embedder gave {len(vectors)} vectors of {len(lengths)} sizes for {count} texts, "
                "so none of them was stored. Try again, or choose another embedder."
            )
        if self._dimension is None and lengths:
            [self._dimension] = lengths
        return vectors


@contextmanager
def translate_errors(error_class: type[ProviderError], message: str) -> Iterator[None]:
    """Turn whatever a foreign package raises into one of our errors."""
    try:
        yield
    # These packages hand through the errors of torch, onnxruntime and the hub, which have no ancestor in common.
    except Exception as error:
        raise error_class(f"{message} ({type(error).__name__})") from error
