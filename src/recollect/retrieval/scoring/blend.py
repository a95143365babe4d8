"""The scorer `blend`: the weighted sum, times weight · recency within bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Candidate
from recollect.domain.policy import RecallPolicy
from recollect.retrieval.scoring.scorer import (
    Features,
    Formula,
    ScoringContext,
    calibrated_cosine,
    match_features,
    weighted_match,
)


@dataclass(frozen=True, slots=True)
class BlendScorer:
    tuned_weights: tuple[str, ...] = (
        "alpha",
        "beta",
        "gamma",
        "half_life_days",
        "boost_min",
        "boost_max",
        "relative_cutoff",
    )
    uses_surroundings: bool = False
    ignores_query: bool = False

    def features(self, candidates: Sequence[Candidate], context: ScoringContext) -> list[Features]:
        return match_features(candidates, context, calibrated_cosine)

    def formula(self, policy: RecallPolicy) -> Formula:
        def blend(features: Mapping[str, float]) -> float:
            boost = features["weight"] * features["recency"]
            return weighted_match(features, policy) * min(max(boost, policy.boost_min), policy.boost_max)

        return blend
