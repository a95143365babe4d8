"""The scorer `sum`: alpha · dense + beta · lexical + gamma · identifier."""

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
    weighted_match,
)


@dataclass(frozen=True, slots=True)
class WeightedSumScorer:
    tuned_weights: tuple[str, ...] = ("alpha", "beta", "gamma", "relative_cutoff")
    uses_surroundings: bool = False
    ignores_query: bool = False

    def features(self, candidates: Sequence[Candidate], context: ScoringContext) -> list[Features]:
        return match_features(candidates, context, clamped_cosine)

    def formula(self, policy: RecallPolicy) -> Formula:
        return lambda features: weighted_match(features, policy)
