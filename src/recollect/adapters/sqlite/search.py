"""Search in SQLite: words through FTS5's index, meaning through vectors in the same file."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.adapters.sqlite import words
from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.neighbours import neighbours
from recollect.adapters.sqlite.rows import Row, fetch, fetch_one
from recollect.adapters.sqlite.shelf import Numbers, Shelf, Shelves
from recollect.adapters.sqlite.times import from_ms, maybe_ms
from recollect.adapters.sqlite.tokenizer import marker, word
from recollect.model.candidate import Candidate, Hit, Neighbour, Reach, Source
from recollect.model.memory import Kind
from recollect.model.message import ChunkKind, Role
from recollect.model.scope import Scope
from recollect.ports.embedder import Vector
from recollect.text.analyzer import terms

Bounds: TypeAlias = Mapping[str, str | int | None]

ROLES = {role.value: role for role in Role}
KINDS = {Source.MESSAGE: 0, Source.CHUNK: 1, Source.MEMORY: 2, Source.SUMMARY: 3}
#: In up to this many chats words are looked for by the marks of the chats.
FEW_CHATS = 4

#: What was forgotten, or corrected word for word, does not come back by way of the message it was said in.
STANDS = """
    NOT EXISTS (
        SELECT 1 FROM memory_spans s JOIN memories f ON f.no = s.memory_no
        WHERE s.message_no = m.no AND (f.standing = 'forgotten'
            OR (s.start = 0 AND s.end = length(m.content) AND f.origin = 'manual' AND f.text <> trim(m.content)))
    )
"""
SAID = f"""
    m.role IN ('user', 'assistant') AND (:as_of IS NULL OR m.created_at <= :as_of)
    AND coalesce(m.importance, 100) >= :floor AND {STANDS}
"""
IN_CHATS = "(:chats IS NULL OR {} IN (SELECT value FROM json_each(:chats)))"
#: Where each kind of passage is, and what it must be to be found: of the user, within reach, and still standing.
#: The numbers stand first in a CROSS JOIN, or SQLite would look through all rows of the user for them.
FOUND = (
    f"""
    FROM json_each(:numbers) n CROSS JOIN messages m ON m.no = n.value JOIN chats c ON c.no = m.chat_no
    WHERE m.user_no = :user AND {IN_CHATS.format("m.chat_no")} AND {SAID}
    """,
    f"""
    FROM json_each(:numbers) n CROSS JOIN message_chunks k ON k.no = n.value
        JOIN messages m ON m.no = k.message_no JOIN chats c ON c.no = k.chat_no
    WHERE k.user_no = :user AND {IN_CHATS.format("k.chat_no")} AND {SAID}
    """,
    f"""
    FROM json_each(:numbers) n CROSS JOIN memories m ON m.no = n.value LEFT JOIN chats c ON c.no = m.chat_no
    WHERE m.user_no = :user AND {IN_CHATS.format("0")} AND round(100 * m.weight) >= :floor
        AND (:kinds = '[]' OR m.kind IN (SELECT value FROM json_each(:kinds)))
        AND m.kind NOT IN (SELECT category FROM consents WHERE user_no = :user AND granted = 0)
        AND CASE WHEN :as_of IS NULL THEN m.standing = 'active' ELSE
            m.standing IN ('active', 'superseded') AND coalesce(m.valid_from, m.created_at) <= :as_of
            AND coalesce(m.valid_to, :as_of + 1) > :as_of END
    """,
    f"""
    FROM json_each(:numbers) n CROSS JOIN conversation_summaries s ON s.no = n.value
        JOIN chats c ON c.no = s.chat_no
    WHERE s.user_no = :user AND {IN_CHATS.format("s.chat_no")} AND (:as_of IS NULL OR s.created_at <= :as_of)
        AND s.kind = 'conversation'
    """,
)
#: Messages that memories were made of.
USED = """
    SELECT DISTINCT s.message_no FROM json_each(?) n CROSS JOIN memory_spans s ON s.message_no = n.value
"""
NUMBERS = tuple(f"SELECT {name}.no * 4 + {kind}" for kind, name in enumerate("mkms"))
MESSAGES = f"""
    SELECT m.no * 4, m.id, c.id, m.role, m.content, m.created_at, m.tokens, m.importance, m.summary {FOUND[0]}
"""
CHUNKS = f"""
    SELECT k.no * 4 + 1, m.id, k.chunk_index, c.id, m.role, k.content, m.created_at, k.tokens, k.chunk_kind,
        m.importance {FOUND[1]}
"""
MEMORIES = f"""
    SELECT m.no * 4 + 2, m.id, c.id, m.speaker, m.text, m.created_at, m.seen_at, m.tokens, m.kind, m.weight, m.pinned
    {FOUND[2]}
"""
SUMMARIES = f"SELECT s.no * 4 + 3, s.id, c.id, s.text, s.created_at, s.tokens {FOUND[3]}"

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
        self._frequent = words.Frequent()

    def lexical(self, scope: Scope, query: str, *, limit: int, reach: Reach) -> list[Hit]:
        wanted = terms(query)
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            if not user_no or not wanted:
                return []
            chats = _chats(db, user_no, scope, reach)
            if chats is not None and not len(chats):
                return []
            found = words.best(
                db,
                [tuple(word(user_no, form) for form in forms) for forms in wanted],
                within=_within(db, user_no, chats, reach),
                kinds=_kinds(reach),
                limit=limit,
                frequent=self._frequent,
            )
            return _first(db, found, limit, _bounds(user_no, chats, reach))

    def dense(self, scope: Scope, vector: Vector, *, model: str, limit: int, reach: Reach) -> list[Hit]:
        query = np.frombuffer(vector, dtype=np.float32)
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            known = fetch_one(db, "SELECT no, dimension FROM embedding_models WHERE id = ?", (model,))
            if not user_no or known is None or known[1] != len(vector):
                return []
            chats = _chats(db, user_no, scope, reach)
            shelf = self._shelf(db, user_no, *known)
            looked = shelf.rows_to_read(limit)
            while True:
                numbers = shelf.nearest(query, limit=looked, kinds=_kinds(reach), chats=chats)
                rows = _vectors(db, user_no, numbers)
                found = _nearest_first(rows, query)
                hits = _first(db, found, limit, _bounds(user_no, chats, reach))
                if len(hits) == limit or len(numbers) < looked:
                    break
                # Too many of the nearest were deleted, or stand no longer: look further.
                looked *= 4
        if len(rows) < len(numbers) * 3 // 4:
            self._shelves.drop(user_no, known[0])
        return hits

    def cosines(
        self, scope: Scope, passages: Sequence[int], vector: Vector, *, model: str
    ) -> dict[int, float]:
        with self._database.reading() as db:
            rows = fetch(
                db,
                "SELECT v.passage, v.scale, v.data FROM embedding_models e"
                " CROSS JOIN json_each(?1) n CROSS JOIN vectors v ON v.passage = n.value AND v.model_no = e.no"
                " WHERE e.id = ?2 AND e.dimension = ?3 AND v.user_no = ?4",
                (_json(passages), model, len(vector), self._database.user(db, scope.user)),
            )
        return dict(_nearest_first(rows, np.frombuffer(vector, dtype=np.float32)))

    def important(self, scope: Scope, *, limit: int, reach: Reach) -> list[Hit]:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            bounds = _bounds(user_no, _chats(db, user_no, scope, reach), reach)
            rows = db.execute(IMPORTANT, {**bounds, "sources": _json(_kinds(reach)), "limit": limit})
            return [Hit(passage, weight) for passage, weight in rows]

    def neighbours(
        self, scope: Scope, passages: Sequence[int]
    ) -> dict[int, tuple[Neighbour | None, Neighbour | None]]:
        with self._database.reading() as db:
            return neighbours(db, self._database.user(db, scope.user), _json(passages))

    def load(self, scope: Scope, passages: Iterable[int], *, reach: Reach) -> dict[int, Candidate]:
        numbers: dict[int, list[int]] = {}
        for passage in passages:
            numbers.setdefault(passage & 3, []).append(passage >> 2)
        found: dict[int, Candidate] = {}
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            bounds = _bounds(user_no, _chats(db, user_no, scope, reach), reach)
            readers = (_messages, _chunks, _memories, _summaries)
            for kind in set(numbers) & set(_kinds(reach)):
                found.update(readers[kind](db, {**bounds, "numbers": _json(numbers[kind])}))
        return found

    def _shelf(self, db: apsw.Connection, user_no: int, model_no: int, dimension: int) -> Shelf:
        shelf = self._shelves.get(user_no, model_no, dimension)
        if db.in_transaction:
            if shelf.lags(db, user_no, model_no):
                with self._database.fresh() as committed:
                    shelf.refresh(committed, user_no, model_no)
            # What is written here may still be taken back, number and all: it must not stay on the shelf.
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
    [(listed,)] = fetch(db, PASSAGES, (user_no, _json(chats.tolist())))
    return np.fromstring(listed or "", dtype=np.int64, sep=",")


def _bounds(user_no: int, chats: Numbers | None, reach: Reach) -> Bounds:
    """What every query about passages is bound by."""
    return {
        "user": user_no,
        "chats": None if chats is None else _json(chats.tolist()),
        "as_of": maybe_ms(reach.as_of),
        "floor": reach.importance_floor,
        "kinds": json.dumps(sorted(reach.kinds)),
    }


def _first(db: apsw.Connection, found: Sequence[tuple[int, float]], limit: int, bounds: Bounds) -> list[Hit]:
    """The first of them that still stand and are within bounds."""
    hits: list[Hit] = []
    for start in range(0, len(found), limit):
        part = found[start : start + limit]
        standing = _standing(db, [passage for passage, _ in part], bounds)
        hits += [Hit(passage, score) for passage, score in part if passage in standing]
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
            used = {number for (number,) in db.execute(USED, (_json(numbers),))}
            standing.update(number * 4 for number in numbers if number not in used)
            numbers = sorted(used)
        if numbers:
            rows = db.execute(NUMBERS[kind] + FOUND[kind], {**bounds, "numbers": _json(numbers)})
            standing.update(number for (number,) in rows)
    return standing


def _vectors(db: apsw.Connection, user_no: int, numbers: Sequence[int]) -> list[Row]:
    return fetch(
        db,
        "SELECT v.passage, v.scale, v.data FROM json_each(?) n CROSS JOIN vectors v ON v.no = n.value"
        " WHERE v.user_no = ?",
        (_json(numbers), user_no),
    )


def _cosines(rows: Sequence[Row], query: NDArray[np.float32]) -> tuple[Numbers, NDArray[np.float32]]:
    """The passages of some vectors, and how near each is to the query."""
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    passages, scales, data = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), len(query))
    scores = np.vecdot(matrix.astype(np.float32), query) * np.array(scales, dtype=np.float32)
    return np.array(passages, dtype=np.int64), scores


def _nearest_first(rows: Sequence[Row], query: NDArray[np.float32]) -> list[tuple[int, float]]:
    passages, scores = _cosines(rows, query)
    order = np.lexsort((passages, -scores))
    return list(zip(passages[order].tolist(), scores[order].tolist(), strict=True))


def _kinds(reach: Reach) -> tuple[int, ...]:
    return tuple(sorted(KINDS[source] for source in reach.sources if source in KINDS))


def _json(numbers: Sequence[int]) -> str:
    return "[" + ",".join(map(str, numbers)) + "]"


def _messages(db: apsw.Connection, bounds: Bounds) -> Iterator[tuple[int, Candidate]]:
    for passage, message, chat, role, text, at, tokens, importance, summary in db.execute(MESSAGES, bounds):
        said_at = from_ms(at)
        yield (
            passage,
            Candidate(
                source=Source.MESSAGE,
                id=message,
                chat=chat,
                role=ROLES[role],
                text=text,
                created_at=said_at,
                seen_at=said_at,
                tokens=tokens,
                importance=importance,
                summary=summary,
            ),
        )


def _chunks(db: apsw.Connection, bounds: Bounds) -> Iterator[tuple[int, Candidate]]:
    for passage, message, index, chat, role, text, at, tokens, kind, importance in db.execute(CHUNKS, bounds):
        yield (
            passage,
            Candidate(
                source=Source.CHUNK,
                id=f"{message}#{index}",
                parent=message,
                chat=chat,
                role=ROLES[role],
                text=text,
                created_at=from_ms(at),
                seen_at=from_ms(at),
                tokens=tokens,
                chunk_kind=ChunkKind(kind),
                importance=importance,
            ),
        )


def _memories(db: apsw.Connection, bounds: Bounds) -> Iterator[tuple[int, Candidate]]:
    for passage, memory, chat, speaker, text, at, seen_at, tokens, kind, weight, pinned in db.execute(
        MEMORIES, bounds
    ):
        yield (
            passage,
            Candidate(
                source=Source.MEMORY,
                id=memory,
                chat=chat,
                role=ROLES[speaker],
                text=text,
                created_at=from_ms(at),
                seen_at=from_ms(seen_at),
                tokens=tokens,
                kind=Kind(kind),
                weight=weight,
                importance=round(100 * weight),
                pinned=bool(pinned),
            ),
        )


def _summaries(db: apsw.Connection, bounds: Bounds) -> Iterator[tuple[int, Candidate]]:
    for passage, summary, chat, text, at, tokens in db.execute(SUMMARIES, bounds):
        yield (
            passage,
            Candidate(
                source=Source.SUMMARY,
                id=summary,
                chat=chat,
                text=text,
                created_at=from_ms(at),
                seen_at=from_ms(at),
                tokens=tokens,
            ),
        )
