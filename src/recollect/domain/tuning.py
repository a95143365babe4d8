"""What came of looking for better numbers for recall."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Measured(NamedTuple):
    """NDCG@5 with the numbers that held before, and with the new ones."""

    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """New numbers by the names of their settings, and what they are worth."""

    before: Mapping[str, float]
    after: Mapping[str, float]
    seen: Measured  #: on all questions, which the numbers were chosen by
    unseen: Measured  #: on each question with numbers that were chosen without it
    questions: int
    better: int  #: questions that gain by numbers chosen without them
    worse: int
    unfound: int  #: questions for which nothing of what is relevant was found at all
    tried: int

    @property
    def changed(self) -> Mapping[str, float]:
        return {name: value for name, value in self.after.items() if value != self.before[name]}

    @property
    def is_real(self) -> bool:
        """Whether questions that the numbers were not chosen by gain as well."""
        return bool(self.changed) and self.unseen.after > self.unseen.before
