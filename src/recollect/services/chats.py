"""Edit, delete and branch messages; memories learned from them are updated."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from recollect.consolidation.replay import ReplaySet
from recollect.domain.job import EMBED_JOB
from recollect.domain.memory import Memory, SourceSpan
from recollect.domain.message import CHAT_ROLES, Chat, ChatDetails, Message, MessageDraft, Role
from recollect.domain.outcomes import IngestResult
from recollect.domain.policy import MEMORY_MODES, Policy
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound
from recollect.ingestion.triage.decision import triage
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import NO_LIMIT, Store
from recollect.services.consolidation import ConsolidationService
from recollect.services.embedders import EmbedderRegistry, TextVectors
from recollect.services.ingest import IngestService, needs_extraction, summary_job

#: Limit for titles derived from the first message.
MAX_TITLE_CHARS = 60


class _Rollback(Exception):
    """Rolls back the transaction of a preview."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatService:
    store: Store
    clock: Clock
    ids: Ids
    consolidation: ConsolidationService
    embedders: EmbedderRegistry
    ingest: IngestService

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[ChatDetails]:
        """Return the user's chats with title and mode, most recently used first."""
        return self._describe(scope, self.store.chats.list(scope.user_scope, limit=limit))

    def get(self, scope: Scope) -> ChatDetails:
        """Return the scope's chat, or raise NotFound."""
        [details] = self._describe(scope, [self.store.chats.get(scope)])
        return details

    def messages(
        self, scope: Scope, *, limit: int = 100, before: str | None = None, newest_first: bool = False
    ) -> Sequence[Message]:
        """Return the last messages of a chat in order, or those just before a message."""
        if before is not None:
            self.store.messages.get(scope, before)
        return self.store.messages.list(scope, limit=limit, before=before, newest_first=newest_first)

    def get_message(self, scope: Scope, message_id: str) -> Message:
        """Return a message, or raise NotFound."""
        return self.store.messages.get(scope, message_id)

    def find_messages(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Message]:
        """Return those of these messages that exist, in order."""
        return self.store.messages.get_many(scope, message_ids)

    def mode(self, scope: Scope) -> str | None:
        """Return the memory mode set for the scope's chat, if any."""
        return self.store.chats.mode(scope)

    def set_mode(self, scope: Scope, mode: str | None) -> None:
        """Set the memory mode of a chat, creating the chat if needed; None removes the mode."""
        if mode is not None and mode not in MEMORY_MODES:
            raise InvalidInput(f"Unknown mode {mode!r}. Choose one of {', '.join(MEMORY_MODES)}.")
        if scope.is_temporary:
            raise InvalidInput(
                "The mode of a temporary chat is always off. Use a regular chat for another mode."
            )
        self.store.chats.set_mode(scope, mode, now=self.clock.now())

    def rename(self, scope: Scope, title: str) -> None:
        """Set the title of a chat."""
        self.store.chats.rename(scope, title)

    def edit_message(self, scope: Scope, message_id: str, content: str, policy: Policy) -> IngestResult:
        """Replace the text of a message: remove the facts of the old text, and queue the new text for extraction."""
        original = self.store.messages.get(scope, message_id)
        draft = MessageDraft(role=original.role, content=content, created_at=original.created_at)
        prepared = self.ingest.prepare(Scope(original.user, original.chat), draft, policy)
        decision = triage(prepared.message.content, original.role, policy.triage)
        to_extract = needs_extraction(prepared.message, decision, policy)
        vectors = self._vectors_without(scope, [message_id], policy)
        with self.store.transaction(scope.user):
            self._replay_without(scope, [message_id], policy, vectors)
            self.store.messages.edit(
                scope, message_id, prepared.message.content, prepared.chunks, prepared.message.tokens
            )
            if not to_extract:
                self.store.messages.mark_extracted(scope, [message_id])
            self.store.summaries.delete_from(scope, message_id)
            stored = self.store.messages.get(scope, message_id)
            self.ingest.enqueue_jobs(stored, policy, to_extract=to_extract)
            self.store.jobs.enqueue(original.user, summary_job(original.chat), now=self.clock.now())
        return IngestResult(
            message=stored,
            is_new=True,
            is_queued=to_extract,
            reason=decision.reason,
            redacted_kinds=prepared.redacted_kinds,
        )

    def replace_last_answer(self, scope: Scope, content: str, policy: Policy) -> IngestResult:
        """Replace the last answer of a chat."""
        answers = (m for m in self.store.messages.list(scope, newest_first=True) if m.role in CHAT_ROLES)
        last = next(answers, None)
        if last is None or last.role is not Role.ASSISTANT:
            raise InvalidInput(
                f"The last message in chat {scope.chat!r} is not an answer. Add an answer instead."
            )
        return self.edit_message(scope, last.id, content, policy)

    def delete_message(self, scope: Scope, message_id: str, policy: Policy) -> Sequence[Memory]:
        """Delete a message and the memories that have no other source; return those memories."""
        message = self.store.messages.get(scope, message_id)
        vectors = self._vectors_without(scope, [message_id], policy)
        with self.store.transaction(scope.user):
            deleted_memories = self._replay_without(scope, [message_id], policy, vectors)
            self.store.summaries.delete_from(scope, message_id)
            self.store.messages.delete(scope, message_id)
            self.store.jobs.enqueue(message.user, summary_job(message.chat), now=self.clock.now())
        return deleted_memories

    def memories_only_from(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Memory]:
        """Return the memories whose only sources are these messages."""
        sources = frozenset(message_ids)
        related = self.store.memories.of_messages(scope.user_scope, sorted(sources))
        return [memory for memory in related if all(span.message_id in sources for span in memory.spans)]

    def preview_delete_message(self, scope: Scope, message_id: str, policy: Policy) -> Sequence[Memory]:
        """Return the memories that deleting a message would delete."""
        return self._preview(scope, lambda: self.delete_message(scope, message_id, policy))

    def preview_delete_chat(self, scope: Scope, policy: Policy) -> Sequence[Memory]:
        """Return the memories that deleting a chat would delete."""
        return self._preview(scope, lambda: self.delete_chat(scope, policy))

    def _preview(self, scope: Scope, delete: Callable[[], Sequence[Memory]]) -> Sequence[Memory]:
        """Run a deletion in a transaction that is rolled back."""
        memories: Sequence[Memory] = ()
        with suppress(_Rollback), self.store.transaction(scope.user):
            memories = delete()
            raise _Rollback
        return memories

    def delete_chat(self, scope: Scope, policy: Policy) -> Sequence[Memory]:
        """Delete a chat and the memories that have no other source; return those memories."""
        return self.delete_chats(scope.user_scope, [scope.chat or ""], policy)

    def delete_chats(self, scope: Scope, chats: Sequence[str], policy: Policy) -> Sequence[Memory]:
        """Delete chats of a user in one transaction; return the deleted memories that had no other source."""
        scopes = [Scope(scope.user, chat) for chat in chats]
        message_ids: list[str] = []
        for each in scopes:
            self.store.chats.get(each)
            message_ids += (message.id for message in self.store.messages.list(each, limit=NO_LIMIT))
        vectors = self._vectors_without(scope, message_ids, policy)
        with self.store.transaction(scope.user):
            deleted_memories = self._replay_without(scope, message_ids, policy, vectors)
            for each in scopes:
                self.store.chats.delete(each)
        return deleted_memories

    def branch_chat(self, scope: Scope, message_id: str, chat: str) -> Chat:
        """Copy a chat up to a message into a new chat; the copies become additional sources of the memories."""
        last = self.store.messages.get(scope, message_id)
        target = Scope(scope.user, chat)
        if self._chat_exists(target):
            raise InvalidInput(f"Chat {chat!r} already exists. Choose another name for the branch.")
        with self.store.transaction(scope.user):
            source = Scope(scope.user, last.chat)
            earlier = self.store.messages.list(source, limit=NO_LIMIT, before=message_id)
            injected_texts, shown_keys = (
                self.store.injections.texts(source),
                self.store.injections.passage_keys(source),
            )
            for message in (*earlier, last):
                copy_id = self._copy_message(message, chat)
                if message.id in injected_texts:
                    keys = shown_keys.get(message.id, frozenset())
                    self.store.injections.put(target, copy_id, injected_texts[message.id], passage_keys=keys)
            self.store.jobs.enqueue(scope.user, EMBED_JOB, now=self.clock.now())
        return self.store.chats.get(target)

    def _describe(self, scope: Scope, chats: Sequence[Chat]) -> Sequence[ChatDetails]:
        untitled = [chat.id for chat in chats if chat.title is None]
        openings = self.store.chats.first_lines(scope.user_scope, untitled)
        return [
            ChatDetails(
                chat=chat,
                title=chat.title or _derive_title(openings.get(chat.id)),
                mode=self.store.chats.mode(Scope(scope.user, chat.id)),
            )
            for chat in chats
        ]

    def _copy_message(self, message: Message, chat: str) -> str:
        scope = Scope(message.user)
        copy = replace(message, id=self.ids.new(), chat=chat, client_id=None)
        self.store.messages.add(copy, self.store.messages.chunks(scope, message.id))
        extraction = self.store.extractions.get(scope, message.id)
        if extraction is not None:
            self.store.extractions.put(scope, copy.id, "copy", extraction)
        for memory in self.store.memories.of_messages(scope, [message.id]):
            spans = [
                SourceSpan(message_id=copy.id, start=span.start, end=span.end)
                for span in memory.spans
                if span.message_id == message.id
            ]
            self.store.memories.add_sources(scope, memory.id, spans)
        return copy.id

    def _vectors_without(self, scope: Scope, message_ids: Sequence[str], policy: Policy) -> TextVectors:
        """Embed, outside the transaction, the texts that a replay without these messages will compare."""
        replay_set = self._collect_replay(scope, message_ids, policy, TextVectors())
        return self.embedders.embed_texts(scope.user, replay_set.texts if replay_set.stated_facts else ())

    def _replay_without(
        self, scope: Scope, message_ids: Sequence[str], policy: Policy, vectors: TextVectors
    ) -> Sequence[Memory]:
        change = self.consolidation.replay(
            scope.user_scope,
            self._collect_replay(scope, message_ids, policy, vectors),
            policy.consolidation,
            vectors=vectors,
            excluded_messages=frozenset(message_ids),
        )
        if change.to_add or change.to_update:
            self.store.jobs.enqueue(scope.user, EMBED_JOB, now=self.clock.now())
        return list(change.to_delete)

    def _collect_replay(
        self, scope: Scope, message_ids: Sequence[str], policy: Policy, vectors: TextVectors
    ) -> ReplaySet:
        return self.consolidation.collect_replay(
            scope.user_scope,
            policy.consolidation,
            vectors=vectors,
            seeds=self.store.memories.of_messages(scope.user_scope, message_ids),
            excluded_messages=frozenset(message_ids),
        )

    def _chat_exists(self, scope: Scope) -> bool:
        try:
            self.store.chats.get(scope)
        except NotFound:
            return False
        return True


def _derive_title(opening: str | None) -> str | None:
    """Return the first whole words of a text, up to the limit."""
    words = " ".join((opening or "").split())
    if len(words) <= MAX_TITLE_CHARS:
        return words or None
    return (words[:MAX_TITLE_CHARS].rpartition(" ")[0] or words[: MAX_TITLE_CHARS - 1]) + "…"
