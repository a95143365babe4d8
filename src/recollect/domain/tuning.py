"""What came of looking for better numbers for recall."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class NdcgChange(NamedTuple):
    """NDCG@5 with the numbers that held before, and with the new ones."""

    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningResult:
    """New numbers by the names of their settings, and what they are worth."""

    before: Mapping[str, float]
    after: Mapping[str, float]
    training_ndcg: NdcgChange  #: on all questions, which the numbers were chosen by
    held_out_ndcg: NdcgChange  #: on each question with numbers that were chosen without it
    query_count: int
    improved_count: int  #: questions that gain by numbers chosen without them
    worsened_count: int
    unanswerable_count: int  #: questions for which nothing of what is relevant was found at all
    trial_count: int

    @property
    def changed_values(self) -> Mapping[str, float]:
        return {name: value for name, value in self.after.items() if value != self.before[name]}

    @property
    def is_improvement(self) -> bool:
        """Whether questions that the numbers were not chosen by gain as well."""
        return bool(self.changed_values) and self.held_out_ndcg.after > self.held_out_ndcg.before
