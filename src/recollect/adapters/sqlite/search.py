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
    CANDIDATE_LOADERS,
    FROM_CLAUSES,
    IN_CHATS,
    SELECT_PASSAGE_NUMBERS,
    FilterParameters,
    LoadRequest,
    messages_with_memories,
)
from recollect.adapters.sqlite.quantized_index import FloatArray, IntArray, QuantizedVectors, VectorQuery
from recollect.adapters.sqlite.rows import Row, SqlValues, fetch, fetch_one, to_json_array
from recollect.adapters.sqlite.timestamps import to_ms, to_ms_or_none
from recollect.adapters.sqlite.tokenizer import chat_marker, index_term
from recollect.adapters.sqlite.vector_cache import VectorCache, VectorCaches
from recollect.domain.candidate import Candidate, Hit, SearchFilter, Source
from recollect.domain.scope import Scope
from recollect.ports.embedder import Vector
from recollect.ports.search import NO_SCORES
from recollect.text.analyzer import query_terms

KIND_CODES = {Source.MESSAGE: 0, Source.CHUNK: 1, Source.MEMORY: 2, Source.SUMMARY: 3}
#: Vectors looked at for each one wanted: what some of them stand for stands no longer; where only bits are kept, those
#: that are near are told from those that seem to be when they are read from disk.
INT8_OVERFETCH = 2
BITS_OVERFETCH = 16
MIN_BITS_FETCHED = 1_024
#: In up to this many chats words are looked for by the marks of the chats.
MAX_CHAT_MARKERS = 4

#: Some of a user's vectors, by their numbers or by what they stand for.
FROM_VECTORS_BY_NUMBER = "FROM json_each(?) n CROSS JOIN vectors v ON v.no = n.value WHERE v.user_no = ?"
FROM_VECTORS_BY_PASSAGE = """
    FROM json_each(?1) n CROSS JOIN vectors v ON v.passage = n.value
        AND v.model_no = (SELECT no FROM embedding_models WHERE id = ?3) WHERE v.user_no = ?2
"""
SELECT_MODEL = "SELECT no, dimension FROM embedding_models WHERE id = ?"
#: Everything said in some chats, and what belongs to none if 0 is among them.
SELECT_PASSAGES_OF_CHATS = """
    WITH chosen AS MATERIALIZED (SELECT value AS chat_no FROM json_each(?2))
    SELECT group_concat(passage) FROM (
        SELECT m.no * 4 AS passage FROM chosen CROSS JOIN messages m USING (chat_no) WHERE m.user_no = ?1
        UNION ALL SELECT k.no * 4 + 1 FROM chosen CROSS JOIN message_chunks k USING (chat_no)
        UNION ALL SELECT s.no * 4 + 3 FROM chosen CROSS JOIN conversation_summaries s USING (chat_no)
        UNION ALL SELECT no * 4 + 2 FROM memories WHERE user_no = ?1 AND 0 IN (SELECT chat_no FROM chosen)
    )
"""
IN_CHAT = "AND chat_no = (SELECT no FROM chats WHERE id = ? AND user_no = ?)"
SELECT_MESSAGES_BETWEEN = """
    SELECT no * 4 FROM messages
    WHERE user_no = ? AND created_at >= ? AND created_at < ? AND role IN ('user', 'assistant') {}
    ORDER BY created_at DESC, no DESC LIMIT ?
"""
#: Each half comes out of its index in order, so that only as many rows are read as are wanted.
SELECT_MOST_IMPORTANT = f"""
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
    def __init__(self, database: Database, vector_caches: VectorCaches) -> None:
        self._database = database
        self._vector_caches = vector_caches
        self._document_frequencies = bm25.DocumentFrequencyCache()
        self._models: dict[str, Row] = {}
        self._local = threading.local()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._database.snapshot():
            outer = getattr(self._local, "held", None)
            self._local.held = {}
            try:
                yield
            finally:
                self._local.held = outer

    def lexical(self, scope: Scope, query: str, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        terms = query_terms(query)
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            if not user_no or not terms:
                return []
            chats = _chat_numbers(db, user_no, scope, search_filter)
            if chats is not None and not len(chats):
                return []
            hits = bm25.top_passages(
                db,
                [tuple(index_term(user_no, form) for form in forms) for forms in terms],
                within=_lexical_scope(db, user_no, chats, search_filter),
                kinds=_kind_codes(search_filter),
                limit=limit,
                frequencies=self._document_frequencies,
            )
            return _first_visible(db, hits, limit, _filter_parameters(user_no, chats, search_filter))

    def dense(
        self,
        scope: Scope,
        vector: Vector,
        *,
        model: str,
        limit: int,
        search_filter: SearchFilter,
        centroid_penalty: float = 0.0,
    ) -> list[Hit]:
        query = np.frombuffer(vector, dtype=np.float32)
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            vectors = self._load_vectors(db, user_no, model, len(vector))
            if vectors is None:
                return []
            chats = _chat_numbers(db, user_no, scope, search_filter)
            vector_query = vectors.make_query(query, centroid_penalty)
            fetch_limit = _fetch_count(vectors, limit)
            while True:
                positions = vectors.nearest(
                    vector_query, limit=fetch_limit, kinds=_kind_codes(search_filter), chats=chats
                )
                if vectors.int8 is None:
                    scored = _score_stored_vectors(
                        db,
                        FROM_VECTORS_BY_NUMBER,
                        (to_json_array(vectors.numbers[positions].tolist()), user_no),
                        vector_query,
                    )
                else:
                    scored = vectors.passages[positions], vectors.score(positions, vector_query)
                hits = _first_visible(
                    db, _rank_hits(*scored), limit, _filter_parameters(user_no, chats, search_filter)
                )
                if len(hits) == limit or len(positions) < fetch_limit:
                    return hits
                # Too many of the nearest stand no longer: look further.
                fetch_limit *= 4

    def cosines(
        self,
        scope: Scope,
        passage_ids: Sequence[int],
        vector: Vector,
        *,
        model: str,
        centroid_penalty: float = 0.0,
    ) -> dict[int, float]:
        query = np.frombuffer(vector, dtype=np.float32)
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            vectors = self._load_vectors(db, user_no, model, len(vector))
            if vectors is None:
                return {}
            vector_query = vectors.make_query(query, centroid_penalty)
            if vectors.int8 is None:
                scored_passages, scores = _score_stored_vectors(
                    db, FROM_VECTORS_BY_PASSAGE, (to_json_array(passage_ids), user_no, model), vector_query
                )
            else:
                positions = vectors.positions_of(np.array(passage_ids, dtype=np.int64))
                scored_passages, scores = vectors.passages[positions], vectors.score(positions, vector_query)
        return dict(zip(scored_passages.tolist(), scores.tolist(), strict=True))

    def most_important(self, scope: Scope, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            parameters = _filter_parameters(
                user_no, _chat_numbers(db, user_no, scope, search_filter), search_filter
            )
            rows = db.execute(
                SELECT_MOST_IMPORTANT,
                {**parameters, "sources": to_json_array(_kind_codes(search_filter)), "limit": limit},
            )
            return [Hit(passage, weight) for passage, weight in rows]

    def messages_between(
        self, scope: Scope, starts_at: datetime, ends_at: datetime, *, limit: int
    ) -> list[int]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            clause, chat = ("", ()) if scope.chat is None else (IN_CHAT, (scope.chat, user_no))
            rows = fetch(
                db,
                SELECT_MESSAGES_BETWEEN.format(clause),
                (user_no, to_ms(starts_at), to_ms(ends_at), *chat, limit),
            )
        return [passage for (passage,) in rows]

    def load(
        self,
        scope: Scope,
        passage_ids: Iterable[int],
        *,
        search_filter: SearchFilter,
        dense: Mapping[int, float] = NO_SCORES,
        lexical: Mapping[int, float] = NO_SCORES,
        include_neighbours: bool = False,
    ) -> dict[int, Candidate]:
        rows_by_kind: dict[int, list[int]] = {}
        for passage in passage_ids:
            rows_by_kind.setdefault(passage & 3, []).append(passage >> 2)
        candidates: dict[int, Candidate] = {}
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            parameters = _filter_parameters(
                user_no, _chat_numbers(db, user_no, scope, search_filter), search_filter
            )
            request = LoadRequest(
                parameters=parameters, dense=dense, lexical=lexical, with_neighbours=include_neighbours
            )
            for kind in set(rows_by_kind) & set(_kind_codes(search_filter)):
                candidates.update(CANDIDATE_LOADERS[kind](db, rows_by_kind[kind], request))
        return candidates

    def _load_vectors(
        self, db: apsw.Connection, user_no: int, model: str, dimension: int
    ) -> QuantizedVectors | None:
        """The user's vectors of a model; None if there are none of this length."""
        key, cache = (user_no, model, dimension), self._snapshot_vectors
        if key in cache and not self._database.is_in_transaction:
            return cache[key]
        model_row = self._models.get(model) or fetch_one(db, SELECT_MODEL, (model,))
        if not user_no or model_row is None or model_row[1] != dimension:
            return None
        vectors = self._refresh_cache(db, user_no, model_row[0], dimension).vectors
        if not self._database.is_in_transaction:
            # What is written here may change any time, and still be taken back, number and all.
            self._models[model], cache[key] = model_row, vectors
        return vectors

    @property
    def _snapshot_vectors(self) -> dict[tuple[int, str, int], QuantizedVectors]:
        """The vectors that were looked at in this moment; outside of one nothing is remembered."""
        cached: dict[tuple[int, str, int], QuantizedVectors] | None = getattr(self._local, "held", None)
        return {} if cached is None else cached

    def _refresh_cache(self, db: apsw.Connection, user_no: int, model_no: int, dimension: int) -> VectorCache:
        cache = self._vector_caches.get(user_no, model_no, dimension)
        if self._database.is_in_transaction:
            if cache.is_stale(db, user_no, model_no):
                with self._database.new_reader() as reader:
                    cache.refresh(reader, user_no, model_no)
            # The same goes for vectors: those of here must not stay on the shelf.
            cache = cache.snapshot()
        cache.refresh(db, user_no, model_no)
        return cache


def _chat_numbers(
    db: apsw.Connection, user_no: int, scope: Scope, search_filter: SearchFilter
) -> IntArray | None:
    """The numbers of the chats to look into; 0 stands for what belongs to no chat. None means everywhere."""
    if scope.chat is not None:
        rows = fetch(db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, scope.chat))
    elif search_filter.max_recent_chats:
        rows = fetch(
            db,
            "SELECT no FROM chats WHERE user_no = ? ORDER BY updated_at DESC, no DESC LIMIT ?",
            (user_no, search_filter.max_recent_chats),
        )
        rows.append((0,))
    else:
        return None
    return np.array([no for (no,) in rows], dtype=np.int64)


def _lexical_scope(
    db: apsw.Connection, user_no: int, chats: IntArray | None, search_filter: SearchFilter
) -> tuple[str, ...] | IntArray | None:
    """Where to look for words: behind the marks of a few chats, or among the passages of many; None is everywhere."""
    if chats is None:
        # Memories stand behind a mark of their own, as if they were a chat.
        return (
            (chat_marker(user_no, 0),) if _kind_codes(search_filter) == (KIND_CODES[Source.MEMORY],) else None
        )
    if len(chats) <= MAX_CHAT_MARKERS:
        return tuple(chat_marker(user_no, number) for number in chats.tolist())
    [(passages_csv,)] = fetch(db, SELECT_PASSAGES_OF_CHATS, (user_no, to_json_array(chats.tolist())))
    return np.fromstring(passages_csv or "", dtype=np.int64, sep=",")


def _filter_parameters(user_no: int, chats: IntArray | None, search_filter: SearchFilter) -> FilterParameters:
    """What every query about passages is bound by."""
    return {
        "user": user_no,
        "chats": None if chats is None else to_json_array(chats.tolist()),
        "as_of": to_ms_or_none(search_filter.as_of),
        "floor": search_filter.min_importance,
        "kinds": json.dumps(sorted(search_filter.kinds)),
    }


def _first_visible(
    db: apsw.Connection, ranked_hits: Sequence[Hit], limit: int, parameters: FilterParameters
) -> list[Hit]:
    """The first of them that still stand and are within bounds."""
    hits: list[Hit] = []
    for start in range(0, len(ranked_hits), limit):
        part = ranked_hits[start : start + limit]
        visible = _visible_passages(db, [hit.passage_id for hit in part], parameters)
        hits += [hit for hit in part if hit.passage_id in visible]
        if len(hits) >= limit:
            break
    return hits[:limit]


def _visible_passages(db: apsw.Connection, passages: Sequence[int], parameters: FilterParameters) -> set[int]:
    visible: set[int] = set()
    for kind in range(4):
        numbers = [passage >> 2 for passage in passages if passage & 3 == kind]
        if (
            kind == KIND_CODES[Source.MESSAGE]
            and numbers
            and parameters["as_of"] is None
            and not parameters["floor"]
        ):
            # What is in the index was said by the user, there and by somebody who speaks. It stands, unless a memory
            # that was made of it does not.
            with_memories = messages_with_memories(db, numbers)
            visible.update(number * 4 for number in numbers if number not in with_memories)
            numbers = sorted(with_memories)
        if numbers:
            rows = db.execute(
                SELECT_PASSAGE_NUMBERS[kind] + FROM_CLAUSES[kind],
                {**parameters, "numbers": to_json_array(numbers)},
            )
            visible.update(number for (number,) in rows)
    return visible


def _fetch_count(vectors: QuantizedVectors, limit: int) -> int:
    """How many of the nearest to look at so that the `limit` nearest that stand are among them."""
    return max(BITS_OVERFETCH * limit, MIN_BITS_FETCHED) if vectors.int8 is None else INT8_OVERFETCH * limit


def _score_stored_vectors(
    db: apsw.Connection, from_clause: str, values: SqlValues, vector_query: VectorQuery
) -> tuple[IntArray, FloatArray]:
    """The passages of those vectors and how near each is to what is sought, from the file."""
    rows = fetch(db, f"SELECT v.passage, v.scale, v.data {from_clause}", values)
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    passages, scales, data = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), -1)
    scores = vector_query.score(matrix, np.array(scales, dtype=np.float32))
    return np.array(passages, dtype=np.int64), scores


def _rank_hits(passages: IntArray, scores: FloatArray) -> list[Hit]:
    order = np.lexsort((passages, -scores))
    return list(map(Hit, passages[order].tolist(), scores[order].tolist()))


def _kind_codes(search_filter: SearchFilter) -> tuple[int, ...]:
    return tuple(sorted(KIND_CODES[source] for source in search_filter.sources if source in KIND_CODES))
