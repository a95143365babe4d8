"""Gives passages their vectors: a text that the embedder will not take does not hold up the others."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from recollect.domain.candidate import Passage
from recollect.errors import ModelMissing, ProviderBusy, ProviderError
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import unit_vector

#: After so many refusals and not one vector it is not the texts.
MAX_REFUSALS = 3


@dataclass(slots=True, kw_only=True)
class BatchEmbedder:
    embedder: Embedder
    errors: dict[int, ProviderError] = field(default_factory=dict)  #: why not, by the passage's number
    _embedded_count: int = 0

    def embed_batch(self, batch: Sequence[Passage]) -> list[tuple[Passage, Vector]]:
        """The vectors of those that have one. Which of a refused batch is to blame is found by halving it."""
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
                f"The embedder gave {len(vectors)} vectors for {len(batch)} texts, so none was stored."
                " Retry the job, or choose another embedder."
            )
        return [unit_vector(vector, dimension=self.embedder.dimension) for vector in vectors]
