"""Properties of an embedding model that are measured when they are not configured: dimension and cosine floor."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from recollect.errors import ProviderError
from recollect.ports.embedder import Vector
from recollect.ports.vector_math import estimate_cosine_floor, unit_vector


class VectorSpace:
    """Dimension and cosine floor of a model, measured from its first vectors; later vectors are checked."""

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
        """The configured dimension, or that of one embedded word."""
        return self._dimension or len(self._embed(["dimension"])[0])

    @property
    def cosine_floor(self) -> float:
        """The configured cosine floor, or one measured on a few sentences."""
        if self._cosine_floor is None:
            self._cosine_floor = estimate_cosine_floor(self._embed)
        return self._cosine_floor

    def make_vectors(self, rows: Iterable[Iterable[float]], *, count: int) -> list[Vector]:
        """Normalize a model's output for ``count`` texts; raise ProviderError if its shape is wrong."""
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
    """Translate any exception of a third-party package."""
    try:
        yield
    # These packages pass on errors of torch, onnxruntime and the hub, which share no base class but Exception.
    except Exception as error:
        raise error_class(f"{message} ({type(error).__name__})") from error
