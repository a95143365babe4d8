"""Caches that let tuning repeat a query without repeating its searches."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from recollect.domain.candidate import Candidate, Hit, SearchFilter
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.search import NO_SCORES, Search

ValueT = TypeVar("ValueT")


@dataclass(slots=True, kw_only=True)
class CachedSearch:
    """A search with memoized results, for one query: the query vector is not part of the cache keys."""

    inner: Search
    _hits: dict[object, list[Hit]] = field(default_factory=dict)
    _dated_messages: dict[object, list[int]] = field(default_factory=dict)
    _cosines: dict[object, dict[int, float | None]] = field(default_factory=dict)
    _loaded: dict[object, dict[int, Candidate | None]] = field(default_factory=dict)

    def snapshot(self) -> AbstractContextManager[None]:
        return self.inner.snapshot()

    def lexical(self, scope: Scope, query: str, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        return self._cached_hits(
            (scope, query, limit, search_filter),
            lambda: self.inner.lexical(scope, query, limit=limit, search_filter=search_filter),
        )

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
        return self._cached_hits(
            (scope, model, limit, search_filter, centroid_penalty),
            lambda: self.inner.dense(
                scope,
                vector,
                model=model,
                limit=limit,
                search_filter=search_filter,
                centroid_penalty=centroid_penalty,
            ),
        )

    def most_important(self, scope: Scope, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        return self._cached_hits(
            (scope, limit, search_filter),
            lambda: self.inner.most_important(scope, limit=limit, search_filter=search_filter),
        )

    def cosines(
        self,
        scope: Scope,
        passage_ids: Sequence[int],
        vector: Vector,
        *,
        model: str,
        centroid_penalty: float = 0.0,
    ) -> dict[int, float]:
        known = self._cosines.setdefault((scope, model, centroid_penalty), {})
        return _fetch_missing(
            known,
            passage_ids,
            lambda new: self.inner.cosines(
                scope, new, vector, model=model, centroid_penalty=centroid_penalty
            ),
        )

    def messages_between(
        self, scope: Scope, starts_at: datetime, ends_at: datetime, *, limit: int
    ) -> list[int]:
        key = (scope, starts_at, ends_at, limit)
        if key not in self._dated_messages:
            self._dated_messages[key] = self.inner.messages_between(scope, starts_at, ends_at, limit=limit)
        return self._dated_messages[key]

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
        known = self._loaded.setdefault((scope, search_filter, include_neighbours), {})
        candidates = _fetch_missing(
            known,
            list(passage_ids),
            lambda new: self.inner.load(
                scope, new, search_filter=search_filter, include_neighbours=include_neighbours
            ),
        )
        return {
            passage: candidate._replace(dense=dense.get(passage), lexical=lexical.get(passage))
            for passage, candidate in candidates.items()
        }

    def _cached_hits(self, key: object, fetch: Callable[[], list[Hit]]) -> list[Hit]:
        if key not in self._hits:
            self._hits[key] = fetch()
        return self._hits[key]


def _fetch_missing(
    cache: dict[int, ValueT | None],
    passages: Collection[int],
    fetch: Callable[[Sequence[int]], Mapping[int, ValueT]],
) -> dict[int, ValueT]:
    """Fetch what is not cached yet; missing passages are cached as None."""
    if missing := [passage for passage in passages if passage not in cache]:
        fetched = fetch(missing)
        cache.update((passage, fetched.get(passage)) for passage in missing)
    return {passage: value for passage in passages if (value := cache[passage]) is not None}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedClock:
    """A clock with a fixed time, so that trials differ in their weights only."""

    inner: Clock
    fixed_time: datetime

    def now(self) -> datetime:
        return self.fixed_time

    def monotonic(self) -> float:
        return self.inner.monotonic()
