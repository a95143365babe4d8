"""Keep: put a fact where it belongs among what is known."""

from dataclasses import dataclass

from recollect.model.memory import Change, Memory
from recollect.model.outcome import Kept, New, Reinforces
from recollect.ports.clock import Clock
from recollect.ports.store import Memories
from recollect.steps.keep.reconcile import reinforced


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepStep:
    """Runs inside the transaction that stores the fact, so that two who say the same at once agree."""

    memories: Memories
    clock: Clock

    def __call__(self, memory: Memory) -> Kept:
        known, new = self.memories.add(memory)
        if new:
            return New(memory=known)
        grown = reinforced(known, memory, self.clock.now())
        return Reinforces(memory=self.memories.save(grown, Change.REINFORCE))
