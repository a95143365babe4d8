"""A reranker for tests that knows the answer, and can time out or fail."""

from collections.abc import Sequence


class OracleReranker:
    """Scores passages that contain the answer 1 and others 0; passages after `max_passages` time out."""

    model_id = "knowing"

    def __init__(self, answer: str, *, max_passages: int = 100, error: Exception | None = None) -> None:
        self._answer = answer
        self._max_passages = max_passages
        self._error = error
        self.calls: list[tuple[str, float | None]] = []  #: each query and its deadline

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
