"""Counts requests as they are answered."""

from collections import Counter
from dataclasses import dataclass, field

#: Seconds, as upper ends of the steps in which answers are counted.
LATENCY_BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@dataclass(slots=True)
class HttpMetrics:
    """Since the server began. Used in the event loop alone, and read from anywhere."""

    responses: Counter[tuple[str, int]] = field(default_factory=Counter)  #: by method and status
    responses_within: Counter[float] = field(
        default_factory=Counter
    )  #: answers that began within so many seconds
    total_seconds: float = 0.0

    def record(self, method: str, status: int, seconds: float) -> None:
        self.responses[method, status] += 1
        self.total_seconds += seconds
        for step in LATENCY_BUCKETS_SECONDS:
            if seconds <= step:
                self.responses_within[step] += 1
