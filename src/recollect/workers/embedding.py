"""Batch embedding that isolates texts the embedder rejects, so that they do not block the others."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from recollect.domain.candidate import Passage
from recollect.errors import ModelMissing, ProviderBusy, ProviderError
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import unit_vector

#: After this many rejected texts without a single vector, the embedder itself is at fault.
MAX_REFUSALS = 3


@dataclass(slots=True, kw_only=True)
class BatchEmbedder:
    embedder: Embedder
    errors: dict[int, ProviderError] = field(
        default_factory=dict
    )  #: the error of each rejected passage, by passage id
    _embedded_count: int = 0

    def embed_batch(self, batch: Sequence[Passage]) -> list[tuple[Passage, Vector]]:
        """Return the vectors of the accepted passages. A rejected batch is bisected to find the rejected texts."""
        try:
            pairs = list(zip(batch, self._embed(batch), strict=True))
        except (ProviderBusy, ModelMissing):
            raise
        except ProviderError as error:
            if len(batch) > 1:
                half = len(batch) // 2
                return [*self.embed_batch(batch[:half]), *self.embed_batch(batch[half:])]
            self.errors[batch[0].id] = error
            if len(self.errors) >= MAX_REFUSALS and not self._embedded_count:
                raise
            return []
        self._embedded_count += len(pairs)
        return pairs

    def _embed(self, batch: Sequence[Passage]) -> list[Vector]:
        vectors = self.embedder.embed([passage.text for passage in batch])
        if len(vectors) != len(batch):
            raise ProviderError(
                f"The embedder returned {len(vectors)} vectors for {len(batch)} texts, so none was stored."
                " Retry the job, or choose another embedder."
            )
        return [unit_vector(vector, dimension=self.embedder.dimension) for vector in vectors]
