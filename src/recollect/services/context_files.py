"""What stands in the user's context files, so that it is not remembered a second time."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.consolidation.context_files import contained
from recollect.domain.policy import Keep
from recollect.domain.summary import ContextFile
from recollect.errors import ProviderError
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import cosine

#: Sentences of one file that are compared by meaning; the rest of a longer one is compared by words.
MOST = 400
#: A fact is one sentence, so it is like a sentence or like nothing.
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Remembers the vectors of files it has seen."""

    embedder: Embedder | None
    _seen: dict[tuple[str, str, int], list[Vector]] = field(default_factory=dict)

    def holding(
        self, facts: Sequence[str], files: Sequence[ContextFile], vectors: Mapping[str, Vector], policy: Keep
    ) -> dict[str, str]:
        """Which facts stand in which file, by the file's name."""
        return {
            fact: file.name
            for fact in facts
            for file in files
            if (policy.substring and contained(fact, file.content))
            or self._near(file, vectors.get(fact), policy.context_similar)
        }

    def _near(self, file: ContextFile, vector: Vector | None, least: float) -> bool:
        if vector is None or least >= 1:
            return False
        return any(cosine(vector, piece) >= least for piece in self._pieces(file))

    def _pieces(self, file: ContextFile) -> list[Vector]:
        if self.embedder is None:
            return []
        key = (file.user, file.id, len(file.content))
        if key not in self._seen:
            try:
                self._seen[key] = self.embedder.embed(self._cut(self.embedder, file.content))
            except ProviderError:
                # By words, then; the next fact tries again.
                return []
        return self._seen[key]

    @staticmethod
    def _cut(embedder: Embedder, content: str) -> list[str]:
        sentences = [part for part in SENTENCE_END.split(content) if part.strip()][:MOST]
        return [window for sentence in sentences for window in embedder.windows(sentence)]
