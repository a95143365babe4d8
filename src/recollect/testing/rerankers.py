"""A reranker for tests: it knows the answer, reads so many passages in time, or fails."""

from collections.abc import Sequence


class KnowingReranker:
    """Scores 1 for what holds the answer, 0 for the rest; of more than `most` passages it runs out of time."""

    model_id = "knowing"

    def __init__(self, answer: str, *, most: int = 100, error: Exception | None = None) -> None:
        self._answer = answer
        self._most = most
        self._error = error
        self.asked: list[tuple[str, float | None]] = []  #: each question, and the time it had

    def scores(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float | None]:
        self.asked.append((query, deadline))
        if self._error is not None:
            raise self._error
        return [
            float(self._answer in passage) if place < self._most else None
            for place, passage in enumerate(passages)
        ]
