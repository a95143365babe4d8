"""Review by the user: event details, conflicts, and possible duplicates."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from recollect.consolidation.similarity.duplicates import is_duplicate, more_specific
from recollect.consolidation.similarity.statement import parse_statement, shared_language
from recollect.domain.event import Event, EventAction, EventChange
from recollect.domain.memory import Memory, MemoryStatus
from recollect.domain.memory_details import DuplicatePair, EventDetails, MemoryChange
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound, Refused
from recollect.ports.clock import Clock
from recollect.ports.store import Store
from recollect.services.consolidation import ConsolidationService
from recollect.services.embedders import EmbedderRegistry
from recollect.services.memories import MemoryService

#: Newest memories compared with all others; each is embedded again, a few milliseconds each.
MAX_COMPARED_MEMORIES = 40
#: Preference key: pairs that the user marked as distinct.
DISTINCT_PAIRS_KEY = ".kept_apart"
#: Statuses of the memories in the review queue, in its order.
REVIEW_STATUSES = (MemoryStatus.CONTESTED, MemoryStatus.QUARANTINED)
#: Stored pairs; the oldest are dropped first.
MAX_DISTINCT_PAIRS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewService:
    store: Store
    clock: Clock
    consolidation: ConsolidationService
    embedders: EmbedderRegistry
    memories: MemoryService

    def queue(self, scope: Scope, *, limit: int) -> list[Memory]:
        """Return memories that need the user's decision: facts without support, and contradictions."""
        waiting = (
            memory
            for status in REVIEW_STATUSES
            for memory in self.store.memories.list(scope, status=status, limit=limit)
        )
        return list(islice(waiting, limit))

    def accept(self, scope: Scope, memory_id: str) -> Memory:
        """Make a memory of the queue active; a contradicting one supersedes what it contradicts."""
        [accepted] = self.accept_memories(scope, [memory_id])
        return accepted

    def accept_memories(self, scope: Scope, memory_ids: Sequence[str]) -> Sequence[Memory]:
        """Accept several memories in one transaction."""
        with self.store.transaction(scope.user):
            return self.memories.restore_memories(scope, self._queued_ids(scope, memory_ids))

    def reject(self, scope: Scope, memory_id: str) -> Memory:
        """Forget a memory of the queue."""
        [rejected] = self.reject_memories(scope, [memory_id])
        return rejected

    def reject_memories(self, scope: Scope, memory_ids: Sequence[str]) -> Sequence[Memory]:
        """Forget several memories of the queue as one event, which one undo reverts."""
        with self.store.transaction(scope.user):
            queued_ids = self._queued_ids(scope, memory_ids)
            return self.memories.remove_memories(scope, queued_ids, EventAction.FORGET)

    def _queued_ids(self, scope: Scope, memory_ids: Sequence[str]) -> list[str]:
        memories = [self.memories.get(scope, each) for each in memory_ids]
        for memory in memories:
            if memory.status not in REVIEW_STATUSES:
                raise Refused(
                    f"The memory {memory.id} is {memory.status}: there is nothing to decide. The review queue lists"
                    " those that wait."
                )
        return [memory.id for memory in memories]

    def describe_events(self, scope: Scope, events: Sequence[Event]) -> list[EventDetails]:
        """Return events with each memory before and after the change, and as it is now."""
        return [
            EventDetails(
                event=event,
                changes=[self._describe_step(scope, step) for step in event.changes],
                can_be_undone=self.memories.can_be_undone(scope, event),
            )
            for event in events
        ]

    def conflicts(self, contested: Memory) -> Sequence[Memory]:
        """Return the memories that a contested memory contradicts and would supersede."""
        if contested.status is not MemoryStatus.CONTESTED or not contested.attribute:
            return ()
        return self.store.memories.by_attribute(Scope(contested.user), contested.attribute)

    def find_duplicates(self, scope: Scope, policy: Policy, *, limit: int) -> list[DuplicatePair]:
        """
        Return possible duplicates that are not certain enough for maintenance to merge.

        The newest memories are compared with similar ones. Pairs marked as distinct are skipped.
        """
        return list(islice(self._duplicate_pairs(scope.user_scope, policy), limit))

    def mark_distinct(self, scope: Scope, memory_ids: Sequence[str]) -> None:
        """Mark two memories as distinct."""
        with self.store.transaction(scope.user):
            distinct_ids = {self.store.memories.get(scope, each).id for each in memory_ids}
            if len(distinct_ids) != 2:
                raise InvalidInput("Give two different memories to mark as distinct.")
            pairs = [*self._distinct_pairs(scope), tuple(sorted(distinct_ids))][-MAX_DISTINCT_PAIRS:]
            self.store.preferences.set(
                scope.user, DISTINCT_PAIRS_KEY, json.dumps(pairs), now=self.clock.now()
            )

    def _duplicate_pairs(self, scope: Scope, policy: Policy) -> Iterator[DuplicatePair]:
        newest = self.store.memories.list(scope, limit=MAX_COMPARED_MEMORIES)
        vectors = self.embedders.embed_texts(scope.user, [memory.text for memory in newest])
        known_pairs = {frozenset(pair) for pair in self._distinct_pairs(scope)}
        for memory in newest:
            for other, cosine in self.consolidation.find_similar(
                scope, memory, vectors, policy.consolidation
            ):
                pair = frozenset((memory.id, other.id))
                if (
                    len(pair) < 2
                    or pair in known_pairs
                    or cosine is None
                    or cosine < policy.consolidation.duplicate_cosine
                ):
                    continue
                if not is_duplicate(memory, other, cosine, policy.consolidation) and _may_be_duplicates(
                    memory, other
                ):
                    known_pairs.add(pair)
                    specific = more_specific(memory, other)
                    yield DuplicatePair(
                        memory=specific,
                        other=other if specific.id == memory.id else memory,
                        cosine=cosine,
                    )

    def _distinct_pairs(self, scope: Scope) -> list[tuple[str, ...]]:
        stored = self.store.preferences.all(scope.user).get(DISTINCT_PAIRS_KEY, "[]")
        return [tuple(pair) for pair in json.loads(stored)]

    def _describe_step(self, scope: Scope, step: EventChange) -> MemoryChange:
        return MemoryChange(
            memory_id=step.memory_id,
            before=self._memory_at_version(scope, step.memory_id, step.previous_version)
            if step.previous_version
            else None,
            after=self._memory_at_version(scope, step.memory_id, (step.previous_version or 0) + 1),
            current=self._find_memory(scope, step.memory_id),
        )

    def _memory_at_version(self, scope: Scope, memory_id: str, version: int) -> Memory | None:
        try:
            return self.store.memories.at_version(scope, memory_id, version)
        except NotFound:
            return None

    def _find_memory(self, scope: Scope, memory_id: str) -> Memory | None:
        try:
            return self.store.memories.get(scope, memory_id)
        except NotFound:
            return None


def _may_be_duplicates(a: Memory, b: Memory) -> bool:
    """Whether two memories have the same kind and polarity, and at most one has an attribute."""
    if a.kind is not b.kind or (a.attribute and b.attribute):
        return False
    language = shared_language(a.text, b.text)
    return parse_statement(a.text, language).is_negated == parse_statement(b.text, language).is_negated
