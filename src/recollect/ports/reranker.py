"""Port for rerankers, which score a query and a passage together (cross-encoder)."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores passages. Loads nothing until the first call; safe to call from several threads."""

    @property
    def model_id(self) -> str:
        """The id of the model: rerankers with the same id give comparable scores."""

    def scores(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float | None]:
        """
        Score each passage from 0 (irrelevant) to 1 (answers the query), one score each, in order.

        Passages are scored first to last, so pass the most promising first. With a ``deadline``, in seconds from
        the call and loading included, passages not reached in time get None; the one being scored then is
        finished. A score never depends on the other passages.

        Raises ModelMissing if files or packages are absent, ProviderError for anything else.
        """
