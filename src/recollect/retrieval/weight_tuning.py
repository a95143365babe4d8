"""Looks for numbers that put what is relevant first, and finds out whether the gain would last."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nlargest
from itertools import product
from math import log2
from typing import TypeAlias

from recollect.domain.candidate import Candidate, Recollection
from recollect.domain.feedback import Label
from recollect.domain.memory import normalised
from recollect.domain.policy import Policy, Recall
from recollect.domain.tuning import Measured, Tuned
from recollect.retrieval import evidence, ranking

#: Numbers of the policy's section `recall`, by name.
Numbers: TypeAlias = Mapping[str, float]
#: What some numbers are worth for each question.
Worth: TypeAlias = Callable[[Numbers], Sequence[float]]

#: Places that count.
DEPTH = 5
FOLDS = 5
#: With fewer questions a better number is luck.
FEWEST = 10
#: A smaller gain is not worth a change.
LEAST_GAIN = 0.005
ROUNDS = 3
#: Letters of a quotation; shorter ones stand in any text.
SHORTEST_QUOTE = 8

_MATCH = ("alpha", "beta", "gamma")
#: What each ranker looks at; the others have no numbers to tune.
TUNED: Mapping[str, tuple[str, ...]] = {
    "sum": (*_MATCH, "cliff"),
    "blend": (*_MATCH, "half_life_days", "boost_min", "boost_max", "cliff"),
    "product": ("half_life_days", "cliff"),
    "evidence": (
        *(
            *_MATCH,
            "middle",
            "chat",
            "answer",
            "follow",
            "lead",
            "date",
            "speaker",
            "sort",
            "personal",
            "short",
            "asks",
        ),
        *("assistant", "outdated", "fresh", "half_life_days", "cliff"),
    ),
}
#: Mixtures of meaning and words that are nearer to each other than this say nearly the same of a passage.
MIXTURE_STEP = 0.05

_GRID: Mapping[str, tuple[float, ...]] = {
    "alpha": (0.3, 0.5, 0.7, 0.9),
    "beta": (0.1, 0.3, 0.5, 0.7),
    "gamma": (0.0, 0.1, 0.2),
}
_FACTORS = (0.0, 0.5, 1.5, 2.0)
_FROM_NOTHING = (0.05, 0.15, 0.3)
#: Where zero makes no sense, more is not better by this measure, or the scale is another one.
_OWN_FACTORS = {"half_life_days": (0.25, 0.5, 2.0, 4.0), "cliff": (0.0, 0.5)}
_OWN_VALUES = {"boost_min": (0.0, 0.1, 0.3, 0.5, 0.8, 1.0), "boost_max": (1.0, 1.25, 1.5, 2.0, 3.0)}
_AT_MOST = {"alpha": 1.0, "beta": 1.0, "gamma": 1.0, "cliff": 1.0, "half_life_days": 3650.0}


def ndcg(gains: Sequence[float], ideal: Sequence[float], *, at: int = DEPTH) -> float:
    """How good an order is, from 0 to 1: what comes later counts less. Without anything to find it is 0."""
    best = _discounted(sorted(ideal, reverse=True)[:at])
    return min(_discounted(gains[:at]) / best, 1.0) if best else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains, start=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """All that was found for one question, in the order of ties, and which of the wanted each of it is."""

    found: tuple[Recollection, ...]
    parts: tuple[dict[str, float], ...]
    answers: tuple[frozenset[int], ...]
    gains: tuple[float, ...]  #: of the wanted


def sheet(found: Sequence[Recollection], label: Label) -> Sheet:
    """Each thing once, as it would be handed on."""
    listed, _ = ranking.collapsed(sorted(found, key=lambda each: (each.candidate.source, each.candidate.id)))
    wanted = list(label.relevant)
    return Sheet(
        found=tuple(listed),
        parts=tuple(dict(each.parts) for each in listed),
        answers=tuple(_answers(each.candidate, wanted) for each in listed),
        gains=tuple(label.relevant.values()),
    )


def aged(page: Sheet, now: datetime, half_life_days: float) -> Sheet:
    """The same found, with time passing at another pace."""
    parts = tuple(
        {**part, "recency": ranking.recency(each.candidate, now, half_life_days)}
        for part, each in zip(page.parts, page.found, strict=True)
    )
    return replace(page, parts=parts)


def mixture(numbers: Numbers, ranker: str) -> float:
    """Of the numbers, what changes what is said for a passage, and not only how much each of it counts."""
    if ranker != "evidence":
        return 0.0
    both = numbers["alpha"] + numbers["beta"]
    return round(numbers["alpha"] / both / MIXTURE_STEP) * MIXTURE_STEP if both else 0.0


def _answers(candidate: Candidate, wanted: Sequence[str]) -> frozenset[int]:
    """Named by its id, by that of its message, or by words it holds."""
    said = normalised(candidate.text)
    names = {candidate.id, candidate.parent}
    return frozenset(
        place
        for place, want in enumerate(wanted)
        if want in names
        or (words := normalised(want)) == said
        or (len(words) >= SHORTEST_QUOTE and words in said)
    )


def quality(page: Sheet, policy: Recall) -> float:
    """NDCG of a question's passages if they were ranked by this policy."""
    if policy.ranker == "evidence":
        share = evidence.shares(policy)
        scores = [evidence.score(part, share) for part in page.parts]
    else:
        scores = [ranking.score(part, policy) for part in page.parts]
    least = policy.cliff * max(scores, default=0.0)
    # Equals stay in their order.
    first = nlargest(DEPTH, range(len(scores)), key=scores.__getitem__)
    return ndcg(list(_gains(page, [place for place in first if scores[place] >= least])), page.gains)


def _gains(page: Sheet, places: Sequence[int]) -> Iterator[float]:
    """What is wanted counts once, where it is first found."""
    taken: set[int] = set()
    for place in places:
        fresh = page.answers[place] - taken
        taken |= fresh
        yield sum(page.gains[each] for each in fresh)


def with_numbers(policy: Recall, numbers: Numbers) -> Recall:
    named = {f"recall.{name}": value for name, value in numbers.items()}
    return Policy(recall=policy).with_values(named).recall


def folds(names: Sequence[str], number: int = FOLDS) -> list[tuple[int, ...]]:
    """Deal things out, as evenly as can be and the same every time, whatever order they come in."""
    places = sorted(range(len(names)), key=lambda place: (_digest(names[place]), place))
    return [tuple(places[start::number]) for start in range(number)]


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def around(name: str, value: float) -> list[float]:
    """What else to try for one number."""
    if name in _OWN_VALUES:
        tries: Sequence[float] = _OWN_VALUES[name]
    elif value:
        tries = [value * factor for factor in _OWN_FACTORS.get(name, _FACTORS)]
    else:
        tries = () if name in _OWN_FACTORS else _FROM_NOTHING
    rounded = dict.fromkeys(round(min(each, _AT_MOST.get(name, each)), 4) for each in tries)
    return [each for each in rounded if each != value]


def climb(start: Numbers, worth: Worth) -> Numbers:
    """
    The best numbers found: first among all mixtures of a few, then by turning one after the other.

    What is not better by a little is left as it was, so that ties change nothing.
    """
    best, reached = dict(start), worth(start)

    def take_if_better(changes: Numbers) -> None:
        nonlocal best, reached
        trial = {**best, **changes}
        found = worth(trial)
        if _is_better(found, reached):
            best, reached = trial, found

    for mixed in _mixtures(start):
        take_if_better(mixed)
    for _ in range(ROUNDS):
        before = best
        for name in start:
            for each in around(name, best[name]):
                take_if_better({name: each})
        if best is before:
            break
    return best


def _is_better(found: Sequence[float], reached: Sequence[float]) -> bool:
    """By enough, and for more questions than it is worse for: a single one that gains much proves little."""
    pairs = list(zip(found, reached, strict=True))
    gained, lost = sum(new > old for new, old in pairs), sum(new < old for new, old in pairs)
    return _mean(found) > _mean(reached) + LEAST_GAIN and gained > lost


def _mixtures(start: Numbers) -> Iterator[Numbers]:
    names = [name for name in _GRID if name in start]
    for values in product(*(_GRID[name] for name in names)):
        yield dict(zip(names, values, strict=True))


def tuned(start: Numbers, worth: Worth, questions: Sequence[str], *, unfound: int = 0) -> Tuned:
    """
    Choose numbers by all questions; and for each fifth of them by the others, to see what the choice is worth.

    `worth` is asked for the same numbers once.
    """
    known: dict[tuple[float, ...], Sequence[float]] = {}

    def all_worth(numbers: Numbers) -> Sequence[float]:
        key = tuple(numbers[name] for name in start)
        if key not in known:
            known[key] = worth(numbers)
        return known[key]

    def chosen_by(places: Sequence[int]) -> Numbers:
        return climb(start, lambda numbers: _at(all_worth(numbers), places))

    everything = range(len(questions))
    before, after = all_worth(start), chosen_by(everything)
    unseen = [0.0] * len(questions)
    for fold in folds(questions):
        chosen = chosen_by(sorted(set(everything) - set(fold)))
        for place in fold:
            unseen[place] = all_worth(chosen)[place]
    return Tuned(
        before=start,
        after=after,
        seen=Measured(_mean(before), _mean(all_worth(after))),
        unseen=Measured(_mean(before), _mean(unseen)),
        questions=len(questions),
        better=sum(now > then for now, then in zip(unseen, before, strict=True)),
        worse=sum(now < then for now, then in zip(unseen, before, strict=True)),
        unfound=unfound,
        tried=len(known),
    )


def _at(values: Sequence[float], places: Sequence[int]) -> list[float]:
    return [values[place] for place in places]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)
