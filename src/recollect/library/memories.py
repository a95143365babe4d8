"""The user decides what stays, what it says, and what goes."""

from collections.abc import Sequence

from recollect.domain.memory import Standing
from recollect.domain.scope import Scope
from recollect.errors import Refused
from recollect.library.base import Door
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape


class Steering(Door):
    def get(self, memory_id: str, *, user_id: str | None = None) -> Shape:
        return serializers.memory(self._runtime.store.memories.get(self._scope(user_id), memory_id))

    def get_all(
        self,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        limit: int = 100,
        offset: int = 0,
        tag: str | None = None,
    ) -> Shape:
        """Active memories, the most recently seen first."""
        scope = self._scope(user_id, chat_id)
        listed = self._runtime.store.memories.list(scope, limit=limit, offset=offset, tag=tag)
        return serializers.results(serializers.memory(each) for each in listed)

    def update(self, memory_id: str, data: str, *, user_id: str | None = None) -> Shape:
        """Correct a memory; its old words stay in its history."""
        scope = self._scope(user_id)
        saved = self._runtime.engine.correct(scope, memory_id, data, self._policy(scope))
        self._wake()
        return serializers.memory(saved)

    def delete(self, memory_id: str, *, user_id: str | None = None) -> Shape:
        """Forget a memory."""
        return serializers.memory(self._runtime.engine.forget(self._scope(user_id), memory_id))

    def delete_all(self, *, user_id: str | None = None) -> Shape:
        """Forget all memories of a user, who must be named: there is no default here."""
        if user_id is None:
            raise Refused("delete_all forgets everything about a user. Say whose: delete_all(user_id=...).")
        return {"deleted": self._runtime.engine.forget_all(Scope(user_id))}

    def history(self, memory_id: str, *, user_id: str | None = None) -> list[Shape]:
        """Every version of a memory, oldest first."""
        versions = self._runtime.store.memories.history(self._scope(user_id), memory_id)
        return [serializers.version(each) for each in versions]

    def inbox(self, *, user_id: str | None = None, limit: int = 100) -> Shape:
        """What waits for the user's decision: facts without a source, and contradictions."""
        waiting = [
            memory
            for standing in (Standing.CONTESTED, Standing.QUARANTINED)
            for memory in self._runtime.store.memories.list(
                self._scope(user_id), standing=standing, limit=limit
            )
        ]
        return serializers.results(serializers.memory(each) for each in waiting[:limit])

    def archive(self, memory_id: str, *, user_id: str | None = None) -> Shape:
        """Put a memory away; `restore` brings it back."""
        return serializers.memory(self._runtime.engine.archive(self._scope(user_id), memory_id))

    def restore(self, memory_id: str, *, user_id: str | None = None) -> Shape:
        """Bring back what was archived or forgotten, or accept what waits in the inbox."""
        return serializers.memory(self._runtime.engine.restore(self._scope(user_id), memory_id))

    def pin(self, memory_id: str, *, pinned: bool = True, user_id: str | None = None) -> Shape:
        """Keep a memory from fading."""
        return serializers.memory(self._runtime.engine.pin(self._scope(user_id), memory_id, pinned=pinned))

    def merge(self, memory_ids: Sequence[str], *, user_id: str | None = None) -> Shape:
        """Make one memory of several: the one that says most stays, with the sources of all."""
        return serializers.memory(self._runtime.engine.merge(self._scope(user_id), memory_ids))

    def undo(self, event_id: str | None = None, *, user_id: str | None = None) -> Shape:
        """Take back the last thing that was done to memories, or a certain one."""
        event = self._runtime.engine.undo(self._scope(user_id), event_id)
        self._wake()
        return serializers.event(event)

    def events(self, *, user_id: str | None = None, limit: int = 50) -> Shape:
        """What was learned, changed and forgotten, the newest first."""
        listed = self._runtime.store.events.list(self._scope(user_id), limit=limit)
        return serializers.results(map(serializers.event, listed))
