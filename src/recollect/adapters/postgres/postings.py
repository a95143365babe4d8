"""
Lexical index and search: BM25 over postings of term hashes.

`passages.terms` has the hash of every occurrence of a term. New passages are searched by these arrays; when a user has
`MAX_UNPOSTED_PASSAGES` of them, `post_passages` appends them to `postings`: blocks of the passages of each term with
their term frequency. A GIN index over the arrays of all users cost several times as much per message. All statistics
are those of the user's own passages.

A search reads the blocks of its terms whole, and counts with numpy. Common terms (in `COMMON_TERM_PASSAGES` or more)
are ignored, unless the query has no others; then only the newest blocks are read. In a chat with few passages
(`MAX_SCANNED_PASSAGES`) the arrays of all of them are read instead. The best passages by score at average length are
then scored exactly, once their lengths are read, as on SQLite. Ties break by passage number.

Invariants: a passage is either in the blocks of all its terms, or `is_posted` is false. Deleting a passage removes its
entries in the same statement. Cost: one round trip for the terms and one for the lengths, and 8 bytes per entry.

Example: "when did Ana buy the kayak" reads the blocks of "ana", "buy" and "kayak", and the arrays of the last passages.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

import numpy as np

from recollect.adapters.postgres.rows import (
    Connection,
    Row,
    array_literal,
    execute,
    execute_many,
    fetch,
    fetch_all,
    fetch_number,
)
from recollect.domain.candidate import Hit
from recollect.storage.bm25 import (
    IntArray,
    Postings,
    score_passages,
    sum_frequencies,
    top_by_upper_bound,
)
from recollect.storage.passages import PASSAGE_KINDS, PassageKind
from recollect.text.analyzer import index_terms

#: The index terms of one query word: its stems and variants.
TermForms: TypeAlias = tuple[str, ...]
#: Passages that are posted together: the more, the fewer writes of a block; until then their arrays are searched.
MAX_UNPOSTED_PASSAGES = 256
#: Max passages that one call posts, since the user's other writers wait for it.
MAX_POSTED_AT_ONCE = 1_024
#: A block with this many entries is full, and the next entries begin another.
FULL_BLOCK_ENTRIES = 128
#: Up to this many passages in the scope of a chat, their arrays are read.
MAX_SCANNED_PASSAGES = 300
#: A term in this many passages is common. It is searched only if the query has no rarer term, newest passages first.
COMMON_TERM_PASSAGES = 20_000
#: Blocks that are read of a common term: some thousand passages.
NEWEST_BLOCKS = 24
#: Passages scored with their length beyond the requested number, since a short passage may rank higher.
EXTRA_LENGTH_LOOKUPS = 40
#: An entry is one number: the passage times this, plus the term frequency.
FREQUENCY_FACTOR = 1 << 16
#: Hashes of terms that are kept.
MAX_CACHED_TERMS = 100_000
#: `array_send` is four numbers, the size and the lower bound, and then each element with its length.
ARRAY_HEADER_BYTES = 20
ELEMENT_TYPE = np.dtype([("size", ">i4"), ("value", ">i8")])

INSERT_PASSAGE = """
    INSERT INTO passages (user_id, no, chat_no, length, terms) VALUES ($1, $2, $3, $4, $5::text::bigint[])
"""
INSERT_QUEUED = """
    INSERT INTO embedding_queue (user_id, passage_no) VALUES ($1, $2) ON CONFLICT (user_id, passage_no) DO NOTHING
"""
UPSERT_STATISTICS = """
    INSERT INTO passage_statistics AS s (user_id, passages, tokens, unposted) VALUES ($1, $2, $3, $2)
    ON CONFLICT (user_id) DO UPDATE SET passages = s.passages + excluded.passages,
        tokens = s.tokens + excluded.tokens, unposted = s.unposted + excluded.unposted
    RETURNING unposted
"""
#: One statement for a text: its passage, the queue and the statistics.
INDEX_PASSAGE = """
    WITH passage AS (
        INSERT INTO passages (user_id, no, chat_no, length, terms) VALUES ($1, $2, $3, $4, $5::text::bigint[])
    ), queued AS (
        INSERT INTO embedding_queue (user_id, passage_no) VALUES ($1, $2)
    )
    INSERT INTO passage_statistics AS s (user_id, passages, tokens, unposted) VALUES ($1, 1, $4, 1)
    ON CONFLICT (user_id) DO UPDATE SET passages = s.passages + 1, tokens = s.tokens + excluded.tokens,
        unposted = s.unposted + 1
    RETURNING unposted
"""
#: The entries and codes of passages `changed` are removed from their blocks, which may become empty.
REMOVE_FROM_BLOCKS = """
    posted AS (
        SELECT min(no) AS first_no, max(no) AS last_no FROM changed WHERE is_posted
    ), unposted AS (
        UPDATE postings p SET (passages, entries) = (
            SELECT count(*), coalesce(string_agg(substring(p.entries FROM 8 * i + 1 FOR 8), ''::bytea ORDER BY i), '')
            FROM generate_series(0, p.passages - 1) i
            WHERE substring(p.entries FROM 8 * i + 1 FOR 6)
                NOT IN (SELECT substring(int8send(no << 16) FROM 1 FOR 6) FROM changed)
        )
        WHERE p.user_id = $1 AND p.term IN (SELECT unnest(terms) FROM changed WHERE is_posted)
            AND p.first_no <= (SELECT last_no FROM posted) AND p.last_no >= (SELECT first_no FROM posted)
    ), unpacked AS (
        UPDATE vector_blocks b SET (version, vectors, numbers, codes) = (
            SELECT b.version + 1, count(*),
                coalesce(string_agg(substring(b.numbers FROM 8 * i + 1 FOR 8), ''::bytea ORDER BY i), ''),
                coalesce(string_agg(substring(b.codes FROM c.size * i + 1 FOR c.size), ''::bytea ORDER BY i), '')
            FROM generate_series(0, b.vectors - 1) i
            CROSS JOIN LATERAL (SELECT octet_length(b.codes) / b.vectors AS size) c
            WHERE substring(b.numbers FROM 8 * i + 1 FOR 8) NOT IN (SELECT int8send(no) FROM changed)
        )
        WHERE b.user_id = $1 AND b.first_no <= (SELECT max(no) FROM changed)
            AND b.last_no >= (SELECT min(no) FROM changed)
    )
"""
REINDEX_PASSAGE = f"""
    WITH changed AS (
        SELECT no, length, is_posted, terms FROM passages WHERE user_id = $1 AND no = $2
    ), {REMOVE_FROM_BLOCKS}, statistics AS (
        UPDATE passage_statistics s SET tokens = s.tokens + $3::integer - c.length,
            unposted = s.unposted + c.is_posted::integer
        FROM changed c WHERE s.user_id = $1
    ), stale AS (
        DELETE FROM vectors WHERE user_id = $1 AND passage_no = $2
    ), queued AS (
        INSERT INTO embedding_queue (user_id, passage_no) VALUES ($1, $2)
        ON CONFLICT (user_id, passage_no) DO NOTHING
    )
    UPDATE passages SET length = $3::integer, terms = $4::text::bigint[], is_posted = false
    WHERE user_id = $1 AND no = $2
"""
#: Vectors and queued passages are deleted with the passage, by their foreign keys.
UNINDEX_PASSAGES = f"""
    WITH changed AS (
        DELETE FROM passages WHERE user_id = $1 AND {{}} RETURNING no, length, is_posted, terms
    ), {REMOVE_FROM_BLOCKS}, totals AS (
        SELECT count(*) AS passages, coalesce(sum(length), 0) AS tokens,
            count(*) FILTER (WHERE NOT is_posted) AS unposted
        FROM changed
    )
    UPDATE passage_statistics s SET passages = s.passages - t.passages, tokens = s.tokens - t.tokens,
        unposted = s.unposted - t.unposted
    FROM totals t WHERE s.user_id = $1
"""
DELETE_EMPTY_BLOCKS = "DELETE FROM postings WHERE user_id = $1 AND passages = 0"
SELECT_UNPOSTED = """
    SELECT no, array_send(terms) FROM passages WHERE user_id = $1 AND NOT is_posted ORDER BY no LIMIT $2
"""
#: Appends to the last block of each term. The parameters are terms, the first entry of each among all entries, their
#: number, their first and last passage, and all entries.
APPEND_ENTRIES = f"""
    INSERT INTO postings AS p (user_id, term, block, first_no, last_no, passages, entries)
    SELECT $1, t.term, coalesce(l.block + (l.passages >= {FULL_BLOCK_ENTRIES})::integer, 0), t.first_no, t.last_no,
        t.size, substring($7::bytea FROM 8 * t.start + 1 FOR 8 * t.size)
    FROM unnest(
        $2::text::bigint[], $3::text::integer[], $4::text::integer[], $5::text::bigint[], $6::text::bigint[]
    ) AS t (term, start, size, first_no, last_no)
    LEFT JOIN LATERAL (
        SELECT block, passages FROM postings WHERE user_id = $1 AND term = t.term ORDER BY block DESC LIMIT 1
    ) l ON true
    ON CONFLICT (user_id, term, block) DO UPDATE SET first_no = least(p.first_no, excluded.first_no),
        last_no = greatest(p.last_no, excluded.last_no), passages = p.passages + excluded.passages,
        entries = p.entries || excluded.entries
"""
MARK_POSTED = """
    WITH posted AS (
        UPDATE passages SET is_posted = true WHERE user_id = $1 AND NOT is_posted AND no <= $2
    )
    UPDATE passage_statistics SET unposted = greatest(unposted - $3, 0) WHERE user_id = $1
"""
SELECT_STATISTICS = "SELECT passages, tokens FROM passage_statistics WHERE user_id = $1"
SELECT_ENTRIES = f"""
    SELECT c.term, c.passages, CASE WHEN c.passages < {COMMON_TERM_PASSAGES} THEN (
        SELECT string_agg(p.entries, ''::bytea) FROM postings p WHERE p.user_id = $1 AND p.term = c.term
    ) END FROM (
        SELECT term, sum(passages) AS passages FROM postings
        WHERE user_id = $1 AND term = ANY($2::text::bigint[]) GROUP BY term
    ) c
"""
SELECT_NEWEST_ENTRIES = f"""
    SELECT entries FROM postings WHERE user_id = $1 AND term = $2 ORDER BY block DESC LIMIT {NEWEST_BLOCKS}
"""
SELECT_POSTED_ARRAYS = "SELECT no, array_send(terms) FROM passages WHERE user_id = $1 AND is_posted"
SELECT_UNPOSTED_ARRAYS = "SELECT no, array_send(terms) FROM passages WHERE user_id = $1 AND NOT is_posted"
SELECT_ARRAYS = (
    "SELECT no, array_send(terms) FROM passages WHERE user_id = $1 AND no = ANY($2::text::bigint[])"
)
#: One value for all numbers, which arrives without a conversion of each.
SELECT_PASSAGES_OF_CHATS = """
    SELECT string_agg(int8send(no), ''::bytea) FROM passages WHERE user_id = $1 AND chat_no = ANY($2::text::bigint[])
"""
SELECT_LENGTHS = "SELECT no, length FROM passages WHERE user_id = $1 AND no = ANY($2::text::bigint[])"


@dataclass(frozen=True, slots=True, kw_only=True)
class TermArrays:
    """The terms of some passages, one after another."""

    passages: IntArray
    terms: IntArray
    owners: IntArray  #: the position in `passages` of each term


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerms:
    """The words of a query in a user's index, read once, whatever is searched."""

    passage_count: int
    average_length: float
    words: Sequence[IntArray]  #: the term hashes of each word
    entries: Sequence[
        IntArray
    ]  #: of each word that is not ignored: passages times `FREQUENCY_FACTOR`, plus frequencies
    ignored_words: int  #: common words


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Passages to score exactly, ascending, with the postings of the words in scope."""

    passages: IntArray
    postings: Sequence[Postings]
    ignored_words: int


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
    unposted = fetch_number(db, INDEX_PASSAGE, (user, passage, chat_no, length, array_literal(terms)))
    post_if_due(db, user, unposted)


def index_passages(db: Connection, user: str, rows: Sequence[tuple[int, int, str]]) -> None:
    """Add several texts: passage number, chat number and text of each."""
    if not rows:
        return
    analyzed = [(passage, chat_no, *analyze(user, text)) for passage, chat_no, text in rows]
    execute_many(
        db,
        INSERT_PASSAGE,
        [(user, no, chat_no, length, array_literal(terms)) for no, chat_no, length, terms in analyzed],
    )
    execute_many(db, INSERT_QUEUED, [(user, passage) for passage, *_ in analyzed])
    tokens = sum(length for _, _, length, _ in analyzed)
    post_if_due(db, user, fetch_number(db, UPSERT_STATISTICS, (user, len(analyzed), tokens)))


def reindex_passage(db: Connection, user: str, passage: int, text: str) -> None:
    """Replace the text of a passage; its vectors are deleted, and it is queued again."""
    length, terms = analyze(user, text)
    execute(db, REINDEX_PASSAGE, (user, passage, length, array_literal(terms)))
    execute(db, DELETE_EMPTY_BLOCKS, (user,))


def unindex_passages(db: Connection, user: str, passages: Sequence[int]) -> None:
    if passages:
        execute(db, UNINDEX_PASSAGES.format("no = ANY($2::bigint[])"), (user, list(passages)))
        execute(db, DELETE_EMPTY_BLOCKS, (user,))


def unindex_chat(db: Connection, user: str, chat_no: int) -> None:
    execute(db, UNINDEX_PASSAGES.format("chat_no = $2"), (user, chat_no))
    execute(db, DELETE_EMPTY_BLOCKS, (user,))


def post_if_due(db: Connection, user: str, unposted: int) -> None:
    if unposted >= MAX_UNPOSTED_PASSAGES:
        post_passages(db, user)


def post_passages(db: Connection, user: str) -> int:
    """Append the oldest passages that are not posted to the blocks of their terms; return how many."""
    arrays = _to_arrays(fetch(db, SELECT_UNPOSTED, (user, MAX_POSTED_AT_ONCE), binary=True))
    if not len(arrays.passages):
        return 0
    order = np.lexsort((arrays.owners, arrays.terms))
    terms, owners = arrays.terms[order], arrays.owners[order]
    first = _first_of_runs(terms, owners)
    frequencies = np.minimum(np.diff(first, append=len(terms)), FREQUENCY_FACTOR - 1)
    passages, terms = arrays.passages[owners[first]], terms[first]
    starts = _first_of_runs(terms)
    sizes = np.diff(starts, append=len(terms))
    columns = (terms[starts], starts, sizes, passages[starts], passages[starts + sizes - 1])
    entries = (passages * FREQUENCY_FACTOR + frequencies).astype(">i8").tobytes()
    execute(db, APPEND_ENTRIES, (user, *(array_literal(each.tolist()) for each in columns), entries))
    execute(db, MARK_POSTED, (user, int(arrays.passages[-1]), len(arrays.passages)))
    return len(arrays.passages)


def count_wrong_entries(db: Connection, user: str) -> int:
    """Count the entries of a user's postings that differ from the terms of the posted passages."""
    blocks = fetch(db, "SELECT term, entries FROM postings WHERE user_id = $1", (user,), binary=True)
    arrays = _to_arrays(fetch(db, SELECT_POSTED_ARRAYS, (user,), binary=True))
    stored = np.frombuffer(b"".join(data for _, data in blocks), dtype=">i8").astype(np.int64)
    terms = np.array([term for term, _ in blocks], dtype=np.int64)
    entry_terms = np.repeat(terms, [len(data) // 8 for _, data in blocks])
    actual = set(zip(entry_terms.tolist(), stored.tolist(), strict=True))
    expected = {
        (term, passage * FREQUENCY_FACTOR + min(count, FREQUENCY_FACTOR - 1))
        for (term, passage), count in Counter(
            zip(arrays.terms.tolist(), arrays.passages[arrays.owners].tolist(), strict=True)
        ).items()
    }
    return len(actual ^ expected) + len(stored) - len(actual)


def passages_of_chats(db: Connection, user: str, chats: Sequence[int]) -> IntArray:
    """Return the passages of these chats; those of NO_CHAT are memories."""
    [(numbers,)] = fetch(db, SELECT_PASSAGES_OF_CHATS, (user, array_literal(chats)), binary=True)
    return np.frombuffer(numbers or b"", dtype=">i8").astype(np.int64)


def read_terms(db: Connection, user: str, terms: Sequence[TermForms]) -> QueryTerms | None:
    """Look up the terms of a query in a user's index; None if it is empty."""
    words = [np.array([term_hash(user, form) for form in forms], dtype=np.int64) for forms in terms]
    hashes = array_literal(np.concatenate(words).tolist())
    statistics, blocks, unposted = fetch_all(
        db,
        [
            (SELECT_STATISTICS, (user,)),
            (SELECT_ENTRIES, (user, hashes)),
            (SELECT_UNPOSTED_ARRAYS, (user,)),
        ],
        binary=True,
    )
    if not statistics or not statistics[0][0]:
        return None
    [(passage_count, tokens)] = statistics
    arrays, counts = _to_arrays(unposted), {term: int(count) for term, count, _ in blocks}
    entries = {term: data for term, _, data in blocks}
    is_common = [any(counts.get(key, 0) >= COMMON_TERM_PASSAGES for key in keys.tolist()) for keys in words]
    ignored_words = sum(is_common)
    if ignored_words == len(words):
        ignored_words = 0
        newest = fetch_all(db, [(SELECT_NEWEST_ENTRIES, (user, term)) for term in entries], binary=True)
        entries = {
            term: b"".join(data for (data,) in rows) for term, rows in zip(entries, newest, strict=True)
        }
    return QueryTerms(
        passage_count=passage_count,
        average_length=max(tokens / passage_count, 1.0),
        words=words,
        entries=[
            _join_entries(keys, entries, arrays)
            for keys, common in zip(words, is_common, strict=True)
            if not common or not ignored_words
        ],
        ignored_words=ignored_words,
    )


def find_candidates(
    db: Connection,
    user: str,
    terms: QueryTerms,
    *,
    kinds: Collection[PassageKind],
    chats: Sequence[int] | None,
    limit: int,
) -> Candidates:
    """Return the most promising passages of these kinds and chats, to be scored with their lengths."""
    allowed = None if chats is None else passages_of_chats(db, user, chats)
    entries, ignored_words = terms.entries, terms.ignored_words
    if allowed is not None and len(allowed) <= MAX_SCANNED_PASSAGES:
        values = (user, array_literal(allowed.tolist()))
        arrays = _to_arrays(fetch(db, SELECT_ARRAYS, values, binary=True))
        entries, ignored_words, allowed = [_join_entries(keys, {}, arrays) for keys in terms.words], 0, None
    postings = [_to_postings(each, kinds, allowed) for each in entries]
    return Candidates(
        passages=top_by_upper_bound(postings, terms.passage_count, EXTRA_LENGTH_LOOKUPS + limit),
        postings=postings,
        ignored_words=ignored_words,
    )


def rank_candidates(
    candidates: Candidates,
    terms: QueryTerms,
    lengths: Mapping[int, int],
    visible: Collection[int],
    limit: int,
) -> list[Hit]:
    """Return the `limit` highest-scoring passages that are visible, best first."""
    passages = candidates.passages
    relative_lengths = np.array([lengths.get(no, 1) for no in passages.tolist()]) / terms.average_length
    scores, matched_words = score_passages(
        passages, candidates.postings, terms.passage_count, relative_lengths
    )
    coverage = (matched_words + candidates.ignored_words) / len(terms.words)
    order = np.lexsort((passages, -scores))
    hits = map(Hit, passages[order].tolist(), scores[order].tolist(), coverage[order].tolist())
    return list(islice((hit for hit in hits if hit.passage_id in visible), limit))


def _to_postings(entries: IntArray, kinds: Collection[PassageKind], allowed: IntArray | None) -> Postings:
    """Return the postings of a word in scope from its entries, in any order."""
    passages, frequencies = entries // FREQUENCY_FACTOR, entries % FREQUENCY_FACTOR
    if len(kinds) < len(PASSAGE_KINDS):
        mask = np.isin(passages % len(PASSAGE_KINDS), [kind.code for kind in kinds])
        passages, frequencies = passages[mask], frequencies[mask]
    if allowed is not None:
        mask = np.isin(passages, allowed)
        passages, frequencies = passages[mask], frequencies[mask]
    return sum_frequencies(passages, frequencies)


def _join_entries(keys: IntArray, blocks: Mapping[int, bytes], arrays: TermArrays) -> IntArray:
    """Return the entries of a word in blocks and in arrays; the latter have one for each occurrence."""
    parts = [np.frombuffer(blocks[key], dtype=">i8") for key in keys.tolist() if blocks.get(key)]
    occurrences = arrays.passages[arrays.owners[np.isin(arrays.terms, keys)]]
    return np.concatenate([*parts, occurrences * FREQUENCY_FACTOR + 1]).astype(np.int64)


def _to_arrays(rows: Sequence[Row]) -> TermArrays:
    passages, arrays = zip(*rows, strict=True) if rows else ((), ())
    elements = [array[ARRAY_HEADER_BYTES:] for array in arrays]
    sizes = [len(each) // ELEMENT_TYPE.itemsize for each in elements]
    return TermArrays(
        passages=np.array(passages, dtype=np.int64),
        terms=np.frombuffer(b"".join(elements), dtype=ELEMENT_TYPE)["value"].astype(np.int64),
        owners=np.repeat(np.arange(len(sizes)), sizes),
    )


def _first_of_runs(*columns: IntArray) -> IntArray:
    """Return the position of the first element of each run of equal elements."""
    is_first = np.ones(len(columns[0]), dtype=np.bool_)
    is_first[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.flatnonzero(is_first)
