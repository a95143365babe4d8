"""
Search port over SQLite: lexical (BM25 over FTS5), dense (vector cache), by importance and by time.

One integer, the passage number, identifies a row of any table with indexed texts (see `passages.py`). A search has two
steps: an index (`postings.select_passages`, `QuantizedVectors.nearest`) returns ranked passage numbers, then those are
dropped that the source rows exclude (forgotten, superseded, without consent, below the importance floor). Indexes are
not filtered by status, so each search overfetches, and dense search repeats with a four times larger limit until enough
hits are visible or no candidates are left. Loading a passage tells whether it is visible, so `candidates` needs no
statement for that.

Scope: index terms and vectors are partitioned by user; every SQL statement also filters by `user_no`. A chat filter
uses marker terms in the index for up to four chats, and a list of passage numbers for more.

Invariants: inside `snapshot` all reads see one state of the file, and the cached vectors are reused; inside a write
transaction the vectors are read into a copy of the cache, since a rollback may undo them.
"""

import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import repeat

import apsw
import numpy as np

from recollect.adapters.sqlite import postings
from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.passages import (
    IN_CHATS,
    METADATA_FILTER,
    FilterParameters,
    PassageScore,
    fetch_candidates,
    visible_passages,
)
from recollect.adapters.sqlite.rows import SqlValues, fetch, to_json_array
from recollect.adapters.sqlite.tokenizer import chat_marker, index_term
from recollect.adapters.sqlite.vector_cache import MIN_STALE_VECTORS, VectorCache, VectorCaches
from recollect.domain.candidate import Candidate, Hit, SearchFilter, Source
from recollect.domain.scope import Scope
from recollect.domain.search import (
    CandidateBatch,
    CandidateRequest,
    DatedSearch,
    DenseQuery,
    PassCandidates,
    SearchPass,
)
from recollect.ports.embedder import Vector
from recollect.ports.search import NO_SCORES
from recollect.storage.encoding import encode_metadata_filter
from recollect.storage.passages import MEMORY_PASSAGE, NO_CHAT, kinds_of
from recollect.storage.quantization import DenseScores, FloatArray, IntArray, QuantizedVectors, VectorQuery
from recollect.storage.timestamps import to_ms, to_ms_or_none
from recollect.text.analyzer import query_terms

#: Candidates fetched per requested result, since some passages are no longer visible. With 1-bit codes alone more are
#: needed: the exact order is known only after rescoring from disk.
INT8_OVERFETCH = 2
BITS_OVERFETCH = 16
MIN_BITS_FETCHED = 1_024
MEMORIES = SearchFilter(sources=frozenset({Source.MEMORY}))
#: Up to this many chats are filtered by their marker terms in the full-text index.
MAX_CHAT_MARKERS = 4

#: A user's vectors by row number, or by passage number.
FROM_VECTORS_BY_NUMBER = "FROM json_each(?) n CROSS JOIN vectors v ON v.no = n.value WHERE v.user_no = ?"
FROM_VECTORS_BY_PASSAGE = """
    FROM json_each(?1) n CROSS JOIN vectors v ON v.passage_no = n.value
        AND v.model_no = (SELECT no FROM embedding_models WHERE id = ?3) WHERE v.user_no = ?2
"""
#: All passages of the given chats; chat 0 stands for memories, which belong to no chat.
SELECT_PASSAGES_OF_CHATS = """
    SELECT group_concat(p.no) FROM json_each(?2) n CROSS JOIN passages p ON p.user_no = ?1 AND p.chat_no = n.value
"""
SELECT_MESSAGES_BETWEEN = """
    SELECT p.no FROM messages m CROSS JOIN passages p ON p.user_no = m.user_no AND p.kind = 0 AND p.row_no = m.no
    WHERE m.user_no = ? AND m.created_at >= ? AND m.created_at < ? AND m.role IN ('user', 'assistant') {}
    ORDER BY m.created_at DESC, m.no DESC LIMIT ?
"""
IN_CHAT = "AND m.chat_no = (SELECT no FROM chats WHERE id = ? AND user_no = ?)"
#: Each half reads its index in order, so that at most `limit` rows are read.
SELECT_MOST_IMPORTANT = f"""
    SELECT p.no, weight FROM (
        SELECT * FROM (
            SELECT 0 AS kind, no AS row_no, importance / 100.0 AS weight, created_at FROM messages
            WHERE user_no = :user AND importance > 0 AND importance >= :floor AND role IN ('user', 'assistant')
                AND {METADATA_FILTER.replace("m.metadata", "messages.metadata")}
                AND 0 IN (SELECT value FROM json_each(:sources)) AND {IN_CHATS.format("chat_no")}
            ORDER BY importance DESC, created_at DESC LIMIT :limit
        )
        UNION ALL
        SELECT * FROM (
            SELECT 2, no, weight, last_stated_at FROM memories
            WHERE user_no = :user AND status = 'active' AND weight >= :floor / 100.0
                AND {METADATA_FILTER.replace("m.metadata", "memories.metadata")}
                AND 2 IN (SELECT value FROM json_each(:sources)) AND {IN_CHATS.format("0")}
            ORDER BY weight DESC, last_stated_at DESC LIMIT :limit
        )
    ) r CROSS JOIN passages p ON p.user_no = :user AND p.kind = r.kind AND p.row_no = r.row_no
    ORDER BY weight DESC, created_at DESC, p.no DESC LIMIT :limit
"""


#: The number of a chat, and enough memories to know whether there are more than a limit.
SELECT_SCOPE = f"""
    SELECT 1, no FROM chats WHERE user_no = :user AND id = :chat
    UNION ALL SELECT * FROM (
        SELECT 0, p.no FROM memories m
            JOIN passages p ON p.user_no = m.user_no AND p.kind = {MEMORY_PASSAGE.code} AND p.row_no = m.no
        WHERE m.user_no = :user AND m.status = 'active' LIMIT :limit
    )
"""


@dataclass(frozen=True, slots=True)
class SnapshotCache:
    """Values that several searches of one snapshot read."""

    vectors: dict[tuple[int, str, int], QuantizedVectors] = field(default_factory=dict)
    chats: dict[tuple[int, str | None, int], IntArray] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class DenseRanking:
    """The nearest passages of a search, whose visibility is tested part by part until there are enough hits."""

    rank: Callable[[int], list[Hit]]  #: returns so many of the nearest passages, visible or not
    limit: int
    fetch_count: int
    _ranked: list[Hit] | None = None
    _tested_count: int = 0

    def next_part(self, visible: Collection[int]) -> list[int]:
        """Return passages to test, given those that were visible so far; none if the hits are complete."""
        if len(self.hits(visible)) == self.limit:
            return []
        if self._ranked is None:
            self._ranked = self.rank(self.fetch_count)
        elif self._tested_count == len(self._ranked):
            if len(self._ranked) < self.fetch_count:
                return []
            # Too many of the nearest passages are not visible: fetch more.
            self.fetch_count *= 4
            self._ranked, self._tested_count = self.rank(self.fetch_count), 0
        # A few more than are needed, since often one or two are not visible.
        part = self._ranked[self._tested_count : self._tested_count + self.limit + self.limit // 4]
        self._tested_count += len(part)
        return [hit.passage_id for hit in part]

    def hits(self, visible: Collection[int]) -> list[Hit]:
        """Return the nearest visible passages, best first."""
        tested = (self._ranked or [])[: self._tested_count]
        return [hit for hit in tested if hit.passage_id in visible][: self.limit]


NO_RANKING = DenseRanking(rank=lambda _: [], limit=0, fetch_count=0)


class SqliteSearch:
    def __init__(self, database: Database, vector_caches: VectorCaches) -> None:
        self._database = database
        self._vector_caches = vector_caches
        self._document_frequencies = postings.DocumentFrequencyCache()
        self._local = threading.local()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._database.snapshot():
            if getattr(self._local, "snapshot", None) is not None:
                # A nested snapshot shares the cache of the outer one.
                yield
                return
            self._local.snapshot = SnapshotCache()
            try:
                yield
            finally:
                self._local.snapshot = None

    def lexical_hits(self, query: str, passes: Sequence[SearchPass], *, limit: int) -> list[list[Hit]]:
        terms = query_terms(query)
        if not terms or not passes:
            return [[] for _ in passes]
        with self._database.reader() as db:
            user_no = self._database.user_number(db, passes[0].scope.user)
            if not user_no:
                return [[] for _ in passes]
            index_terms = [tuple(index_term(user_no, form) for form in forms) for forms in terms]
            chat = next((each.scope.chat for each in passes if each.scope.chat is not None), None)
            statistics = postings.read_terms(
                db, index_terms, self._document_frequencies, user_no=user_no, chat=chat
            )
            selections = [
                self._select_passages(db, user_no, statistics, each, limit, searched_chat=chat)
                for each in passes
            ]
            return postings.rank_passages(
                db,
                statistics,
                selections,
                limit=limit,
                parameters=_filter_parameters(user_no, None, _common_filter(passes)),
            )

    def _select_passages(
        self,
        db: apsw.Connection,
        user_no: int,
        terms: postings.TermStatistics,
        search_pass: SearchPass,
        limit: int,
        *,
        searched_chat: str | None,
    ) -> postings.PassagePostings:
        scope, search_filter = search_pass.scope, search_pass.search_filter
        chats = (
            np.array([] if terms.chat_number is None else [terms.chat_number], dtype=np.int64)
            if scope.chat is not None and scope.chat == searched_chat
            else self._chat_numbers(db, user_no, scope, search_filter)
        )
        if chats is not None and not len(chats):
            return postings.NO_PASSAGES
        return postings.select_passages(
            db,
            terms,
            within=_lexical_scope(db, user_no, chats, search_filter),
            # Without chats the scope is implied by the kinds, and serves frequent terms only.
            restricts_rare_terms=chats is not None,
            kinds=kinds_of(search_filter.sources),
            limit=limit,
        )

    def candidates(self, request: CandidateRequest) -> CandidateBatch:
        with self.snapshot(), self._database.reader() as db:
            passes, all_memories = self._search_passes(db, request, self._read_scope(db, request))
            known_ids = set(request.known_ids)
            known_ids.update(
                c.passage_id for each in passes for c in each.candidates if c.passage_id is not None
            )
            dated: list[Candidate] = []
            for search in request.dated if request.dense else ():
                dated += self._search_interval(search, request, known_ids)
                known_ids.update(c.passage_id for c in dated if c.passage_id is not None)
            return CandidateBatch(
                passes=tuple(passes),
                important=tuple(self._most_important(request)),
                dated=tuple(dated),
                all_memories=tuple(all_memories),
            )

    def messages(
        self,
        scope: Scope,
        passage_ids: Collection[int],
        dense: DenseQuery | None,
        search_filter: SearchFilter,
    ) -> list[Candidate]:
        scores = self._dense_scores(scope, passage_ids, dense) if dense else {}
        return self._load_scored(scope, passage_ids, scores, {}, search_filter)

    def _read_scope(self, db: apsw.Connection, request: CandidateRequest) -> list[int]:
        """
        Read the number of the chat, and all memories of the user, with one statement; return the memories.

        None are returned if there are more than the request allows.
        """
        user_no, limit = self._database.user_number(db, request.scope.user), request.max_all_memories
        chats = {each.scope.chat for each in request.passes} - {None}
        chat = chats.pop() if len(chats) == 1 and (user_no, *chats, 0) not in self._snapshot.chats else None
        if chat is None and not limit:
            return []
        rows = fetch(db, SELECT_SCOPE, {"user": user_no, "chat": chat, "limit": limit + 1 if limit else 0})
        if chat is not None and not self._database.is_in_transaction:
            self._snapshot.chats[user_no, chat, 0] = np.array(
                [no for is_chat, no in rows if is_chat], dtype=np.int64
            )
        memories = [passage for is_chat, passage in rows if not is_chat]
        return memories if len(memories) <= limit else []

    def _search_passes(
        self, db: apsw.Connection, request: CandidateRequest, memories: Sequence[int]
    ) -> tuple[list[PassCandidates], list[Candidate]]:
        """
        Run the dense search of each pass, and load the hits of both channels of all of them together.

        Also return these memories, which are loaded with the hits if the filter allows it.
        """
        dense, user_scope = request.dense, request.scope.user_scope
        lexical = [{hit.passage_id: hit.score for hit in hits} for hits in request.lexical_hits]
        filters = [each.search_filter for each in request.passes]
        rankings = [
            self._rank(db, each.scope, dense, request.limit, each.search_filter) if dense else NO_RANKING
            for each in request.passes
        ]
        all_memories: list[Candidate] = []
        if memories and (not filters or filters[0].kinds or filters[0].min_importance):
            all_memories, memories = self._load_scored(user_scope, memories, {}, {}, MEMORIES), ()
        loaded: dict[int, Candidate] = {}
        requested: set[int] = set()
        scores = {passage_id: score for hits in lexical for passage_id, score in hits.items()}
        new_ids = {*scores, *(id_ for each in rankings for id_ in each.next_part(loaded))}
        only_loaded = memories
        while new_ids or only_loaded:
            for candidate in self._load_scored(
                user_scope,
                {*new_ids, *only_loaded},
                self._dense_scores(user_scope, new_ids, dense) if dense else {},
                scores,
                _common_filter(request.passes),
                include_neighbours=request.include_neighbours,
            ):
                assert candidate.passage_id is not None
                loaded[candidate.passage_id] = candidate
            requested |= new_ids
            new_ids, only_loaded = set(), ()
            while not new_ids and (part := [id_ for each in rankings for id_ in each.next_part(loaded)]):
                new_ids = set(part) - requested
        passes = []
        for own_scores, ranking in zip(lexical, rankings, strict=True):
            hits = ranking.hits(loaded)
            wanted = {*own_scores, *(hit.passage_id for hit in hits)}
            candidates = tuple(
                candidate._replace(lexical=own_scores.get(passage_id))
                if candidate.lexical != own_scores.get(passage_id)
                else candidate
                for passage_id, candidate in loaded.items()
                if passage_id in wanted
            )
            passes.append(PassCandidates(candidates=candidates, dense_count=len(hits)))
        return passes, [*all_memories, *(loaded[each] for each in memories if each in loaded)]

    def _most_important(self, request: CandidateRequest) -> list[Candidate]:
        if request.important is None:
            return []
        scope, search_filter = request.important.scope, request.important.search_filter
        hits = self.most_important(scope, limit=request.limit, search_filter=search_filter)
        passage_ids = [hit.passage_id for hit in hits]
        scores = self._dense_scores(scope, passage_ids, request.dense) if request.dense else {}
        return self._load_scored(scope, passage_ids, scores, {}, search_filter)

    def _search_interval(
        self, search: DatedSearch, request: CandidateRequest, known_ids: AbstractSet[int]
    ) -> list[Candidate]:
        assert request.dense is not None
        message_ids = self.messages_between(
            search.scope, search.starts_at, search.ends_at, limit=search.max_compared
        )
        scores = self._dense_scores(search.scope, set(message_ids) - known_ids, request.dense)
        nearest = dict(sorted(scores.items(), key=lambda each: -each[1].corrected)[: search.limit])
        return self._load_scored(
            search.scope,
            nearest,
            nearest,
            {},
            search.search_filter,
            include_neighbours=request.include_neighbours,
        )

    def _load_scored(
        self,
        scope: Scope,
        passage_ids: Iterable[int],
        dense: Mapping[int, PassageScore],
        lexical: Mapping[int, float],
        search_filter: SearchFilter,
        *,
        include_neighbours: bool = False,
    ) -> list[Candidate]:
        passages = list(passage_ids)
        if not passages:
            return []
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            chats = self._chat_numbers(db, user_no, scope, search_filter)
            return fetch_candidates(
                db,
                passages,
                _filter_parameters(user_no, chats, search_filter),
                dense=dense,
                lexical=lexical,
                with_neighbours=include_neighbours,
            )

    def _dense_scores(
        self, scope: Scope, passage_ids: Collection[int], dense: DenseQuery
    ) -> dict[int, PassageScore]:
        """Return the scores of these passages; those without a vector of the model are omitted."""
        vector = np.frombuffer(dense.vector, dtype=np.float32)
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            vectors = self._load_vectors(db, user_no, dense.model, len(dense.vector))
            if vectors is None or not passage_ids:
                return {}
            vector_query = vectors.make_query(vector, dense.centroid_penalty)
            if vectors.int8 is None:
                values = (to_json_array(passage_ids), user_no, dense.model)
                passages, scores = _score_stored_vectors(db, FROM_VECTORS_BY_PASSAGE, values, vector_query)
            else:
                positions = vectors.positions_of(np.array(list(passage_ids), dtype=np.int64))
                passages, scores = vectors.passages[positions], vectors.score(positions, vector_query)
        no_excess = repeat(None)
        return {
            passage: PassageScore(corrected, cosine, excess)
            for passage, corrected, cosine, excess in zip(
                passages.tolist(),
                scores.corrected.tolist(),
                scores.cosines.tolist(),
                no_excess if scores.centroid_excess is None else scores.centroid_excess.tolist(),
                strict=False,
            )
        }

    def lexical(self, scope: Scope, query: str, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        [hits] = self.lexical_hits(query, [SearchPass(scope=scope, search_filter=search_filter)], limit=limit)
        return hits

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
        dense = DenseQuery(vector=vector, model=model, centroid_penalty=centroid_penalty)
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            parameters = _filter_parameters(
                user_no, self._chat_numbers(db, user_no, scope, search_filter), search_filter
            )
            ranking, visible = self._rank(db, scope, dense, limit, search_filter), set[int]()
            while part := ranking.next_part(visible):
                visible |= visible_passages(db, part, parameters)
            return ranking.hits(visible)

    def _rank(
        self, db: apsw.Connection, scope: Scope, dense: DenseQuery, limit: int, search_filter: SearchFilter
    ) -> "DenseRanking":
        user_no = self._database.user_number(db, scope.user)
        vectors = self._load_vectors(db, user_no, dense.model, len(dense.vector))
        if vectors is None:
            return NO_RANKING
        chats = self._chat_numbers(db, user_no, scope, search_filter)
        vector_query = vectors.make_query(
            np.frombuffer(dense.vector, dtype=np.float32), dense.centroid_penalty
        )
        return DenseRanking(
            rank=lambda count: _rank_nearest(db, vectors, vector_query, user_no, count, chats, search_filter),
            limit=limit,
            fetch_count=_fetch_count(vectors, limit),
        )

    def nearest_memories(
        self, scope: Scope, vectors: Mapping[str, Vector], *, model: str | None, limit: int
    ) -> dict[str, list[Hit]]:
        """Return the active memories nearest to each vector, by the vector's key, as passage numbers and cosines."""
        if model is None or not vectors:
            return {}
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            stored = self._load_vectors(db, user_no, model, len(next(iter(vectors.values()))))
            if stored is None:
                return {}
            queries = {
                key: stored.make_query(np.frombuffer(vector, dtype=np.float32), 0.0)
                for key, vector in vectors.items()
            }
            fetch_limit, parameters = _fetch_count(stored, limit), _filter_parameters(user_no, None, MEMORIES)
            while True:
                ranked = {
                    key: _rank_nearest(db, stored, query, user_no, fetch_limit, None, MEMORIES)
                    for key, query in queries.items()
                }
                passages = {hit.passage_id for hits in ranked.values() for hit in hits}
                visible = visible_passages(db, sorted(passages), parameters)
                nearest = {
                    key: [hit for hit in hits if hit.passage_id in visible][:limit]
                    for key, hits in ranked.items()
                }
                if all(len(nearest[key]) == limit or len(hits) < fetch_limit for key, hits in ranked.items()):
                    return nearest
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
        dense = DenseQuery(vector=vector, model=model, centroid_penalty=centroid_penalty)
        scores = self._dense_scores(scope, passage_ids, dense)
        return {passage: score.corrected for passage, score in scores.items()}

    def most_important(self, scope: Scope, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            parameters = _filter_parameters(
                user_no, self._chat_numbers(db, user_no, scope, search_filter), search_filter
            )
            rows = db.execute(
                SELECT_MOST_IMPORTANT,
                {**parameters, "limit": limit},
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
        scores = {passage: PassageScore(corrected=score) for passage, score in dense.items()}
        candidates = self._load_scored(
            scope, passage_ids, scores, lexical, search_filter, include_neighbours=include_neighbours
        )
        return {
            candidate.passage_id: candidate._replace(passage_id=None)
            for candidate in candidates
            if candidate.passage_id is not None
        }

    def _chat_numbers(
        self, db: apsw.Connection, user_no: int, scope: Scope, search_filter: SearchFilter
    ) -> IntArray | None:
        """Return the numbers of the chats to search, with NO_CHAT for memories; None means all."""
        if scope.chat is None and not search_filter.max_recent_chats:
            return None
        key = (user_no, scope.chat, 0 if scope.chat else search_filter.max_recent_chats)
        cache = self._snapshot.chats
        if key in cache and not self._database.is_in_transaction:
            return cache[key]
        if scope.chat is not None:
            rows = fetch(db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, scope.chat))
        else:
            rows = fetch(
                db,
                "SELECT no FROM chats WHERE user_no = ? ORDER BY updated_at DESC, no DESC LIMIT ?",
                (user_no, search_filter.max_recent_chats),
            )
            rows.append((NO_CHAT,))
        numbers = cache[key] = np.array([no for (no,) in rows], dtype=np.int64)
        return numbers

    def _load_vectors(
        self, db: apsw.Connection, user_no: int, model: str, dimension: int
    ) -> QuantizedVectors | None:
        """Return the user's vectors of a model; None if there are none of this dimension."""
        key, cache = (user_no, model, dimension), self._snapshot.vectors
        if key in cache and not self._database.is_in_transaction:
            return cache[key]
        model_no, stored_dimension = self._database.embedding_model(db, model) or (0, 0)
        if not user_no or stored_dimension != dimension:
            return None
        vectors = self._refresh_cache(db, user_no, model_no, dimension).vectors
        if not self._database.is_in_transaction:
            cache[key] = vectors
        return vectors

    @property
    def _snapshot(self) -> "SnapshotCache":
        """The cache of this thread's snapshot; outside of a snapshot nothing is cached."""
        cached: SnapshotCache | None = getattr(self._local, "snapshot", None)
        return SnapshotCache() if cached is None else cached

    def _refresh_cache(self, db: apsw.Connection, user_no: int, model_no: int, dimension: int) -> VectorCache:
        cache = self._vector_caches.get(user_no, model_no, dimension)
        if not self._database.is_in_transaction:
            cache.refresh(db, user_no, model_no)
            return cache
        # Uncommitted vectors must not enter the shared cache.
        copy = cache.snapshot()
        if copy.refresh(db, user_no, model_no) >= MIN_STALE_VECTORS:
            # So that the next transactions need not read them.
            with self._database.new_reader() as reader:
                cache.refresh(reader, user_no, model_no)
        return copy


def _rank_nearest(
    db: apsw.Connection,
    vectors: QuantizedVectors,
    vector_query: VectorQuery,
    user_no: int,
    limit: int,
    chats: IntArray | None,
    search_filter: SearchFilter,
) -> list[Hit]:
    """Return the nearest passages, visible or not, with exact scores."""
    positions = vectors.nearest(vector_query, limit=limit, kinds=_kind_codes(search_filter), chats=chats)
    if vectors.int8 is not None:
        return _rank_hits(vectors.passages[positions], vectors.score(positions, vector_query).corrected)
    numbers = to_json_array(vectors.numbers[positions].tolist())
    passages, scores = _score_stored_vectors(db, FROM_VECTORS_BY_NUMBER, (numbers, user_no), vector_query)
    return _rank_hits(passages, scores.corrected)


def _lexical_scope(
    db: apsw.Connection, user_no: int, chats: IntArray | None, search_filter: SearchFilter
) -> tuple[str, ...] | IntArray | None:
    """Return marker terms for a few chats, or the passage numbers of many; None means no restriction."""
    if chats is None:
        only_memories = kinds_of(search_filter.sources) == (MEMORY_PASSAGE,)
        return (chat_marker(user_no, NO_CHAT),) if only_memories else None
    if len(chats) <= MAX_CHAT_MARKERS:
        return tuple(chat_marker(user_no, number) for number in chats.tolist())
    [(passages_csv,)] = fetch(db, SELECT_PASSAGES_OF_CHATS, (user_no, to_json_array(chats.tolist())))
    return np.fromstring(passages_csv or "", dtype=np.int64, sep=",")


def _common_filter(passes: Sequence[SearchPass]) -> SearchFilter:
    """
    Return the filter of hits of all passes.

    The passes differ in scope and sources only, by which the channels select their hits.
    """
    sources = frozenset(source for each in passes for source in each.search_filter.sources)
    return replace(passes[0].search_filter, sources=sources, max_recent_chats=0)


def _filter_parameters(user_no: int, chats: IntArray | None, search_filter: SearchFilter) -> FilterParameters:
    """Return the named parameters that all passage queries share."""
    return {
        "user": user_no,
        "chats": None if chats is None else to_json_array(chats.tolist()),
        "as_of": to_ms_or_none(search_filter.as_of),
        "floor": search_filter.min_importance,
        "kinds": json.dumps(sorted(search_filter.kinds)),
        "metadata": encode_metadata_filter(search_filter.metadata),
        "sources": to_json_array(_kind_codes(search_filter)),
    }


def _fetch_count(vectors: QuantizedVectors, limit: int) -> int:
    """Return how many nearest vectors to fetch for `limit` visible hits."""
    return max(BITS_OVERFETCH * limit, MIN_BITS_FETCHED) if vectors.int8 is None else INT8_OVERFETCH * limit


def _score_stored_vectors(
    db: apsw.Connection, from_clause: str, values: SqlValues, vector_query: VectorQuery
) -> tuple[IntArray, DenseScores]:
    """Read vectors from the table; return their passages and scores."""
    rows = fetch(db, f"SELECT v.passage_no, v.scale, v.data {from_clause}", values)
    if not rows:
        no_scores = np.empty(0, dtype=np.float32)
        return np.empty(0, dtype=np.int64), DenseScores(no_scores, no_scores, None)
    passages, scales, data = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), -1)
    scores = vector_query.score(matrix, np.array(scales, dtype=np.float32))
    return np.array(passages, dtype=np.int64), scores


def _rank_hits(passages: IntArray, scores: FloatArray) -> list[Hit]:
    order = np.lexsort((passages, -scores))
    return list(map(Hit, passages[order].tolist(), scores[order].tolist()))


def _kind_codes(search_filter: SearchFilter) -> tuple[int, ...]:
    return tuple(kind.code for kind in kinds_of(search_filter.sources))
