"""The scorers by their name in `recall.ranker`: the only place that compares this name."""

from collections.abc import Mapping
from typing import Final

from recollect.domain.policy import RecallPolicy
from recollect.retrieval.scoring.blend import BlendScorer
from recollect.retrieval.scoring.cosine import CosineScorer
from recollect.retrieval.scoring.evidence import EvidenceScorer
from recollect.retrieval.scoring.importance import ImportanceScorer
from recollect.retrieval.scoring.product import ProductScorer
from recollect.retrieval.scoring.scorer import Scorer
from recollect.retrieval.scoring.weighted_sum import WeightedSumScorer

SCORERS: Final[Mapping[str, Scorer]] = {
    "evidence": EvidenceScorer(),
    "blend": BlendScorer(),
    "sum": WeightedSumScorer(),
    "product": ProductScorer(),
    "cosine": CosineScorer(),
    "importance": ImportanceScorer(),
}


def scorer_of(policy: RecallPolicy) -> Scorer:
    return SCORERS[policy.ranker]
