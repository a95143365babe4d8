"""
Lexical index and search: BM25 over one array of term hashes per passage.

`passages.terms` has the hash of every occurrence of a term, so that a term's frequency is a count in the array. All
statistics are those of the user's own passages. A search reads one of two ways:

- up to `MAX_SCANNED_PASSAGES` passages in scope: all arrays are read, and BM25 is exact;
- more: each term's passages are looked up in the GIN index, at most `FREQUENT_TERM_POSTINGS` of each. The passages of
  rare terms are ranked as if each term occurred once, and the arrays of the best `MAX_SCORED_PASSAGES` are read
  and scored exactly. A frequent term counts where it occurs with a rare one; common terms (`COMMON_TERM_PASSAGES`)
  are ignored, unless the query has no other terms.

Ties break by passage number. Cost: one round trip for the statistics and the arrays, or three for the index.

Example: "when did Ana buy the kayak" among 100,000 passages reads the passage numbers of "kayak", counts those of "ana"
up to the limit, and reads the arrays of the passages of "kayak".
"""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from recollect.adapters.postgres.rows import (
    Connection,
    SqlValue,
    execute,
    execute_many,
    fetch,
    fetch_number,
    fetch_one,
)
from recollect.domain.candidate import Hit
from recollect.storage.bm25 import (
    IntArray,
    Postings,
    ScoreArray,
    presence_postings,
    score_passages,
    top_by_upper_bound,
)
from recollect.storage.passages import PassageKind
from recollect.text.analyzer import index_terms

#: The index terms of one query word: its stems and variants.
TermForms: TypeAlias = tuple[str, ...]
#: Up to this many passages in scope, all are read.
MAX_SCANNED_PASSAGES = 3_000
#: A term with this many postings is frequent: its passages are not all read.
FREQUENT_TERM_POSTINGS = 5_000
#: A term in this many passages is common. It is searched only if the query has no rarer term, newest passages first.
COMMON_TERM_PASSAGES = 20_000
#: Passages whose arrays are read, beyond the requested number, since term frequencies and lengths change the order.
MAX_SCORED_PASSAGES = 500
#: Hashes of terms that are kept.
MAX_CACHED_TERMS = 100_000
#: `array_send` is four numbers, the size and the lower bound, and then each element with its length.
ARRAY_HEADER_BYTES = 20
ELEMENT_TYPE = np.dtype([("size", ">i4"), ("value", ">i8")])

INSERT_PASSAGE = """
    INSERT INTO passages (user_id, no, chat_no, length, terms) VALUES ($1, $2, $3, $4, $5)
"""
INSERT_QUEUED = """
    INSERT INTO embedding_queue (user_id, passage_no) VALUES ($1, $2) ON CONFLICT (user_id, passage_no) DO NOTHING
"""
UPDATE_STATISTICS = """
    INSERT INTO passage_statistics AS s (user_id, passages, tokens) VALUES ($1, $2, $3)
    ON CONFLICT (user_id) DO UPDATE SET passages = s.passages + excluded.passages, tokens = s.tokens + excluded.tokens
"""
#: One statement for a message: its passage, the queue and the statistics.
INDEX_PASSAGE = """
    WITH passage AS (
        INSERT INTO passages (user_id, no, chat_no, length, terms) VALUES ($1, $2, $3, $4, $5)
    ), statistics AS (
        INSERT INTO passage_statistics AS s (user_id, passages, tokens) VALUES ($1, 1, $4)
        ON CONFLICT (user_id) DO UPDATE SET passages = s.passages + 1, tokens = s.tokens + excluded.tokens
    )
    INSERT INTO embedding_queue (user_id, passage_no) VALUES ($1, $2)
"""
REINDEX_PASSAGE = """
    WITH previous AS (
        SELECT length FROM passages WHERE user_id = $1 AND no = $2
    ), statistics AS (
        UPDATE passage_statistics SET tokens = tokens + $3 - (SELECT length FROM previous) WHERE user_id = $1
    ), stale AS (
        DELETE FROM vectors WHERE user_id = $1 AND passage_no = $2
    ), queued AS (
        INSERT INTO embedding_queue (user_id, passage_no) VALUES ($1, $2)
        ON CONFLICT (user_id, passage_no) DO NOTHING
    )
    UPDATE passages SET length = $3, terms = $4 WHERE user_id = $1 AND no = $2
"""
#: Vectors and queued passages are deleted with the passage, by their foreign keys.
UNINDEX_PASSAGES = """
    WITH deleted AS (
        DELETE FROM passages WHERE user_id = $1 AND {} RETURNING length
    ), totals AS (
        SELECT count(*) AS passages, coalesce(sum(length), 0) AS tokens FROM deleted
    )
    UPDATE passage_statistics s SET passages = s.passages - t.passages, tokens = s.tokens - t.tokens
    FROM totals t WHERE s.user_id = $1
"""
SELECT_STATISTICS = "SELECT passages, tokens FROM passage_statistics WHERE user_id = $1"
#: Kinds are searched if the remainder of the passage number is among them; chats and numbers, if they are given.
IN_SCOPE = """
    user_id = $1 AND no % 4 = ANY($2::bigint[]) AND ($3::bigint[] IS NULL OR chat_no = ANY($3::bigint[]))
"""
SELECT_ARRAYS = f"SELECT no, length, array_send(terms) FROM passages WHERE {IN_SCOPE} ORDER BY no"
COUNT_IN_SCOPE = f"SELECT count(*) FROM (SELECT 1 FROM passages WHERE {IN_SCOPE} LIMIT $4) p"
SELECT_ARRAYS_BY_NUMBER = """
    SELECT no, length, array_send(terms) FROM passages WHERE user_id = $1 AND no = ANY($2::bigint[]) ORDER BY no
"""
SELECT_POSTINGS = f"""
    SELECT array_agg(no) FROM (
        SELECT no FROM passages WHERE {IN_SCOPE} AND terms @> ARRAY[$5::bigint] LIMIT $4
    ) matches
"""
COUNT_POSTINGS = f"""
    SELECT count(*) FROM (
        SELECT 1 FROM passages WHERE {IN_SCOPE} AND terms && $5::bigint[] LIMIT $4
    ) matches
"""
SELECT_NEWEST = f"""
    SELECT no FROM passages WHERE {IN_SCOPE} AND terms && $5::bigint[] ORDER BY no DESC LIMIT $4
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexScope:
    """Which passages of a user are searched."""

    user: str
    kinds: Collection[PassageKind]
    chats: Sequence[int] | None  #: None means all

    @property
    def values(self) -> tuple[SqlValue, SqlValue, SqlValue]:
        return self.user, [kind.code for kind in self.kinds], self.chats


@dataclass(frozen=True, slots=True, kw_only=True)
class TermArrays:
    """The passages that were read, ascending: their lengths, and their terms one after another."""

    passages: IntArray
    lengths: ScoreArray
    terms: IntArray
    owners: IntArray  #: the position in `passages` of each term

    def postings(self, keys: IntArray, document_frequency: int | None = None) -> Postings:
        """Return the postings of a word with these term hashes; its document frequency, unless given, is counted."""
        owners = self.owners[np.isin(self.terms, keys)]
        positions, counts = np.unique(owners, return_counts=True)
        return Postings(
            passages=self.passages[positions],
            term_frequencies=counts.astype(np.int64),
            document_frequency=len(positions) if document_frequency is None else document_frequency,
        )


@lru_cache(maxsize=MAX_CACHED_TERMS)
def term_hash(user: str, form: str) -> int:
    """Return the number that stands for a user's term."""
    digest = hashlib.blake2b(form.encode(), digest_size=8, key=_user_key(user)).digest()
    return int.from_bytes(digest, "big", signed=True)


@lru_cache(maxsize=1_000)
def _user_key(user: str) -> bytes:
    return hashlib.blake2b(user.encode()).digest()


def analyze(user: str, text: str) -> tuple[int, list[int]]:
    """Return the length of a text, and the hashes of its terms."""
    words = index_terms(text)
    # One more, for the marker of its chat that SQLite's index contains.
    return len(words) + 1, [term_hash(user, form) for forms in words for form in forms]


def index_passage(db: Connection, user: str, passage: int, chat_no: int, text: str) -> None:
    """Add a text to the index and to the queue of the embedder."""
    length, terms = analyze(user, text)
    execute(db, INDEX_PASSAGE, (user, passage, chat_no, length, terms))


def index_passages(db: Connection, user: str, rows: Sequence[tuple[int, int, str]]) -> None:
    """Add several texts: passage number, chat number and text of each."""
    if not rows:
        return
    analyzed = [(passage, chat_no, *analyze(user, text)) for passage, chat_no, text in rows]
    execute_many(db, INSERT_PASSAGE, [(user, *row) for row in analyzed])
    execute_many(db, INSERT_QUEUED, [(user, passage) for passage, *_ in analyzed])
    execute(db, UPDATE_STATISTICS, (user, len(analyzed), sum(length for _, _, length, _ in analyzed)))


def reindex_passage(db: Connection, user: str, passage: int, text: str) -> None:
    """Replace the text of a passage; its vectors are deleted, and it is queued again."""
    length, terms = analyze(user, text)
    execute(db, REINDEX_PASSAGE, (user, passage, length, terms))


def unindex_passages(db: Connection, user: str, passages: Sequence[int]) -> None:
    if passages:
        execute(db, UNINDEX_PASSAGES.format("no = ANY($2::bigint[])"), (user, list(passages)))


def unindex_chat(db: Connection, user: str, chat_no: int) -> None:
    execute(db, UNINDEX_PASSAGES.format("chat_no = $2"), (user, chat_no))


def top_passages(db: Connection, terms: Sequence[TermForms], scope: IndexScope, *, limit: int) -> list[Hit]:
    """Return the highest-scoring passages, best first: at least `limit` if there are that many, and some more."""
    row = fetch_one(db, SELECT_STATISTICS, (scope.user,))
    if row is None or not row[0]:
        return []
    passage_count, average_length = int(row[0]), max(row[1] / row[0], 1.0)
    words = [np.array([term_hash(scope.user, form) for form in forms], dtype=np.int64) for forms in terms]
    ignored_words = 0
    if passage_count <= MAX_SCANNED_PASSAGES or _is_small(db, scope):
        arrays = _read_arrays(db, SELECT_ARRAYS, scope.values)
        postings = [arrays.postings(keys) for keys in words]
    else:
        arrays, postings, ignored_words = _search_index(db, words, scope, passage_count, limit)
    passages = np.unique(np.concatenate([each.passages for each in postings]))
    lengths = arrays.lengths[np.searchsorted(arrays.passages, passages)]
    scores, matched_words = score_passages(passages, postings, passage_count, lengths / average_length)
    coverage = (matched_words + ignored_words) / len(terms)
    order = np.lexsort((passages, -scores))
    return list(map(Hit, passages[order].tolist(), scores[order].tolist(), coverage[order].tolist()))


def _is_small(db: Connection, scope: IndexScope) -> bool:
    """Return whether few enough passages are in scope to read them all."""
    if scope.chats is None:
        return False
    return fetch_number(db, COUNT_IN_SCOPE, (*scope.values, MAX_SCANNED_PASSAGES + 1)) <= MAX_SCANNED_PASSAGES


def _search_index(
    db: Connection, words: Sequence[IntArray], scope: IndexScope, passage_count: int, limit: int
) -> tuple[TermArrays, list[Postings], int]:
    """
    Return the arrays of the most promising passages, the postings of the words in them, and the number of common words
    that are ignored.
    """
    matches = _look_up(db, words, scope)
    frequencies = [len(each) for each in matches]
    is_frequent = [frequency >= FREQUENT_TERM_POSTINGS for frequency in frequencies]
    for position, keys in enumerate(words):
        if is_frequent[position]:
            values = (*scope.values, COMMON_TERM_PASSAGES, keys.tolist())
            frequencies[position] = fetch_number(db, COUNT_POSTINGS, values)
    is_common = [frequency >= COMMON_TERM_PASSAGES for frequency in frequencies]
    ignored_words = 0 if all(is_common) else sum(is_common)
    rare = [
        position for position, frequent in enumerate(is_frequent) if not frequent and frequencies[position]
    ]
    if not rare:
        rarest = min(range(len(words)), key=lambda position: frequencies[position] or COMMON_TERM_PASSAGES)
        values = (*scope.values, FREQUENT_TERM_POSTINGS, words[rarest].tolist())
        matches[rarest] = np.array([no for (no,) in fetch(db, SELECT_NEWEST, values)], dtype=np.int64)
        rare = [rarest]
    candidates = top_by_upper_bound(
        [presence_postings(matches[position], frequencies[position]) for position in rare],
        passage_count,
        MAX_SCORED_PASSAGES + limit,
    )
    arrays = _read_arrays(db, SELECT_ARRAYS_BY_NUMBER, (scope.user, candidates.tolist()))
    postings = [
        arrays.postings(keys, frequency)
        for keys, frequency, common in zip(words, frequencies, is_common, strict=True)
        if not common or not ignored_words
    ]
    return arrays, postings, ignored_words


def _look_up(db: Connection, words: Sequence[IntArray], scope: IndexScope) -> list[IntArray]:
    """Return the passages of each word, ascending: all of them, or `FREQUENT_TERM_POSTINGS` of any of its forms."""
    with db.pipeline():
        cursors = [
            [
                db.execute(SELECT_POSTINGS, (*scope.values, FREQUENT_TERM_POSTINGS, key), binary=True)
                for key in keys.tolist()
            ]
            for keys in words
        ]
    lists = [[cursor.fetchone() for cursor in word_cursors] for word_cursors in cursors]
    return [
        np.unique(
            np.concatenate([np.array(row[0] if row and row[0] else (), dtype=np.int64) for row in rows])
        )
        for rows in lists
    ]


def _read_arrays(db: Connection, sql: str, values: Sequence[SqlValue]) -> TermArrays:
    rows = fetch(db, sql, values, binary=True)
    if not rows:
        empty = np.empty(0, dtype=np.int64)
        return TermArrays(passages=empty, lengths=np.empty(0), terms=empty, owners=empty)
    passages, lengths, arrays = zip(*rows, strict=True)
    elements = [array[ARRAY_HEADER_BYTES:] for array in arrays]
    sizes = [len(each) // ELEMENT_TYPE.itemsize for each in elements]
    return TermArrays(
        passages=np.array(passages, dtype=np.int64),
        lengths=np.array(lengths, dtype=np.float64),
        terms=np.frombuffer(b"".join(elements), dtype=ELEMENT_TYPE)["value"].astype(np.int64),
        owners=np.repeat(np.arange(len(sizes)), sizes),
    )
