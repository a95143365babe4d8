"""`memory.memories`: archive, restore, pin and merge memories, and undo changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.event import Event
from recollect.domain.memory import Memory
from recollect.domain.memory_details import MemoryDetails
from recollect.library.session import LibrarySession

#: Weeks of the weight forecast of a memory.
FORECAST_WEEKS = 26


@dataclass(frozen=True, slots=True)
class MemoriesNamespace:
    _session: LibrarySession

    def archive(self, memory_id: str, *, user_id: str | None = None) -> Memory:
        """Archive a memory: it is not recalled. `restore` reverts it."""
        return self._session.services.memories.archive(self._session.scope(user_id), memory_id)

    def restore(self, memory_id: str, *, user_id: str | None = None) -> Memory:
        """Restore an archived or forgotten memory."""
        return self._session.services.memories.restore(self._session.scope(user_id), memory_id)

    def pin(self, memory_id: str, *, pinned: bool = True, user_id: str | None = None) -> Memory:
        """Pin a memory, so that it does not decay, or unpin it."""
        scope = self._session.scope(user_id)
        return self._session.services.memories.pin(scope, memory_id, pinned=pinned)

    def merge(self, memory_ids: Sequence[str], *, user_id: str | None = None) -> Memory:
        """Merge memories into the most detailed one, with the sources of all."""
        return self._session.services.memories.merge(self._session.scope(user_id), memory_ids)

    def details(self, memory_id: str, *, user_id: str | None = None) -> MemoryDetails:
        """Return the sources of a memory, the recalls that had it among their candidates, and its decay."""
        scope = self._session.scope(user_id)
        return self._session.services.memories.describe_memory(
            scope, memory_id, self._session.policy(scope), weeks=FORECAST_WEEKS
        )

    def events(self, *, user_id: str | None = None, limit: int = 50) -> Sequence[Event]:
        """Return the changes of memories, newest first."""
        return self._session.services.memories.list_events(self._session.scope(user_id), limit=limit)

    def undo(self, event_id: str | None = None, *, user_id: str | None = None) -> Event:
        """Undo the last event, or the given one."""
        event = self._session.services.memories.undo(self._session.scope(user_id), event_id)
        self._session.wake_worker()
        return event
