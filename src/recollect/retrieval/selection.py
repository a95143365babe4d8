"""
Selection: which of the relevant candidates are returned.

`shortlist` applies the relative cutoff and removes duplicates; then a cross-encoder may rerank the first candidates
(`apply_rerank`); `limit_selection` keeps the best within the policy's limits. Each step keeps the order. Every
candidate ends up in the result or in `rejections` with a reason for the receipt. All are O(n) except the sorts.

Example: of nine relevant candidates with limit 8, the ninth is rejected with "ranked 9th; the limit is 8".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.domain.candidate import Rejection, ScoredCandidate, Source
from recollect.domain.memory import normalize_fact
from recollect.domain.policy import RecallPolicy
from recollect.retrieval import reasons
from recollect.retrieval.eligibility import SentenceTest, eligible_text
from recollect.retrieval.relevance import Judgement
from recollect.retrieval.scoring.scorer import sort_by_score
from recollect.text.tokens import estimate_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedCandidates:
    """Candidates, best first, and the rejected ones, those that came closest first."""

    candidates: tuple[ScoredCandidate, ...] = ()
    rejections: tuple[Rejection, ...] = ()


def shortlist(
    judged: Sequence[Judgement],
    *,
    relative_cutoff: float = 0.0,
    exempt_sources: frozenset[Source] = frozenset(),
) -> SelectedCandidates:
    """Return the relevant candidates above the cutoff, without duplicates; `exempt_sources` have no cutoff."""
    relevant = [each.scored for each in judged if each.rejection_reason is None]
    irrelevant = [
        Rejection(scored=each.scored, reason=each.rejection_reason)
        for each in judged
        if each.rejection_reason is not None
    ]
    above, below = drop_below_cutoff(relevant, relative_cutoff, exempt_sources=exempt_sources)
    unique, duplicates = deduplicate(above)
    return SelectedCandidates(candidates=tuple(unique), rejections=(*duplicates, *below, *irrelevant))


def keep_statements(selection: SelectedCandidates, is_small_talk: SentenceTest) -> SelectedCandidates:
    """Reduce messages to what they state, and reject those that state nothing; only for prompts."""
    kept: list[ScoredCandidate] = []
    rejections: list[Rejection] = []
    for scored in selection.candidates:
        candidate = scored.candidate
        text = eligible_text(candidate, is_small_talk)
        if not text:
            rejections.append(Rejection(scored=scored, reason=reasons.STATES_NOTHING))
        elif text == candidate.text:
            kept.append(scored)
        else:
            reduced = candidate._replace(text=text, tokens=estimate_tokens(text))
            kept.append(replace(scored, candidate=reduced))
    return SelectedCandidates(candidates=tuple(kept), rejections=(*rejections, *selection.rejections))


def limit_selection(selection: SelectedCandidates, policy: RecallPolicy) -> SelectedCandidates:
    """Keep the best candidates within the policy's limits."""
    kept, over_limit = limit_results(selection.candidates, policy)
    return SelectedCandidates(candidates=tuple(kept), rejections=(*over_limit, *selection.rejections))


def apply_rerank(
    selection: SelectedCandidates, scores: Sequence[float | None], weight: float
) -> SelectedCandidates:
    """Add the cross-encoder's scores to the first candidates and sort those again; None means not scored in time."""
    reranked = [
        r if score is None else replace(r, score=r.score + weight * score, parts={**r.parts, "reread": score})
        for r, score in zip(selection.candidates, scores, strict=False)
    ]
    rest = selection.candidates[len(reranked) :]
    return replace(selection, candidates=(*sort_by_score(reranked), *rest))


def drop_below_cutoff(
    ranked: Sequence[ScoredCandidate], relative_cutoff: float, *, exempt_sources: frozenset[Source]
) -> tuple[list[ScoredCandidate], list[Rejection]]:
    """Reject candidates that score below a share of the best score; sources in `exempt_sources` are kept."""
    min_score = relative_cutoff * max((r.score for r in ranked), default=0.0)
    reason = reasons.below_cutoff(relative_cutoff)
    above: list[ScoredCandidate] = []
    rejections: list[Rejection] = []
    for scored in ranked:
        if scored.score >= min_score or scored.candidate.source in exempt_sources:
            above.append(scored)
        else:
            rejections.append(Rejection(scored=scored, reason=reason))
    return above, rejections


def deduplicate(ranked: Sequence[ScoredCandidate]) -> tuple[list[ScoredCandidate], list[Rejection]]:
    """Drop messages of which a chunk was found, and messages whose text equals a memory."""
    chunked_ids = {r.candidate.parent_id for r in ranked if r.candidate.parent_id}
    memory_texts = {normalize_fact(r.candidate.text) for r in ranked if r.candidate.source is Source.MEMORY}
    unique: list[ScoredCandidate] = []
    rejections: list[Rejection] = []
    for scored in ranked:
        candidate = scored.candidate
        if candidate.source is Source.MESSAGE and candidate.id in chunked_ids:
            rejections.append(Rejection(scored=scored, reason=reasons.COVERED_BY_CHUNK))
        elif (
            memory_texts
            and candidate.source is not Source.MEMORY
            and normalize_fact(candidate.text) in memory_texts
        ):
            rejections.append(Rejection(scored=scored, reason=reasons.SAME_AS_MEMORY))
        else:
            unique.append(scored)
    return unique, rejections


def limit_results(
    ranked: Sequence[ScoredCandidate], policy: RecallPolicy
) -> tuple[list[ScoredCandidate], list[Rejection]]:
    """Keep the best candidates within the policy's limits, in total, for memories and for messages."""
    results: list[ScoredCandidate] = []
    rejections: list[Rejection] = []
    remaining = {True: policy.max_memories or policy.limit, False: policy.max_messages or policy.limit}
    for position, scored in enumerate(ranked, start=1):
        is_memory = scored.candidate.kind is not None
        if len(results) >= policy.limit:
            reason = reasons.over_limit(position, policy.limit)
            rejections.append(Rejection(scored=scored, reason=reason))
        elif not remaining[is_memory]:
            source_limit = policy.max_memories if is_memory else policy.max_messages
            reason = reasons.over_source_limit(source_limit, is_memory=is_memory)
            rejections.append(Rejection(scored=scored, reason=reason))
        else:
            remaining[is_memory] -= 1
            results.append(scored)
    return results, rejections
