"""`memory.review`: memories that need the user's decision, and possible duplicates."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.memory import Memory
from recollect.domain.memory_details import DuplicatePair
from recollect.library.session import LibrarySession


@dataclass(frozen=True, slots=True)
class ReviewNamespace:
    _session: LibrarySession

    def list(self, *, user_id: str | None = None, limit: int = 100) -> Sequence[Memory]:
        """Return memories that need the user's decision: facts without a source, and contradictions."""
        return self._session.services.review.queue(self._session.scope(user_id), limit=limit)

    def conflicts(self, memory_id: str, *, user_id: str | None = None) -> Sequence[Memory]:
        """Return the memories that a memory of the queue contradicts and would supersede."""
        services = self._session.services
        return services.review.conflicts(services.memories.get(self._session.scope(user_id), memory_id))

    def accept(self, memory_id: str, *, user_id: str | None = None) -> Memory:
        """Make a memory of the queue active; what it contradicts is superseded."""
        memory = self._session.services.review.accept(self._session.scope(user_id), memory_id)
        self._session.wake_worker()
        return memory

    def reject(self, memory_id: str, *, user_id: str | None = None) -> Memory:
        """Forget a memory of the queue; it is not learned again from old messages."""
        return self._session.services.review.reject(self._session.scope(user_id), memory_id)

    def duplicates(self, *, user_id: str | None = None, limit: int = 20) -> Sequence[DuplicatePair]:
        """Return possible duplicates: `memories.merge` merges them, `mark_distinct` keeps both."""
        scope = self._session.scope(user_id)
        policy = self._session.policy(scope)
        return self._session.services.review.find_duplicates(scope, policy, limit=limit)

    def mark_distinct(self, memory_ids: Sequence[str], *, user_id: str | None = None) -> None:
        """Mark two memories as distinct, so that they are not suggested as duplicates again."""
        self._session.services.review.mark_distinct(self._session.scope(user_id), memory_ids)
