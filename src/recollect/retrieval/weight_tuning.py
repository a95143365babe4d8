"""Looks for numbers that put what is relevant first, and finds out whether the gain would last."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nlargest
from itertools import product
from math import log2
from typing import TypeAlias

from recollect.domain.candidate import Candidate, ScoredCandidate
from recollect.domain.feedback import RelevanceLabel
from recollect.domain.memory import normalize_fact
from recollect.domain.policy import Policy, RecallPolicy
from recollect.domain.tuning import NdcgChange, TuningResult
from recollect.retrieval import evidence, ranking

#: Numbers of the policy's section `recall`, by name.
Weights: TypeAlias = Mapping[str, float]
#: What some numbers are worth for each question.
Objective: TypeAlias = Callable[[Weights], Sequence[float]]

#: Places that count.
NDCG_DEPTH = 5
FOLD_COUNT = 5
#: With fewer questions a better number is luck.
MIN_LABELS = 10
#: A smaller gain is not worth a change.
MIN_GAIN = 0.005
MAX_ROUNDS = 3
#: Letters of a quotation; shorter ones stand in any text.
MIN_QUOTE_CHARS = 8

_MATCH_WEIGHTS = ("alpha", "beta", "gamma")
#: What each ranker looks at; the others have no numbers to tune.
TUNED_WEIGHTS_BY_RANKER: Mapping[str, tuple[str, ...]] = {
    "sum": (*_MATCH_WEIGHTS, "relative_cutoff"),
    "blend": (*_MATCH_WEIGHTS, "half_life_days", "boost_min", "boost_max", "relative_cutoff"),
    "product": ("half_life_days", "relative_cutoff"),
    "evidence": (
        *_MATCH_WEIGHTS,
        "centroid_penalty",
        "chat_weight",
        "reply_weight",
        "previous_weight",
        "lexical_lead_weight",
        "date_weight",
        "speaker_weight",
        "answer_type_weight",
        "personal_weight",
        "short_penalty",
        "question_penalty",
        "assistant_penalty",
        "outdated_penalty",
        "freshness_weight",
        "half_life_days",
        "relative_cutoff",
    ),
}
#: Mixtures of meaning and words that are nearer to each other than this say nearly the same of a passage.
ALPHA_SHARE_STEP = 0.05

_WEIGHT_GRID: Mapping[str, tuple[float, ...]] = {
    "alpha": (0.3, 0.5, 0.7, 0.9),
    "beta": (0.1, 0.3, 0.5, 0.7),
    "gamma": (0.0, 0.1, 0.2),
}
_TRIAL_FACTORS = (0.0, 0.5, 1.5, 2.0)
_TRIALS_FROM_ZERO = (0.05, 0.15, 0.3)
#: Where zero makes no sense, more is not better by this measure, or the scale is another one.
_TRIAL_FACTORS_BY_WEIGHT = {"half_life_days": (0.25, 0.5, 2.0, 4.0), "relative_cutoff": (0.0, 0.5)}
_TRIAL_VALUES_BY_WEIGHT = {
    "boost_min": (0.0, 0.1, 0.3, 0.5, 0.8, 1.0),
    "boost_max": (1.0, 1.25, 1.5, 2.0, 3.0),
}
_MAX_WEIGHTS = {"alpha": 1.0, "beta": 1.0, "gamma": 1.0, "relative_cutoff": 1.0, "half_life_days": 3650.0}


def ndcg(gains: Sequence[float], ideal: Sequence[float], *, depth: int = NDCG_DEPTH) -> float:
    """How good an order is, from 0 to 1: what comes later counts less. Without anything to find it is 0."""
    best = _dcg(sorted(ideal, reverse=True)[:depth])
    return min(_dcg(gains[:depth]) / best, 1.0) if best else 0.0


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains, start=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuery:
    """All that was found for one question, in the order of ties, and which of the wanted each of it is."""

    candidates: tuple[ScoredCandidate, ...]
    parts: tuple[dict[str, float], ...]
    label_matches: tuple[frozenset[int], ...]
    gains: tuple[float, ...]  #: of the wanted


def label_candidates(candidates: Sequence[ScoredCandidate], label: RelevanceLabel) -> LabelledQuery:
    """Each thing once, as it would be handed on."""
    unique, _ = ranking.deduplicate(
        sorted(candidates, key=lambda each: (each.candidate.source, each.candidate.id))
    )
    labels = list(label.gains)
    return LabelledQuery(
        candidates=tuple(unique),
        parts=tuple(dict(each.parts) for each in unique),
        label_matches=tuple(_matching_labels(each.candidate, labels) for each in unique),
        gains=tuple(label.gains.values()),
    )


def with_half_life(labelled: LabelledQuery, now: datetime, half_life_days: float) -> LabelledQuery:
    """The same found, with time passing at another pace."""
    parts = tuple(
        {**part, "recency": ranking.recency(each.candidate, now, half_life_days)}
        for part, each in zip(labelled.parts, labelled.candidates, strict=True)
    )
    return replace(labelled, parts=parts)


def alpha_share(weights: Weights, ranker: str) -> float:
    """Of the numbers, what changes what is said for a passage, and not only how much each of it counts."""
    if ranker != "evidence":
        return 0.0
    both = weights["alpha"] + weights["beta"]
    return round(weights["alpha"] / both / ALPHA_SHARE_STEP) * ALPHA_SHARE_STEP if both else 0.0


def _matching_labels(candidate: Candidate, labels: Sequence[str]) -> frozenset[int]:
    """Named by its id, by that of its message, or by words it holds."""
    candidate_text = normalize_fact(candidate.text)
    names = {candidate.id, candidate.parent_id}
    return frozenset(
        place
        for place, want in enumerate(labels)
        if want in names
        or (words := normalize_fact(want)) == candidate_text
        or (len(words) >= MIN_QUOTE_CHARS and words in candidate_text)
    )


def query_ndcg(labelled: LabelledQuery, policy: RecallPolicy) -> float:
    """NDCG of a question's passages if they were ranked by this policy."""
    if policy.ranker == "evidence":
        weights = evidence.part_weights(policy)
        scores = [evidence.score(part, weights) for part in labelled.parts]
    else:
        scores = [ranking.score(part, policy) for part in labelled.parts]
    min_score = policy.relative_cutoff * max(scores, default=0.0)
    # Equals stay in their order.
    first = nlargest(NDCG_DEPTH, range(len(scores)), key=scores.__getitem__)
    return ndcg(
        list(_ranked_gains(labelled, [place for place in first if scores[place] >= min_score])),
        labelled.gains,
    )


def _ranked_gains(labelled: LabelledQuery, places: Sequence[int]) -> Iterator[float]:
    """What is wanted counts once, where it is first found."""
    counted: set[int] = set()
    for place in places:
        fresh = labelled.label_matches[place] - counted
        counted |= fresh
        yield sum(labelled.gains[each] for each in fresh)


def with_weights(policy: RecallPolicy, weights: Weights) -> RecallPolicy:
    settings = {f"recall.{name}": value for name, value in weights.items()}
    return Policy(recall=policy).with_values(settings).recall


def split_folds(names: Sequence[str], count: int = FOLD_COUNT) -> list[tuple[int, ...]]:
    """Deal things out, as evenly as can be and the same every time, whatever order they come in."""
    places = sorted(range(len(names)), key=lambda place: (_digest(names[place]), place))
    return [tuple(places[start::count]) for start in range(count)]


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def trial_values(weight_name: str, value: float) -> list[float]:
    """What else to try for one number."""
    if weight_name in _TRIAL_VALUES_BY_WEIGHT:
        tries: Sequence[float] = _TRIAL_VALUES_BY_WEIGHT[weight_name]
    elif value:
        tries = [value * factor for factor in _TRIAL_FACTORS_BY_WEIGHT.get(weight_name, _TRIAL_FACTORS)]
    else:
        tries = () if weight_name in _TRIAL_FACTORS_BY_WEIGHT else _TRIALS_FROM_ZERO
    rounded = dict.fromkeys(round(min(each, _MAX_WEIGHTS.get(weight_name, each)), 4) for each in tries)
    return [each for each in rounded if each != value]


def coordinate_ascent(start: Weights, objective: Objective) -> Weights:
    """
    The best numbers found: first among all mixtures of a few, then by turning one after the other.

    What is not better by a little is left as it was, so that ties change nothing.
    """
    best, best_scores = dict(start), objective(start)

    def take_if_better(changes: Weights) -> None:
        nonlocal best, best_scores
        trial = {**best, **changes}
        found = objective(trial)
        if _is_better(found, best_scores):
            best, best_scores = trial, found

    for grid_weights in _grid_points(start):
        take_if_better(grid_weights)
    for _ in range(MAX_ROUNDS):
        before = best
        for name in start:
            for each in trial_values(name, best[name]):
                take_if_better({name: each})
        if best is before:
            break
    return best


def _is_better(scores: Sequence[float], best_scores: Sequence[float]) -> bool:
    """By enough, and for more questions than it is worse for: a single one that gains much proves little."""
    pairs = list(zip(scores, best_scores, strict=True))
    gained, lost = sum(new > old for new, old in pairs), sum(new < old for new, old in pairs)
    return _mean(scores) > _mean(best_scores) + MIN_GAIN and gained > lost


def _grid_points(start: Weights) -> Iterator[Weights]:
    names = [name for name in _WEIGHT_GRID if name in start]
    for values in product(*(_WEIGHT_GRID[name] for name in names)):
        yield dict(zip(names, values, strict=True))


def tune_weights(
    start: Weights, objective: Objective, queries: Sequence[str], *, unanswerable: int = 0
) -> TuningResult:
    """
    Choose numbers by all questions; and for each fifth of them by the others, to see what the choice is worth.

    `worth` is asked for the same numbers once.
    """
    score_cache: dict[tuple[float, ...], Sequence[float]] = {}

    def evaluate(weights: Weights) -> Sequence[float]:
        key = tuple(weights[name] for name in start)
        if key not in score_cache:
            score_cache[key] = objective(weights)
        return score_cache[key]

    def optimize_on(places: Sequence[int]) -> Weights:
        return coordinate_ascent(start, lambda numbers: _select(evaluate(numbers), places))

    everything = range(len(queries))
    before, after = evaluate(start), optimize_on(everything)
    held_out = [0.0] * len(queries)
    for fold in split_folds(queries):
        fold_weights = optimize_on(sorted(set(everything) - set(fold)))
        for place in fold:
            held_out[place] = evaluate(fold_weights)[place]
    return TuningResult(
        before=start,
        after=after,
        training_ndcg=NdcgChange(_mean(before), _mean(evaluate(after))),
        held_out_ndcg=NdcgChange(_mean(before), _mean(held_out)),
        query_count=len(queries),
        improved_count=sum(now > then for now, then in zip(held_out, before, strict=True)),
        worsened_count=sum(now < then for now, then in zip(held_out, before, strict=True)),
        unanswerable_count=unanswerable,
        trial_count=len(score_cache),
    )


def _select(values: Sequence[float], places: Sequence[int]) -> list[float]:
    return [values[place] for place in places]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)
