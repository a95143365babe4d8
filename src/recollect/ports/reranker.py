"""Judges how well a passage answers a question, reading both together."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores passages. Loads nothing until the first call; safe to call from several threads."""

    @property
    def model_id(self) -> str:
        """Names the model: two rerankers with the same id give comparable scores."""

    def scores(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float | None]:
        """
        Score each passage from 0 (says nothing about it) to 1 (answers it), one score each, in order.

        Passages are read first to last, so give the most promising first. With a ``deadline``, in seconds from
        the call and loading included, those not reached in time are None; the one being read at that moment is
        finished. A score never depends on the other passages.

        Raises ModelMissing if files or packages are absent, ProviderError for anything else.
        """
