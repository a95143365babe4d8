"""Search in SQLite: words through FTS5's index, meaning through vectors in the same file."""

from collections.abc import Iterable, Iterator, Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.adapters.sqlite import words
from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import Row, fetch, fetch_one
from recollect.adapters.sqlite.shelf import Numbers, Shelves
from recollect.adapters.sqlite.times import from_ms, maybe_ms
from recollect.adapters.sqlite.tokenizer import marker, word
from recollect.model.candidate import Candidate, Hit, Reach, Source
from recollect.model.memory import Kind
from recollect.model.message import ChunkKind, Role
from recollect.model.scope import Scope
from recollect.ports.embedder import Vector
from recollect.text.analyzer import terms

KINDS = {Source.MESSAGE: 0, Source.CHUNK: 1, Source.MEMORY: 2, Source.SUMMARY: 3}
#: Vectors read from disk for each one wanted: the first look by bits alone is coarse.
OVERSAMPLE = 8
#: Up to this many vectors all are read, so that small memories are searched exactly.
EXACT_BELOW = 512

#: What was forgotten, or corrected word for word, does not come back by way of the message it was said in.
STANDS = """
    NOT EXISTS (
        SELECT 1 FROM memory_spans s JOIN memories f ON f.no = s.memory_no
        WHERE s.message_no = m.no AND (f.standing = 'forgotten'
            OR (s.start = 0 AND s.end = length(m.content) AND f.origin = 'manual' AND f.text <> trim(m.content)))
    )
"""
MESSAGES = f"""
    SELECT m.no * 4, m.id, c.id, m.role, m.content, m.created_at, m.tokens, m.importance, m.summary
    FROM messages m JOIN chats c ON c.no = m.chat_no
    WHERE m.no IN (SELECT value FROM json_each(?1)) AND m.user_no = ?2 AND (?3 IS NULL OR m.created_at <= ?3)
        AND {STANDS}
"""
CHUNKS = f"""
    SELECT k.no * 4 + 1, m.id, k.chunk_index, c.id, m.role, k.content, m.created_at, k.tokens, k.chunk_kind,
        m.importance
    FROM message_chunks k JOIN messages m ON m.no = k.message_no JOIN chats c ON c.no = k.chat_no
    WHERE k.no IN (SELECT value FROM json_each(?1)) AND k.user_no = ?2 AND (?3 IS NULL OR m.created_at <= ?3)
        AND {STANDS}
"""
MEMORIES = """
    SELECT m.no * 4 + 2, m.id, c.id, m.speaker, m.text, m.created_at, m.seen_at, m.tokens, m.kind, m.weight
    FROM memories m LEFT JOIN chats c ON c.no = m.chat_no
    WHERE m.no IN (SELECT value FROM json_each(?1)) AND m.user_no = ?2
        AND CASE WHEN ?3 IS NULL THEN m.standing = 'active' ELSE
            m.standing IN ('active', 'superseded') AND coalesce(m.valid_from, m.created_at) <= ?3
            AND coalesce(m.valid_to, ?3 + 1) > ?3 END
"""
SUMMARIES = """
    SELECT s.no * 4 + 3, s.id, c.id, s.text, s.created_at, s.tokens
    FROM conversation_summaries s JOIN chats c ON c.no = s.chat_no
    WHERE s.no IN (SELECT value FROM json_each(?1)) AND s.user_no = ?2 AND (?3 IS NULL OR s.created_at <= ?3)
"""

IMPORTANT = """
    SELECT passage, weight FROM (
        SELECT no * 4 AS passage, importance / 100.0 AS weight, created_at FROM messages
        WHERE user_no = ?1 AND importance > 0 AND (?2 IS NULL OR chat_no IN (SELECT value FROM json_each(?2)))
        UNION ALL
        SELECT no * 4 + 2, weight, seen_at FROM memories WHERE user_no = ?1 AND standing = 'active'
    )
    WHERE weight >= ?3 ORDER BY weight DESC, created_at DESC, passage LIMIT ?4
"""


class SqliteSearch:
    def __init__(self, database: Database, shelves: Shelves) -> None:
        self._database = database
        self._shelves = shelves

    def lexical(self, scope: Scope, query: str, *, limit: int, reach: Reach) -> list[Hit]:
        wanted = terms(query)
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            chats = self._chats(db, user_no, scope, reach)
            if not user_no or not wanted or (chats is not None and not len(chats)):
                return []
            within = marker(user_no, int(chats[0])) if scope.chat is not None and chats is not None else None
            spread = limit if reach.chats == 0 or within else limit * 4
            found = words.best(
                db,
                [[word(user_no, form) for form in forms] for forms in wanted],
                within=within,
                kinds=_kinds(reach),
                limit=spread,
            )
            if chats is not None and not within:
                found = self._in_chats(db, found, chats)
        return [Hit(passage, score) for passage, score in found[:limit]]

    def dense(self, scope: Scope, vector: Vector, *, model: str, limit: int, reach: Reach) -> list[Hit]:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            known = fetch_one(db, "SELECT no, dimension FROM embedding_models WHERE id = ?", (model,))
            if not user_no or known is None or known[1] != len(vector):
                return []
            model_no, dimension = known
            shelf = self._shelves.get(user_no, model_no, dimension)
            shelf.refresh(db, user_no, model_no)
            query = np.frombuffer(vector, dtype=np.float32)
            numbers = shelf.nearest(
                query,
                limit=max(limit * OVERSAMPLE, EXACT_BELOW),
                kinds=_kinds(reach),
                chats=self._chats(db, user_no, scope, reach),
            )
            rows = fetch(
                db,
                "SELECT passage, scale, data FROM vectors"
                " WHERE no IN (SELECT value FROM json_each(?)) AND user_no = ?",
                (_json(numbers), user_no),
            )
        if len(rows) < len(numbers) * 3 // 4:
            # Much of what the shelf holds was deleted: begin anew with the next question.
            self._shelves.drop(user_no, model_no)
        hits = [Hit(passage, score) for passage, score in _cosines(rows, query).items()]
        return sorted(hits, key=lambda hit: (-hit.score, hit.passage))[:limit]

    def cosines(
        self, scope: Scope, passages: Sequence[int], vector: Vector, *, model: str
    ) -> dict[int, float]:
        with self._database.reading() as db:
            rows = fetch(
                db,
                "SELECT passage, scale, data FROM vectors WHERE passage IN (SELECT value FROM json_each(?1))"
                " AND model_no = (SELECT no FROM embedding_models WHERE id = ?2 AND dimension = ?3)"
                " AND user_no = ?4",
                (_json(passages), model, len(vector), self._database.user(db, scope.user)),
            )
        return _cosines(rows, np.frombuffer(vector, dtype=np.float32))

    def important(self, scope: Scope, *, limit: int, reach: Reach) -> list[Hit]:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            chats = self._chats(db, user_no, scope, reach)
            wanted = None if chats is None else _json(chats.tolist())
            rows = fetch(db, IMPORTANT, (user_no, wanted, reach.importance_floor / 100, limit))
        kinds = _kinds(reach)
        return [Hit(passage, weight) for passage, weight in rows if passage & 3 in kinds]

    def load(self, scope: Scope, passages: Iterable[int], *, reach: Reach) -> dict[int, Candidate]:
        numbers: dict[int, list[int]] = {}
        for passage in passages:
            numbers.setdefault(passage & 3, []).append(passage >> 2)
        found: dict[int, Candidate] = {}
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            as_of = maybe_ms(reach.as_of)
            for kind, reader in enumerate((_messages, _chunks, _memories, _summaries)):
                if kind in numbers:
                    found.update(reader(db, (_json(numbers[kind]), user_no, as_of)))
        return {passage: c for passage, c in found.items() if _within(c, reach)}

    def _chats(self, db: apsw.Connection, user_no: int, scope: Scope, reach: Reach) -> Numbers | None:
        """The numbers of the chats to look into; 0 stands for what belongs to no chat. None means everywhere."""
        if scope.chat is not None:
            rows = fetch(db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, scope.chat))
        elif reach.chats:
            rows = fetch(
                db,
                "SELECT no FROM chats WHERE user_no = ? ORDER BY updated_at DESC LIMIT ?",
                (user_no, reach.chats),
            )
            rows.append((0,))
        else:
            return None
        return np.array([no for (no,) in rows], dtype=np.int64)

    def _in_chats(
        self, db: apsw.Connection, found: Sequence[tuple[int, float]], chats: Numbers
    ) -> list[tuple[int, float]]:
        wanted = set(chats.tolist())
        tables = ("messages", "message_chunks", "", "conversation_summaries")
        kept = []
        for passage, score in found:
            table = tables[passage & 3]
            row = table and fetch_one(db, f"SELECT chat_no FROM {table} WHERE no = ?", (passage >> 2,))
            if not table or (row and row[0] in wanted):
                kept.append((passage, score))
        return kept


def _cosines(rows: Sequence[Row], query: NDArray[np.float32]) -> dict[int, float]:
    if not rows:
        return {}
    passages, scales, data = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), len(query))
    scores = (matrix.astype(np.float32) @ query) * np.array(scales, dtype=np.float32)
    return dict(zip(passages, scores.tolist(), strict=True))


def _kinds(reach: Reach) -> tuple[int, ...]:
    return tuple(sorted(KINDS[source] for source in reach.sources if source in KINDS))


def _json(numbers: Sequence[int]) -> str:
    return "[" + ",".join(map(str, numbers)) + "]"


def _within(candidate: Candidate, reach: Reach) -> bool:
    if reach.kinds and candidate.source is Source.MEMORY and candidate.kind not in reach.kinds:
        return False
    importance = 100 if candidate.importance is None else candidate.importance
    return importance >= reach.importance_floor


Bindings = tuple[str, int, int | None]


def _messages(db: apsw.Connection, bindings: Bindings) -> Iterator[tuple[int, Candidate]]:
    for passage, message, chat, role, text, at, tokens, importance, summary in db.execute(MESSAGES, bindings):
        yield (
            passage,
            Candidate(
                source=Source.MESSAGE,
                id=message,
                chat=chat,
                role=Role(role),
                text=text,
                created_at=from_ms(at),
                seen_at=from_ms(at),
                tokens=tokens,
                importance=importance,
                summary=summary,
            ),
        )


def _chunks(db: apsw.Connection, bindings: Bindings) -> Iterator[tuple[int, Candidate]]:
    for passage, message, index, chat, role, text, at, tokens, kind, importance in db.execute(
        CHUNKS, bindings
    ):
        yield (
            passage,
            Candidate(
                source=Source.CHUNK,
                id=f"{message}#{index}",
                parent=message,
                chat=chat,
                role=Role(role),
                text=text,
                created_at=from_ms(at),
                seen_at=from_ms(at),
                tokens=tokens,
                chunk_kind=ChunkKind(kind),
                importance=importance,
            ),
        )


def _memories(db: apsw.Connection, bindings: Bindings) -> Iterator[tuple[int, Candidate]]:
    for passage, memory, chat, speaker, text, at, seen_at, tokens, kind, weight in db.execute(
        MEMORIES, bindings
    ):
        yield (
            passage,
            Candidate(
                source=Source.MEMORY,
                id=memory,
                chat=chat,
                role=Role(speaker),
                text=text,
                created_at=from_ms(at),
                seen_at=from_ms(seen_at),
                tokens=tokens,
                kind=Kind(kind),
                weight=weight,
                importance=round(100 * weight),
            ),
        )


def _summaries(db: apsw.Connection, bindings: Bindings) -> Iterator[tuple[int, Candidate]]:
    for passage, summary, chat, text, at, tokens in db.execute(SUMMARIES, bindings):
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
