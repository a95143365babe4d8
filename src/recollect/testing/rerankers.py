"""A reranker for tests: it knows the answer, reads so many passages in time, or fails."""

from collections.abc import Sequence


class OracleReranker:
    """Scores 1 for what holds the answer, 0 for the rest; of more than `most` passages it runs out of time."""

    model_id = "knowing"

    def __init__(self, answer: str, *, max_passages: int = 100, error: Exception | None = None) -> None:
        self._answer = answer
        self._max_passages = max_passages
        self._error = error
        self.calls: list[tuple[str, float | None]] = []  #: each question, and the time it had

    def scores(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float | None]:
        self.calls.append((query, deadline))
        if self._error is not None:
            raise self._error
        return [
            float(self._answer in passage) if index < self._max_passages else None
            for index, passage in enumerate(passages)
        ]
