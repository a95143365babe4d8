"""Port for embedders, which turn text into vectors."""

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

#: 32-bit floats (typecode "f") of unit length. Arrays take a parameter at run time only since Python 3.12.
if TYPE_CHECKING:
    Vector: TypeAlias = array[float]
else:
    Vector = array


class Embedder(Protocol):
    """Embeds text. Loads nothing until the first call; safe to call from several threads."""

    @property
    def model_id(self) -> str:
        """The id of the vector space: embedders with the same id give comparable vectors."""

    @property
    def dimension(self) -> int: ...

    @property
    def cosine_floor(self) -> float:
        """The cosine at or below which two texts are unrelated in this space."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """
        Embed passages, one vector each, in order.

        Raises ProviderBusy if a later call may work, ModelMissing if files or packages are absent,
        ProviderError for anything else; never returns fewer vectors than texts, zeros or NaN.
        """

    def embed_query(self, text: str) -> Vector:
        """Embed a query, which some models treat differently from a passage."""

    def windows(self, text: str) -> list[str]:
        """Split a text into consecutive parts that each fit the model; joined, they are the text."""
