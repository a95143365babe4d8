"""
Rank candidates with the simple formulas, and filter a ranked list.

`score` implements every ranker but `evidence` (see `retrieval/evidence.py`). With
match = alpha · dense + beta · lexical + gamma · identifier:

    sum        match
    blend      match · clamp(weight · recency, boost_min, boost_max)
    product    dense · weight · recency
    cosine     dense
    importance weight + recency / 1000

`blend` uses the cosine rescaled from [floor, 1] to [0, 1]; `sum`, `product` and `cosine` use the cosine itself.

The filters run on any ranked list, in this order: `drop_unrelated` (cosine floor), `drop_below_cutoff` (share of the
best score), `deduplicate`, `apply_rerank`, `limit_results`. Each filter returns the kept candidates in their order and
the rejected ones with a reason for the receipt; together they are exactly its input. All are O(n) except the sorts.

Example: with floor 0.45 a candidate of cosine 0.34 without a lexical match is rejected with
"cosine 0.34 is below 0.45"; the ninth of the rest with limit 8 with "ranked 9th; the limit is 8".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.memory import normalize_fact
from recollect.domain.policy import RecallPolicy

SECONDS_PER_DAY = 86_400.0


def recency(candidate: Candidate, now: datetime, half_life_days: float) -> float:
    """Return 1 for a candidate seen now or in the future, halved with every half-life of age."""
    age = (now - candidate.last_stated_at).total_seconds()
    return 0.5 ** (age / (half_life_days * SECONDS_PER_DAY)) if age > 0 else 1.0


def calibrate_cosine(cosine: float | None, cosine_floor: float) -> float:
    """Rescale a cosine from [floor, 1] to [0, 1]: 0 for unrelated texts, 1 for equal ones."""
    if cosine is None or cosine_floor >= 1:
        return 0.0
    return min(max((cosine - cosine_floor) / (1 - cosine_floor), 0.0), 1.0)


def score_parts(
    candidate: Candidate,
    *,
    max_lexical: float,
    identifiers: frozenset[str],
    now: datetime,
    policy: RecallPolicy,
    cosine_floor: float,
) -> dict[str, float]:
    """Return the features of a candidate, each from 0 to 1."""
    raw = policy.ranker in {"sum", "product", "cosine"}
    dense = max(candidate.dense or 0.0, 0.0) if raw else calibrate_cosine(candidate.dense, cosine_floor)
    text = candidate.text.casefold() if identifiers else ""
    return {
        "dense": dense,
        "lexical": (candidate.lexical or 0.0) / max_lexical if max_lexical else 0.0,
        "identifier": float(any(name in text for name in identifiers)),
        "weight": candidate.weight if candidate.importance is None else candidate.importance / 100,
        "recency": recency(candidate, now, policy.half_life_days),
    }


def score(parts: Mapping[str, float], policy: RecallPolicy) -> float:
    match = (
        policy.alpha * parts["dense"] + policy.beta * parts["lexical"] + policy.gamma * parts["identifier"]
    )
    match policy.ranker:
        case "sum":
            return match
        case "product":
            return parts["dense"] * parts["weight"] * parts["recency"]
        case "cosine":
            return parts["dense"]
        case "importance":
            return parts["weight"] + parts["recency"] / 1000
        case _:
            boost = parts["weight"] * parts["recency"]
            return match * min(max(boost, policy.boost_min), policy.boost_max)


def rank(
    candidates: Iterable[Candidate],
    *,
    identifiers: frozenset[str],
    now: datetime,
    policy: RecallPolicy,
    cosine_floor: float,
) -> list[ScoredCandidate]:
    """Return all candidates with their scores and features, best first."""
    candidate_list = list(candidates)
    max_lexical = max((c.lexical or 0.0 for c in candidate_list), default=0.0)
    scored = []
    for candidate in candidate_list:
        parts = score_parts(
            candidate,
            max_lexical=max_lexical,
            identifiers=identifiers,
            now=now,
            policy=policy,
            cosine_floor=cosine_floor,
        )
        scored.append(ScoredCandidate(candidate=candidate, score=score(parts, policy), parts=parts))
    return sort_by_score(scored)


def sort_by_score(scored: Iterable[ScoredCandidate]) -> list[ScoredCandidate]:
    # Ties break by source and id so that the same store gives the same prompt twice:
    # provider prompt caches depend on it.
    return sorted(scored, key=lambda r: (-r.score, r.candidate.source, r.candidate.id))


def apply_rerank(
    ranked: Sequence[ScoredCandidate], scores: Sequence[float | None], weight: float
) -> list[ScoredCandidate]:
    """Add the cross-encoder's scores to the first candidates and sort those again; None means not scored in time."""
    reranked = [
        r if score is None else replace(r, score=r.score + weight * score, parts={**r.parts, "reread": score})
        for r, score in zip(ranked, scores, strict=False)
    ]
    return [*sort_by_score(reranked), *ranked[len(reranked) :]]


def is_unrelated(candidate: Candidate, cosine_floor: float) -> bool:
    """Whether a candidate was found by dense search alone, with a cosine below the floor."""
    return candidate.lexical is None and candidate.dense is not None and candidate.dense < cosine_floor


def drop_unrelated(
    ranked: Sequence[ScoredCandidate], cosine_floor: float, *, exempt_sources: frozenset[Source]
) -> tuple[list[ScoredCandidate], list[tuple[ScoredCandidate, str]]]:
    """Reject candidates that are not relevant to the query; sources in `exempt_sources` are kept."""
    related_candidates: list[ScoredCandidate] = []
    rejections: list[tuple[ScoredCandidate, str]] = []
    for scored in ranked:
        reason = (
            None if scored.candidate.source in exempt_sources else _unrelated_reason(scored, cosine_floor)
        )
        if reason is None:
            related_candidates.append(scored)
        else:
            rejections.append((scored, reason))
    return related_candidates, rejections


def _unrelated_reason(scored: ScoredCandidate, cosine_floor: float) -> str | None:
    candidate, parts = scored.candidate, scored.parts
    if parts.get("answer") or parts.get("date"):
        return None
    if is_unrelated(candidate, cosine_floor):
        return f"cosine {candidate.dense:.2f} is below {cosine_floor:.2f}"
    if (
        "answer" in parts
        and candidate.source is Source.MESSAGE
        and candidate.dense is candidate.lexical is None
    ):
        return "only a neighbour of a match"
    return None


def deduplicate(
    ranked: Sequence[ScoredCandidate],
) -> tuple[list[ScoredCandidate], list[tuple[ScoredCandidate, str]]]:
    """Drop messages of which a chunk was found, and messages whose text equals a memory."""
    chunked_ids = {r.candidate.parent_id for r in ranked if r.candidate.parent_id}
    memory_texts = {normalize_fact(r.candidate.text) for r in ranked if r.candidate.source is Source.MEMORY}
    unique: list[ScoredCandidate] = []
    rejections: list[tuple[ScoredCandidate, str]] = []
    for scored in ranked:
        candidate = scored.candidate
        if candidate.source is Source.MESSAGE and candidate.id in chunked_ids:
            rejections.append((scored, "covered by its chunk"))
        elif (
            memory_texts
            and candidate.source is not Source.MEMORY
            and normalize_fact(candidate.text) in memory_texts
        ):
            rejections.append((scored, "a memory says the same"))
        else:
            unique.append(scored)
    return unique, rejections


def drop_below_cutoff(
    ranked: Sequence[ScoredCandidate], relative_cutoff: float, *, exempt_sources: frozenset[Source]
) -> tuple[list[ScoredCandidate], list[tuple[ScoredCandidate, str]]]:
    """Reject candidates that score below a share of the best score; sources in `exempt_sources` are kept."""
    min_score = relative_cutoff * max((r.score for r in ranked), default=0.0)
    reason = f"below {relative_cutoff:.0%} of the best score"
    above: list[ScoredCandidate] = []
    rejections: list[tuple[ScoredCandidate, str]] = []
    for scored in ranked:
        if scored.score >= min_score or scored.candidate.source in exempt_sources:
            above.append(scored)
        else:
            rejections.append((scored, reason))
    return above, rejections


def limit_results(
    ranked: Sequence[ScoredCandidate], policy: RecallPolicy
) -> tuple[list[ScoredCandidate], list[tuple[ScoredCandidate, str]]]:
    """Keep the best candidates within the policy's limits, in total, for memories and for messages."""
    results: list[ScoredCandidate] = []
    rejections: list[tuple[ScoredCandidate, str]] = []
    remaining = {True: policy.max_memories or policy.limit, False: policy.max_messages or policy.limit}
    for position, scored in enumerate(ranked, start=1):
        is_memory = scored.candidate.kind is not None
        if len(results) >= policy.limit:
            rejections.append((scored, f"ranked {_ordinal(position)}; the limit is {policy.limit}"))
        elif not remaining[is_memory]:
            limit = policy.max_memories if is_memory else policy.max_messages
            noun = "memories" if is_memory else "messages"
            rejections.append((scored, f"the limit is {limit} {noun}"))
        else:
            remaining[is_memory] -= 1
            results.append(scored)
    return results, rejections


def _ordinal(number: int) -> str:
    suffixes = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 < number % 100 < 14 else suffixes.get(number % 10, 'th')}"
