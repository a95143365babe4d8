"""Put candidates in order, and say what each score is made of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.memory import normalize_fact
from recollect.domain.policy import RecallPolicy

#: In seconds.
SECONDS_PER_DAY = 86_400.0


def recency(candidate: Candidate, now: datetime, half_life_days: float) -> float:
    """1 for what was said now, half of it after a half-life. The future is now."""
    age = (now - candidate.seen_at).total_seconds()
    return 0.5 ** (age / (half_life_days * SECONDS_PER_DAY)) if age > 0 else 1.0


def calibrate_cosine(cosine: float | None, cosine_floor: float) -> float:
    """0 where texts have nothing to do with each other, 1 where they are the same."""
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
    """What there is to say for a candidate, each part from 0 to 1."""
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
    """All candidates, best first."""
    candidate_list = list(candidates)
    max_lexical = max((c.lexical or 0.0 for c in candidate_list), default=0.0)
    scored = []
    for candidate in candidate_list:
        part = score_parts(
            candidate,
            max_lexical=max_lexical,
            identifiers=identifiers,
            now=now,
            policy=policy,
            cosine_floor=cosine_floor,
        )
        scored.append(ScoredCandidate(candidate=candidate, score=score(part, policy), parts=part))
    return sort_by_score(scored)


def sort_by_score(scored: Iterable[ScoredCandidate]) -> list[ScoredCandidate]:
    # Ties break by source and id so that the same store gives the same prompt twice:
    # provider prompt caches depend on it.
    return sorted(scored, key=lambda r: (-r.score, r.candidate.source, r.candidate.id))


def apply_rerank(
    ranked: Sequence[ScoredCandidate], scores: Sequence[float | None], weight: float
) -> list[ScoredCandidate]:
    """Put the first of them in order anew by what was said when they were read again; None was not read."""
    reranked = [
        r if score is None else replace(r, score=r.score + weight * score, parts={**r.parts, "reread": score})
        for r, score in zip(ranked, scores, strict=False)
    ]
    return [*sort_by_score(reranked), *ranked[len(reranked) :]]


def is_unrelated(candidate: Candidate, cosine_floor: float) -> bool:
    """Brought by its vector alone, and even that says it has nothing to do with the question."""
    return candidate.lexical is None and candidate.dense is not None and candidate.dense < cosine_floor


def drop_unrelated(
    ranked: Sequence[ScoredCandidate], cosine_floor: float, *, exempt_sources: frozenset[Source]
) -> tuple[list[ScoredCandidate], list[tuple[ScoredCandidate, str]]]:
    """Part what bears on the question from what does not; some sources are spared the test."""
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
    candidate, part = scored.candidate, scored.parts
    if part.get("answer") or part.get("date"):
        return None
    if is_unrelated(candidate, cosine_floor):
        return f"cosine {candidate.dense:.2f} is below {cosine_floor:.2f}"
    if (
        "answer" in part
        and candidate.source is Source.MESSAGE
        and candidate.dense is candidate.lexical is None
    ):
        return "only beside one that was found"
    return None


def deduplicate(
    ranked: Sequence[ScoredCandidate],
) -> tuple[list[ScoredCandidate], list[tuple[ScoredCandidate, str]]]:
    """Each thing once: a chunk stands for its whole message, a memory for the message with the same words."""
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
    """Part what scores anywhere near the best from what was merely brought along."""
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
    """The best of them within the policy's numbers; the others with the reason why not."""
    results: list[ScoredCandidate] = []
    rejections: list[tuple[ScoredCandidate, str]] = []
    remaining = {True: policy.max_memories or policy.limit, False: policy.max_messages or policy.limit}
    for position, scored in enumerate(ranked, start=1):
        is_fact = scored.candidate.kind is not None
        if len(results) >= policy.limit:
            rejections.append((scored, f"rank {position}, only {policy.limit} are handed on"))
        elif not remaining[is_fact]:
            limit = policy.max_memories if is_fact else policy.max_messages
            rejections.append((scored, f"only {limit} {'facts' if is_fact else 'messages'} are handed on"))
        else:
            remaining[is_fact] -= 1
            results.append(scored)
    return results, rejections
