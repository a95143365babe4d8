"""The result of tuning the recall weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class NdcgChange(NamedTuple):
    """NDCG@5 before and after tuning."""

    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningResult:
    """Old and new values by setting name, with their NDCG on training and held-out queries."""

    before: Mapping[str, float]
    after: Mapping[str, float]
    training_ndcg: NdcgChange  #: on all queries, with values fitted to them
    held_out_ndcg: NdcgChange  #: cross-validated: each query with values fitted without it
    query_count: int
    improved_count: int  #: queries that improve with values fitted without them
    worsened_count: int
    unanswerable_count: int  #: queries for which no relevant passage was retrieved
    trial_count: int
    is_saved: bool = False  #: whether the new values are the user's preferences now

    @property
    def changed_values(self) -> Mapping[str, float]:
        return {name: value for name, value in self.after.items() if value != self.before[name]}

    @property
    def is_improvement(self) -> bool:
        """Whether held-out queries improve as well."""
        return bool(self.changed_values) and self.held_out_ndcg.after > self.held_out_ndcg.before
