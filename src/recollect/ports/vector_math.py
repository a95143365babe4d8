"""Vector helpers for embedders: unit vectors, cosine, and the cosine floor of unrelated texts."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from math import hypot, inf
from operator import mul

from recollect.errors import ProviderError
from recollect.ports.embedder import Vector

#: Queries and statements of which no two are related.
_UNRELATED_QUERIES = (
    "What does my sister do for a living?",
    "Which database did we choose for the shop?",
    "Where are we going on holiday in July?",
    "How do I like my coffee?",
    "When is the dentist appointment?",
    "What was the name of that jazz record?",
)
_UNRELATED_STATEMENTS = (
    "The red bicycle needs a new chain.",
    "Our cat sleeps on the windowsill all afternoon.",
    "The professor published a paper about glaciers.",
    "He repaired the kitchen tap with a rubber ring.",
    "Taxes on imported wine rose again last year.",
    "The goalkeeper missed the first half of the season.",
)


def unit_vector(values: Iterable[float], *, dimension: int | None = None) -> Vector:
    """
    Scale to unit length.

    Raise ProviderError for vectors that search cannot use: empty, zero, NaN, infinite, or of another dimension.
    """
    numbers = array("d", values)
    if dimension is not None and len(numbers) != dimension:
        raise ProviderError(
            f"The embedder returned a vector of {len(numbers)} dimensions instead of {dimension}. "
            "If the model was changed, set its dimension and run `recollect maintenance reembed`."
        )
    length = hypot(*numbers)
    if not 0 < length < inf:
        raise ProviderError(
            "The embedder returned a vector that is empty, zero or not finite, so nothing was stored. "
            "Try again, or choose another embedder."
        )
    return array("f", [number / length for number in numbers])


def cosine(one: Vector, other: Vector) -> float:
    return float(sum(map(mul, one, other)))


def estimate_cosine_floor(embed: Callable[[Sequence[str]], list[Vector]]) -> float:
    """Return the highest cosine of 36 unrelated pairs, as the cosine floor of an unknown vector space."""
    vectors = embed([*_UNRELATED_QUERIES, *_UNRELATED_STATEMENTS])
    query_vectors, statement_vectors = vectors[: len(_UNRELATED_QUERIES)], vectors[len(_UNRELATED_QUERIES) :]
    return max(
        cosine(query_vector, statement_vector)
        for query_vector in query_vectors
        for statement_vector in statement_vectors
    )
