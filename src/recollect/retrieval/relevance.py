"""
Relevance: which scored candidates have to do with the query at all.

`judge` decides for each candidate whether it is relevant; a judgement may carry a probability. It runs before
`selection`, which only compares relevant candidates with each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.retrieval import reasons
from recollect.retrieval.scoring.scorer import Scorer


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A scored candidate and whether it is relevant to the query."""

    scored: ScoredCandidate
    probability: float | None = None  #: of relevance; None if it was not estimated
    rejection_reason: str | None = None  #: why it is irrelevant; None if it is relevant

    @property
    def is_relevant(self) -> bool:
        return self.rejection_reason is None


def judge(
    scored: Sequence[ScoredCandidate],
    scorer: Scorer,
    *,
    cosine_floor: float,
    exempt_sources: frozenset[Source] = frozenset(),
) -> list[Judgement]:
    """Return every candidate in its order, with the judgement; candidates of `exempt_sources` are relevant."""
    return [
        Judgement(
            scored=each,
            rejection_reason=None
            if each.candidate.source in exempt_sources
            else _rejection_reason(each, scorer, cosine_floor),
        )
        for each in scored
    ]


def is_unrelated(candidate: Candidate, cosine_floor: float) -> bool:
    """Whether a candidate was returned by dense search alone, with a cosine below the floor."""
    return candidate.lexical is None and candidate.dense is not None and candidate.dense < cosine_floor


def _rejection_reason(scored: ScoredCandidate, scorer: Scorer, cosine_floor: float) -> str | None:
    candidate, parts = scored.candidate, scored.parts
    if parts.get("answer") or parts.get("date"):
        return None
    if is_unrelated(candidate, cosine_floor):
        return reasons.below_floor(candidate, cosine_floor)
    is_unmatched = candidate.dense is None and candidate.lexical is None
    if scorer.uses_surroundings and is_unmatched and candidate.source is Source.MESSAGE:
        return reasons.ONLY_A_NEIGHBOUR
    return None
