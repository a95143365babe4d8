"""A knowledge repository for agents: store facts, search facts and messages by vector, track extraction."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Candidate, Source
from recollect.domain.memory import normalize_fact
from recollect.domain.message import Message
from recollect.domain.outcomes import FactOutcome
from recollect.domain.scope import Scope
from recollect.errors import ConfigError
from recollect.library.memory import Memory
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import unit_vector

KNOWLEDGE_SOURCES = frozenset({Source.MEMORY})
HISTORY_SOURCES = frozenset({Source.MESSAGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """A search result: a fact (`knowledge`), or a message (`history`) with its role."""

    type: str
    id: str
    content: str
    score: float  #: cosine
    role: str | None = None


class Repository:
    """The four operations of an agent's knowledge store, for one user of a memory."""

    def __init__(self, memory: Memory, *, user_id: str | None = None) -> None:
        self._memory = memory
        self._scope = Scope(user_id or memory.application.settings.resolve().machine.user)

    def save_fact(self, fact: str, *, category: str | None = None, source: str | None = None) -> FactOutcome:
        """Store a fact, or reinforce it if it is known. `source` becomes a tag."""
        tags = [source] if source else []
        [outcome] = self._memory.add(fact, kind=category, tags=tags, user_id=self._scope.user).results
        return outcome

    def search_context(
        self, vector: Sequence[float], limit_knowledge: int = 3, limit_history: int = 2
    ) -> list[ContextItem]:
        """Return the facts, then the messages, nearest to a vector of the memory's embedder."""
        query_vector = unit_vector(vector, dimension=self._embedder.dimension)
        facts = self._nearest(query_vector, KNOWLEDGE_SOURCES, limit_knowledge)
        fact_texts = {normalize_fact(fact.text) for fact, _ in facts}
        # A message with the same text as a fact adds nothing.
        messages = self._nearest(query_vector, HISTORY_SOURCES, limit_history + len(facts))
        new_messages = [
            (message, score) for message, score in messages if normalize_fact(message.text) not in fact_texts
        ]
        return [
            *(_context_item("knowledge", fact, score) for fact, score in facts),
            *(_context_item("history", message, score) for message, score in new_messages[:limit_history]),
        ]

    def get_unextracted_messages(self, limit: int = 20) -> Sequence[Message]:
        """Return messages that were not extracted yet, oldest first, without system messages."""
        return self._memory.application.services.ingest.unextracted_messages(self._scope, limit=limit)

    def mark_messages_extracted(self, message_ids: Sequence[str]) -> None:
        """Mark messages as extracted by the caller, so that they are not extracted again."""
        self._memory.application.services.ingest.mark_extracted(self._scope, message_ids)

    @property
    def _embedder(self) -> Embedder:
        embedder = self._memory.application.embedder
        if embedder is None:
            raise ConfigError(
                "No embedder is configured, so there are no vectors to compare. Set `embedder`."
            )
        return embedder

    def _nearest(
        self, vector: Vector, sources: frozenset[Source], limit: int
    ) -> Sequence[tuple[Candidate, float]]:
        return self._memory.application.services.vector_search.nearest(
            self._scope, vector, model=self._embedder.model_id, sources=sources, limit=limit
        )


def _context_item(kind: str, candidate: Candidate, score: float) -> ContextItem:
    role = candidate.role.value if kind == "history" and candidate.role else None
    return ContextItem(type=kind, id=candidate.id, content=candidate.text, score=score, role=role)
