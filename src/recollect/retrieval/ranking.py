"""Put candidates in order, and say what each score is made of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.candidate import Candidate, Recollection, Source
from recollect.domain.memory import normalised
from recollect.domain.policy import Recall

#: In seconds.
DAY = 86_400.0


def recency(candidate: Candidate, now: datetime, half_life_days: float) -> float:
    """1 for what was said now, half of it after a half-life. The future is now."""
    age = (now - candidate.seen_at).total_seconds()
    return 0.5 ** (age / (half_life_days * DAY)) if age > 0 else 1.0


def calibrated(cosine: float | None, floor: float) -> float:
    """0 where texts have nothing to do with each other, 1 where they are the same."""
    if cosine is None or floor >= 1:
        return 0.0
    return min(max((cosine - floor) / (1 - floor), 0.0), 1.0)


def parts(
    candidate: Candidate,
    *,
    strongest: float,
    named: frozenset[str],
    now: datetime,
    policy: Recall,
    floor: float,
) -> dict[str, float]:
    """What there is to say for a candidate, each part from 0 to 1."""
    raw = policy.ranker in {"sum", "product", "cosine"}
    dense = max(candidate.dense or 0.0, 0.0) if raw else calibrated(candidate.dense, floor)
    text = candidate.text.casefold() if named else ""
    return {
        "dense": dense,
        "lexical": (candidate.lexical or 0.0) / strongest if strongest else 0.0,
        "identifier": float(any(name in text for name in named)),
        "weight": candidate.weight if candidate.importance is None else candidate.importance / 100,
        "recency": recency(candidate, now, policy.half_life_days),
    }


def score(part: Mapping[str, float], policy: Recall) -> float:
    match = policy.alpha * part["dense"] + policy.beta * part["lexical"] + policy.gamma * part["identifier"]
    match policy.ranker:
        case "sum":
            return match
        case "product":
            return part["dense"] * part["weight"] * part["recency"]
        case "cosine":
            return part["dense"]
        case "importance":
            return part["weight"] + part["recency"] / 1000
        case _:
            boost = part["weight"] * part["recency"]
            return match * min(max(boost, policy.boost_min), policy.boost_max)


def rank(
    candidates: Iterable[Candidate], *, named: frozenset[str], now: datetime, policy: Recall, floor: float
) -> list[Recollection]:
    """All candidates, best first."""
    listed = list(candidates)
    strongest = max((c.lexical or 0.0 for c in listed), default=0.0)
    scored = []
    for candidate in listed:
        part = parts(candidate, strongest=strongest, named=named, now=now, policy=policy, floor=floor)
        scored.append(Recollection(candidate=candidate, score=score(part, policy), parts=part))
    return in_order(scored)


def in_order(scored: Iterable[Recollection]) -> list[Recollection]:
    # Ties break by source and id so that the same store gives the same prompt twice:
    # provider prompt caches depend on it.
    return sorted(scored, key=lambda r: (-r.score, r.candidate.source, r.candidate.id))


def reread(
    ranked: Sequence[Recollection], scores: Sequence[float | None], share: float
) -> list[Recollection]:
    """Put the first of them in order anew by what was said when they were read again; None was not read."""
    read = [
        r if score is None else replace(r, score=r.score + share * score, parts={**r.parts, "reread": score})
        for r, score in zip(ranked, scores, strict=False)
    ]
    return [*in_order(read), *ranked[len(read) :]]


def unrelated(candidate: Candidate, floor: float) -> bool:
    """Brought by its vector alone, and even that says it has nothing to do with the question."""
    return candidate.lexical is None and candidate.dense is not None and candidate.dense < floor


def related(
    ranked: Sequence[Recollection], floor: float, *, spare: frozenset[Source]
) -> tuple[list[Recollection], list[tuple[Recollection, str]]]:
    """Part what bears on the question from what does not; some sources are spared the test."""
    near: list[Recollection] = []
    far: list[tuple[Recollection, str]] = []
    for recollection in ranked:
        reason = None if recollection.candidate.source in spare else _why_unrelated(recollection, floor)
        if reason is None:
            near.append(recollection)
        else:
            far.append((recollection, reason))
    return near, far


def _why_unrelated(recollection: Recollection, floor: float) -> str | None:
    candidate, part = recollection.candidate, recollection.parts
    if part.get("answer") or part.get("date"):
        return None
    if unrelated(candidate, floor):
        return f"cosine {candidate.dense:.2f} is below {floor:.2f}"
    if (
        "answer" in part
        and candidate.source is Source.MESSAGE
        and candidate.dense is candidate.lexical is None
    ):
        return "only beside one that was found"
    return None


def collapsed(ranked: Sequence[Recollection]) -> tuple[list[Recollection], list[tuple[Recollection, str]]]:
    """Each thing once: a chunk stands for its whole message, a memory for the message with the same words."""
    cut_up = {r.candidate.parent for r in ranked if r.candidate.parent}
    remembered = {normalised(r.candidate.text) for r in ranked if r.candidate.source is Source.MEMORY}
    kept: list[Recollection] = []
    dropped: list[tuple[Recollection, str]] = []
    for recollection in ranked:
        candidate = recollection.candidate
        if candidate.source is Source.MESSAGE and candidate.id in cut_up:
            dropped.append((recollection, "covered by its chunk"))
        elif (
            remembered and candidate.source is not Source.MEMORY and normalised(candidate.text) in remembered
        ):
            dropped.append((recollection, "a memory says the same"))
        else:
            kept.append(recollection)
    return kept, dropped


def above_cliff(
    ranked: Sequence[Recollection], share: float, *, spare: frozenset[Source]
) -> tuple[list[Recollection], list[tuple[Recollection, str]]]:
    """Part what scores anywhere near the best from what was merely brought along."""
    least = share * max((r.score for r in ranked), default=0.0)
    reason = f"below {share:.0%} of the best score"
    near: list[Recollection] = []
    far: list[tuple[Recollection, str]] = []
    for recollection in ranked:
        if recollection.score >= least or recollection.candidate.source in spare:
            near.append(recollection)
        else:
            far.append((recollection, reason))
    return near, far


def cut(
    ranked: Sequence[Recollection], policy: Recall
) -> tuple[list[Recollection], list[tuple[Recollection, str]]]:
    """The best of them within the policy's numbers; the others with the reason why not."""
    kept: list[Recollection] = []
    dropped: list[tuple[Recollection, str]] = []
    room = {True: policy.facts or policy.limit, False: policy.history or policy.limit}
    for place, recollection in enumerate(ranked, start=1):
        is_fact = recollection.candidate.kind is not None
        if len(kept) >= policy.limit:
            dropped.append((recollection, f"rank {place}, only {policy.limit} are handed on"))
        elif not room[is_fact]:
            limit = policy.facts if is_fact else policy.history
            dropped.append((recollection, f"only {limit} {'facts' if is_fact else 'messages'} are handed on"))
        else:
            room[is_fact] -= 1
            kept.append(recollection)
    return kept, dropped
