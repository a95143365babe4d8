"""Caches that let tuning repeat a query without repeating its searches."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from recollect.domain.candidate import Candidate, Hit, SearchFilter
from recollect.domain.scope import Scope
from recollect.domain.search import CandidateBatch, CandidateRequest, DenseQuery, SearchPass
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.search import CandidateIndex


@dataclass(slots=True, kw_only=True)
class CachedSearch:
    """A search with memoized results, for one query: neither its text nor its vector is part of the cache keys."""

    inner: CandidateIndex
    _lexical_hits: dict[object, list[list[Hit]]] = field(default_factory=dict)
    _batches: dict[object, CandidateBatch] = field(default_factory=dict)
    _messages: dict[object, list[Candidate]] = field(default_factory=dict)

    def snapshot(self) -> AbstractContextManager[None]:
        return self.inner.snapshot()

    def lexical_hits(self, query: str, passes: Sequence[SearchPass], *, limit: int) -> list[list[Hit]]:
        key = (tuple(passes), limit)
        if key not in self._lexical_hits:
            self._lexical_hits[key] = self.inner.lexical_hits(query, passes, limit=limit)
        return self._lexical_hits[key]

    def candidates(self, request: CandidateRequest) -> CandidateBatch:
        # The lexical hits follow from the passes and the limit.
        key = (replace(request, dense=None, lexical_hits=()), _dense_key(request.dense))
        if key not in self._batches:
            self._batches[key] = self.inner.candidates(request)
        return self._batches[key]

    def messages(
        self,
        scope: Scope,
        passage_ids: Collection[int],
        dense: DenseQuery | None,
        search_filter: SearchFilter,
    ) -> list[Candidate]:
        key = (scope, frozenset(passage_ids), _dense_key(dense), search_filter)
        if key not in self._messages:
            self._messages[key] = self.inner.messages(scope, passage_ids, dense, search_filter)
        return self._messages[key]

    def cosines(
        self,
        scope: Scope,
        passage_ids: Sequence[int],
        vector: Vector,
        *,
        model: str,
        centroid_penalty: float = 0.0,
    ) -> dict[int, float]:
        return self.inner.cosines(scope, passage_ids, vector, model=model, centroid_penalty=centroid_penalty)


@dataclass(slots=True, kw_only=True)
class CachedQueryEmbedder:
    """An embedder that embeds each query once."""

    inner: Embedder
    _vectors: dict[str, Vector] = field(default_factory=dict)

    @property
    def model_id(self) -> str:
        return self.inner.model_id

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    @property
    def cosine_floor(self) -> float:
        return self.inner.cosine_floor

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self.inner.embed(texts)

    def embed_query(self, text: str) -> Vector:
        if text not in self._vectors:
            self._vectors[text] = self.inner.embed_query(text)
        return self._vectors[text]

    def windows(self, text: str) -> list[str]:
        return self.inner.windows(text)


def _dense_key(dense: DenseQuery | None) -> tuple[str, float] | None:
    return None if dense is None else (dense.model, dense.centroid_penalty)
