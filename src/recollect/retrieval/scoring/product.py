"""The scorer `product`: dense · weight · recency."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Candidate
from recollect.domain.policy import RecallPolicy
from recollect.retrieval.scoring.scorer import (
    Features,
    Formula,
    ScoringContext,
    clamped_cosine,
    match_features,
)


@dataclass(frozen=True, slots=True)
class ProductScorer:
    tuned_weights: tuple[str, ...] = ("half_life_days", "relative_cutoff")
    uses_surroundings: bool = False
    ignores_query: bool = False

    def features(self, candidates: Sequence[Candidate], context: ScoringContext) -> list[Features]:
        return match_features(candidates, context, clamped_cosine)

    def formula(self, _: RecallPolicy) -> Formula:
        return lambda features: features["dense"] * features["weight"] * features["recency"]
