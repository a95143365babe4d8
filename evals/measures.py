"""Ranking metrics: recall, hit rate and nDCG at k."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log2
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Metrics of one query, each from 0 to 1.
RecallMetrics: TypeAlias = dict[str, float]
Figures: TypeAlias = dict[str, "float | int | str | Figures"]


def unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def recall(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return the share of the relevant items among the first k."""
    return len(set(ranking[:k]) & set(relevant)) / len(set(relevant))


def ndcg(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return the normalized discounted cumulative gain at k, with binary relevance."""
    gain = sum(1 / log2(place + 2) for place, each in enumerate(ranking[:k]) if each in relevant)
    best = sum(1 / log2(place + 2) for place in range(min(len(set(relevant)), k)))
    return gain / best


def recall_metrics(
    prefix: str,
    results: Iterable[str],
    relevant: Collection[str],
    *,
    cutoffs: Sequence[int],
    ndcg_cutoffs: Sequence[int] = (),
) -> RecallMetrics:
    """Return recall, whether any and whether all relevant items are found, at each k; `name` prefixes the keys."""
    ranking = unique(results)
    metrics: RecallMetrics = {}
    for k in cutoffs:
        share = recall(ranking, relevant, k)
        metrics |= {f"{prefix}recall@{k}": share, f"{prefix}recall_any@{k}": float(share > 0)}
        metrics[f"{prefix}recall_all@{k}"] = float(share == 1)
    return metrics | {f"{prefix}ndcg@{k}": ndcg(ranking, relevant, k) for k in ndcg_cutoffs}


def average_metrics(metrics_by_query: Sequence[Mapping[str, float]]) -> Figures:
    """Return the mean of each metric over the queries that have it, in percent, and the number of queries."""
    values: dict[str, list[float]] = defaultdict(list)
    for each in metrics_by_query:
        for name, value in each.items():
            values[name].append(value)
    means: Figures = {name: round(100 * sum(scores) / len(scores), 2) for name, scores in values.items()}
    return {**means, "n": len(metrics_by_query)}


def average_by_group(grouped_metrics: Sequence[tuple[str, Mapping[str, float]]], name: str) -> Figures:
    """Return the averages of all queries, and under `name` those of each group."""
    groups: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for group, each in grouped_metrics:
        groups[group].append(each)
    figures_by_group: Figures = {group: average_metrics(groups[group]) for group in sorted(groups)}
    return {**average_metrics([each for _, each in grouped_metrics]), name: figures_by_group}


def area_under_roc(scores: Sequence[float] | NDArray[Any], is_relevant: NDArray[np.bool_]) -> float:
    """Return the probability that a relevant item has a higher score than an irrelevant one."""
    ranks = np.argsort(np.argsort(scores))
    count = int(is_relevant.sum())
    above = float(ranks[is_relevant].sum()) - count * (count - 1) / 2
    return above / (count * (len(ranks) - count))
