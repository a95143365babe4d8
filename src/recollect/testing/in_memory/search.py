"""Search and vectors in memory: BM25 over the same analyzer, exact cosines."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.domain.candidate import Candidate, ChatPosition, Hit, Passage, SearchFilter, Source
from recollect.domain.embedding_model import ACTIVE_MODEL_KEY, EmbeddingModel, EmbeddingQueue
from recollect.domain.memory import Memory, MemoryStatus, Origin
from recollect.domain.message import CHAT_ROLES, Message, Role
from recollect.domain.metadata import matches_metadata
from recollect.domain.scope import Scope
from recollect.domain.search import (
    CandidateBatch,
    CandidateRequest,
    DatedSearch,
    DenseQuery,
    PassCandidates,
    SearchPass,
)
from recollect.domain.summary import SummaryKind
from recollect.errors import Refused
from recollect.ports.embedder import Vector
from recollect.ports.search import NO_SCORES
from recollect.retrieval.centroid import MIN_VECTORS_FOR_CENTROID, correct_cosines
from recollect.storage.bm25 import Postings, score_passages
from recollect.storage.passages import CHUNK_PASSAGE, MEMORY_PASSAGE, MESSAGE_PASSAGE, SUMMARY_PASSAGE
from recollect.testing.in_memory.database import Connection
from recollect.testing.in_memory.messages import rows_in_scope
from recollect.testing.in_memory.tables import MessageRow, PassageRow, UserTables, is_valid_at
from recollect.text.analyzer import index_terms, query_terms
from recollect.text.tokens import estimate_tokens

#: Analyzed texts that are kept.
MAX_CACHED_TEXTS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzedText:
    """The terms of a text with their frequencies, and its length as SQLite's index counts it."""

    frequencies: Mapping[str, int]
    length: int


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def _analyze(text: str) -> AnalyzedText:
    terms = index_terms(text)
    # SQLite indexes one more term per passage, which names its chat.
    return AnalyzedText(frequencies=Counter(form for forms in terms for form in forms), length=len(terms) + 1)


class PassageScore(NamedTuple):
    """The dense scores of one passage."""

    corrected: float
    cosine: float
    centroid_excess: float | None


class InMemorySearch:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def snapshot(self) -> AbstractContextManager[None]:
        return self._connection.snapshot()

    def lexical_hits(self, query: str, passes: Sequence[SearchPass], *, limit: int) -> list[list[Hit]]:
        return [
            self.lexical(each.scope, query, limit=limit, search_filter=each.search_filter) for each in passes
        ]

    def candidates(self, request: CandidateRequest) -> CandidateBatch:
        with self.snapshot():
            passes = tuple(
                self._search_pass(search_pass, hits, request)
                for search_pass, hits in zip(request.passes, request.lexical_hits, strict=True)
            )
            known_ids = set(request.known_ids) | _passage_ids(c for each in passes for c in each.candidates)
            dated: list[Candidate] = []
            for search in request.dated if request.dense else ():
                dated += self._search_interval(search, request, known_ids)
                known_ids |= _passage_ids(dated)
            return CandidateBatch(
                passes=passes,
                important=tuple(self._important_candidates(request)),
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

    def lexical(self, scope: Scope, query: str, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        terms = query_terms(query)
        passages = self._searched_passages(scope, search_filter)
        if not terms or not passages:
            return []
        texts = {passage_id: _analyze(row.text) for passage_id, row in passages.items()}
        postings = [_postings(forms, texts) for forms in terms]
        found = np.unique(np.concatenate([each.passages for each in postings]))
        passage_count, average_length = self._index_statistics(scope.user)
        lengths = np.array([texts[passage_id].length for passage_id in found.tolist()], dtype=np.float64)
        scores, matched_terms = score_passages(found, postings, passage_count, lengths / average_length)
        order = np.lexsort((found, -scores))
        hits = [
            Hit(int(found[place]), float(scores[place]), float(matched_terms[place] / len(terms)))
            for place in order
        ]
        return self._first_visible(scope, hits, limit, search_filter)

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
        query = DenseQuery(vector=vector, model=model, centroid_penalty=centroid_penalty)
        scores = self._dense_scores(scope, self._searched_passages(scope, search_filter), query)
        hits = [Hit(passage_id, score.corrected) for passage_id, score in scores.items()]
        hits.sort(key=lambda hit: (-hit.score, hit.passage_id))
        return self._first_visible(scope, hits, limit, search_filter)

    def nearest_memories(
        self, scope: Scope, vectors: Mapping[str, Vector], *, model: str | None, limit: int
    ) -> dict[str, tuple[tuple[str, float], ...]]:
        """Return ids and cosines of the active memories nearest to each vector, by the vector's key."""
        if model is None:
            return {}
        tables, only_memories = (
            self._connection.read(scope.user),
            SearchFilter(sources=frozenset({Source.MEMORY})),
        )
        nearest = {}
        for key, vector in vectors.items():
            hits = self.dense(scope, vector, model=model, limit=limit, search_filter=only_memories)
            nearest[key] = tuple((tables.passages[hit.passage_id].owner, hit.score) for hit in hits)
        return nearest

    def cosines(
        self,
        scope: Scope,
        passage_ids: Sequence[int],
        vector: Vector,
        *,
        model: str,
        centroid_penalty: float = 0.0,
    ) -> dict[int, float]:
        query = DenseQuery(vector=vector, model=model, centroid_penalty=centroid_penalty)
        scores = self._dense_scores(scope, passage_ids, query)
        return {passage_id: score.corrected for passage_id, score in scores.items()}

    def most_important(self, scope: Scope, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        tables, chats = self._connection.read(scope.user), self._chats(scope, search_filter)
        floor = search_filter.min_importance
        ranked: list[tuple[float, datetime, int]] = []
        for passage_id, row in tables.passages.items():
            if row.kind.source not in search_filter.sources or (chats is not None and row.chat not in chats):
                continue
            if row.kind is MESSAGE_PASSAGE:
                message = tables.messages[row.owner].message
                is_match = matches_metadata(message.metadata, search_filter.metadata)
                if message.importance and message.importance >= floor and is_match:
                    ranked.append((message.importance / 100, message.created_at, passage_id))
            elif row.kind is MEMORY_PASSAGE:
                memory = tables.memories[row.owner].memory
                is_match = matches_metadata(memory.metadata, search_filter.metadata)
                if memory.status is MemoryStatus.ACTIVE and memory.weight >= floor / 100 and is_match:
                    ranked.append((memory.weight, memory.last_stated_at, passage_id))
        ranked.sort(reverse=True)
        return [Hit(passage_id, weight) for weight, _, passage_id in ranked[:limit]]

    def messages_between(
        self, scope: Scope, starts_at: datetime, ends_at: datetime, *, limit: int
    ) -> list[int]:
        tables = self._connection.read(scope.user)
        rows = [
            row
            for row in rows_in_scope(tables, scope)
            if row.message.role in CHAT_ROLES and starts_at <= row.message.created_at < ends_at
        ]
        rows.sort(key=lambda row: (row.message.created_at, row.no), reverse=True)
        return [tables.passage_ids[MESSAGE_PASSAGE, row.message.id, None] for row in rows[:limit]]

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
        tables = self._connection.read(scope.user)
        view = View(
            tables=tables,
            search_filter=search_filter,
            chats=self._chats(scope, search_filter),
            include_neighbours=include_neighbours,
        )
        return {
            passage_id: view.candidate(passage_id)._replace(
                dense=dense.get(passage_id), lexical=lexical.get(passage_id)
            )
            for passage_id in passage_ids
            if view.is_visible(passage_id)
        }

    def _search_pass(
        self, search_pass: SearchPass, lexical_hits: Sequence[Hit], request: CandidateRequest
    ) -> PassCandidates:
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
            sorted(passage_ids),
            scores,
            lexical,
            search_filter,
            include_neighbours=request.include_neighbours,
        )
        return PassCandidates(candidates=tuple(candidates), dense_count=len(hits))

    def _important_candidates(self, request: CandidateRequest) -> list[Candidate]:
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
        tables = self._connection.read(scope.user)
        active = [
            row.memory.id for row in tables.memories.values() if row.memory.status is MemoryStatus.ACTIVE
        ]
        if not limit or len(active) > limit:
            return []
        passage_ids = [tables.passage_ids[MEMORY_PASSAGE, memory_id, None] for memory_id in active]
        return self._load_scored(scope, passage_ids, {}, {}, SearchFilter(sources=frozenset({Source.MEMORY})))

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
        loaded = self.load(
            scope,
            passage_ids,
            search_filter=search_filter,
            lexical=lexical,
            include_neighbours=include_neighbours,
        )
        no_score = PassageScore(0.0, 0.0, None)
        return [
            candidate._replace(
                passage_id=passage_id,
                dense=dense.get(passage_id, no_score).corrected if passage_id in dense else None,
                cosine=dense.get(passage_id, no_score).cosine if passage_id in dense else None,
                centroid_excess=dense.get(passage_id, no_score).centroid_excess,
            )
            for passage_id, candidate in loaded.items()
        ]

    def _dense_scores(
        self, scope: Scope, passage_ids: Collection[int], dense: DenseQuery
    ) -> dict[int, PassageScore]:
        """Return the scores of these passages; those without a vector of the model are omitted."""
        tables = self._connection.read(scope.user)
        if self._connection.database.dimensions.get(dense.model) != len(dense.vector):
            return {}
        vectors = {key[1]: vector for key, vector in tables.vectors.items() if key[0] == dense.model}
        scored_ids = [passage_id for passage_id in passage_ids if passage_id in vectors]
        if not scored_ids:
            return {}
        matrix = _to_matrix([vectors[passage_id] for passage_id in scored_ids])
        cosines = np.vecdot(matrix, np.frombuffer(dense.vector, dtype=np.float32))
        if not dense.centroid_penalty or len(vectors) < MIN_VECTORS_FOR_CENTROID:
            return {
                passage_id: PassageScore(cosine, cosine, None)
                for passage_id, cosine in zip(scored_ids, cosines.tolist(), strict=True)
            }
        centroid = _to_matrix(vectors.values()).mean(axis=0)
        excess = np.vecdot(matrix, centroid) - np.vdot(centroid, centroid)
        corrected = correct_cosines(cosines, excess, dense.centroid_penalty)
        return {
            passage_id: PassageScore(*scores)
            for passage_id, *scores in zip(
                scored_ids, corrected.tolist(), cosines.tolist(), excess.tolist(), strict=True
            )
        }

    def _searched_passages(self, scope: Scope, search_filter: SearchFilter) -> dict[int, PassageRow]:
        chats = self._chats(scope, search_filter)
        return {
            passage_id: row
            for passage_id, row in self._connection.read(scope.user).passages.items()
            if row.kind.source in search_filter.sources and (chats is None or row.chat in chats)
        }

    def _chats(self, scope: Scope, search_filter: SearchFilter) -> AbstractSet[str | None] | None:
        """Return the chats to search, with None for memories, which belong to no chat; None means all."""
        if scope.chat is not None:
            return {scope.chat}
        if not search_filter.max_recent_chats:
            return None
        chats = self._connection.read(scope.user).chats
        newest_first = sorted(chats, key=lambda chat: (chats[chat].updated_at, chats[chat].no), reverse=True)
        return {None, *newest_first[: search_filter.max_recent_chats]}

    def _first_visible(
        self, scope: Scope, hits: Sequence[Hit], limit: int, search_filter: SearchFilter
    ) -> list[Hit]:
        view = View(
            tables=self._connection.read(scope.user),
            search_filter=search_filter,
            chats=self._chats(scope, search_filter),
        )
        return [hit for hit in hits if view.is_visible(hit.passage_id)][:limit]

    def _index_statistics(self, user: str) -> tuple[int, float]:
        """Return the number of a user's passages and their average length."""
        lengths = [_analyze(row.text).length for row in self._connection.read(user).passages.values()]
        return len(lengths), max(sum(lengths) / len(lengths), 1.0) if lengths else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The passages of a user that pass a filter, as candidates."""

    tables: UserTables
    search_filter: SearchFilter
    chats: AbstractSet[str | None] | None
    include_neighbours: bool = False

    def is_visible(self, passage_id: int) -> bool:
        row = self.tables.passages.get(passage_id)
        if row is None or row.kind.source not in self.search_filter.sources:
            return False
        if self.chats is not None and row.chat not in self.chats:
            return False
        as_of = self.search_filter.as_of
        if row.kind is MEMORY_PASSAGE:
            return self._is_memory_visible(self.tables.memories[row.owner].memory)
        if row.kind is SUMMARY_PASSAGE:
            summary = self.tables.summaries[row.owner].summary
            is_known = as_of is None or summary.created_at <= as_of
            return summary.kind is SummaryKind.CONVERSATION and is_known and not self.search_filter.metadata
        return self._is_message_visible(self.tables.messages[row.owner].message)

    def candidate(self, passage_id: int) -> Candidate:
        row = self.tables.passages[passage_id]
        if row.kind is MEMORY_PASSAGE:
            return _memory_candidate(self.tables.memories[row.owner].memory)
        if row.kind is SUMMARY_PASSAGE:
            summary = self.tables.summaries[row.owner].summary
            return Candidate(
                source=Source.SUMMARY,
                id=summary.id,
                chat=summary.chat,
                text=summary.text,
                created_at=summary.created_at,
                last_stated_at=summary.created_at,
                tokens=estimate_tokens(summary.text),
            )
        return self._message_candidate(row)

    def _message_candidate(self, row: PassageRow) -> Candidate:
        message_row = self.tables.messages[row.owner]
        message = message_row.message
        candidate = Candidate(
            source=row.kind.source,
            id=message.id,
            chat=message.chat,
            position=self._position(message_row),
            role=message.role,
            text=row.text,
            created_at=message.created_at,
            last_stated_at=message.created_at,
            tokens=message.tokens,
            importance=message.importance,
            metadata=message.metadata,
            outdated=self.search_filter.as_of is None and self._has_superseded_memory(message),
        )
        if row.chunk is None:
            return candidate._replace(summary=message.summary)
        return candidate._replace(
            id=f"{message.id}#{row.chunk.index}",
            parent_id=message.id,
            tokens=row.chunk.tokens,
            chunk_kind=row.chunk.kind,
        )

    def _is_memory_visible(self, memory: Memory) -> bool:
        search_filter = self.search_filter
        return (
            round(100 * memory.weight) >= search_filter.min_importance
            and (not search_filter.kinds or memory.kind in search_filter.kinds)
            and matches_metadata(memory.metadata, search_filter.metadata)
            and self.tables.consents.get(memory.kind, True)
            and (
                memory.status is MemoryStatus.ACTIVE
                if search_filter.as_of is None
                else is_valid_at(memory, search_filter.as_of)
            )
        )

    def _is_message_visible(self, message: Message) -> bool:
        """A forgotten memory, or a corrected one that covers its whole message, hides the message."""
        as_of, importance = self.search_filter.as_of, message.importance
        if as_of is not None and message.created_at > as_of:
            return False
        if importance is not None and importance < self.search_filter.min_importance:
            return False
        if not matches_metadata(message.metadata, self.search_filter.metadata):
            return False
        return not any(
            memory.status is MemoryStatus.FORGOTTEN
            or (
                span.start == 0
                and span.end == len(message.content)
                and memory.origin is Origin.MANUAL
                and memory.text != message.content.strip(" ")
            )
            for memory in self._memories_of(message)
            for span in memory.spans
            if span.message_id == message.id
        )

    def _has_superseded_memory(self, message: Message) -> bool:
        return any(memory.status is MemoryStatus.SUPERSEDED for memory in self._memories_of(message))

    def _memories_of(self, message: Message) -> list[Memory]:
        return [
            row.memory
            for row in self.tables.memories.values()
            if any(span.message_id == message.id for span in row.memory.spans)
        ]

    def _position(self, row: MessageRow) -> ChatPosition:
        passage_id = self._message_passage_id(row)
        if not self.include_neighbours:
            return ChatPosition(passage_id)
        chat = [
            each
            for each in self.tables.messages.values()
            if each.message.chat == row.message.chat and each.message.role in CHAT_ROLES
        ]
        place = chat.index(row)
        before, after = chat[max(place - 1, 0) : place], chat[place + 1 : place + 2]
        return ChatPosition(
            passage_id,
            self._message_passage_id(before[0]) if before else None,
            self._message_passage_id(after[0]) if after else None,
        )

    def _message_passage_id(self, row: MessageRow) -> int:
        return self.tables.passage_ids[MESSAGE_PASSAGE, row.message.id, None]


class InMemoryVectors:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def queue(self, user: str, *, limit: int, by_value: bool = False) -> EmbeddingQueue:
        tables = self._connection.read(user)

        def value(passage_id: int) -> tuple[int, float, int]:
            row = tables.passages[passage_id]
            stored = tables.messages.get(row.owner) if row.kind in {MESSAGE_PASSAGE, CHUNK_PASSAGE} else None
            if stored is None:
                return (2 if row.kind is MEMORY_PASSAGE else 0, 0, passage_id)
            is_user = stored.message.role is Role.USER
            return (int(is_user), stored.message.created_at.timestamp(), passage_id)

        queued = sorted(tables.embedding_queue, key=value if by_value else None, reverse=by_value)
        model = tables.preferences.get(ACTIVE_MODEL_KEY)
        return EmbeddingQueue(
            passages=[Passage(id=number, text=tables.passages[number].text) for number in queued[:limit]],
            model=EmbeddingModel.from_json(model) if model else None,
        )

    def put(
        self,
        user: str,
        model: str,
        items: Sequence[tuple[Passage, Vector]],
        *,
        queue: EmbeddingQueue | None = None,
    ) -> bool:
        if not items:
            return True
        if queue is not None and self.queue(user, limit=0).model != queue.model:
            return False
        given = {len(vector) for _, vector in items}
        dimension = self._connection.database.dimensions.setdefault(model, min(given))
        if given != {dimension}:
            raise Refused(
                f"Stored vectors of {model} have {dimension} dimensions; these have {', '.join(map(str, given))}."
                " Give the changed model another name and re-embed."
            )
        with self._connection.write(user, creates_user=False) as tables:
            for passage, vector in items:
                row = tables.passages.get(passage.id)
                if row is not None and row.text == passage.text:
                    tables.vectors[model, passage.id] = vector
                    tables.embedding_queue.pop(passage.id, None)
        return True

    def count_queued(self, user: str) -> int:
        return len(self._connection.read(user).embedding_queue)

    def count_by_model(self, user: str) -> dict[str, int]:
        return dict(Counter(model for model, _ in self._connection.read(user).vectors))

    def enqueue_missing(self, user: str, model: str) -> int:
        with self._connection.write(user, creates_user=False) as tables:
            for passage_id in _without_vector(tables, model):
                tables.embedding_queue[passage_id] = None
            return len(tables.embedding_queue)

    def passages_without_vector(self, user: str, model: str, *, limit: int) -> list[Passage]:
        tables = self._connection.read(user)
        missing = [each for each in _without_vector(tables, model) if each not in tables.embedding_queue]
        return [Passage(id=each, text=tables.passages[each].text) for each in missing[:limit]]

    def count_without_vector(self, user: str, model: str) -> int:
        return len(_without_vector(self._connection.read(user), model))

    def delete_model(self, user: str, model: str) -> int:
        with self._connection.write(user, creates_user=False) as tables:
            deleted = [key for key in tables.vectors if key[0] == model]
            for key in deleted:
                del tables.vectors[key]
        return len(deleted)


def _postings(forms: Sequence[str], texts: Mapping[int, AnalyzedText]) -> Postings:
    frequencies = {
        passage_id: sum(text.frequencies.get(form, 0) for form in forms) for passage_id, text in texts.items()
    }
    found = sorted(passage_id for passage_id, frequency in frequencies.items() if frequency)
    return Postings(
        passages=np.array(found, dtype=np.int64),
        term_frequencies=np.array([frequencies[passage_id] for passage_id in found], dtype=np.int64),
        document_frequency=len(found),
    )


def _to_matrix(vectors: Iterable[Vector]) -> NDArray[np.float32]:
    return np.stack([np.frombuffer(vector, dtype=np.float32) for vector in vectors])


def _passage_ids(candidates: Iterable[Candidate]) -> set[int]:
    return {candidate.passage_id for candidate in candidates if candidate.passage_id is not None}


def _without_vector(tables: UserTables, model: str) -> list[int]:
    return [passage_id for passage_id in sorted(tables.passages) if (model, passage_id) not in tables.vectors]


def _memory_candidate(memory: Memory) -> Candidate:
    return Candidate(
        source=Source.MEMORY,
        id=memory.id,
        chat=memory.chat,
        role=memory.speaker,
        text=memory.text,
        created_at=memory.created_at,
        last_stated_at=memory.last_stated_at,
        tokens=estimate_tokens(memory.text),
        version=memory.version,
        kind=memory.kind,
        weight=memory.weight,
        importance=round(100 * memory.weight),
        pinned=memory.pinned,
        metadata=memory.metadata,
    )
