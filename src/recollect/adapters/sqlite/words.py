"""BM25 over the full-text index, a word at a time: postings come out of SQLite whole and are added up by numpy."""

import math
from collections.abc import Sequence
from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.adapters.sqlite.rows import fetch, fetch_one

Numbers: TypeAlias = NDArray[np.int64]
Scores: TypeAlias = NDArray[np.float64]

#: The usual constants of BM25.
K1, B = 1.2, 0.75
#: A word with more occurrences says nothing about a passage; it is read only if there is no rarer one.
COMMON = 20_000
#: Passages whose length is looked up: enough that the order at the top is exact.
LONG_LIST = 400

POSTINGS = "SELECT group_concat(doc) FROM (SELECT doc FROM temp.words WHERE term = ? LIMIT ?)"


def postings(db: apsw.Connection, forms: Sequence[str], limit: int) -> Numbers:
    """The passages that hold a word in any of its forms, once per occurrence; as many as `limit` for a form."""
    found = [fetch(db, POSTINGS, (form, limit))[0][0] for form in forms]
    return np.concatenate(
        [np.fromstring(text, dtype=np.int64, sep=",") for text in found if text]
        or [np.empty(0, dtype=np.int64)]
    )


def best(
    db: apsw.Connection,
    words: Sequence[Sequence[str]],
    *,
    within: Sequence[str] | None,
    kinds: tuple[int, ...],
    limit: int,
) -> list[tuple[int, float]]:
    """
    The passages that score highest, best first: at least `limit` if there are so many, and a few hundred more.

    They must hold one of the words `within`.
    """
    lists = [postings(db, forms, COMMON) for forms in words]
    rare = [found for found in lists if 0 < len(found) < COMMON] or [found for found in lists if len(found)]
    if not rare:
        return []
    allowed = np.unique(postings(db, within, 2**31)) if within is not None else None
    counted = [_count(found, kinds, allowed) for found in rare]
    rows, average = _statistics(db)
    idf = [_idf(len(passages), rows) for passages, _ in counted]
    passages = np.unique(np.concatenate([p for p, _ in counted]))
    scores = _scores(passages, counted, idf, np.ones(len(passages)))
    if len(passages) > LONG_LIST + limit:
        passages = passages[np.argpartition(-scores, LONG_LIST + limit)[: LONG_LIST + limit]]
    scores = _scores(passages, counted, idf, _lengths(db, passages) / average)
    order = np.lexsort((passages, -scores))
    return [(int(passages[i]), float(scores[i])) for i in order]


def _count(found: Numbers, kinds: tuple[int, ...], allowed: Numbers | None) -> tuple[Numbers, Numbers]:
    passages, counts = np.unique(found, return_counts=True)
    keep = np.isin(passages & 3, kinds)
    if allowed is not None:
        keep &= np.isin(passages, allowed, assume_unique=True)
    return passages[keep], counts[keep]


def _scores(
    passages: Numbers, counted: Sequence[tuple[Numbers, Numbers]], idf: Sequence[float], length: Scores
) -> Scores:
    """BM25 of each passage; `length` is its length in units of the average."""
    total = np.zeros(len(passages))
    for (holders, counts), rarity in zip(counted, idf, strict=True):
        if not len(holders):
            continue
        at = np.minimum(np.searchsorted(holders, passages), len(holders) - 1)
        tf = np.where(holders[at] == passages, counts[at], 0)
        total += rarity * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length))
    return total


def _idf(holders: int, rows: int) -> float:
    return math.log(1 + (max(rows - holders, 0) + 0.5) / (holders + 0.5))


def _statistics(db: apsw.Connection) -> tuple[int, float]:
    """How many passages there are, and how long they are on average."""
    row = fetch_one(db, "SELECT block FROM passages_fts_data WHERE id = 1")
    rows, words = (_varints(row[0], 2) if row else (0, 0)) or (0, 0)
    return rows, max(words / rows, 1.0) if rows else 1.0


def _lengths(db: apsw.Connection, passages: Numbers) -> Scores:
    listed = "[" + ",".join(map(str, passages.tolist())) + "]"
    sizes = {
        passage: _varints(size, 1)[0]
        for passage, size in db.execute(
            "SELECT id, sz FROM passages_fts_docsize WHERE id IN (SELECT value FROM json_each(?))", (listed,)
        )
    }
    return np.array([sizes.get(passage, 1) for passage in passages.tolist()], dtype=np.float64)


def _varints(data: bytes, count: int) -> list[int]:
    """SQLite's variable-length integers: seven bits a byte, high bit set on all but the last."""
    numbers, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(value)
            value = 0
            if len(numbers) == count:
                break
    return numbers + [0] * (count - len(numbers))
