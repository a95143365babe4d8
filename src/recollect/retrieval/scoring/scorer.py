"""
The protocol of scorers, and the features that several of them use.

A scorer computes the features of all candidates of a query, then a formula turns the features of each candidate into
its score. The two steps are separate because weight tuning repeats the second one only. Features are kept in the
receipt as the parts of the score.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias

from recollect.domain.candidate import Candidate, ScoredCandidate
from recollect.domain.policy import RecallPolicy
from recollect.retrieval.query_features import QueryFeatures

#: The features of one candidate by name, each from 0 to 1.
Features: TypeAlias = dict[str, float]
#: Returns the score of a candidate from its features.
Formula: TypeAlias = Callable[[Mapping[str, float]], float]
#: Message id to the ids of the previous and the next message in its chat.
Neighbours: TypeAlias = Mapping[str, tuple[str | None, str | None]]

SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringContext:
    """What the features of a candidate depend on besides the candidate."""

    query: QueryFeatures
    policy: RecallPolicy
    now: datetime
    cosine_floor: float  #: passages below it are unrelated to the query
    embedder_floor: float = 0.0  #: the embedder's cosine of unrelated texts, whatever the policy's floor is
    lexical_confidence: float = 1.0  #: factor for lexical scores, from 0 to 1
    neighbours: Neighbours | None = None


class Scorer(Protocol):
    @property
    def tuned_weights(self) -> tuple[str, ...]:
        """The settings of `recall.` that weight tuning may change; empty if there are none."""

    @property
    def uses_surroundings(self) -> bool:
        """Whether neighbours, chat and date are evidence: then neighbours and dated messages become candidates."""

    @property
    def ignores_query(self) -> bool:
        """Whether candidates are selected by importance, not by search."""

    def features(self, candidates: Sequence[Candidate], context: ScoringContext) -> list[Features]:
        """Return the features of each candidate, in order."""

    def formula(self, policy: RecallPolicy) -> Formula:
        """Return the function from features to score."""


def score_candidates(
    candidates: Sequence[Candidate], scorer: Scorer, context: ScoringContext
) -> list[ScoredCandidate]:
    """Return all candidates with their scores and features, best first."""
    formula = scorer.formula(context.policy)
    return sort_by_score(
        ScoredCandidate(candidate=candidate, score=formula(features), parts=features)
        for candidate, features in zip(candidates, scorer.features(candidates, context), strict=True)
    )


def sort_by_score(scored: Iterable[ScoredCandidate]) -> list[ScoredCandidate]:
    # Ties break by source and id so that the same store gives the same prompt twice:
    # provider prompt caches depend on it.
    return sorted(scored, key=lambda r: (-r.score, r.candidate.source, r.candidate.id))


def recency(candidate: Candidate, now: datetime, half_life_days: float) -> float:
    """Return 1 for a candidate seen now or in the future, halved with every half-life of age."""
    age = (now - candidate.last_stated_at).total_seconds()
    return 0.5 ** (age / (half_life_days * SECONDS_PER_DAY)) if age > 0 else 1.0


def memory_weight(candidate: Candidate) -> float:
    return candidate.weight if candidate.importance is None else candidate.importance / 100


def clamped_cosine(candidate: Candidate, _: ScoringContext) -> float:
    """Return the cosine itself; 0 if it is negative."""
    return max(candidate.dense or 0.0, 0.0)


def calibrated_cosine(candidate: Candidate, context: ScoringContext) -> float:
    """Return the cosine rescaled by the policy's floor."""
    return rescaled_cosine(candidate.dense, context.cosine_floor)


def rescaled_cosine(cosine: float | None, floor: float) -> float:
    """Rescale a cosine from [floor, 1] to [0, 1]: 0 for unrelated texts, 1 for equal ones."""
    if cosine is None or floor >= 1:
        return 0.0
    return min(max((cosine - floor) / (1 - floor), 0.0), 1.0)


def match_features(
    candidates: Sequence[Candidate],
    context: ScoringContext,
    dense_feature: Callable[[Candidate, ScoringContext], float],
) -> list[Features]:
    """Return the features that depend on a candidate and its query alone."""
    max_lexical = max((c.lexical or 0.0 for c in candidates), default=0.0)
    identifiers = context.query.identifiers
    features = []
    for candidate in candidates:
        text = candidate.text.casefold() if identifiers else ""
        features.append(
            {
                "dense": dense_feature(candidate, context),
                "lexical": (candidate.lexical or 0.0) / max_lexical if max_lexical else 0.0,
                "identifier": float(any(name in text for name in identifiers)),
                "weight": memory_weight(candidate),
                "recency": recency(candidate, context.now, context.policy.half_life_days),
            }
        )
    return features


def weighted_match(features: Mapping[str, float], policy: RecallPolicy) -> float:
    """Return alpha · dense + beta · lexical + gamma · identifier."""
    return (
        policy.alpha * features["dense"]
        + policy.beta * features["lexical"]
        + policy.gamma * features["identifier"]
    )
