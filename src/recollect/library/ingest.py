"""Adding, editing and deleting messages and chats; the facts learned from them follow."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from recollect.domain.memory import ChangeKind, Kind, SourceSpan
from recollect.domain.scope import DEFAULT_CHAT
from recollect.errors import InvalidInput
from recollect.library.base import MemoryBase
from recollect.serialization import parsers, serializers
from recollect.serialization.serializers import JsonObject

MessagesInput: TypeAlias = str | Mapping[str, object] | Sequence[Mapping[str, object]]


class MemoryIngestMixin(MemoryBase):
    def add(
        self,
        messages: MessagesInput,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        tags: str | Sequence[str] = (),
        kind: str | None = None,
        sync: bool = False,
        mode: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> JsonObject:
        """
        Store a text as a memory, or ingest messages and learn from them.

        Everything returned is durable. Facts are extracted from messages in the background; with ``sync`` the call
        waits for them and returns them.
        """
        scope = self._scope(user_id, chat_id)
        policy = self._policy(scope, settings, mode)
        services = self._application.services
        if isinstance(messages, str):
            tag_names, memory_kind = parsers.parse_tags(tags), _parse_kind(kind)
            answer = serializers.wrap_results(
                [
                    serializers.serialize_outcome(
                        services.ingest.remember(scope, messages, policy, tags=tag_names, kind=memory_kind)
                    )
                ]
            )
        else:
            ingest_results = services.ingest.add_messages(scope, parsers.parse_messages(messages), policy)
            answer = serializers.wrap_results([])
            answer["messages"] = [serializers.serialize_ingest_result(each) for each in ingest_results]
        self._wake_worker()
        if sync and not isinstance(messages, str):
            self.flush()
            memories = self._application.services.memories.learned_from(
                scope, [each.message.id for each in ingest_results]
            )
            new_message_ids = frozenset(each.message.id for each in ingest_results if each.is_new)
            answer["results"] = [
                {**serializers.serialize_memory(each), "event": _event_name(each.spans, new_message_ids)}
                for each in memories
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
    ) -> JsonObject:
        """Ingest one exchange and extract its facts now; the given context files are attached to its chat."""
        scope = self._scope(user_id, chat_id or DEFAULT_CHAT)
        for context_id in context_ids:
            self._application.services.profile.attach_context_file(scope, context_id)
        exchange: list[Mapping[str, object]] = [
            {"role": "user", "content": user_content},
            {"role": "assistant", "content": assistant_content},
        ]
        return self.add(exchange, user_id=scope.user, chat_id=scope.chat, sync=True, settings=settings)

    def messages(self, chat_id: str, *, user_id: str | None = None, limit: int = 100) -> JsonObject:
        """Return the last messages of a chat, in order."""
        messages = self._application.services.chats.messages(self._scope(user_id, chat_id), limit=limit)
        return serializers.wrap_results(map(serializers.serialize_message, messages))

    def edit_message(self, message_id: str, content: str, *, user_id: str | None = None) -> JsonObject:
        """Replace the text of a message; facts learned from the old text are removed."""
        scope = self._scope(user_id)
        ingest_result = self._application.services.chats.edit_message(
            scope, message_id, content, self._policy(scope)
        )
        self._wake_worker()
        return serializers.serialize_ingest_result(ingest_result)

    def regenerate(self, chat_id: str, content: str, *, user_id: str | None = None) -> JsonObject:
        """Replace the last answer of a chat."""
        scope = self._scope(user_id, chat_id)
        ingest_result = self._application.services.chats.replace_last_answer(
            scope, content, self._policy(scope)
        )
        self._wake_worker()
        return serializers.serialize_ingest_result(ingest_result)

    def delete_message(self, message_id: str, *, user_id: str | None = None) -> JsonObject:
        """Delete a message; return the memories that had no other source and were forgotten."""
        scope = self._scope(user_id)
        forgotten_memories = self._application.services.chats.delete_message(
            scope, message_id, self._policy(scope)
        )
        self._wake_worker()
        return serializers.wrap_results(map(serializers.serialize_memory, forgotten_memories))

    def delete_chat(self, chat_id: str, *, user_id: str | None = None) -> JsonObject:
        """Delete a chat; return the memories that had no other source and were forgotten."""
        scope = self._scope(user_id, chat_id)
        forgotten_memories = self._application.services.chats.delete_chat(scope, self._policy(scope))
        self._wake_worker()
        return serializers.wrap_results(map(serializers.serialize_memory, forgotten_memories))

    def branch(self, message_id: str, chat_id: str, *, user_id: str | None = None) -> JsonObject:
        """Copy a chat up to a message into a new chat."""
        branched = self._application.services.chats.branch_chat(self._scope(user_id), message_id, chat_id)
        self._wake_worker()
        return serializers.serialize_chat(branched)

    def set_mode(self, chat_id: str, mode: str | None, *, user_id: str | None = None) -> None:
        """Set the memory mode of a chat: on, collect_only, recall_only or off; None uses the user's setting."""
        self._application.services.chats.set_mode(self._scope(user_id, chat_id), mode)


def _event_name(spans: Sequence[SourceSpan], new_message_ids: frozenset[str]) -> str:
    """Return whether new messages created a memory with these sources (ADD), reinforced it, or neither (NONE)."""
    sources = [span.message_id for span in spans]
    if new_message_ids.isdisjoint(sources):
        return "NONE"
    return ChangeKind.ADD.value if sources[0] in new_message_ids else ChangeKind.REINFORCE.value


def _parse_kind(name: str | None) -> Kind | None:
    try:
        return None if name is None else Kind(name)
    except ValueError as error:
        raise InvalidInput(f"Unknown kind {name!r}. Choose one of {', '.join(Kind)}.") from error
