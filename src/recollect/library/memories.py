"""Reading, correcting, forgetting and restoring memories."""

from collections.abc import Sequence

from recollect.domain.scope import Scope
from recollect.errors import Refused
from recollect.library.base import MemoryBase
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject


class MemoriesMixin(MemoryBase):
    def get(self, memory_id: str, *, user_id: str | None = None) -> JsonObject:
        return serializers.serialize_memory(
            self._application.services.memories.get(self._scope(user_id), memory_id)
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
        """Return active memories, most recently mentioned first."""
        scope = self._scope(user_id, chat_id)
        memories = self._application.services.memories.list(scope, limit=limit, offset=offset, tag=tag)
        return serializers.wrap_results(serializers.serialize_memory(each) for each in memories)

    def update(self, memory_id: str, data: str, *, user_id: str | None = None) -> JsonObject:
        """Correct a memory; the old text stays in its history."""
        scope = self._scope(user_id)
        saved = self._application.services.memories.update_memory(scope, memory_id, data, self._policy(scope))
        self._wake_worker()
        return serializers.serialize_memory(saved)

    def delete(self, memory_id: str, *, user_id: str | None = None) -> JsonObject:
        """Forget a memory."""
        return serializers.serialize_memory(
            self._application.services.memories.forget(self._scope(user_id), memory_id)
        )

    def delete_all(self, *, user_id: str | None = None) -> JsonObject:
        """Forget all memories of a user. The user must be given; there is no default."""
        if user_id is None:
            raise Refused(
                "delete_all forgets all memories of a user. Name the user: delete_all(user_id=...)."
            )
        return {"deleted": self._application.services.memories.forget_all(Scope(user_id))}

    def history(self, memory_id: str, *, user_id: str | None = None) -> list[JsonObject]:
        """Return every version of a memory, oldest first."""
        versions = self._application.services.memories.history(self._scope(user_id), memory_id)
        return [serializers.serialize_version(each) for each in versions]

    def review_queue(self, *, user_id: str | None = None, limit: int = 100) -> JsonObject:
        """Return memories that need the user's decision: facts without a source, and contradictions."""
        memories = self._application.services.review.queue(self._scope(user_id), limit=limit)
        return serializers.wrap_results(serializers.serialize_memory(each) for each in memories)

    def archive(self, memory_id: str, *, user_id: str | None = None) -> JsonObject:
        """Archive a memory; `restore` reverts it."""
        return serializers.serialize_memory(
            self._application.services.memories.archive(self._scope(user_id), memory_id)
        )

    def restore(self, memory_id: str, *, user_id: str | None = None) -> JsonObject:
        """Restore an archived or forgotten memory, or accept one from the review queue."""
        return serializers.serialize_memory(
            self._application.services.memories.restore(self._scope(user_id), memory_id)
        )

    def pin(self, memory_id: str, *, pinned: bool = True, user_id: str | None = None) -> JsonObject:
        """Pin a memory, so that it does not decay, or unpin it."""
        return serializers.serialize_memory(
            self._application.services.memories.pin(self._scope(user_id), memory_id, pinned=pinned)
        )

    def merge(self, memory_ids: Sequence[str], *, user_id: str | None = None) -> JsonObject:
        """Merge memories into the most detailed one, with the sources of all."""
        return serializers.serialize_memory(
            self._application.services.memories.merge(self._scope(user_id), memory_ids)
        )

    def undo(self, event_id: str | None = None, *, user_id: str | None = None) -> JsonObject:
        """Undo the last event, or the given one."""
        event = self._application.services.memories.undo(self._scope(user_id), event_id)
        self._wake_worker()
        return serializers.serialize_event(event)

    def events(self, *, user_id: str | None = None, limit: int = 50) -> JsonObject:
        """Return the changes of memories, newest first."""
        events = self._application.services.memories.list_events(self._scope(user_id), limit=limit)
        return serializers.wrap_results(map(serializers.serialize_event, events))
