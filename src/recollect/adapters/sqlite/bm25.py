"""
BM25 over the full-text index, a word at a time.

Of a rare word every occurrence comes out of SQLite and is counted by numpy. A word that stands in thousands of passages
is asked for beside the others only, where the index skips what does not matter.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.adapters.sqlite.rows import fetch, fetch_number, fetch_one
from recollect.domain.candidate import Hit

IntArray: TypeAlias = NDArray[np.int64]
ScoreArray: TypeAlias = NDArray[np.float64]
#: Whether passages of each kind are wanted.
KindMask: TypeAlias = NDArray[np.bool_]
#: A word in all the forms it may stand under.
TermForms: TypeAlias = tuple[str, ...]

#: The usual constants of BM25.
K1, B = 1.2, 0.75
#: A word with so many occurrences is frequent: whether it stands in a passage counts, and no longer how often.
FREQUENT_TERM_POSTINGS = 5_000
#: A word in so many passages says nothing about any of them; it is looked for only if there is no rarer one, and then
#: where it was said last.
COMMON_TERM_PASSAGES = 20_000
#: Passages of a frequent word that are taken, the newest, where passages are lacking.
MAX_FREQUENT_POSTINGS = 200
#: Passages whose length is looked up besides those wanted, since a short one may come first; a hundred of them change
#: LoCoMo's recall by a tenth of a point, one way or the other.
EXTRA_LENGTH_LOOKUPS = 40
#: How much an index may grow or shrink before its frequent words are counted again.
MAX_INDEX_DRIFT = 0.05

#: Of all words at once: each statement has to find its way into the index by itself.
SELECT_POSTINGS = """
    SELECT (SELECT group_concat(doc) FROM (SELECT doc FROM temp.words WHERE term = j.value LIMIT ?2))
    FROM json_each(?1) j ORDER BY j.key
"""
SELECT_MATCHING = "SELECT rowid FROM passages_fts WHERE passages_fts MATCH ? LIMIT ?"
SELECT_NEWEST_MATCHING = (
    "SELECT rowid FROM passages_fts WHERE passages_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
)
#: In one row: of hundreds each would be handed over by itself, and other threads take their turn in between.
SELECT_LENGTHS = """
    SELECT group_concat(hex(coalesce(d.sz, x'01')))
    FROM json_each(?) j LEFT JOIN passages_fts_docsize d ON d.id = j.value
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """The passages that hold a word, in order, how often each does, and how many there are, listed here or not."""

    passages: IntArray
    term_frequencies: IntArray
    document_frequency: int

    def idf(self, passage_count: int) -> float:
        return math.log(
            1 + (max(passage_count - self.document_frequency, 0) + 0.5) / (self.document_frequency + 0.5)
        )


class DocumentFrequencyCache:
    """Remembers which words are frequent, and how many passages hold them, so that they are not counted each time."""

    def __init__(self, max_terms: int = 10_000) -> None:
        self._max_terms = max_terms
        self._counts: dict[TermForms, tuple[int, int]] = {}

    def get(self, forms: TermForms, passage_count: int) -> int | None:
        """How many passages held the word when there were about as many `rows` as now."""
        count, cached_passage_count = self._counts.get(forms, (0, 0))
        return (
            count
            if abs(passage_count - cached_passage_count) < MAX_INDEX_DRIFT * cached_passage_count
            else None
        )

    def put(self, forms: TermForms, passage_count: int, count: int) -> None:
        if len(self._counts) >= self._max_terms:
            self._counts.clear()
        self._counts[forms] = (count, passage_count)


def top_passages(
    db: apsw.Connection,
    terms: Sequence[TermForms],
    *,
    within: TermForms | IntArray | None,
    kinds: tuple[int, ...],
    limit: int,
    frequencies: DocumentFrequencyCache,
) -> list[Hit]:
    """
    The passages that score highest, best first: at least `limit` if there are so many, and some more.

    They must hold one of the words `within`, or be one of its passages.
    """
    passage_count, average_length = _read_index_statistics(db)
    kind_mask = np.array([kind in kinds for kind in range(4)])
    rare_terms, frequent_terms, common_count = _split_by_frequency(db, terms, passage_count, frequencies)
    if frequent_terms and not rare_terms and min(frequent_terms.values()) < COMMON_TERM_PASSAGES:
        rarest = min(frequent_terms, key=lambda forms: frequent_terms[forms])
        del frequent_terms[rarest]
        rare_terms |= _read_postings(db, [rarest], COMMON_TERM_PASSAGES)
    scope = _match_any([within]) if isinstance(within, tuple) else None
    passages_in_scope = (
        _search_fts(db, _match_all(_match_any(rare_terms), scope)) if scope and rare_terms else None
    )
    allowed_passages = None if isinstance(within, tuple) else within
    postings = [
        _count_occurrences(found, kind_mask, passages_in_scope if scope else allowed_passages)
        for found in rare_terms.values()
    ]
    if frequent_terms and allowed_passages is not None:
        postings += [
            _count_occurrences(np.sort(_search_fts(db, _match_any([forms]))), kind_mask, allowed_passages)
            for forms in frequent_terms
        ]
    elif frequent_terms:
        shortfall = 2 * limit - sum(len(each.passages) for each in postings)
        co_occurring = _find_co_occurring(
            db, frequent_terms, rare_terms=rare_terms, scope=scope, shortfall=shortfall
        )
        postings += [_presence_postings(found, count, kind_mask) for found, count in co_occurring]
    passages = _top_by_upper_bound(postings, passage_count, EXTRA_LENGTH_LOOKUPS + limit)
    scores, found = _score_passages(
        passages, postings, passage_count, _read_lengths(db, passages) / average_length
    )
    coverage = (found + common_count) / max(len(terms), 1)
    order = np.lexsort((passages, -scores))
    return list(map(Hit, passages[order].tolist(), scores[order].tolist(), coverage[order].tolist()))


def _split_by_frequency(
    db: apsw.Connection, terms: Sequence[TermForms], passage_count: int, frequencies: DocumentFrequencyCache
) -> tuple[dict[TermForms, IntArray], dict[TermForms, int], int]:
    """
    The rare words with their occurrences, the frequent ones with the number of passages that hold them, and how many
    words are left out because they stand everywhere.
    """
    cached_counts = {forms: frequencies.get(forms, passage_count) for forms in terms}
    postings = _read_postings(
        db, [forms for forms, count in cached_counts.items() if count is None], FREQUENT_TERM_POSTINGS
    )
    rare_terms = {
        forms: found for forms, found in postings.items() if 0 < len(found) < FREQUENT_TERM_POSTINGS
    }
    frequent_terms = {forms: count for forms, count in cached_counts.items() if count is not None}
    for forms, found in postings.items():
        if len(found) >= FREQUENT_TERM_POSTINGS:
            frequent_terms[forms] = fetch_number(
                db, f"SELECT count(*) FROM ({SELECT_MATCHING})", (_match_any([forms]), COMMON_TERM_PASSAGES)
            )
            frequencies.put(forms, passage_count, frequent_terms[forms])
    informative_terms = {
        forms: count for forms, count in frequent_terms.items() if count < COMMON_TERM_PASSAGES
    }
    if not rare_terms and not informative_terms:
        return rare_terms, frequent_terms, 0
    return rare_terms, informative_terms, len(frequent_terms) - len(informative_terms)


def _read_postings(db: apsw.Connection, terms: Sequence[TermForms], limit: int) -> dict[TermForms, IntArray]:
    """The passages that hold each word in any of its forms, in order, once per occurrence; `limit` of each form."""
    if not terms:
        return {}
    forms_json = json.dumps([form for forms in terms for form in forms])
    lists = (text for (text,) in fetch(db, SELECT_POSTINGS, (forms_json, limit)))
    postings = {}
    for forms in terms:
        texts = [text for text in islice(lists, len(forms)) if text]
        passages = _parse_numbers(",".join(texts))
        postings[forms] = passages if len(texts) < 2 else np.sort(passages, kind="stable")
    return postings


def _search_fts(db: apsw.Connection, expression: str, *, newest: int | None = None) -> IntArray:
    """The passages that match, or the `last` of them."""
    statement = (SELECT_MATCHING, -1) if newest is None else (SELECT_NEWEST_MATCHING, newest)
    [(text,)] = fetch(db, f"SELECT group_concat(rowid) FROM ({statement[0]})", (expression, statement[1]))
    return _parse_numbers(text or "")


def _parse_numbers(text: str) -> IntArray:
    return np.fromstring(text, dtype=np.int64, sep=",")


def _match_any(terms: Iterable[TermForms]) -> str:
    """In FTS5's language: a passage that holds one of these. Quoted, so that no word is ever read as syntax."""
    return " OR ".join('"' + form.replace('"', '""') + '"' for forms in terms for form in forms)


def _match_all(*expressions: str | None) -> str:
    return " AND ".join(f"({expression})" for expression in expressions if expression)


def _find_co_occurring(
    db: apsw.Connection,
    frequent_terms: Mapping[TermForms, int],
    *,
    rare_terms: Mapping[TermForms, IntArray],
    scope: str | None,
    shortfall: int,
) -> list[tuple[IntArray, int]]:
    """
    Where frequent words stand beside rare ones, and how many passages hold each.

    If passages are lacking then, also beside the rarest of the frequent ones, and where they were said last.
    """
    rarest = min(frequent_terms, key=lambda forms: frequent_terms[forms])
    passages_by_term: dict[TermForms, list[IntArray]] = {forms: [] for forms in frequent_terms}
    counts = dict(frequent_terms)
    for forms, lists in passages_by_term.items():
        expression = _match_any([forms])
        if scope:
            newest = _search_fts(db, _match_all(expression, scope), newest=MAX_FREQUENT_POSTINGS)
            lists.append(newest)
            if len(newest) < MAX_FREQUENT_POSTINGS:
                # These are all there are.
                counts[forms] = len(newest)
                continue
        if rare_terms:
            lists.append(_search_fts(db, _match_all(_match_any(rare_terms), expression, scope)))
        if shortfall > 0 and forms != rarest:
            co_occurring = _search_fts(
                db, _match_all(_match_any([rarest]), expression, scope), newest=MAX_FREQUENT_POSTINGS
            )
            lists.append(co_occurring)
            passages_by_term[rarest].append(co_occurring)
    if not scope and sum(map(len, passages_by_term[rarest])) < shortfall:
        for forms, lists in passages_by_term.items():
            lists.append(_search_fts(db, _match_any([forms]), newest=MAX_FREQUENT_POSTINGS))
    return [(np.concatenate(lists), counts[forms]) for forms, lists in passages_by_term.items()]


def _count_occurrences(
    occurrences: IntArray, kind_mask: KindMask, allowed_passages: IntArray | None
) -> Postings:
    """Occurrences in order, counted by passage."""
    first = _first_positions(occurrences)
    passages, frequencies = occurrences[first], np.append(first[1:], len(occurrences)) - first
    mask = kind_mask[passages & 3]
    if allowed_passages is not None:
        mask &= np.isin(passages, allowed_passages, assume_unique=True)
    passages = passages[mask]
    return Postings(passages=passages, term_frequencies=frequencies[mask], document_frequency=len(passages))


def _first_positions(values: IntArray) -> NDArray[np.intp]:
    """Where each number stands for the first time, in a list that is in order."""
    changes = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def _presence_postings(passages: IntArray, document_frequency: int, kind_mask: KindMask) -> Postings:
    """Passages of which no more is known than that they hold the word."""
    postings = _count_occurrences(np.sort(passages), kind_mask, None)
    return Postings(
        passages=postings.passages,
        term_frequencies=np.ones_like(postings.term_frequencies),
        document_frequency=document_frequency,
    )


def _top_by_upper_bound(postings: Sequence[Postings], passage_count: int, limit: int) -> IntArray:
    """The passages that score highest if all are equally long, in order."""
    occurrences = np.concatenate([each.passages for each in postings] or [np.empty(0, np.int64)])
    if len(occurrences) <= limit:
        return np.unique(occurrences)
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


def _score_passages(
    passages: IntArray, postings: Sequence[Postings], passage_count: int, relative_lengths: ScoreArray
) -> tuple[ScoreArray, IntArray]:
    """BM25 of each passage, and how many of the words it holds; `length` is its length in units of the average."""
    total, matched_terms = np.zeros(len(passages)), np.zeros(len(passages), dtype=np.int64)
    for each in postings:
        if len(each.passages):
            positions = np.minimum(np.searchsorted(each.passages, passages), len(each.passages) - 1)
            frequencies = np.where(each.passages[positions] == passages, each.term_frequencies[positions], 0)
            total += each.idf(passage_count) * _term_weight(frequencies, relative_lengths)
            matched_terms += frequencies > 0
    return total, matched_terms


def _term_weight(frequencies: IntArray, relative_lengths: ScoreArray) -> ScoreArray:
    weight: ScoreArray = frequencies * (K1 + 1) / (frequencies + K1 * (1 - B + B * relative_lengths))
    return weight


def _read_index_statistics(db: apsw.Connection) -> tuple[int, float]:
    """How many passages there are, and how long they are on average."""
    row = fetch_one(db, "SELECT block FROM passages_fts_data WHERE id = 1")
    passage_count, token_count = _parse_varints(row[0], 2) if row else (0, 0)
    return passage_count, max(token_count / passage_count, 1.0) if passage_count else 1.0


def _read_lengths(db: apsw.Connection, passages: IntArray) -> ScoreArray:
    if not len(passages):
        return np.empty(0)
    passages_json = "[" + ",".join(map(str, passages.tolist())) + "]"
    [(sizes,)] = fetch(db, SELECT_LENGTHS, (passages_json,))
    return np.array(list(map(_parse_length, sizes.split(","))), dtype=np.float64)


@lru_cache(maxsize=10_000)
def _parse_length(size: str) -> int:
    return _parse_varints(bytes.fromhex(size), 1)[0]


def _parse_varints(data: bytes, count: int) -> tuple[int, ...]:
    """SQLite's variable-length integers: seven bits a byte, high bit set on all but the last."""
    numbers, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(value)
            value = 0
            if len(numbers) == count:
                break
    return (*numbers, *[0] * (count - len(numbers)))
