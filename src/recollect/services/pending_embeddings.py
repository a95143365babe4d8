"""
Embedding of new passages at query time, so that a user's recall sees what was just stored.

A worker embeds new passages in the background. If a recall comes first, it embeds a handful itself and waits for them a
limited time: writing waits for other writers, and an embedder may be slow. More passages are left to the worker. The
receipt says how many have no embedding yet; lexical search returns them nevertheless.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Passage
from recollect.errors import ProviderError, StoreError
from recollect.ports.embedder import Embedder
from recollect.ports.executor import Executor, PendingCall
from recollect.ports.store import Store
from recollect.ports.vector_math import unit_vector

#: Passages that a recall embeds itself.
MAX_INLINE_PASSAGES = 8
#: Maximum time that a recall without a deadline waits for them.
MAX_WAIT_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProgress:
    """Passages without an embedding when a recall begins, and the call that embeds them, if they are few."""

    queued_count: int = 0
    call: PendingCall[int] | None = None

    def wait(self, seconds: float) -> int:
        """Return how many passages have no embedding yet, after this time at most."""
        if self.call is None:
            return self.queued_count
        try:
            return self.queued_count - self.call.result(seconds)
        except (TimeoutError, ProviderError, StoreError):
            return self.queued_count


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingEmbeddings:
    store: Store
    executor: Executor

    def start(self, user: str, passages: Sequence[Passage], embedder: Embedder) -> EmbeddingProgress:
        """Start to embed queued passages of a user if they are few."""
        if len(passages) > MAX_INLINE_PASSAGES:
            try:
                return EmbeddingProgress(queued_count=self.store.vectors.count_queued(user))
            except StoreError:
                # The search itself reports what cannot be read.
                return EmbeddingProgress()
        if not passages:
            return EmbeddingProgress()
        call = self.executor.submit(lambda: self._embed(user, passages, embedder))
        return EmbeddingProgress(queued_count=len(passages), call=call)

    def _embed(self, user: str, passages: Sequence[Passage], embedder: Embedder) -> int:
        """Embed and store passages, and return how many."""
        vectors = embedder.embed([passage.text for passage in passages])
        if len(vectors) != len(passages):
            raise ProviderError(f"The embedder returned {len(vectors)} vectors for {len(passages)} texts.")
        unit_vectors = [unit_vector(vector, dimension=embedder.dimension) for vector in vectors]
        pairs = list(zip(passages, unit_vectors, strict=True))
        with self.store.transaction(user):
            self.store.vectors.put(user, embedder.model_id, pairs)
        return len(pairs)
