"""
Search port over PostgreSQL: lexical (BM25 over postings), dense (pgvector), by importance and by time.

One integer, the passage number, identifies a row of any table with indexed texts (see `passages.py`). A search has two
steps: an index (`postings.find_candidates`, `_rank_nearest`) returns ranked passage numbers, then those are dropped
that the source rows exclude (forgotten, superseded, without consent, below the importance floor). Indexes are not
filtered by status, so each search overfetches, and `dense` repeats with a four times larger limit until enough hits are
visible or no candidates are left.

Only codes are kept between calls, with their versions: any process may have changed the rows since. Dense search
compares the query with all vectors of a user who has few, and with those of the searched chats. Otherwise it compares
one bit per dimension of each, and scores the nearest by Hamming distance exactly, as SQLite does (`vector_codes.py`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

import numpy as np

from recollect.adapters.postgres import postings
from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.passages import (
    HAS_METADATA,
    IN_CHATS,
    FilterParameters,
    LoadRequest,
    group_by_kind,
    load_candidates,
    memory_passage,
    message_passage,
    visible_passages,
    visible_queries,
)
from recollect.adapters.postgres.postings import passages_of_chats
from recollect.adapters.postgres.rows import Connection, Row, SqlValue, array_literal, fetch, fetch_all
from recollect.adapters.postgres.vector_codes import SELECT_QUERY_CODE, SELECT_VERSIONS, VectorCodesCache
from recollect.adapters.postgres.vectors import format_vector
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
from recollect.retrieval.centroid import MAX_CENTROID_BONUS, MIN_VECTORS_FOR_CENTROID
from recollect.storage.bm25 import IntArray
from recollect.storage.encoding import encode_metadata_filter
from recollect.storage.passages import MEMORY_PASSAGE, NO_CHAT, PASSAGE_KINDS, kinds_of
from recollect.storage.quantization import MIN_RESCORED_VECTORS, RESCORE_FACTOR
from recollect.storage.timestamps import to_ms, to_ms_or_none
from recollect.text.analyzer import query_terms

#: Candidates fetched per requested result, since some passages are no longer visible.
OVERFETCH = 2
MEMORY_FILTER = SearchFilter(sources=frozenset({Source.MEMORY}))

#: Scores of a user's vectors of one model. The parameters are the user, the model, the query, its dimension, and the
#: weight of the centroid correction, which applies once the user has enough vectors.
SCORES = f"""
    WITH model AS MATERIALIZED (
        SELECT is_packed, centroid::halfvec AS centroid, -(centroid <#> centroid) AS norm,
            $5::float8 > 0 AND vectors + added >= {MIN_VECTORS_FOR_CENTROID} AS is_corrected
        FROM centroids WHERE user_id = $1 AND model = $2 AND dimension = $4
    ), scores AS (
        SELECT v.passage_no, -(v.embedding <#> $3::halfvec) AS cosine,
            CASE WHEN is_corrected THEN -(v.embedding <#> centroid) - norm END AS excess
        FROM vectors v CROSS JOIN model WHERE v.user_id = $1 AND v.model = $2 AND {{}}
    )
    SELECT passage_no,
        CASE WHEN excess IS NULL THEN cosine ELSE cosine - $5::float8 * greatest(excess, -{MAX_CENTROID_BONUS}) END
            AS corrected,
        cosine,
        excess
    FROM scores
"""
#: No rows if the user's vectors have codes, which `vector_codes` reads.
SELECT_NEAREST = f"""
    {SCORES.format("v.passage_no % 4 = ANY($7::bigint[]) AND NOT model.is_packed")}
    ORDER BY corrected DESC, passage_no LIMIT $6
"""
SELECT_NEAREST_OF = f"""
    {SCORES.format("v.passage_no = ANY($7::text::bigint[])")} ORDER BY corrected DESC, passage_no LIMIT $6
"""
SELECT_SCORES = SCORES.format("v.passage_no = ANY($6::text::bigint[])")
SELECT_MESSAGES_BETWEEN = """
    SELECT m.no FROM messages m
    WHERE m.user_id = $1 AND m.created_at >= $2 AND m.created_at < $3 AND m.role IN ('user', 'assistant')
        AND ($5::text IS NULL OR m.chat_no = (SELECT no FROM chats WHERE user_id = $1 AND id = $5))
    ORDER BY m.created_at DESC, m.no DESC LIMIT $4
"""
IMPORTANT_METADATA_FILTER = f"($6::text IS NULL OR {HAS_METADATA.format(required='$6', metadata='metadata')})"
#: Each half reads its index in order, so that at most `limit` rows are read.
SELECT_MOST_IMPORTANT = f"""
    SELECT passage, weight FROM (
        (
            SELECT 4 * no AS passage, importance / 100.0::float8 AS weight, created_at AS at FROM messages
            WHERE user_id = $1 AND importance > 0 AND importance >= $2 AND role IN ('user', 'assistant')
                AND {IMPORTANT_METADATA_FILTER}
                AND 0 = ANY($4::bigint[]) AND {IN_CHATS.format("chat_no")}
            ORDER BY importance DESC, created_at DESC LIMIT $5
        )
        UNION ALL
        (
            SELECT 4 * no + 2, weight, last_stated_at FROM memories
            WHERE user_id = $1 AND status = 'active' AND weight >= $2 / 100.0::float8
                AND {IMPORTANT_METADATA_FILTER}
                AND 2 = ANY($4::bigint[]) AND {IN_CHATS.format("0")}
            ORDER BY weight DESC, last_stated_at DESC LIMIT $5
        )
    ) r ORDER BY weight DESC, at DESC, passage DESC LIMIT $5
"""
#: Enough memories to know whether there are more than a limit.
SELECT_ACTIVE_MEMORIES = "SELECT no FROM memories WHERE user_id = $1 AND status = 'active' LIMIT $2"


class PassageScore(NamedTuple):
    """The dense scores of one passage."""

    corrected: float
    cosine: float
    centroid_excess: float | None


class PostgresSearch:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._codes = VectorCodesCache()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._database.snapshot():
            yield

    def lexical_hits(self, query: str, passes: Sequence[SearchPass], *, limit: int) -> list[list[Hit]]:
        words = query_terms(query)
        if not words or not passes:
            return [[] for _ in passes]
        user = passes[0].scope.user
        with self._database.reader(user) as db:
            terms = postings.read_terms(db, user, words)
            if terms is None:
                return [[] for _ in passes]
            return [_lexical_pass(db, terms, each.scope, each.search_filter, limit) for each in passes]

    def candidates(self, request: CandidateRequest) -> CandidateBatch:
        with self.snapshot():
            passes = [
                self._search_pass(search_pass, hits, request)
                for search_pass, hits in zip(request.passes, request.lexical_hits, strict=True)
            ]
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
                all_memories=tuple(self._all_memories(request.scope.user_scope, request.max_all_memories)),
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

    def _search_pass(
        self, search_pass: SearchPass, lexical_hits: Sequence[Hit], request: CandidateRequest
    ) -> PassCandidates:
        """Run the dense search of a pass, and load the union of both channels' hits."""
        scope, search_filter, dense = search_pass.scope, search_pass.search_filter, request.dense
        hits: list[Hit] = []
        if dense is not None:
            hits = self.dense(
                scope,
                dense.vector,
                model=dense.model,
                limit=request.limit,
                search_filter=search_filter,
                centroid_penalty=dense.centroid_penalty,
            )
        lexical = {hit.passage_id: hit.score for hit in lexical_hits}
        passage_ids = {*lexical, *(hit.passage_id for hit in hits)}
        scores = self._dense_scores(scope, passage_ids, dense) if dense else {}
        candidates = self._load_scored(
            scope,
            passage_ids,
            scores,
            lexical,
            search_filter,
            include_neighbours=request.include_neighbours,
        )
        return PassCandidates(candidates=tuple(candidates), dense_count=len(hits))

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

    def _all_memories(self, scope: Scope, limit: int) -> list[Candidate]:
        """Return all active memories of a user if there are at most `limit`."""
        if not limit:
            return []
        with self._database.reader(scope.user) as db:
            rows = fetch(db, SELECT_ACTIVE_MEMORIES, (scope.user, limit + 1))
        if len(rows) > limit:
            return []
        return self._load_scored(scope, [memory_passage(no) for (no,) in rows], {}, {}, MEMORY_FILTER)

    def _load_scored(
        self,
        scope: Scope,
        passage_ids: Collection[int],
        dense: Mapping[int, PassageScore],
        lexical: Mapping[int, float],
        search_filter: SearchFilter,
        *,
        include_neighbours: bool = False,
    ) -> list[Candidate]:
        loaded = (
            self.load(
                scope,
                passage_ids,
                search_filter=search_filter,
                lexical=lexical,
                include_neighbours=include_neighbours,
            )
            if passage_ids
            else {}
        )
        candidates = []
        for passage_id, candidate in loaded.items():
            if score := dense.get(passage_id):
                candidates.append(
                    candidate._replace(
                        passage_id=passage_id,
                        dense=score.corrected,
                        cosine=score.cosine,
                        centroid_excess=score.centroid_excess,
                    )
                )
            else:
                candidates.append(candidate._replace(passage_id=passage_id))
        return candidates

    def _dense_scores(
        self, scope: Scope, passage_ids: Collection[int], dense: DenseQuery
    ) -> dict[int, PassageScore]:
        """Return the scores of these passages; those without a vector of the model are omitted."""
        if not passage_ids:
            return {}
        values = _score_values(scope.user, dense.vector, dense.model, dense.centroid_penalty)
        with self._database.reader(scope.user) as db:
            rows = fetch(db, SELECT_SCORES, (*values, array_literal(passage_ids)))
        return {passage: PassageScore(*scores) for passage, *scores in rows}

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
        with self._database.reader(scope.user) as db:
            chats = _chat_numbers(db, scope, search_filter)
            parameters = _filter_parameters(scope.user, chats, search_filter)
            values = _score_values(scope.user, vector, model, centroid_penalty)
            index_chats = _chats_of_index(chats, search_filter)
            allowed = None if index_chats is None else passages_of_chats(db, scope.user, index_chats)
            fetch_limit = OVERFETCH * limit
            while True:
                rows = self._rank_nearest(db, values, fetch_limit, _kind_codes(search_filter), allowed)
                ranked = [Hit(passage, corrected) for passage, corrected, _, _ in rows]
                hits = _first_visible(db, ranked, limit, parameters)
                if len(hits) == limit or len(ranked) < fetch_limit:
                    return hits
                # Too many of the nearest passages are not visible: fetch more.
                fetch_limit *= 4

    def _rank_nearest(
        self,
        db: Connection,
        values: tuple[str, str, SqlValue, SqlValue, SqlValue],
        limit: int,
        kinds: Sequence[int],
        allowed: IntArray | None,
    ) -> list[Row]:
        """Return the passages with the highest scores, visible or not, in any chat or of these passages."""
        if allowed is None:
            nearest, query_code, [(versions,)] = fetch_all(
                db,
                [
                    (SELECT_NEAREST, (*values, limit, kinds)),
                    (SELECT_QUERY_CODE, values[:4]),
                    (SELECT_VERSIONS, values[:2]),
                ],
                binary=True,
            )
            if not query_code:
                return nearest
            user, model, *_ = values
            codes = self._codes.load(
                db, user, model, versions or b"", keeps=not self._database.is_in_transaction
            )
            allowed = codes.nearest(
                query_code[0][0], max(RESCORE_FACTOR * limit, MIN_RESCORED_VECTORS), kinds
            )
        else:
            allowed = allowed[np.isin(allowed % len(PASSAGE_KINDS), kinds)]
        return fetch(db, SELECT_NEAREST_OF, (*values, limit, array_literal(allowed.tolist())))

    def nearest_memories(
        self, scope: Scope, vectors: Mapping[str, Vector], *, model: str | None, limit: int
    ) -> dict[str, list[Hit]]:
        """Return the active memories nearest to each vector, by the vector's key, as passage numbers and cosines."""
        if model is None or not vectors:
            return {}
        parameters = _filter_parameters(scope.user, None, MEMORY_FILTER)
        fetch_limit = OVERFETCH * limit
        with self._database.reader(scope.user) as db:
            memories = array_literal(passages_of_chats(db, scope.user, [NO_CHAT]).tolist())
            while True:
                queries = [
                    (
                        SELECT_NEAREST_OF,
                        (*_score_values(scope.user, vector, model, 0.0), fetch_limit, memories),
                    )
                    for vector in vectors.values()
                ]
                ranked = {
                    key: [Hit(passage, cosine) for passage, _, cosine, _ in rows]
                    for key, rows in zip(vectors, fetch_all(db, queries), strict=True)
                }
                visible = visible_passages(
                    db, {hit.passage_id for hits in ranked.values() for hit in hits}, parameters
                )
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
        with self._database.reader(scope.user) as db:
            chats = _chat_numbers(db, scope, search_filter)
            values = (
                scope.user,
                search_filter.min_importance,
                chats,
                _kind_codes(search_filter),
                limit,
                encode_metadata_filter(search_filter.metadata),
            )
            return [Hit(passage, weight) for passage, weight in fetch(db, SELECT_MOST_IMPORTANT, values)]

    def messages_between(
        self, scope: Scope, starts_at: datetime, ends_at: datetime, *, limit: int
    ) -> list[int]:
        with self._database.reader(scope.user) as db:
            values = (scope.user, to_ms(starts_at), to_ms(ends_at), limit, scope.chat)
            return [message_passage(no) for (no,) in fetch(db, SELECT_MESSAGES_BETWEEN, values)]

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
        with self._database.reader(scope.user) as db:
            request = LoadRequest(
                parameters=_filter_parameters(
                    scope.user, _chat_numbers(db, scope, search_filter), search_filter
                ),
                dense=dense,
                lexical=lexical,
                with_neighbours=include_neighbours,
            )
            passages = {
                kind: numbers
                for kind, numbers in group_by_kind(passage_ids).items()
                if kind.source in search_filter.sources
            }
            return load_candidates(db, passages, request)


def _score_values(
    user: str, vector: Vector, model: str, centroid_penalty: float
) -> tuple[str, str, SqlValue, SqlValue, SqlValue]:
    return user, model, format_vector(vector), len(vector), centroid_penalty


def _chat_numbers(db: Connection, scope: Scope, search_filter: SearchFilter) -> list[int] | None:
    """Return the numbers of the chats to search, with NO_CHAT for memories; None means all."""
    if scope.chat is not None:
        rows = fetch(db, "SELECT no FROM chats WHERE user_id = $1 AND id = $2", (scope.user, scope.chat))
    elif search_filter.max_recent_chats:
        rows = fetch(
            db,
            "SELECT no FROM chats WHERE user_id = $1 ORDER BY updated_at DESC, no DESC LIMIT $2",
            (scope.user, search_filter.max_recent_chats),
        )
        rows.append((NO_CHAT,))
    else:
        return None
    return [no for (no,) in rows]


def _filter_parameters(
    user: str, chats: Sequence[int] | None, search_filter: SearchFilter
) -> FilterParameters:
    return FilterParameters(
        user=user,
        chats=chats,
        as_of=to_ms_or_none(search_filter.as_of),
        metadata=encode_metadata_filter(search_filter.metadata),
        floor=search_filter.min_importance,
        kinds=sorted(map(str, search_filter.kinds)),
    )


def _lexical_pass(
    db: Connection, terms: postings.QueryTerms, scope: Scope, search_filter: SearchFilter, limit: int
) -> list[Hit]:
    chats = _chat_numbers(db, scope, search_filter)
    candidates = postings.find_candidates(
        db,
        scope.user,
        terms,
        kinds=kinds_of(search_filter.sources),
        chats=_chats_of_index(chats, search_filter),
        limit=limit,
    )
    passages = candidates.passages.tolist()
    if not passages:
        return []
    queries = visible_queries(passages, _filter_parameters(scope.user, chats, search_filter))
    lengths, *visible = fetch_all(
        db, [(postings.SELECT_LENGTHS, (scope.user, array_literal(passages))), *queries]
    )
    return postings.rank_candidates(
        candidates,
        terms,
        lengths=dict(lengths),
        visible={passage for rows in visible for (passage,) in rows},
        limit=limit,
    )


def _chats_of_index(chats: Sequence[int] | None, search_filter: SearchFilter) -> Sequence[int] | None:
    """Return the chats as the index has them: memories are in none."""
    only_memories = kinds_of(search_filter.sources) == (MEMORY_PASSAGE,)
    return [NO_CHAT] if only_memories and chats is None else chats


def _first_visible(
    db: Connection, ranked_hits: Sequence[Hit], limit: int, parameters: FilterParameters
) -> list[Hit]:
    """Return the first `limit` hits whose source rows pass the filter."""
    hits: list[Hit] = []
    for start in range(0, len(ranked_hits), OVERFETCH * limit):
        part = ranked_hits[start : start + OVERFETCH * limit]
        visible = visible_passages(db, [hit.passage_id for hit in part], parameters)
        hits += [hit for hit in part if hit.passage_id in visible]
        if len(hits) >= limit:
            break
    return hits[:limit]


def _kind_codes(search_filter: SearchFilter) -> list[int]:
    return [kind.code for kind in kinds_of(search_filter.sources)]
