"""Counts requests as they are answered."""

from collections import Counter
from dataclasses import dataclass, field

#: Seconds, as upper ends of the steps in which answers are counted.
STEPS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@dataclass(slots=True)
class Traffic:
    """Since the server began. Used in the event loop alone, and read from anywhere."""

    answers: Counter[tuple[str, int]] = field(default_factory=Counter)  #: by method and status
    within: Counter[float] = field(default_factory=Counter)  #: answers that began within so many seconds
    seconds: float = 0.0

    def count(self, method: str, status: int, seconds: float) -> None:
        self.answers[method, status] += 1
        self.seconds += seconds
        for step in STEPS:
            if seconds <= step:
                self.within[step] += 1
