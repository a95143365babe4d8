"""
Lexical search: BM25 over the FTS5 index, term at a time, with pruning in the manner of MaxScore.

FTS5's own `bm25()` scores every match, which is slow for frequent terms. Here terms are split by the length of their
posting list:

- rare terms (< 5,000 postings): all postings are read and counted with numpy;
- frequent terms: they have low idf and cannot lift a passage to the top alone. They are looked up only in passages that
  also contain a rare term, with tf = 1; if those are too few, the newest 200 postings are added;
- common terms (in 20,000 passages or more): ignored, unless the query has no other terms.

The best `limit + 40` passages by score at average length are then scored exactly; only for these the length is
read, and whether they are visible. Results therefore approximate full BM25 for frequent terms and are exact for rare
ones. All statistics are those of the user's passages; idf counts those in scope. Ties break by passage number.

Cost: O(postings of the rare terms) plus one FTS5 intersection per frequent term. Example: "when did Ana buy the kayak"
reads all postings of "kayak", intersects "ana" with them, and skips "the".
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.adapters.sqlite.passages import SELECT_VISIBLE, FilterParameters, fetch_passages
from recollect.adapters.sqlite.rows import Row, fetch, fetch_number
from recollect.domain.candidate import Hit
from recollect.storage.bm25 import (
    IntArray,
    Postings,
    ScoreArray,
    count_occurrences,
    presence_postings,
    score_passages,
    top_by_upper_bound,
)
from recollect.storage.passages import PASSAGE_KINDS, PassageKind

BoolArray: TypeAlias = NDArray[np.bool_]
#: The index terms of one query word: its stems and variants.
TermForms: TypeAlias = tuple[str, ...]
#: A term with this many postings is frequent: its term frequency counts as 1.
FREQUENT_TERM_POSTINGS = 5_000
#: A term in this many passages is common. It is searched only if the query has no rarer term, newest passages first.
COMMON_TERM_PASSAGES = 20_000
#: Max postings read for a frequent term, newest first, when rare terms yield too few passages.
MAX_FREQUENT_POSTINGS = 200
#: Passages scored with their length beyond the requested number, since a short passage may rank higher; a hundred
#: instead changes recall on LoCoMo by a tenth of a point.
EXTRA_LENGTH_LOOKUPS = 40
#: An occurrence is one number: the passage times this, plus the code of its kind.
KIND_FACTOR = len(PASSAGE_KINDS)
#: Relative change of the index size after which cached document frequencies expire.
MAX_INDEX_DRIFT = 0.05

#: One statement for all terms: each statement repeats the descent into the index.
KIND_OF_COLUMN = " ".join(f"WHEN '{kind.name}' THEN {kind.code}" for kind in PASSAGE_KINDS)
SELECT_POSTINGS = f"""
    SELECT (SELECT group_concat(occurrence) FROM (
        SELECT doc * {KIND_FACTOR} + CASE col {KIND_OF_COLUMN} END AS occurrence
        FROM temp.words WHERE term = j.value LIMIT ?2))
    FROM json_each(?1) j ORDER BY j.key
"""
#: The number of the user's passages and of their tokens, the number of a chat, and the postings.
SELECT_TERMS = f"""
    SELECT (SELECT passages || ',' || tokens FROM passage_statistics WHERE user_no = ?3)
    UNION ALL SELECT (SELECT no FROM chats WHERE user_no = ?3 AND id = ?4)
    UNION ALL SELECT * FROM ({SELECT_POSTINGS})
"""
SELECT_MATCHING = "SELECT rowid FROM passages_fts WHERE passages_fts MATCH ? LIMIT ?"
SELECT_NEWEST_MATCHING = (
    "SELECT rowid FROM passages_fts WHERE passages_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
)
#: One row for all lengths: apsw releases the GIL for each row, and other threads run in between.
SELECT_LENGTHS = f"""
    SELECT
        (SELECT group_concat(coalesce(p.length, 1)) FROM json_each(:passages) j LEFT JOIN passages p ON p.no = j.value),
        (SELECT group_concat(no) FROM ({SELECT_VISIBLE}))
"""


class DocumentFrequencyCache:
    """Caches the document frequency of frequent terms, which is slow to count."""

    def __init__(self, max_terms: int = 10_000) -> None:
        self._max_terms = max_terms
        self._counts: dict[TermForms, tuple[int, int]] = {}

    def __contains__(self, forms: TermForms) -> bool:
        return forms in self._counts

    def get(self, forms: TermForms, passage_count: int) -> int | None:
        """Return the cached document frequency; None if unknown or if the index size has changed by 5 % or more."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TermStatistics:
    """The terms of a query in the index, of all kinds of passages: read once, whatever is searched."""

    passage_count: int
    average_length: float
    term_count: int
    common_count: int  #: common terms, which are ignored
    rare: Mapping[
        TermForms, IntArray
    ]  #: the occurrences of each rare term, as `passage * KIND_FACTOR + kind`
    frequent: Mapping[TermForms, int]  #: the document frequency of each frequent term
    chat_number: int | None  #: row number of the searched chat, if it exists


@dataclass(frozen=True, slots=True, kw_only=True)
class PassagePostings:
    """The passages of a scope that may be among the best, and the postings of all terms in that scope."""

    passages: IntArray
    postings: Sequence[Postings] = ()


NO_PASSAGES = PassagePostings(passages=np.empty(0, dtype=np.int64))


def read_terms(
    db: apsw.Connection,
    terms: Sequence[TermForms],
    frequencies: DocumentFrequencyCache,
    *,
    user_no: int,
    chat: str | None,
) -> TermStatistics:
    """Look up the terms of a user's query, and the number of the searched chat."""
    unknown = [forms for forms in terms if forms not in frequencies]
    values = (_to_forms_json(unknown), FREQUENT_TERM_POSTINGS, user_no, chat)
    (statistics,), (chat_number,), *lists = fetch(db, SELECT_TERMS, values)
    passage_count, tokens = map(int, (statistics or "0,0").split(","))
    postings = _parse_postings(unknown, lists)
    cached_counts = {forms: frequencies.get(forms, passage_count) for forms in terms if forms in frequencies}
    expired = [forms for forms, count in cached_counts.items() if count is None]
    postings |= _read_postings(db, expired, FREQUENT_TERM_POSTINGS)
    rare = {
        forms: occurrences
        for forms, occurrences in postings.items()
        if 0 < len(occurrences) < FREQUENT_TERM_POSTINGS
    }
    frequent = {forms: count for forms, count in cached_counts.items() if count is not None}
    for forms, occurrences in postings.items():
        if len(occurrences) >= FREQUENT_TERM_POSTINGS:
            frequent[forms] = fetch_number(
                db, f"SELECT count(*) FROM ({SELECT_MATCHING})", (_match_any([forms]), COMMON_TERM_PASSAGES)
            )
            frequencies.put(forms, passage_count, frequent[forms])
    informative = {forms: count for forms, count in frequent.items() if count < COMMON_TERM_PASSAGES}
    common_count = len(frequent) - len(informative)
    if not rare and not informative:
        informative, common_count = frequent, 0
    if informative and not rare and min(informative.values()) < COMMON_TERM_PASSAGES:
        rarest = min(informative, key=lambda forms: informative[forms])
        del informative[rarest]
        rare |= _read_postings(db, [rarest], COMMON_TERM_PASSAGES)
    return TermStatistics(
        passage_count=passage_count,
        average_length=max(tokens / passage_count, 1.0) if passage_count else 1.0,
        term_count=len(terms),
        common_count=common_count,
        rare=rare,
        frequent=informative,
        chat_number=chat_number,
    )


def select_passages(
    db: apsw.Connection,
    terms: TermStatistics,
    *,
    within: TermForms | IntArray | None,
    restricts_rare_terms: bool,
    kinds: Collection[PassageKind],
    limit: int,
) -> PassagePostings:
    """
    Return the passages among which the `limit` highest-scoring ones are.

    `within` restricts them to passages with one of these marker terms, or to these passage numbers; with
    `restricts_rare_terms` unset, the kinds restrict the passages of rare terms enough.
    """
    columns = [kind.name for kind in kinds] if len(kinds) < len(PASSAGE_KINDS) else []
    scope = _match_any([within]) if isinstance(within, tuple) else None
    allowed_passages = None if isinstance(within, tuple) else within
    passages_in_scope = (
        _search_fts(db, _match_all(_match_any(terms.rare), scope), columns)
        if scope and terms.rare and restricts_rare_terms
        else allowed_passages
    )
    codes = np.array([kind.code for kind in kinds])
    postings = [
        count_occurrences(_of_kinds(occurrences, codes), passages_in_scope)
        for occurrences in terms.rare.values()
    ]
    if terms.frequent and allowed_passages is not None:
        postings += [
            count_occurrences(np.sort(_search_fts(db, _match_any([forms]), columns)), allowed_passages)
            for forms in terms.frequent
        ]
    elif terms.frequent:
        shortfall = 2 * limit - sum(len(each.passages) for each in postings)
        co_occurring = _find_co_occurring(
            db,
            terms.frequent,
            rare_terms=terms.rare,
            scope=scope,
            columns=columns,
            shortfall=shortfall,
        )
        postings += [presence_postings(matches, count) for matches, count in co_occurring]
    passages = top_by_upper_bound(postings, terms.passage_count, EXTRA_LENGTH_LOOKUPS + limit)
    return PassagePostings(passages=passages, postings=postings)


def rank_passages(
    db: apsw.Connection,
    terms: TermStatistics,
    selections: Sequence[PassagePostings],
    *,
    limit: int,
    parameters: FilterParameters,
) -> list[list[Hit]]:
    """Return the `limit` highest-scoring visible passages of each selection, best first."""
    together = np.unique(np.concatenate([each.passages for each in selections]))
    all_lengths, all_visible = _read_lengths(db, together, parameters)
    hits = []
    for each in selections:
        passages, positions = each.passages, np.searchsorted(together, each.passages)
        scores, matched_terms = score_passages(
            passages, each.postings, terms.passage_count, all_lengths[positions] / terms.average_length
        )
        coverage = (matched_terms + terms.common_count) / max(terms.term_count, 1)
        order = np.lexsort((passages, -scores))
        order = order[all_visible[positions][order]][:limit]
        hits.append(
            list(map(Hit, passages[order].tolist(), scores[order].tolist(), coverage[order].tolist()))
        )
    return hits


def _of_kinds(occurrences: IntArray, codes: IntArray) -> IntArray:
    """Return the passages of these kinds, one entry per occurrence."""
    passages = occurrences // KIND_FACTOR
    if len(codes) == len(PASSAGE_KINDS):
        return passages
    return passages[np.isin(occurrences % KIND_FACTOR, codes)]


def _read_postings(db: apsw.Connection, terms: Sequence[TermForms], limit: int) -> dict[TermForms, IntArray]:
    """Return the occurrences of each term as `passage * KIND_FACTOR + kind`, ascending; at most `limit` per form."""
    return _parse_postings(terms, fetch(db, SELECT_POSTINGS, (_to_forms_json(terms), limit))) if terms else {}


def _to_forms_json(terms: Iterable[TermForms]) -> str:
    return json.dumps([form for forms in terms for form in forms])


def _parse_postings(terms: Sequence[TermForms], rows: Iterable[Row]) -> dict[TermForms, IntArray]:
    lists, postings = iter(rows), {}
    for forms in terms:
        texts = [text for (text,) in islice(lists, len(forms)) if text]
        occurrences = _parse_numbers(",".join(texts))
        postings[forms] = occurrences if len(texts) < 2 else np.sort(occurrences, kind="stable")
    return postings


def _search_fts(
    db: apsw.Connection, expression: str, columns: Sequence[str], *, newest: int | None = None
) -> IntArray:
    """Return the passages that match an FTS5 expression in one of the columns, or the `newest` of them."""
    statement = (SELECT_MATCHING, -1) if newest is None else (SELECT_NEWEST_MATCHING, newest)
    match = f"{{{' '.join(columns)}}} : ({expression})" if columns else expression
    [(text,)] = fetch(db, f"SELECT group_concat(rowid) FROM ({statement[0]})", (match, statement[1]))
    return _parse_numbers(text or "")


def _parse_numbers(text: str) -> IntArray:
    return np.fromstring(text, dtype=np.int64, sep=",")


def _match_any(terms: Iterable[TermForms]) -> str:
    """Return an FTS5 expression for passages with any of these terms. Terms are quoted, so none is parsed as syntax."""
    return " OR ".join('"' + form.replace('"', '""') + '"' for forms in terms for form in forms)


def _match_all(*expressions: str | None) -> str:
    return " AND ".join(f"({expression})" for expression in expressions if expression)


def _find_co_occurring(
    db: apsw.Connection,
    frequent_terms: Mapping[TermForms, int],
    *,
    rare_terms: Mapping[TermForms, IntArray],
    scope: str | None,
    columns: Sequence[str],
    shortfall: int,
) -> list[tuple[IntArray, int]]:
    """
    Return, for each frequent term, the passages where it occurs with a rare term, and its document frequency.

    If `shortfall` passages are missing, add those where it occurs with the rarest frequent term, then the newest ones.
    """
    rarest = min(frequent_terms, key=lambda forms: frequent_terms[forms])
    passages_by_term: dict[TermForms, list[IntArray]] = {forms: [] for forms in frequent_terms}
    counts = dict(frequent_terms)
    for forms, lists in passages_by_term.items():
        expression = _match_any([forms])
        if scope:
            newest = _search_fts(db, _match_all(expression, scope), columns, newest=MAX_FREQUENT_POSTINGS)
            lists.append(newest)
            if len(newest) < MAX_FREQUENT_POSTINGS:
                # Below the limit the list is complete.
                counts[forms] = len(newest)
                continue
        if rare_terms:
            lists.append(_search_fts(db, _match_all(_match_any(rare_terms), expression, scope), columns))
        if shortfall > 0 and forms != rarest:
            co_occurring = _search_fts(
                db, _match_all(_match_any([rarest]), expression, scope), columns, newest=MAX_FREQUENT_POSTINGS
            )
            lists.append(co_occurring)
            passages_by_term[rarest].append(co_occurring)
    if not scope and sum(map(len, passages_by_term[rarest])) < shortfall:
        for forms, lists in passages_by_term.items():
            lists.append(_search_fts(db, _match_any([forms]), columns, newest=MAX_FREQUENT_POSTINGS))
    return [(np.concatenate(lists), counts[forms]) for forms, lists in passages_by_term.items()]


def _read_lengths(
    db: apsw.Connection, passages: IntArray, parameters: FilterParameters
) -> tuple[ScoreArray, BoolArray]:
    """Return the length of each passage, and whether it is visible."""
    if not len(passages):
        return np.empty(0), np.empty(0, dtype=np.bool_)
    [(lengths, visible)] = fetch_passages(db, SELECT_LENGTHS, passages.tolist(), parameters)
    return _parse_numbers(lengths).astype(np.float64), np.isin(passages, _parse_numbers(visible or ""))
