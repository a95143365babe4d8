"""The user looks through what was done and what waits for them: events retold, rivals side by side, twins to merge."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from recollect.consolidation.similarity.duplicates import broader, same
from recollect.consolidation.similarity.statement import language_of, read
from recollect.domain.event import Event, Step
from recollect.domain.memory import Memory, Standing
from recollect.domain.memory_details import Alike, Altered, Told
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound
from recollect.services.maintenance import Tending

#: The newest memories, which are compared with all others: their vectors are made anew, a few milliseconds each.
COMPARED = 40
#: Kept among the user's preferences: pairs that are not the same, whatever they look like.
APART = ".kept_apart"
#: Pairs that are remembered; the oldest go first.
MOST_APART = 500


@dataclass(frozen=True, kw_only=True)
class Reviewing(Tending):
    def retell(self, scope: Scope, events: Sequence[Event]) -> list[Told]:
        """Events with what they did: how each memory was before, what it became, and what it is now."""
        return [
            Told(
                event=event,
                altered=[self._altered(scope, step) for step in event.steps],
                can_be_undone=self._can_be_undone(scope, event),
            )
            for event in events
        ]

    def rivals(self, contested: Memory) -> Sequence[Memory]:
        """What a contested memory contradicts, and would take the place of."""
        if contested.standing is not Standing.CONTESTED or not contested.attribute:
            return ()
        return self.store.memories.by_attribute(Scope(contested.user), contested.attribute)

    def alike(self, scope: Scope, policy: Policy, *, limit: int) -> list[Alike]:
        """
        Memories that may say the same, but not so surely that the gardener merges them by itself.

        The newest ones are compared with their neighbours. Pairs that the user told apart are not asked about again.
        """
        return list(islice(self._pairs(scope.everything, policy), limit))

    def tell_apart(self, scope: Scope, memory_ids: Sequence[str]) -> None:
        """Write down that two memories are not the same."""
        with self.store.transaction():
            chosen = {self.store.memories.get(scope, each).id for each in memory_ids}
            if len(chosen) != 2:
                raise InvalidInput("Name the two memories that are not the same.")
            pairs = [*self._apart(scope), tuple(sorted(chosen))][-MOST_APART:]
            self.store.preferences.set(scope.user, APART, json.dumps(pairs), now=self.clock.now())

    def _pairs(self, scope: Scope, policy: Policy) -> Iterator[Alike]:
        newest = self.store.memories.list(scope, limit=COMPARED)
        vectors, model = self.vectors(scope.user, [memory.text for memory in newest]), self._model(scope.user)
        seen = {frozenset(pair) for pair in self._apart(scope)}
        for memory in newest:
            for other, cosine in self.keep.near(scope, memory, policy.keep, vectors.get(memory.text), model):
                pair = frozenset((memory.id, other.id))
                if len(pair) < 2 or pair in seen or cosine is None or cosine < policy.keep.similar:
                    continue
                if not same(memory, other, cosine, policy.keep) and _may_be_one(memory, other):
                    seen.add(pair)
                    kept = broader(memory, other)
                    yield Alike(memory=kept, other=other if kept.id == memory.id else memory, cosine=cosine)

    def _apart(self, scope: Scope) -> list[tuple[str, ...]]:
        kept = self.store.preferences.all(scope.user).get(APART, "[]")
        return [tuple(pair) for pair in json.loads(kept)]

    def _altered(self, scope: Scope, step: Step) -> Altered:
        return Altered(
            memory_id=step.memory_id,
            before=self._as_it_was(scope, step.memory_id, step.before) if step.before else None,
            after=self._as_it_was(scope, step.memory_id, (step.before or 0) + 1),
            now=self._as_it_is(scope, step.memory_id),
        )

    def _as_it_was(self, scope: Scope, memory_id: str, version: int) -> Memory | None:
        try:
            return self.store.memories.at_version(scope, memory_id, version)
        except NotFound:
            return None

    def _as_it_is(self, scope: Scope, memory_id: str) -> Memory | None:
        try:
            return self.store.memories.get(scope, memory_id)
        except NotFound:
            return None


def _may_be_one(a: Memory, b: Memory) -> bool:
    """What fills slots is told apart by its values, and a thing is never its own denial."""
    if a.kind is not b.kind or (a.attribute and b.attribute):
        return False
    language = language_of(a.text, b.text)
    return read(a.text, language).denied == read(b.text, language).denied
