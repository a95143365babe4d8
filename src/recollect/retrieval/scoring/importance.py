"""The scorer `importance`: weight first, then recency; the query does not matter."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Candidate
from recollect.domain.policy import RecallPolicy
from recollect.retrieval.scoring.scorer import (
    Features,
    Formula,
    ScoringContext,
    calibrated_cosine,
    match_features,
)


@dataclass(frozen=True, slots=True)
class ImportanceScorer:
    tuned_weights: tuple[str, ...] = ()
    uses_surroundings: bool = False
    ignores_query: bool = True

    def features(self, candidates: Sequence[Candidate], context: ScoringContext) -> list[Features]:
        return match_features(candidates, context, calibrated_cosine)

    def formula(self, _: RecallPolicy) -> Formula:
        return lambda features: features["weight"] + features["recency"] / 1000
