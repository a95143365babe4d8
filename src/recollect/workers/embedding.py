"""Gives passages their vectors: a text that the embedder will not take does not hold up the others."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from recollect.domain.candidate import Passage
from recollect.errors import ModelMissing, ProviderBusy, ProviderError
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import unit

#: After so many refusals and not one vector it is not the texts.
PATIENCE = 3


@dataclass(slots=True, kw_only=True)
class Embedding:
    embedder: Embedder
    refused: dict[int, ProviderError] = field(default_factory=dict)  #: why not, by the passage's number
    _taken: int = 0

    def vectors(self, batch: Sequence[Passage]) -> list[tuple[Passage, Vector]]:
        """The vectors of those that have one. Which of a refused batch is to blame is found by halving it."""
        try:
            pairs = list(zip(batch, self._embed(batch), strict=True))
        except (ProviderBusy, ModelMissing):
            raise
        except ProviderError as error:
            if len(batch) > 1:
                middle = len(batch) // 2
                return [*self.vectors(batch[:middle]), *self.vectors(batch[middle:])]
            self.refused[batch[0].number] = error
            if len(self.refused) >= PATIENCE and not self._taken:
                raise
            return []
        self._taken += len(pairs)
        return pairs

    def _embed(self, batch: Sequence[Passage]) -> list[Vector]:
        vectors = self.embedder.embed([passage.text for passage in batch])
        if len(vectors) != len(batch):
            raise ProviderError(
                f"The embedder gave {len(vectors)} vectors for {len(batch)} texts, so none was stored."
                " Retry the job, or choose another embedder."
            )
        return [unit(vector, dimension=self.embedder.dimension) for vector in vectors]
