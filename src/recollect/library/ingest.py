"""What is said goes in, and can be changed or taken back; what was learned from it follows."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from recollect.domain.memory import Change, Kind, Span
from recollect.domain.policy import MODES
from recollect.domain.scope import DEFAULT_CHAT
from recollect.errors import InvalidInput
from recollect.library.base import Door
from recollect.serialization import parsers, serializers
from recollect.serialization.serializers import Shape

Messages: TypeAlias = str | Mapping[str, object] | Sequence[Mapping[str, object]]


class Listening(Door):
    def add(
        self,
        messages: Messages,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        tags: str | Sequence[str] = (),
        kind: str | None = None,
        sync: bool = False,
        mode: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> Shape:
        """
        Remember a text as it is, or listen to messages and learn from them.

        What comes back is on disk. Facts are extracted from messages in the background; with ``sync`` they
        are in the answer.
        """
        scope = self._scope(user_id, chat_id)
        policy = self._policy(scope, settings, mode)
        engine = self._runtime.engine
        if isinstance(messages, str):
            marks, wanted = parsers.tags(tags), _kind(kind)
            answer = serializers.results(
                [serializers.kept(engine.remember(scope, messages, policy, tags=marks, kind=wanted))]
            )
        else:
            observed = engine.observe(scope, parsers.drafts(messages), policy)
            answer = serializers.results([])
            answer["messages"] = [serializers.observed(each) for each in observed]
        self._wake()
        if sync and not isinstance(messages, str):
            self.flush()
            learned = self._runtime.store.memories.of_messages(scope, [each.message.id for each in observed])
            fresh = frozenset(each.message.id for each in observed if each.new)
            answer["results"] = [
                {**serializers.memory(each), "event": _event(each.spans, fresh)} for each in learned
            ]
        return answer

    def extract_and_store(
        self,
        user_content: str,
        assistant_content: str,
        *,
        context_ids: Sequence[str] = (),
        user_id: str | None = None,
        chat_id: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> Shape:
        """Listen to one exchange and learn from it now; context files named here are attached to its chat."""
        scope = self._scope(user_id, chat_id or DEFAULT_CHAT)
        for context_id in context_ids:
            self._runtime.store.contexts.attach(scope, context_id)
        said: list[Mapping[str, object]] = [
            {"role": "user", "content": user_content},
            {"role": "assistant", "content": assistant_content},
        ]
        return self.add(said, user_id=scope.user, chat_id=scope.chat, sync=True, settings=settings)

    def messages(self, chat_id: str, *, user_id: str | None = None, limit: int = 100) -> Shape:
        """What was said in a chat, in order: the last messages of it."""
        listed = self._runtime.store.messages.list(self._scope(user_id, chat_id), limit=limit)
        return serializers.results(map(serializers.message, listed))

    def edit_message(self, message_id: str, content: str, *, user_id: str | None = None) -> Shape:
        """Put other words in the place of a message; what was learned from the old ones goes."""
        scope = self._scope(user_id)
        observed = self._runtime.engine.edit_message(scope, message_id, content, self._policy(scope))
        self._wake()
        return serializers.observed(observed)

    def regenerate(self, chat_id: str, content: str, *, user_id: str | None = None) -> Shape:
        """Put another answer in the place of a chat's last one."""
        scope = self._scope(user_id, chat_id)
        observed = self._runtime.engine.regenerate(scope, content, self._policy(scope))
        self._wake()
        return serializers.observed(observed)

    def delete_message(self, message_id: str, *, user_id: str | None = None) -> Shape:
        """Delete a message; memories that rested on it alone go with it and are in the answer."""
        scope = self._scope(user_id)
        gone = self._runtime.engine.delete_message(scope, message_id, self._policy(scope))
        self._wake()
        return serializers.results(map(serializers.memory, gone))

    def delete_chat(self, chat_id: str, *, user_id: str | None = None) -> Shape:
        """Delete a chat; memories that rested on it alone go with it and are in the answer."""
        scope = self._scope(user_id, chat_id)
        gone = self._runtime.engine.delete_chat(scope, self._policy(scope))
        self._wake()
        return serializers.results(map(serializers.memory, gone))

    def branch(self, message_id: str, chat_id: str, *, user_id: str | None = None) -> Shape:
        """Begin a new chat with everything up to a message."""
        branched = self._runtime.engine.branch(self._scope(user_id), message_id, chat_id)
        self._wake()
        return serializers.chat(branched)

    def set_mode(self, chat_id: str, mode: str | None, *, user_id: str | None = None) -> None:
        """Choose how memory is used in a chat: on, collect_only, recall_only or off; None is as elsewhere."""
        if mode is not None and mode not in MODES:
            raise InvalidInput(f"There is no mode {mode!r}. Choose one of {', '.join(MODES)}.")
        scope = self._scope(user_id, chat_id)
        self._runtime.store.chats.set_mode(scope, mode, now=self._runtime.engine.clock.now())


def _event(spans: Sequence[Span], fresh: frozenset[str]) -> str:
    """What new messages did for a memory that rests on these words: brought it, confirmed it, or nothing."""
    sources = [span.message_id for span in spans]
    if fresh.isdisjoint(sources):
        return "NONE"
    return Change.ADD.value if sources[0] in fresh else Change.REINFORCE.value


def _kind(name: str | None) -> Kind | None:
    try:
        return None if name is None else Kind(name)
    except ValueError as error:
        raise InvalidInput(f"There is no kind {name!r}. Choose one of {', '.join(Kind)}.") from error
