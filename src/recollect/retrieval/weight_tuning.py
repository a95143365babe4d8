"""
Tune the ranking weights: grid search and coordinate ascent on NDCG@5, validated by 5-fold cross-validation.

`coordinate_ascent` first tries every point of a small grid over alpha, beta and gamma, then changes one weight at a
time to a few multiples of its value, for at most `MAX_ROUNDS` rounds or until a round changes nothing. A trial is
accepted only if mean NDCG rises by more than `MIN_GAIN` and more queries improve than worsen, so ties change nothing
and a single lucky query cannot decide.

`tune_weights` optimizes on all queries (the training score), and once per fold on the other four fifths; the held-out
score ranks each query with weights that were chosen without it. Folds depend on the text of the queries only, so that
the same labels always give the same result. NDCG of a ranking with gains g1, g2, … is Σ g_i / log2(i + 1), divided by
the same sum for the ideal order: one relevant passage in second place gives 1 / log2(3) = 0.63.

Cost: trials × queries × candidates. Searches and features are computed once per query; a trial only repeats the
weighted sum, except that another alpha : beta share changes features of the evidence ranker (see `alpha_share`).
"""

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
from recollect.retrieval.scoring.scorer import Scorer, recency
from recollect.retrieval.scoring.table import scorer_of
from recollect.retrieval.selection import deduplicate

#: Values of settings in the section `recall`, by name.
Weights: TypeAlias = Mapping[str, float]
#: Returns the NDCG of each query for given weights.
Objective: TypeAlias = Callable[[Weights], Sequence[float]]

#: Ranks that count.
NDCG_DEPTH = 5
FOLD_COUNT = 5
#: With fewer labelled queries a gain is chance.
MIN_LABELS = 10
#: Smallest gain in mean NDCG that justifies a change.
MIN_GAIN = 0.005
MAX_ROUNDS = 3
#: Shorter quotations occur in unrelated texts by chance.
MIN_QUOTE_CHARS = 8

#: Alpha shares that differ by less than this are treated as equal: their features hardly differ.
ALPHA_SHARE_STEP = 0.05

_WEIGHT_GRID: Mapping[str, tuple[float, ...]] = {
    "alpha": (0.3, 0.5, 0.7, 0.9),
    "beta": (0.1, 0.3, 0.5, 0.7),
    "gamma": (0.0, 0.1, 0.2),
}
_TRIAL_FACTORS = (0.0, 0.5, 1.5, 2.0)
_TRIALS_FROM_ZERO = (0.05, 0.15, 0.3)
#: Exceptions: zero is invalid, larger values cannot raise NDCG, or the scale differs.
_TRIAL_FACTORS_BY_WEIGHT = {"half_life_days": (0.25, 0.5, 2.0, 4.0), "relative_cutoff": (0.0, 0.5)}
_TRIAL_VALUES_BY_WEIGHT = {
    "boost_min": (0.0, 0.1, 0.3, 0.5, 0.8, 1.0),
    "boost_max": (1.0, 1.25, 1.5, 2.0, 3.0),
}
_MAX_WEIGHTS = {"alpha": 1.0, "beta": 1.0, "gamma": 1.0, "relative_cutoff": 1.0, "half_life_days": 3650.0}


def ndcg(gains: Sequence[float], ideal: Sequence[float], *, depth: int = NDCG_DEPTH) -> float:
    """Return the normalized discounted cumulative gain, from 0 to 1; 0 if there is nothing to find."""
    best = _dcg(sorted(ideal, reverse=True)[:depth])
    return min(_dcg(gains[:depth]) / best, 1.0) if best else 0.0


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains, start=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuery:
    """Candidates of one query in tie-break order, with their features and the labels they match."""

    candidates: tuple[ScoredCandidate, ...]
    parts: tuple[dict[str, float], ...]
    label_matches: tuple[frozenset[int], ...]
    gains: tuple[float, ...]  #: gain of each label


def label_candidates(candidates: Sequence[ScoredCandidate], label: RelevanceLabel) -> LabelledQuery:
    """Deduplicate the candidates and match them with the labels."""
    unique, _ = deduplicate(sorted(candidates, key=lambda each: (each.candidate.source, each.candidate.id)))
    labels = list(label.gains)
    return LabelledQuery(
        candidates=tuple(unique),
        parts=tuple(dict(each.parts) for each in unique),
        label_matches=tuple(_matching_labels(each.candidate, labels) for each in unique),
        gains=tuple(label.gains.values()),
    )


def with_half_life(labelled: LabelledQuery, now: datetime, half_life_days: float) -> LabelledQuery:
    """Return the query with recency computed for another half-life."""
    parts = tuple(
        {**part, "recency": recency(each.candidate, now, half_life_days)}
        for part, each in zip(labelled.parts, labelled.candidates, strict=True)
    )
    return replace(labelled, parts=parts)


def alpha_share(weights: Weights, scorer: Scorer) -> float:
    """
    Return the rounded share alpha / (alpha + beta): the only weights that change features, not just their sum.

    They do so only where surroundings are evidence, because the best match of a chat or a neighbour depends on them.
    """
    if not scorer.uses_surroundings:
        return 0.0
    both = weights["alpha"] + weights["beta"]
    return round(weights["alpha"] / both / ALPHA_SHARE_STEP) * ALPHA_SHARE_STEP if both else 0.0


def _matching_labels(candidate: Candidate, labels: Sequence[str]) -> frozenset[int]:
    """Return the labels that name the candidate by its id, its message's id, or a quotation from it."""
    candidate_text = normalize_fact(candidate.text)
    names = {candidate.id, candidate.parent_id}
    return frozenset(
        index
        for index, label in enumerate(labels)
        if label in names
        or (quote := normalize_fact(label)) == candidate_text
        or (len(quote) >= MIN_QUOTE_CHARS and quote in candidate_text)
    )


def query_ndcg(labelled: LabelledQuery, policy: RecallPolicy) -> float:
    """Return the NDCG of the candidates ranked with this policy."""
    formula = scorer_of(policy).formula(policy)
    scores = [formula(part) for part in labelled.parts]
    min_score = policy.relative_cutoff * max(scores, default=0.0)
    # `nlargest` keeps ties in their order.
    first = nlargest(NDCG_DEPTH, range(len(scores)), key=scores.__getitem__)
    return ndcg(
        list(_ranked_gains(labelled, [place for place in first if scores[place] >= min_score])),
        labelled.gains,
    )


def _ranked_gains(labelled: LabelledQuery, places: Sequence[int]) -> Iterator[float]:
    """Yield the gain at each rank; a label counts once, at the first candidate that matches it."""
    counted: set[int] = set()
    for place in places:
        new = labelled.label_matches[place] - counted
        counted |= new
        yield sum(labelled.gains[index] for index in new)


def with_weights(policy: RecallPolicy, weights: Weights) -> RecallPolicy:
    settings = {f"recall.{name}": value for name, value in weights.items()}
    return Policy(recall=policy).with_values(settings).recall


def split_folds(names: Sequence[str], count: int = FOLD_COUNT) -> list[tuple[int, ...]]:
    """Split indexes into folds of nearly equal size, by hash: independent of the order of the names."""
    places = sorted(range(len(names)), key=lambda place: (_digest(names[place]), place))
    return [tuple(places[start::count]) for start in range(count)]


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def trial_values(weight_name: str, value: float) -> list[float]:
    """Return the values to try for one weight."""
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
    Return the best weights: first over the grid, then one weight at a time.

    A change that gains no more than `MIN_GAIN` is discarded, so ties change nothing.
    """
    best, best_scores = dict(start), objective(start)

    def take_if_better(changes: Weights) -> None:
        nonlocal best, best_scores
        trial = {**best, **changes}
        scores = objective(trial)
        if _is_better(scores, best_scores):
            best, best_scores = trial, scores

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
    """Whether the mean rises by more than `MIN_GAIN` and more queries improve than worsen."""
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
    Optimize the weights on all queries, and estimate the gain on unseen queries by cross-validation.

    `objective` is called once for the same weights.
    """
    score_cache: dict[tuple[float, ...], Sequence[float]] = {}

    def evaluate(weights: Weights) -> Sequence[float]:
        key = tuple(weights[name] for name in start)
        if key not in score_cache:
            score_cache[key] = objective(weights)
        return score_cache[key]

    def optimize_on(places: Sequence[int]) -> Weights:
        return coordinate_ascent(start, lambda weights: _select(evaluate(weights), places))

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
