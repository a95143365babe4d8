"""The user decides: what is remembered can be corrected and forgotten."""

from dataclasses import dataclass, replace

from recollect.engine.core import Core
from recollect.engine.listening import EMBED
from recollect.model.memory import Change, Memory, Standing
from recollect.model.policy import Policy
from recollect.model.scope import Scope
from recollect.steps.intake.clean import clean

#: More than anybody has.
ALL = 2**31


@dataclass(frozen=True, kw_only=True)
class Steering(Core):
    def correct(self, scope: Scope, memory_id: str, text: str, policy: Policy) -> Memory:
        """Replace what a memory says; its old words stay in its history."""
        cleaned = clean(text, largest=policy.collect.largest_message).strip()
        with self.store.transaction():
            memory = self.store.memories.get(scope, memory_id)
            changed = replace(memory, text=cleaned, updated_at=self.clock.now())
            saved = self.store.memories.save(changed, Change.UPDATE)
            self.store.jobs.enqueue(scope.user, EMBED, now=self.clock.now())
        return saved

    def forget(self, scope: Scope, memory_id: str) -> Memory:
        """Take a memory out of use. Its history can still be read."""
        with self.store.transaction():
            memory = self.store.memories.get(scope, memory_id)
            gone = replace(memory, standing=Standing.FORGOTTEN, updated_at=self.clock.now())
            self.store.tombstones.add(scope.user, memory.fact_hash, now=self.clock.now())
            return self.store.memories.save(gone, Change.DELETE)

    def forget_all(self, scope: Scope) -> int:
        """Take every memory of a user out of use; return how many there were."""
        with self.store.transaction():
            known = self.store.memories.list(scope.everything, limit=ALL)
            for memory in known:
                self.forget(scope, memory.id)
        return len(known)
