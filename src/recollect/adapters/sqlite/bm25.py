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

from recollect.adapters.sqlite.rows import fetch, fetch_one, number
from recollect.domain.candidate import Hit

Numbers: TypeAlias = NDArray[np.int64]
Scores: TypeAlias = NDArray[np.float64]
#: Whether passages of each kind are wanted.
Wanted: TypeAlias = NDArray[np.bool_]
#: A word in all the forms it may stand under.
Forms: TypeAlias = tuple[str, ...]

#: The usual constants of BM25.
K1, B = 1.2, 0.75
#: A word with so many occurrences is frequent: whether it stands in a passage counts, and no longer how often.
FREQUENT = 5_000
#: A word in so many passages says nothing about any of them; it is looked for only if there is no rarer one, and then
#: where it was said last.
COMMON = 20_000
#: Passages of a frequent word that are taken, the newest, where passages are lacking.
LONG_LIST = 200
#: Passages whose length is looked up besides those wanted, since a short one may come first; a hundred of them change
#: LoCoMo's recall by a tenth of a point, one way or the other.
MEASURED = 40
#: How much an index may grow or shrink before its frequent words are counted again.
DRIFT = 0.05

#: Of all words at once: each statement has to find its way into the index by itself.
POSTINGS = """
    SELECT (SELECT group_concat(doc) FROM (SELECT doc FROM temp.words WHERE term = j.value LIMIT ?2))
    FROM json_each(?1) j ORDER BY j.key
"""
MATCHING = "SELECT rowid FROM passages_fts WHERE passages_fts MATCH ? LIMIT ?"
NEWEST = "SELECT rowid FROM passages_fts WHERE passages_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
#: In one row: of hundreds each would be handed over by itself, and other threads take their turn in between.
LENGTHS = """
    SELECT group_concat(hex(coalesce(d.sz, x'01')))
    FROM json_each(?) j LEFT JOIN passages_fts_docsize d ON d.id = j.value
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holders:
    """The passages that hold a word, in order, how often each does, and how many there are, listed here or not."""

    passages: Numbers
    times: Numbers
    count: int

    def rarity(self, rows: int) -> float:
        return math.log(1 + (max(rows - self.count, 0) + 0.5) / (self.count + 0.5))


class Frequent:
    """Remembers which words are frequent, and how many passages hold them, so that they are not counted each time."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._known: dict[Forms, tuple[int, int]] = {}

    def get(self, forms: Forms, rows: int) -> int | None:
        """How many passages held the word when there were about as many `rows` as now."""
        count, rows_then = self._known.get(forms, (0, 0))
        return count if abs(rows - rows_then) < DRIFT * rows_then else None

    def put(self, forms: Forms, rows: int, count: int) -> None:
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[forms] = (count, rows)


def best(
    db: apsw.Connection,
    words: Sequence[Forms],
    *,
    within: Forms | Numbers | None,
    kinds: tuple[int, ...],
    limit: int,
    frequent: Frequent,
) -> list[Hit]:
    """
    The passages that score highest, best first: at least `limit` if there are so many, and some more.

    They must hold one of the words `within`, or be one of its passages.
    """
    rows, average = _statistics(db)
    wanted = np.array([kind in kinds for kind in range(4)])
    rare, many, everywhere = _parted(db, words, rows, frequent)
    if many and not rare and min(many.values()) < COMMON:
        rarest = min(many, key=lambda forms: many[forms])
        del many[rarest]
        rare |= _postings(db, [rarest], COMMON)
    scope = _any([within]) if isinstance(within, tuple) else None
    allowed = _matching(db, _all(_any(rare), scope)) if scope and rare else None
    among = None if isinstance(within, tuple) else within
    held = [_counted(found, wanted, allowed if scope else among) for found in rare.values()]
    if many and among is not None:
        held += [_counted(np.sort(_matching(db, _any([forms]))), wanted, among) for forms in many]
    elif many:
        lacking = 2 * limit - sum(len(each.passages) for each in held)
        beside = _beside(db, many, rare=rare, scope=scope, lacking=lacking)
        held += [_present(found, count, wanted) for found, count in beside]
    passages = _most_promising(held, rows, MEASURED + limit)
    scores, found = _scores(passages, held, rows, _lengths(db, passages) / average)
    covered = (found + everywhere) / max(len(words), 1)
    order = np.lexsort((passages, -scores))
    return list(map(Hit, passages[order].tolist(), scores[order].tolist(), covered[order].tolist()))


def _parted(
    db: apsw.Connection, words: Sequence[Forms], rows: int, frequent: Frequent
) -> tuple[dict[Forms, Numbers], dict[Forms, int], int]:
    """
    The rare words with their occurrences, the frequent ones with the number of passages that hold them, and how many
    words are left out because they stand everywhere.
    """
    known = {forms: frequent.get(forms, rows) for forms in words}
    listed = _postings(db, [forms for forms, count in known.items() if count is None], FREQUENT)
    rare = {forms: found for forms, found in listed.items() if 0 < len(found) < FREQUENT}
    many = {forms: count for forms, count in known.items() if count is not None}
    for forms, found in listed.items():
        if len(found) >= FREQUENT:
            many[forms] = number(db, f"SELECT count(*) FROM ({MATCHING})", (_any([forms]), COMMON))
            frequent.put(forms, rows, many[forms])
    telling = {forms: count for forms, count in many.items() if count < COMMON}
    if not rare and not telling:
        return rare, many, 0
    return rare, telling, len(many) - len(telling)


def _postings(db: apsw.Connection, words: Sequence[Forms], limit: int) -> dict[Forms, Numbers]:
    """The passages that hold each word in any of its forms, in order, once per occurrence; `limit` of each form."""
    if not words:
        return {}
    asked = json.dumps([form for forms in words for form in forms])
    listed = (text for (text,) in fetch(db, POSTINGS, (asked, limit)))
    held = {}
    for forms in words:
        found = [text for text in islice(listed, len(forms)) if text]
        passages = _parsed(",".join(found))
        held[forms] = passages if len(found) < 2 else np.sort(passages, kind="stable")
    return held


def _matching(db: apsw.Connection, expression: str, *, last: int | None = None) -> Numbers:
    """The passages that match, or the `last` of them."""
    found = (MATCHING, -1) if last is None else (NEWEST, last)
    [(text,)] = fetch(db, f"SELECT group_concat(rowid) FROM ({found[0]})", (expression, found[1]))
    return _parsed(text or "")


def _parsed(text: str) -> Numbers:
    return np.fromstring(text, dtype=np.int64, sep=",")


def _any(words: Iterable[Forms]) -> str:
    """In FTS5's language: a passage that holds one of these. Quoted, so that no word is ever read as syntax."""
    return " OR ".join('"' + form.replace('"', '""') + '"' for forms in words for form in forms)


def _all(*expressions: str | None) -> str:
    return " AND ".join(f"({expression})" for expression in expressions if expression)


def _beside(
    db: apsw.Connection,
    many: Mapping[Forms, int],
    *,
    rare: Mapping[Forms, Numbers],
    scope: str | None,
    lacking: int,
) -> list[tuple[Numbers, int]]:
    """
    Where frequent words stand beside rare ones, and how many passages hold each.

    If passages are lacking then, also beside the rarest of the frequent ones, and where they were said last.
    """
    rarest = min(many, key=lambda forms: many[forms])
    found: dict[Forms, list[Numbers]] = {forms: [] for forms in many}
    counts = dict(many)
    for forms, lists in found.items():
        word = _any([forms])
        if scope:
            last = _matching(db, _all(word, scope), last=LONG_LIST)
            lists.append(last)
            if len(last) < LONG_LIST:
                # These are all there are.
                counts[forms] = len(last)
                continue
        if rare:
            lists.append(_matching(db, _all(_any(rare), word, scope)))
        if lacking > 0 and forms != rarest:
            together = _matching(db, _all(_any([rarest]), word, scope), last=LONG_LIST)
            lists.append(together)
            found[rarest].append(together)
    if not scope and sum(map(len, found[rarest])) < lacking:
        for forms, lists in found.items():
            lists.append(_matching(db, _any([forms]), last=LONG_LIST))
    return [(np.concatenate(lists), counts[forms]) for forms, lists in found.items()]


def _counted(found: Numbers, wanted: Wanted, allowed: Numbers | None) -> Holders:
    """Occurrences in order, counted by passage."""
    first = _first_of_each(found)
    passages, times = found[first], np.append(first[1:], len(found)) - first
    keep = wanted[passages & 3]
    if allowed is not None:
        keep &= np.isin(passages, allowed, assume_unique=True)
    passages = passages[keep]
    return Holders(passages=passages, times=times[keep], count=len(passages))


def _first_of_each(listed: Numbers) -> NDArray[np.intp]:
    """Where each number stands for the first time, in a list that is in order."""
    changes = np.ones(len(listed), dtype=np.bool_)
    np.not_equal(listed[1:], listed[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def _present(found: Numbers, count: int, wanted: Wanted) -> Holders:
    """Passages of which no more is known than that they hold the word."""
    once = _counted(np.sort(found), wanted, None)
    return Holders(passages=once.passages, times=np.ones_like(once.times), count=count)


def _most_promising(held: Sequence[Holders], rows: int, limit: int) -> Numbers:
    """The passages that score highest if all are equally long, in order."""
    listed = np.concatenate([each.passages for each in held] or [np.empty(0, np.int64)])
    if len(listed) <= limit:
        return np.unique(listed)
    scores = np.concatenate([each.rarity(rows) * _weight(each.times, np.ones(1)) for each in held])
    order = np.argsort(listed, kind="stable")
    listed, scores = listed[order], scores[order]
    first = _first_of_each(listed)
    passages, totals = listed[first], np.add.reduceat(scores, first)
    if len(passages) > limit:
        passages = np.sort(passages[np.argpartition(-totals, limit)[:limit]])
    return passages


def _scores(passages: Numbers, held: Sequence[Holders], rows: int, length: Scores) -> tuple[Scores, Numbers]:
    """BM25 of each passage, and how many of the words it holds; `length` is its length in units of the average."""
    total, found = np.zeros(len(passages)), np.zeros(len(passages), dtype=np.int64)
    for each in held:
        if len(each.passages):
            at = np.minimum(np.searchsorted(each.passages, passages), len(each.passages) - 1)
            times = np.where(each.passages[at] == passages, each.times[at], 0)
            total += each.rarity(rows) * _weight(times, length)
            found += times > 0
    return total, found


def _weight(times: Numbers, length: Scores) -> Scores:
    weight: Scores = times * (K1 + 1) / (times + K1 * (1 - B + B * length))
    return weight


def _statistics(db: apsw.Connection) -> tuple[int, float]:
    """How many passages there are, and how long they are on average."""
    row = fetch_one(db, "SELECT block FROM passages_fts_data WHERE id = 1")
    rows, words = _varints(row[0], 2) if row else (0, 0)
    return rows, max(words / rows, 1.0) if rows else 1.0


def _lengths(db: apsw.Connection, passages: Numbers) -> Scores:
    if not len(passages):
        return np.empty(0)
    listed = "[" + ",".join(map(str, passages.tolist())) + "]"
    [(sizes,)] = fetch(db, LENGTHS, (listed,))
    return np.array(list(map(_length, sizes.split(","))), dtype=np.float64)


@lru_cache(maxsize=10_000)
def _length(size: str) -> int:
    return _varints(bytes.fromhex(size), 1)[0]


def _varints(data: bytes, count: int) -> tuple[int, ...]:
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
