"""What stands in the user's context files, so that it is not remembered a second time."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.consolidation.context_files import is_contained
from recollect.domain.policy import ConsolidationPolicy
from recollect.domain.summary import ContextFile
from recollect.errors import ProviderError
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import cosine

#: Sentences of one file that are compared by meaning; the rest of a longer one is compared by words.
MAX_COMPARED_SENTENCES = 400
#: A fact is one sentence, so it is like a sentence or like nothing.
SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFileMatcher:
    """Remembers the vectors of files it has seen."""

    embedder: Embedder | None
    _vectors_by_file: dict[tuple[str, str, int], list[Vector]] = field(default_factory=dict)

    def match_facts(
        self,
        facts: Sequence[str],
        files: Sequence[ContextFile],
        vectors: Mapping[str, Vector],
        policy: ConsolidationPolicy,
    ) -> dict[str, str]:
        """Which facts stand in which file, by the file's name."""
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
                # By words, then; the next fact tries again.
                return []
        return self._vectors_by_file[key]

    @staticmethod
    def _split_windows(embedder: Embedder, content: str) -> list[str]:
        sentences = [part for part in SENTENCE_END_PATTERN.split(content) if part.strip()][
            :MAX_COMPARED_SENTENCES
        ]
        return [window for sentence in sentences for window in embedder.windows(sentence)]
