"""Find facts that a context file already contains, so that they are not stored as memories."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.consolidation.context_files import is_contained
from recollect.domain.policy import ConsolidationPolicy
from recollect.domain.summary import ContextFile
from recollect.errors import ProviderError
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import cosine

#: Sentences of one file that are compared by cosine; the rest is compared by words only.
MAX_COMPARED_SENTENCES = 400
#: Facts are single sentences, so files are compared sentence by sentence.
SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFileMatcher:
    """Match facts with context files; caches the vectors of each file."""

    embedder: Embedder | None
    _vectors_by_file: dict[tuple[str, str, int], list[Vector]] = field(default_factory=dict)

    def match_facts(
        self,
        facts: Sequence[str],
        files: Sequence[ContextFile],
        vectors: Mapping[str, Vector],
        policy: ConsolidationPolicy,
    ) -> dict[str, str]:
        """Return the name of the containing file for each fact that is in one."""
        return {
            fact: file.name
            for fact in facts
            for file in files
            if (policy.context_file_substring and is_contained(fact, file.content))
            or self._is_near(file, vectors.get(fact), policy.context_file_cosine)
        }

    def _is_near(self, file: ContextFile, vector: Vector | None, min_cosine: float) -> bool:
        if vector is None or min_cosine >= 1:
            return False
        return any(cosine(vector, piece) >= min_cosine for piece in self._sentence_vectors(file))

    def _sentence_vectors(self, file: ContextFile) -> list[Vector]:
        if self.embedder is None:
            return []
        key = (file.user, file.id, len(file.content))
        if key not in self._vectors_by_file:
            try:
                self._vectors_by_file[key] = self.embedder.embed(
                    self._split_windows(self.embedder, file.content)
                )
            except ProviderError:
                # Compare by words only; the next call tries again.
                return []
        return self._vectors_by_file[key]

    @staticmethod
    def _split_windows(embedder: Embedder, content: str) -> list[str]:
        sentences = [part for part in SENTENCE_END_PATTERN.split(content) if part.strip()][
            :MAX_COMPARED_SENTENCES
        ]
        return [window for sentence in sentences for window in embedder.windows(sentence)]
