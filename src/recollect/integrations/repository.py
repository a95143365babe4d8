"""A knowledge repository for agents: facts in, facts and messages out by one vector, and a note of what was read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Candidate, Reach, Source
from recollect.domain.memory import normalised
from recollect.domain.scope import Scope
from recollect.errors import ConfigError
from recollect.library.memory import Memory
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import unit
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape

KNOWLEDGE = frozenset({Source.MEMORY})
HISTORY = frozenset({Source.MESSAGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """Something that lies near: a fact (`knowledge`), or a message (`history`) with who said it."""

    type: str
    id: str
    content: str
    score: float  #: cosine
    role: str | None = None


class Repository:
    """The four verbs of an agent's knowledge store, on a memory and for one user of it."""

    def __init__(self, memory: Memory, *, user_id: str | None = None) -> None:
        self._memory = memory
        self._scope = Scope(user_id or memory.runtime.settings.resolve().connection.user)

    def save_fact(self, fact: str, *, category: str | None = None, source: str | None = None) -> Shape:
        """Keep a fact; one that is known already is confirmed. `source` becomes a tag."""
        marks = [source] if source else []
        answer = self._memory.add(fact, kind=category, tags=marks, user_id=self._scope.user)
        [kept] = _rows(answer)
        return kept

    def search_context(
        self, vector: Sequence[float], limit_knowledge: int = 3, limit_history: int = 2
    ) -> list[ContextItem]:
        """The union query: the facts and then the messages nearest to a vector of the memory's embedder."""
        asked = unit(vector, dimension=self._embedder.dimension)
        facts = list(self._near(asked, KNOWLEDGE, limit_knowledge))
        known = {normalised(fact.text) for fact, _ in facts}
        # What a fact says word for word need not be said again by the message it was learned from.
        said = self._near(asked, HISTORY, limit_history + len(facts))
        fresh = [(message, score) for message, score in said if normalised(message.text) not in known]
        return [
            *(_item("knowledge", fact, score) for fact, score in facts),
            *(_item("history", message, score) for message, score in fresh[:limit_history]),
        ]

    def get_unextracted_messages(self, limit: int = 20) -> list[Shape]:
        """Messages from which nothing was learned yet, oldest first; system prompts are never among them."""
        waiting = self._memory.runtime.store.messages.unextracted(self._scope, limit=limit)
        return [serializers.message(message) for message in waiting]

    def mark_messages_extracted(self, message_ids: Sequence[str]) -> None:
        """Whoever reads messages by themselves says so here, and they are not read again."""
        store = self._memory.runtime.store
        with store.transaction():
            store.messages.mark_extracted(self._scope, message_ids)

    @property
    def _embedder(self) -> Embedder:
        embedder = self._memory.runtime.embedder
        if embedder is None:
            raise ConfigError(
                "No embedder is configured, so there are no vectors to compare. Set `embedder`."
            )
        return embedder

    def _near(
        self, vector: Vector, sources: frozenset[Source], limit: int
    ) -> Iterator[tuple[Candidate, float]]:
        search, reach = self._memory.runtime.store.search, Reach(sources=sources)
        hits = search.dense(self._scope, vector, model=self._embedder.model_id, limit=limit, reach=reach)
        loaded = search.load(self._scope, [hit.passage for hit in hits], reach=reach)
        yield from ((loaded[hit.passage], hit.score) for hit in hits if hit.passage in loaded)


def _item(kind: str, found: Candidate, score: float) -> ContextItem:
    said = found.role.value if kind == "history" and found.role else None
    return ContextItem(type=kind, id=found.id, content=found.text, score=score, role=said)


def _rows(answer: Shape) -> list[Shape]:
    listed = answer["results"]
    assert isinstance(listed, list)
    return [row for row in listed if isinstance(row, dict)]
