"""Finds passages: messages, chunks, memories and summaries. Ranking them is not its business."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from types import MappingProxyType
from typing import Final, Protocol

from recollect.domain.candidate import Candidate, Hit, Passage, SearchFilter
from recollect.domain.scope import Scope
from recollect.ports.embedder import Vector

#: What a channel says that was not asked.
NO_SCORES: Final[Mapping[int, float]] = MappingProxyType({})


class Search(Protocol):
    """Two channels over the same passages. A scope with a chat looks into that chat alone."""

    def snapshot(self) -> AbstractContextManager[None]:
        """What is asked inside, on this thread, is answered as of one moment, and faster."""

    def lexical(self, scope: Scope, query: str, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        """Passages that share words with the query; BM25, larger is better. Any text is a valid query."""

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
        Passages whose vector of that model is near; cosine. Vectors of other models are never compared.

        What lies in the middle of a user's vectors is near to any question. So much as `middle` of how much nearer to
        it a passage is than they are on average is taken off its cosine, once there are enough to have a middle; one
        that lies further out gains a little.
        """

    def cosines(
        self,
        scope: Scope,
        passage_ids: Sequence[int],
        vector: Vector,
        *,
        model: str,
        centroid_penalty: float = 0.0,
    ) -> dict[int, float]:
        """How near these passages are; those without a vector of that model are not in the answer."""

    def most_important(self, scope: Scope, *, limit: int, search_filter: SearchFilter) -> list[Hit]:
        """Judged messages and memories, the most important first, then the newest; the score is 0 to 1."""

    def messages_between(
        self, scope: Scope, starts_at: datetime, ends_at: datetime, *, limit: int
    ) -> list[int]:
        """Messages by user or assistant of a stretch of time, its end not included, the newest first."""

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
        The candidates behind the numbers, with what each channel says. What the reach excludes is not there.

        With `beside` the place of a message tells who spoke before and after it, be it user or assistant.
        """


class Vectors(Protocol):
    """Keeps the dense channel's shadow: one vector per passage and model."""

    def queued_passages(self, user: str, *, limit: int) -> list[Passage]:
        """Passages of a user that wait for a vector, oldest first."""

    def put(self, user: str, model: str, items: Sequence[tuple[Passage, Vector]]) -> None:
        """Store vectors. A passage that changed or vanished meanwhile is left alone."""

    def count_queued(self, user: str) -> int:
        """How many passages wait for a vector."""

    def count_by_model(self, user: str) -> dict[str, int]:
        """How many vectors there are by model."""

    def enqueue_missing(self, user: str, model: str) -> int:
        """Queue every passage that has no vector of this model; return how many there are."""

    def passages_without_vector(self, user: str, model: str, *, limit: int) -> list[Passage]:
        """Passages without a vector of this model that do not wait for a first one, oldest first."""

    def count_without_vector(self, user: str, model: str) -> int:
        """How many passages there are without a vector of this model, waiting or not."""

    def delete_model(self, user: str, model: str) -> int:
        """Delete the vectors of a model that is no longer used; return how many there were."""
