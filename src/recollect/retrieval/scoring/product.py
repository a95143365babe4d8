"""
The scorer `product`: dense · weight · recency.

The cosine is rescaled, because that of unrelated texts is high: otherwise the weight decides, and a name (1.0) comes
before a taste (0.8) whatever the query.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Candidate
from recollect.domain.policy import RecallPolicy
from recollect.retrieval.scoring.scorer import (
    Features,
    Formula,
    ScoringContext,
    match_features,
    rescaled_cosine,
)


@dataclass(frozen=True, slots=True)
class ProductScorer:
    tuned_weights: tuple[str, ...] = ("half_life_days", "relative_cutoff")
    uses_surroundings: bool = False
    ignores_query: bool = False

    def features(self, candidates: Sequence[Candidate], context: ScoringContext) -> list[Features]:
        return match_features(candidates, context, _rescaled)

    def formula(self, _: RecallPolicy) -> Formula:
        return lambda features: features["dense"] * features["weight"] * features["recency"]


def _rescaled(candidate: Candidate, context: ScoringContext) -> float:
    return rescaled_cosine(candidate.dense, context.embedder_floor)
