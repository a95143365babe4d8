"""Ports for retrieval: lexical and dense search over passages, and their vectors. Ranking is done elsewhere."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from types import MappingProxyType
from typing import Final, Protocol

from recollect.domain.candidate import Candidate, Hit, Passage, SearchFilter
from recollect.domain.embedding_model import EmbeddingQueue
from recollect.domain.scope import Scope
from recollect.domain.search import CandidateBatch, CandidateRequest, DenseQuery, SearchPass
from recollect.ports.embedder import Vector

#: The scores of a channel that was not searched.
NO_SCORES: Final[Mapping[int, float]] = MappingProxyType({})


class CandidateIndex(Protocol):
    """Batched search for recall. A scope with a chat searches only that chat."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Give all reads of this thread inside the block one consistent snapshot; this is also faster."""

    def lexical_hits(self, query: str, passes: Sequence[SearchPass], *, limit: int) -> list[list[Hit]]:
        """
        Return the lexical hits of each pass: ids and scores only, so that it may run before the snapshot.

        The filters of the passes differ in the sources only.
        """

    def candidates(self, request: CandidateRequest) -> CandidateBatch:
        """
        Run the dense searches of all passes, and load their hits and the given lexical hits as candidates.

        A candidate has the cosine of its vector, whichever channel returned it. A dated search returns the messages of
        its interval that are nearest to the query, without those that are known or were returned before it.
        """

    def messages(
        self,
        scope: Scope,
        passage_ids: Collection[int],
        dense: DenseQuery | None,
        search_filter: SearchFilter,
    ) -> list[Candidate]:
        """Load messages by their passage ids, with cosines. Those excluded by the filter are omitted."""

    def cosines(
        self,
        scope: Scope,
        passage_ids: Sequence[int],
        vector: Vector,
        *,
        model: str,
        centroid_penalty: float = 0.0,
    ) -> dict[int, float]:
        """Return the dot product of these passages' vectors; those without a vector of that model are omitted."""


class Search(CandidateIndex, Protocol):
    """Lexical and dense search over the same passages, one call at a time."""

    def lexical(self, scope: Scope, query: str, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        """Return passages that share terms with the query, scored by BM25. Any text is a valid query."""

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
        """
        Return the passages with the highest cosine to the vector. Vectors of other models are never compared.

        Passages close to the centroid c of the user's vectors match any query. Therefore
        `centroid_penalty · (v·c − c·c)` is subtracted from the cosine of a vector v, once the user has enough vectors;
        the bonus for vectors far from the centroid is capped.
        """

    def most_important(self, scope: Scope, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        """Return extracted messages and memories by importance, then newest first; scores are 0 to 1."""

    def messages_between(
        self, scope: Scope, starts_at: datetime, ends_at: datetime, *, limit: int
    ) -> list[int]:
        """Return user and assistant messages of a half-open time interval, newest first."""

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
        """
        Load passages as candidates with the given scores. Those excluded by the filter are omitted.

        With `include_neighbours` a message's position includes the user or assistant messages before and after it.
        """


class Vectors(Protocol):
    """The vectors of the dense channel: one per passage and model, derived from the text."""

    def queue(self, user: str, *, limit: int, by_value: bool = False) -> EmbeddingQueue:
        """
        Return passages of a user that are queued for embedding, in the order in which they were stored.

        With `by_value` memories come first, then the user's own messages, then the rest, each newest first by date.
        """

    def put(
        self,
        user: str,
        model: str,
        items: Sequence[tuple[Passage, Vector]],
        *,
        queue: EmbeddingQueue | None = None,
    ) -> bool:
        """
        Store vectors, except for passages that were changed or deleted meanwhile.

        With the `queue` that the passages are from, nothing is stored if the user has another model by now; return
        False then.
        """

    def count_queued(self, user: str) -> int:
        """Count the passages queued for embedding."""

    def count_by_model(self, user: str) -> dict[str, int]:
        """Count vectors by model."""

    def enqueue_missing(self, user: str, model: str) -> int:
        """Queue every passage that has no vector of this model; return how many there are."""

    def passages_without_vector(self, user: str, model: str, *, limit: int) -> list[Passage]:
        """Return passages without a vector of this model that are not queued, oldest first."""

    def count_without_vector(self, user: str, model: str) -> int:
        """Count passages without a vector of this model, queued or not."""

    def delete_model(self, user: str, model: str) -> int:
        """Delete the vectors of a model that is no longer used; return how many."""
