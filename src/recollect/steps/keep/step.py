"""Keep: put a fact where it belongs among what is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from recollect.model.candidate import Reach, Source
from recollect.model.memory import Change, Memory
from recollect.model.outcome import Buried, Contested, Kept, Known, New, Reinforces, Supersedes
from recollect.model.policy import Keep
from recollect.model.scope import Scope
from recollect.ports.clock import Clock
from recollect.ports.embedder import Vector
from recollect.ports.keeping import Tombstones
from recollect.ports.search import Search
from recollect.ports.store import Memories
from recollect.steps.keep.reconcile import Contest, Decision, Join, Reinforce, Replace, decide, reinforced

#: Memories of one kind that are compared word by word, besides the nearest by meaning.
KINDRED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepStep:
    """Runs inside the transaction that stores the fact, so that two who say the same at once agree."""

    memories: Memories
    tombstones: Tombstones
    search: Search
    clock: Clock

    def __call__(
        self,
        said: Memory,
        policy: Keep,
        *,
        negated: bool = False,
        vector: Vector | None = None,
        model: str | None = None,
    ) -> Kept:
        scope = Scope(said.user)
        if (known := self._learned_already(scope, said)) is not None:
            return Known(memory=known, reason="already learned from these words")
        buried_at = self.tombstones.buried_at(said.user, said.fact_hash)
        if buried_at is not None and said.seen_at <= buried_at:
            return Buried(text=said.text, reason="it was forgotten after it was said")
        decision = decide(
            said,
            negated=negated,
            equal=self.memories.by_hash(scope, said.fact_hash),
            slot=self.memories.by_attribute(scope, said.attribute) if said.attribute else (),
            near=self._near(scope, said, policy, vector, model),
            policy=policy,
            now=self.clock.now(),
        )
        return self._apply(decision, said)

    def verbatim(self, said: Memory) -> New | Reinforces:
        """Keep a text as it is, whatever resembles it. Saying it anew digs up what was buried."""
        self.tombstones.remove(said.user, said.fact_hash)
        known, new = self.memories.add(said)
        if new:
            return New(memory=known)
        grown = reinforced(known, said, self.clock.now())
        return Reinforces(memory=self.memories.save(grown, Change.REINFORCE))

    def _learned_already(self, scope: Scope, said: Memory) -> Memory | None:
        """Learning from the same words twice teaches nothing."""
        resting = self.memories.of_messages(scope, [span.message_id for span in said.spans])
        again = (
            m for m in resting if m.fact_hash == said.fact_hash or m.attribute == said.attribute is not None
        )
        return next((m for m in again if said.spans and set(said.spans) <= set(m.spans)), None)

    def _near(
        self, scope: Scope, said: Memory, policy: Keep, vector: Vector | None, model: str | None
    ) -> Sequence[tuple[Memory, float | None]]:
        found: dict[str, tuple[Memory, float | None]] = {}
        if vector is not None and model is not None:
            reach = Reach(sources=frozenset({Source.MEMORY}))
            hits = self.search.dense(scope, vector, model=model, limit=policy.similar_top_k, reach=reach)
            loaded = self.search.load(scope, [hit.passage for hit in hits], reach=reach)
            for hit in hits:
                if hit.passage in loaded:
                    memory = self.memories.get(scope, loaded[hit.passage].id)
                    found[memory.id] = (memory, hit.score)
        for memory in self.memories.list(scope, kind=said.kind, limit=KINDRED):
            found.setdefault(memory.id, (memory, None))
        return list(found.values())

    def _apply(self, decision: Decision, said: Memory) -> Kept:
        match decision:
            case Join(memory=memory):
                self.tombstones.remove(memory.user, memory.fact_hash)
                return New(memory=self.memories.add(memory)[0])
            case Reinforce(memory=memory):
                return Reinforces(memory=self.memories.save(memory, Change.REINFORCE))
            case Replace(memory=memory, old=old) if old.id == said.id:
                self.memories.add(old)
                return Supersedes(memory=memory, old=old)
            case Replace(memory=memory, old=old):
                ended = self.memories.save(old, Change.SUPERSEDE, reason=old.reason)
                kept = self.memories.add(memory)[0] if memory is not None else None
                return Supersedes(memory=kept, old=ended)
            case Contest(memory=memory, against=against):
                return Contested(memory=self.memories.add(memory)[0], against=against)
            case _:
                assert_never(decision)
