"""Search in SQLite: words through FTS5's index, meaning through vectors in the same file."""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

import apsw
import numpy as np

from recollect.adapters.sqlite import bm25
from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.passages import (
    CANDIDATES,
    FOUND,
    IN_CHATS,
    NUMBERS,
    Bounds,
    Wanted,
    remembered,
)
from recollect.adapters.sqlite.quantized_index import Columns, Floats, Numbers, Sought
from recollect.adapters.sqlite.rows import Row, Values, as_json, fetch, fetch_one
from recollect.adapters.sqlite.timestamps import maybe_ms, to_ms
from recollect.adapters.sqlite.tokenizer import marker, word
from recollect.adapters.sqlite.vector_cache import Shelf, Shelves
from recollect.domain.candidate import Candidate, Hit, Reach, Source
from recollect.domain.scope import Scope
from recollect.ports.embedder import Vector
from recollect.ports.search import SILENT
from recollect.text.analyzer import terms

KINDS = {Source.MESSAGE: 0, Source.CHUNK: 1, Source.MEMORY: 2, Source.SUMMARY: 3}
#: Vectors looked at for each one wanted: what some of them stand for stands no longer; where only bits are kept, those
#: that are near are told from those that seem to be when they are read from disk.
READ_WHOLE = 2
READ_BITS = 16
READ_BITS_LEAST = 1_024
#: In up to this many chats words are looked for by the marks of the chats.
FEW_CHATS = 4

#: Some of a user's vectors, by their numbers or by what they stand for.
VECTORS = "FROM json_each(?) n CROSS JOIN vectors v ON v.no = n.value WHERE v.user_no = ?"
VECTORS_OF_PASSAGES = """
    FROM json_each(?1) n CROSS JOIN vectors v ON v.passage = n.value
        AND v.model_no = (SELECT no FROM embedding_models WHERE id = ?3) WHERE v.user_no = ?2
"""
MODEL = "SELECT no, dimension FROM embedding_models WHERE id = ?"
#: Everything said in some chats, and what belongs to none if 0 is among them.
PASSAGES = """
    WITH chosen AS MATERIALIZED (SELECT value AS chat_no FROM json_each(?2))
    SELECT group_concat(passage) FROM (
        SELECT m.no * 4 AS passage FROM chosen CROSS JOIN messages m USING (chat_no) WHERE m.user_no = ?1
        UNION ALL SELECT k.no * 4 + 1 FROM chosen CROSS JOIN message_chunks k USING (chat_no)
        UNION ALL SELECT s.no * 4 + 3 FROM chosen CROSS JOIN conversation_summaries s USING (chat_no)
        UNION ALL SELECT no * 4 + 2 FROM memories WHERE user_no = ?1 AND 0 IN (SELECT chat_no FROM chosen)
    )
"""
IN_CHAT = "AND chat_no = (SELECT no FROM chats WHERE id = ? AND user_no = ?)"
SAID_THEN = """
    SELECT no * 4 FROM messages
    WHERE user_no = ? AND created_at >= ? AND created_at < ? AND role IN ('user', 'assistant') {}
    ORDER BY created_at DESC, no DESC LIMIT ?
"""
#: Each half comes out of its index in order, so that only as many rows are read as are wanted.
IMPORTANT = f"""
    SELECT passage, weight FROM (
        SELECT * FROM (
            SELECT no * 4 AS passage, importance / 100.0 AS weight, created_at FROM messages
            WHERE user_no = :user AND importance > 0 AND importance >= :floor AND role IN ('user', 'assistant')
                AND 0 IN (SELECT value FROM json_each(:sources)) AND {IN_CHATS.format("chat_no")}
            ORDER BY importance DESC, created_at DESC LIMIT :limit
        )
        UNION ALL
        SELECT * FROM (
            SELECT no * 4 + 2, weight, seen_at FROM memories
            WHERE user_no = :user AND standing = 'active' AND weight >= :floor / 100.0
                AND 2 IN (SELECT value FROM json_each(:sources)) AND {IN_CHATS.format("0")}
            ORDER BY weight DESC, seen_at DESC LIMIT :limit
        )
    )
    ORDER BY weight DESC, created_at DESC, passage DESC LIMIT :limit
"""


class SqliteSearch:
    def __init__(self, database: Database, shelves: Shelves) -> None:
        self._database = database
        self._shelves = shelves
        self._frequent = bm25.Frequent()
        self._models: dict[str, Row] = {}
        self._moment = threading.local()

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        with self._database.one_moment():
            around = getattr(self._moment, "held", None)
            self._moment.held = {}
            try:
                yield
            finally:
                self._moment.held = around

    def lexical(self, scope: Scope, query: str, *, limit: int, reach: Reach) -> list[Hit]:
        wanted = terms(query)
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            if not user_no or not wanted:
                return []
            chats = _chats(db, user_no, scope, reach)
            if chats is not None and not len(chats):
                return []
            found = bm25.best(
                db,
                [tuple(word(user_no, form) for form in forms) for forms in wanted],
                within=_within(db, user_no, chats, reach),
                kinds=_kinds(reach),
                limit=limit,
                frequent=self._frequent,
            )
            return _first(db, found, limit, _bounds(user_no, chats, reach))

    def dense(
        self, scope: Scope, vector: Vector, *, model: str, limit: int, reach: Reach, middle: float = 0.0
    ) -> list[Hit]:
        query = np.frombuffer(vector, dtype=np.float32)
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            held = self._held(db, user_no, model, len(vector))
            if held is None:
                return []
            chats = _chats(db, user_no, scope, reach)
            sought = held.sought(query, middle)
            looked = _rows_to_read(held, limit)
            while True:
                near = held.nearest(sought, limit=looked, kinds=_kinds(reach), chats=chats)
                if held.whole is None:
                    found = _read(db, VECTORS, (as_json(held.numbers[near].tolist()), user_no), sought)
                else:
                    found = held.passages[near], held.nearness(near, sought)
                hits = _first(db, _nearest_first(*found), limit, _bounds(user_no, chats, reach))
                if len(hits) == limit or len(near) < looked:
                    return hits
                # Too many of the nearest stand no longer: look further.
                looked *= 4

    def cosines(
        self, scope: Scope, passages: Sequence[int], vector: Vector, *, model: str, middle: float = 0.0
    ) -> dict[int, float]:
        query = np.frombuffer(vector, dtype=np.float32)
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            held = self._held(db, user_no, model, len(vector))
            if held is None:
                return {}
            sought = held.sought(query, middle)
            if held.whole is None:
                found, near = _read(db, VECTORS_OF_PASSAGES, (as_json(passages), user_no, model), sought)
            else:
                places = held.places_of(np.array(passages, dtype=np.int64))
                found, near = held.passages[places], held.nearness(places, sought)
        return dict(zip(found.tolist(), near.tolist(), strict=True))

    def important(self, scope: Scope, *, limit: int, reach: Reach) -> list[Hit]:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            bounds = _bounds(user_no, _chats(db, user_no, scope, reach), reach)
            rows = db.execute(IMPORTANT, {**bounds, "sources": as_json(_kinds(reach)), "limit": limit})
            return [Hit(passage, weight) for passage, weight in rows]

    def said(self, scope: Scope, begins_at: datetime, ends_at: datetime, *, limit: int) -> list[int]:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            clause, chat = ("", ()) if scope.chat is None else (IN_CHAT, (scope.chat, user_no))
            rows = fetch(
                db, SAID_THEN.format(clause), (user_no, to_ms(begins_at), to_ms(ends_at), *chat, limit)
            )
        return [passage for (passage,) in rows]

    def load(
        self,
        scope: Scope,
        passages: Iterable[int],
        *,
        reach: Reach,
        dense: Mapping[int, float] = SILENT,
        lexical: Mapping[int, float] = SILENT,
        beside: bool = False,
    ) -> dict[int, Candidate]:
        numbers: dict[int, list[int]] = {}
        for passage in passages:
            numbers.setdefault(passage & 3, []).append(passage >> 2)
        found: dict[int, Candidate] = {}
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            bounds = _bounds(user_no, _chats(db, user_no, scope, reach), reach)
            wanted = Wanted(bounds=bounds, dense=dense, lexical=lexical, beside=beside)
            for kind in set(numbers) & set(_kinds(reach)):
                found.update(CANDIDATES[kind](db, numbers[kind], wanted))
        return found

    def _held(self, db: apsw.Connection, user_no: int, model: str, dimension: int) -> Columns | None:
        """The user's vectors of a model; None if there are none of this length."""
        key, seen = (user_no, model, dimension), self._seen
        if key in seen and not self._database.writes_here:
            return seen[key]
        known = self._models.get(model) or fetch_one(db, MODEL, (model,))
        if not user_no or known is None or known[1] != dimension:
            return None
        held = self._shelf(db, user_no, known[0], dimension).held
        if not self._database.writes_here:
            # What is written here may change any time, and still be taken back, number and all.
            self._models[model], seen[key] = known, held
        return held

    @property
    def _seen(self) -> dict[tuple[int, str, int], Columns]:
        """The vectors that were looked at in this moment; outside of one nothing is remembered."""
        seen: dict[tuple[int, str, int], Columns] | None = getattr(self._moment, "held", None)
        return {} if seen is None else seen

    def _shelf(self, db: apsw.Connection, user_no: int, model_no: int, dimension: int) -> Shelf:
        shelf = self._shelves.get(user_no, model_no, dimension)
        if self._database.writes_here:
            if shelf.lags(db, user_no, model_no):
                with self._database.fresh() as committed:
                    shelf.refresh(committed, user_no, model_no)
            # The same goes for vectors: those of here must not stay on the shelf.
            shelf = shelf.snapshot()
        shelf.refresh(db, user_no, model_no)
        return shelf


def _chats(db: apsw.Connection, user_no: int, scope: Scope, reach: Reach) -> Numbers | None:
    """The numbers of the chats to look into; 0 stands for what belongs to no chat. None means everywhere."""
    if scope.chat is not None:
        rows = fetch(db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, scope.chat))
    elif reach.chats:
        rows = fetch(
            db,
            "SELECT no FROM chats WHERE user_no = ? ORDER BY updated_at DESC, no DESC LIMIT ?",
            (user_no, reach.chats),
        )
        rows.append((0,))
    else:
        return None
    return np.array([no for (no,) in rows], dtype=np.int64)


def _within(
    db: apsw.Connection, user_no: int, chats: Numbers | None, reach: Reach
) -> tuple[str, ...] | Numbers | None:
    """Where to look for words: behind the marks of a few chats, or among the passages of many; None is everywhere."""
    if chats is None:
        # Memories stand behind a mark of their own, as if they were a chat.
        return (marker(user_no, 0),) if _kinds(reach) == (KINDS[Source.MEMORY],) else None
    if len(chats) <= FEW_CHATS:
        return tuple(marker(user_no, number) for number in chats.tolist())
    [(listed,)] = fetch(db, PASSAGES, (user_no, as_json(chats.tolist())))
    return np.fromstring(listed or "", dtype=np.int64, sep=",")


def _bounds(user_no: int, chats: Numbers | None, reach: Reach) -> Bounds:
    """What every query about passages is bound by."""
    return {
        "user": user_no,
        "chats": None if chats is None else as_json(chats.tolist()),
        "as_of": maybe_ms(reach.as_of),
        "floor": reach.importance_floor,
        "kinds": json.dumps(sorted(reach.kinds)),
    }


def _first(db: apsw.Connection, found: Sequence[Hit], limit: int, bounds: Bounds) -> list[Hit]:
    """The first of them that still stand and are within bounds."""
    hits: list[Hit] = []
    for start in range(0, len(found), limit):
        part = found[start : start + limit]
        standing = _standing(db, [hit.passage for hit in part], bounds)
        hits += [hit for hit in part if hit.passage in standing]
        if len(hits) >= limit:
            break
    return hits[:limit]


def _standing(db: apsw.Connection, passages: Sequence[int], bounds: Bounds) -> set[int]:
    standing: set[int] = set()
    for kind in range(4):
        numbers = [passage >> 2 for passage in passages if passage & 3 == kind]
        if kind == KINDS[Source.MESSAGE] and numbers and bounds["as_of"] is None and not bounds["floor"]:
            # What is in the index was said by the user, there and by somebody who speaks. It stands, unless a memory
            # that was made of it does not.
            used = remembered(db, numbers)
            standing.update(number * 4 for number in numbers if number not in used)
            numbers = sorted(used)
        if numbers:
            rows = db.execute(NUMBERS[kind] + FOUND[kind], {**bounds, "numbers": as_json(numbers)})
            standing.update(number for (number,) in rows)
    return standing


def _rows_to_read(held: Columns, limit: int) -> int:
    """How many of the nearest to look at so that the `limit` nearest that stand are among them."""
    return max(READ_BITS * limit, READ_BITS_LEAST) if held.whole is None else READ_WHOLE * limit


def _read(db: apsw.Connection, vectors: str, wanted: Values, sought: Sought) -> tuple[Numbers, Floats]:
    """The passages of those vectors and how near each is to what is sought, from the file."""
    rows = fetch(db, f"SELECT v.passage, v.scale, v.data {vectors}", wanted)
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    passages, scales, data = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), -1)
    near = sought.nearness(matrix, np.array(scales, dtype=np.float32))
    return np.array(passages, dtype=np.int64), near


def _nearest_first(passages: Numbers, scores: Floats) -> list[Hit]:
    order = np.lexsort((passages, -scores))
    return list(map(Hit, passages[order].tolist(), scores[order].tolist()))


def _kinds(reach: Reach) -> tuple[int, ...]:
    return tuple(sorted(KINDS[source] for source in reach.sources if source in KINDS))
