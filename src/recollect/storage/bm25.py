"""
BM25 from postings.

    score(passage) = sum over terms of idf(term) * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / average length))

The best `limit` passages by score at average length are selected first (`top_by_upper_bound`), and only these are
scored exactly (`score_passages`), so that the lengths of the others need not be read. Cost: O(postings of the query's
terms). Example: for the term "kayak" in passages 3 and 7 of 1,000, idf is log(1 + 998.5 / 2.5) = 6.0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
ScoreArray: TypeAlias = NDArray[np.float64]

#: The usual constants of BM25.
K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """
    The passages that contain a term, ascending, with the term frequency in each.

    `document_frequency` counts all passages with the term, including those not listed.
    """

    passages: IntArray
    term_frequencies: IntArray
    document_frequency: int

    def idf(self, passage_count: int) -> float:
        return math.log(
            1 + (max(passage_count - self.document_frequency, 0) + 0.5) / (self.document_frequency + 0.5)
        )


def count_occurrences(occurrences: IntArray, allowed_passages: IntArray | None = None) -> Postings:
    """Return the postings of a term from its sorted occurrences, restricted to the allowed passages."""
    first = _first_positions(occurrences)
    passages, frequencies = occurrences[first], np.append(first[1:], len(occurrences)) - first
    if allowed_passages is not None:
        mask = np.isin(passages, allowed_passages, assume_unique=True)
        passages, frequencies = passages[mask], frequencies[mask]
    return Postings(passages=passages, term_frequencies=frequencies, document_frequency=len(passages))


def sum_frequencies(passages: IntArray, frequencies: IntArray) -> Postings:
    """Return the postings of a term from entries in any order; the frequencies of the same passage are added."""
    if not np.all(passages[1:] > passages[:-1]):
        order = np.argsort(passages, kind="stable")
        passages, frequencies = passages[order], frequencies[order]
        first = _first_positions(passages)
        passages, frequencies = passages[first], np.add.reduceat(frequencies, first)
    return Postings(passages=passages, term_frequencies=frequencies, document_frequency=len(passages))


def presence_postings(passages: IntArray, document_frequency: int) -> Postings:
    """Return postings with term frequency 1, for passages known only to contain the term."""
    postings = count_occurrences(np.sort(passages))
    return Postings(
        passages=postings.passages,
        term_frequencies=np.ones_like(postings.term_frequencies),
        document_frequency=document_frequency,
    )


def top_by_upper_bound(postings: Sequence[Postings], passage_count: int, limit: int) -> IntArray:
    """Return the `limit` passages that score highest at average length, ascending by number."""
    occurrences = np.concatenate([each.passages for each in postings] or [np.empty(0, np.int64)])
    if len(occurrences) <= limit:
        # `np.unique` would import numpy.ma, which takes as long as a short search.
        ordered = np.sort(occurrences)
        return ordered[_first_positions(ordered)]
    scores = np.concatenate(
        [each.idf(passage_count) * _term_weight(each.term_frequencies, np.ones(1)) for each in postings]
    )
    order = np.argsort(occurrences, kind="stable")
    occurrences, scores = occurrences[order], scores[order]
    first = _first_positions(occurrences)
    passages, totals = occurrences[first], np.add.reduceat(scores, first)
    if len(passages) > limit:
        passages = np.sort(passages[np.argpartition(-totals, limit)[:limit]])
    return passages


def score_passages(
    passages: IntArray, postings: Sequence[Postings], passage_count: int, relative_lengths: ScoreArray
) -> tuple[ScoreArray, IntArray]:
    """Return the BM25 score of each passage and its number of matched terms; lengths are relative to the average."""
    total, matched_terms = np.zeros(len(passages)), np.zeros(len(passages), dtype=np.int64)
    for each in postings:
        if len(each.passages):
            positions = np.minimum(np.searchsorted(each.passages, passages), len(each.passages) - 1)
            frequencies = np.where(each.passages[positions] == passages, each.term_frequencies[positions], 0)
            total += each.idf(passage_count) * _term_weight(frequencies, relative_lengths)
            matched_terms += frequencies > 0
    return total, matched_terms


def _first_positions(values: IntArray) -> NDArray[np.intp]:
    """Return the position of the first occurrence of each value in a sorted array."""
    changes = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def _term_weight(frequencies: IntArray, relative_lengths: ScoreArray) -> ScoreArray:
    weight: ScoreArray = frequencies * (K1 + 1) / (frequencies + K1 * (1 - B + B * relative_lengths))
    return weight
