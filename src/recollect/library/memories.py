"""The user decides what stays, what it says, and what goes."""

from collections.abc import Sequence

from recollect.domain.memory import MemoryStatus
from recollect.domain.scope import Scope
from recollect.errors import Refused
from recollect.library.base import MemoryBase
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject


class MemoriesMixin(MemoryBase):
    def get(self, memory_id: str, *, user_id: str | None = None) -> JsonObject:
        return serializers.serialize_memory(
            self._application.store.memories.get(self._scope(user_id), memory_id)
        )

    def get_all(
        self,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        limit: int = 100,
        offset: int = 0,
        tag: str | None = None,
    ) -> JsonObject:
        """Active memories, the most recently seen first."""
        scope = self._scope(user_id, chat_id)
        memories = self._application.store.memories.list(scope, limit=limit, offset=offset, tag=tag)
        return serializers.wrap_results(serializers.serialize_memory(each) for each in memories)

    def update(self, memory_id: str, data: str, *, user_id: str | None = None) -> JsonObject:
        """Correct a memory; its old words stay in its history."""
        scope = self._scope(user_id)
        saved = self._application.engine.update_memory(scope, memory_id, data, self._policy(scope))
        self._wake_worker()
        return serializers.serialize_memory(saved)

    def delete(self, memory_id: str, *, user_id: str | None = None) -> JsonObject:
        """Forget a memory."""
        return serializers.serialize_memory(self._application.engine.forget(self._scope(user_id), memory_id))

    def delete_all(self, *, user_id: str | None = None) -> JsonObject:
        """Forget all memories of a user, who must be named: there is no default here."""
        if user_id is None:
            raise Refused("delete_all forgets everything about a user. Say whose: delete_all(user_id=...).")
        return {"deleted": self._application.engine.forget_all(Scope(user_id))}

    def history(self, memory_id: str, *, user_id: str | None = None) -> list[JsonObject]:
        """Every version of a memory, oldest first."""
        versions = self._application.store.memories.history(self._scope(user_id), memory_id)
        return [serializers.serialize_version(each) for each in versions]

    def review_queue(self, *, user_id: str | None = None, limit: int = 100) -> JsonObject:
        """What waits for the user's decision: facts without a source, and contradictions."""
        memories = [
            memory
            for standing in (MemoryStatus.CONTESTED, MemoryStatus.QUARANTINED)
            for memory in self._application.store.memories.list(
                self._scope(user_id), standing=standing, limit=limit
            )
        ]
        return serializers.wrap_results(serializers.serialize_memory(each) for each in memories[:limit])

    def archive(self, memory_id: str, *, user_id: str | None = None) -> JsonObject:
        """Put a memory away; `restore` brings it back."""
        return serializers.serialize_memory(self._application.engine.archive(self._scope(user_id), memory_id))

    def restore(self, memory_id: str, *, user_id: str | None = None) -> JsonObject:
        """Bring back what was archived or forgotten, or accept what waits in the inbox."""
        return serializers.serialize_memory(self._application.engine.restore(self._scope(user_id), memory_id))

    def pin(self, memory_id: str, *, pinned: bool = True, user_id: str | None = None) -> JsonObject:
        """Keep a memory from fading."""
        return serializers.serialize_memory(
            self._application.engine.pin(self._scope(user_id), memory_id, pinned=pinned)
        )

    def merge(self, memory_ids: Sequence[str], *, user_id: str | None = None) -> JsonObject:
        """Make one memory of several: the one that says most stays, with the sources of all."""
        return serializers.serialize_memory(self._application.engine.merge(self._scope(user_id), memory_ids))

    def undo(self, event_id: str | None = None, *, user_id: str | None = None) -> JsonObject:
        """Take back the last thing that was done to memories, or a certain one."""
        event = self._application.engine.undo(self._scope(user_id), event_id)
        self._wake_worker()
        return serializers.serialize_event(event)

    def events(self, *, user_id: str | None = None, limit: int = 50) -> JsonObject:
        """What was learned, changed and forgotten, the newest first."""
        events = self._application.store.events.list(self._scope(user_id), limit=limit)
        return serializers.wrap_results(map(serializers.serialize_event, events))
