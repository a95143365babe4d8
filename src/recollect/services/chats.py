"""Edit, delete and branch messages; memories learned from them are updated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.consolidation.consolidator import Replayer, ReplaySet
from recollect.domain.memory import Memory, SourceSpan
from recollect.domain.message import CHAT_ROLES, Chat, Message, MessageDraft, Role
from recollect.domain.outcomes import IngestResult
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound
from recollect.ingestion.preparation import MessagePreparer
from recollect.ingestion.triage.decision import triage
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Vector
from recollect.ports.store import NO_LIMIT, Store
from recollect.services.embedders import EmbedderRegistry
from recollect.services.ingest import (
    EMBED_JOB,
    IngestService,
    needs_extraction,
    summary_job,
    vector_similarity,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatService:
    store: Store
    clock: Clock
    ids: Ids
    preparer: MessagePreparer
    replayer: Replayer
    embedders: EmbedderRegistry
    ingest: IngestService

    def edit_message(self, scope: Scope, message_id: str, content: str, policy: Policy) -> IngestResult:
        """Replace the text of a message: remove the facts of the old text, and queue the new text for extraction."""
        original = self.store.messages.get(scope, message_id)
        draft = MessageDraft(role=original.role, content=content, created_at=original.created_at)
        prepared = self.preparer(Scope(original.user, original.chat), draft, policy)
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

    def delete_message(self, scope: Scope, message_id: str, policy: Policy) -> list[Memory]:
        """Delete a message and the memories that have no other source; return those memories."""
        message = self.store.messages.get(scope, message_id)
        vectors = self._vectors_without(scope, [message_id], policy)
        with self.store.transaction(scope.user):
            deleted_memories = self._replay_without(scope, [message_id], policy, vectors)
            self.store.summaries.delete_from(scope, message_id)
            self.store.messages.delete(scope, message_id)
            self.store.jobs.enqueue(message.user, summary_job(message.chat), now=self.clock.now())
        return deleted_memories

    def delete_chat(self, scope: Scope, policy: Policy) -> list[Memory]:
        """Delete a chat and the memories that have no other source; return those memories."""
        self.store.chats.get(scope)
        message_ids = [message.id for message in self.store.messages.list(scope, limit=NO_LIMIT)]
        vectors = self._vectors_without(scope, message_ids, policy)
        with self.store.transaction(scope.user):
            deleted_memories = self._replay_without(scope, message_ids, policy, vectors)
            self.store.chats.delete(scope)
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

    def _vectors_without(self, scope: Scope, message_ids: Sequence[str], policy: Policy) -> dict[str, Vector]:
        """Embed, outside the transaction, the texts that a replay without these messages will compare."""
        replay_set = self._load_replay_set(scope, message_ids, policy, {})
        return self.embedders.embed_texts(scope.user, replay_set.texts) if replay_set.stated_facts else {}

    def _replay_without(
        self, scope: Scope, message_ids: Sequence[str], policy: Policy, vectors: Mapping[str, Vector]
    ) -> list[Memory]:
        replay_set = self._load_replay_set(scope, message_ids, policy, vectors)
        change = self.replayer(
            scope.user_scope,
            replay_set,
            policy.consolidation,
            excluded_messages=frozenset(message_ids),
            similarity=vector_similarity(vectors),
        )
        if change.to_add or change.to_update:
            self.store.jobs.enqueue(scope.user, EMBED_JOB, now=self.clock.now())
        return list(change.to_delete)

    def _load_replay_set(
        self, scope: Scope, message_ids: Sequence[str], policy: Policy, vectors: Mapping[str, Vector]
    ) -> ReplaySet:
        return self.replayer.collect(
            scope.user_scope,
            policy.consolidation,
            seeds=self.store.memories.of_messages(scope.user_scope, message_ids),
            excluded_messages=frozenset(message_ids),
            vectors=vectors,
            model=self.embedders.model_id(scope.user),
        )

    def _chat_exists(self, scope: Scope) -> bool:
        try:
            self.store.chats.get(scope)
        except NotFound:
            return False
        return True
