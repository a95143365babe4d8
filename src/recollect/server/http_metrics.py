"""Counters of HTTP responses, exported to Prometheus."""

from collections import Counter
from dataclasses import dataclass, field

#: Upper bounds of the histogram buckets.
LATENCY_BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@dataclass(slots=True)
class HttpMetrics:
    """Counts since the server started. Written in the event loop only; any thread may read."""

    responses: Counter[tuple[str, int]] = field(default_factory=Counter)  #: by method and status
    #: Responses whose first byte was sent within the bucket's upper bound.
    responses_within: Counter[float] = field(default_factory=Counter)
    total_seconds: float = 0.0

    def record(self, method: str, status: int, seconds: float) -> None:
        self.responses[method, status] += 1
        self.total_seconds += seconds
        for bound in LATENCY_BUCKETS_SECONDS:
            if seconds <= bound:
                self.responses_within[bound] += 1
