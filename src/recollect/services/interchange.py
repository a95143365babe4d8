"""Memories from elsewhere take their place among what is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from recollect.domain.event import Action, Step
from recollect.domain.import_result import Arrival, LeftOut
from recollect.domain.memory import Memory, Origin, Standing
from recollect.domain.message import Draft
from recollect.domain.outcomes import Buried, Contested, Declined, Kept, Known, New, Reinforces, Supersedes
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.ports.embedder import Vector
from recollect.services.ingest import EMBED, Listening


@dataclass(slots=True)
class _Tally:
    kept: list[Memory] = field(default_factory=list)
    known: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def leave(self, memory: Memory, why: str) -> None:
        self.left_out.append(LeftOut(text=memory.text, reason=why))

    def count(self, kept: Kept, said: Memory) -> None:
        match kept:
            case New(memory=memory):
                self._add(memory)
            case Supersedes(old=old) if old.id == said.id:
                # How it was before what is known here: history.
                self._add(old)
            case Supersedes(memory=memory, old=old):
                if memory is not None:
                    self._add(memory)
                self.steps.append(Step(memory_id=old.id, before=old.version - 1))
            case Contested(memory=memory, against=against):
                self.steps.append(Step(memory_id=memory.id, before=None))
                self.leave(said, f"it contradicts {against.text!r}; it waits in the inbox")
            case Reinforces() | Known():
                self.known += 1
            case Buried(reason=reason) | Declined(reason=reason):
                self.leave(said, reason)

    def _add(self, memory: Memory) -> None:
        self.kept.append(memory)
        self.steps.append(Step(memory_id=memory.id, before=None))


@dataclass(frozen=True, kw_only=True)
class Importing(Listening):
    def take_in(self, scope: Scope, memories: Sequence[Memory], policy: Policy) -> Arrival:
        """
        Keep memories from another file. What is here already is not stored twice, what was forgotten does not come
        back, and what the user does not want is left out. One undo takes back all of it.
        """
        tally = _Tally()
        ready = [self._as_if_said_here(scope, memory, policy) for memory in memories]
        vectors = self.vectors(scope.user, [memory.text for memory in ready])
        with self.store.transaction():
            for memory in ready:
                self._place(scope, memory, tally, vectors, policy)
            if tally.steps:
                self.record(scope.user, Action.LEARN, *tally.steps)
                self.store.jobs.enqueue(scope.user, EMBED, now=self.clock.now())
        return Arrival(kept=tuple(tally.kept), known=tally.known, left_out=tuple(tally.left_out))

    def _as_if_said_here(self, scope: Scope, memory: Memory, policy: Policy) -> Memory:
        """Secrets masked, and without sources that are not in this file."""
        draft = Draft(role=memory.speaker, content=memory.text)
        return replace(
            memory,
            user=scope.user,
            text=self.intake(scope, draft, policy).message.content,
            origin=Origin.IMPORT,
            spans=(),
            chat=None,
            version=1,
            superseded_by=None,
        )

    def _place(
        self, scope: Scope, memory: Memory, tally: _Tally, vectors: Mapping[str, Vector], policy: Policy
    ) -> None:
        if why := self._unwanted(scope, memory):
            tally.leave(memory, why)
        elif self.store.memories.by_hash(scope, memory.fact_hash) is not None:
            tally.known += 1
        else:
            named = replace(memory, id=self._free_id(scope, memory.id))
            vector = vectors.get(memory.text)
            tally.count(self.keep(named, policy.keep, vector=vector, model=self._model(scope.user)), named)

    def _unwanted(self, scope: Scope, memory: Memory) -> str | None:
        if memory.standing is not Standing.ACTIVE:
            return f"it is {memory.standing}"
        if not self.store.consents.all(scope).get(memory.kind, True):
            return f"no consent for {memory.kind}"
        if self.store.tombstones.buried_at(scope.user, memory.fact_hash) is not None:
            return "it was forgotten here"
        return None

    def _free_id(self, scope: Scope, wanted: str) -> str:
        """The id it had, unless something here has that."""
        try:
            self.store.memories.get(scope, wanted)
        except NotFound:
            return wanted
        return self.ids.new()
