"""Search by a vector of the caller, for integrations that embed queries themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Candidate, SearchFilter, Source
from recollect.domain.scope import Scope
from recollect.ports.embedder import Vector
from recollect.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSearchService:
    store: Store

    def nearest(
        self, scope: Scope, vector: Vector, *, model: str, sources: frozenset[Source], limit: int
    ) -> Sequence[tuple[Candidate, float]]:
        """Return the passages nearest to a vector of a model, with their cosines, best first."""
        search, search_filter = self.store.search, SearchFilter(sources=sources)
        hits = search.dense(scope, vector, model=model, limit=limit, search_filter=search_filter)
        candidates = search.load(scope, [hit.passage_id for hit in hits], search_filter=search_filter)
        return [(candidates[hit.passage_id], hit.score) for hit in hits if hit.passage_id in candidates]
