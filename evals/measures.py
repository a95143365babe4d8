"""What is counted: how many of the wanted things are among the first so many."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log2
from typing import TypeAlias

#: What is said of one question, each from 0 to 1.
Marks: TypeAlias = dict[str, float]
Figures: TypeAlias = dict[str, "float | int | str | Figures"]


def unique(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(found))


def recall(found: Sequence[str], wanted: Collection[str], k: int) -> float:
    """The share of the wanted that is among the first k."""
    return len(set(found[:k]) & set(wanted)) / len(set(wanted))


def ndcg(found: Sequence[str], wanted: Collection[str], k: int) -> float:
    """1 if the wanted come first; the later they come, the less."""
    gain = sum(1 / log2(place + 2) for place, each in enumerate(found[:k]) if each in wanted)
    best = sum(1 / log2(place + 2) for place in range(min(len(set(wanted)), k)))
    return gain / best


def marks(
    name: str,
    found: Iterable[str],
    wanted: Collection[str],
    *,
    at: Sequence[int],
    ndcg_at: Sequence[int] = (),
) -> Marks:
    """The share found, whether any is, whether all are; `name` stands before each, as in `turn_recall@5`."""
    ranked = unique(found)
    said: Marks = {}
    for k in at:
        share = recall(ranked, wanted, k)
        said |= {f"{name}recall@{k}": share, f"{name}recall_any@{k}": float(share > 0)}
        said[f"{name}recall_all@{k}"] = float(share == 1)
    return said | {f"{name}ndcg@{k}": ndcg(ranked, wanted, k) for k in ndcg_at}


def figures(all_marks: Sequence[Mapping[str, float]]) -> Figures:
    """The mean of each mark over the questions that have it, in percent, and how many questions there are."""
    values: dict[str, list[float]] = defaultdict(list)
    for each in all_marks:
        for name, value in each.items():
            values[name].append(value)
    means: Figures = {name: round(100 * sum(listed) / len(listed), 2) for name, listed in values.items()}
    return {**means, "n": len(all_marks)}


def by_group(all_marks: Sequence[tuple[str, Mapping[str, float]]], name: str) -> Figures:
    """The figures of all questions, and below `name` those of each group."""
    groups: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for group, each in all_marks:
        groups[group].append(each)
    parted: Figures = {group: figures(groups[group]) for group in sorted(groups)}
    return {**figures([each for _, each in all_marks]), name: parted}
