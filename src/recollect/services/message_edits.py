"""What was said is changed or taken back, and what was learned from it follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.consolidation.consolidator import Survey
from recollect.domain.memory import Memory, Span
from recollect.domain.message import SPEAKERS, Chat, Draft, Message, Role
from recollect.domain.outcomes import Observed
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound
from recollect.ingestion.triage.decision import verdict
from recollect.ports.embedder import Vector
from recollect.ports.store import ALL
from recollect.services.ingest import EMBED, Listening, is_judged, likeness, summarise


@dataclass(frozen=True, kw_only=True)
class Revising(Listening):
    def edit_message(self, scope: Scope, message_id: str, content: str, policy: Policy) -> Observed:
        """Put other words in the place of a message; what rested on the old ones goes, the new ones are judged."""
        old = self.store.messages.get(scope, message_id)
        draft = Draft(role=old.role, content=content, created_at=old.created_at)
        taken = self.intake(Scope(old.user, old.chat), draft, policy)
        found = verdict(taken.message.content, old.role, policy.funnel)
        wanted = is_judged(taken.message, found, policy)
        vectors = self._vectors_of(scope, [message_id], policy)
        with self.store.transaction():
            self._unlearn(scope, [message_id], policy, vectors)
            self.store.messages.edit(
                scope, message_id, taken.message.content, taken.chunks, taken.message.tokens
            )
            if not wanted:
                self.store.messages.mark_extracted(scope, [message_id])
            self.store.summaries.drop_from(scope, message_id)
            stored = self.store.messages.get(scope, message_id)
            self._queue(stored, policy, judged=wanted)
            self.store.jobs.enqueue(old.user, summarise(old.chat), now=self.clock.now())
        return Observed(message=stored, new=True, considered=wanted, reason=found.reason, masked=taken.masked)

    def regenerate(self, scope: Scope, content: str, policy: Policy) -> Observed:
        """Put another answer in the place of the last one of a chat."""
        answers = (m for m in self.store.messages.list(scope, newest_first=True) if m.role in SPEAKERS)
        last = next(answers, None)
        if last is None or last.role is not Role.ASSISTANT:
            raise InvalidInput(
                f"The last word in chat {scope.chat!r} is not the assistant's. Add an answer to it instead."
            )
        return self.edit_message(scope, last.id, content, policy)

    def delete_message(self, scope: Scope, message_id: str, policy: Policy) -> list[Memory]:
        """Delete a message and what rests on it alone; return the memories that went with it."""
        message = self.store.messages.get(scope, message_id)
        vectors = self._vectors_of(scope, [message_id], policy)
        with self.store.transaction():
            gone = self._unlearn(scope, [message_id], policy, vectors)
            self.store.summaries.drop_from(scope, message_id)
            self.store.messages.delete(scope, message_id)
            self.store.jobs.enqueue(message.user, summarise(message.chat), now=self.clock.now())
        return gone

    def delete_chat(self, scope: Scope, policy: Policy) -> list[Memory]:
        """Delete a chat and what rests on it alone; return the memories that went with it."""
        self.store.chats.get(scope)
        said = [message.id for message in self.store.messages.list(scope, limit=ALL)]
        vectors = self._vectors_of(scope, said, policy)
        with self.store.transaction():
            gone = self._unlearn(scope, said, policy, vectors)
            self.store.chats.delete(scope)
        return gone

    def branch(self, scope: Scope, message_id: str, chat: str) -> Chat:
        """Begin a new chat with everything up to a message; what was learned from that stands on both."""
        last = self.store.messages.get(scope, message_id)
        target = Scope(scope.user, chat)
        if self._has(target):
            raise InvalidInput(f"There is a chat {chat!r} already. Choose another name for the branch.")
        with self.store.transaction():
            source = Scope(scope.user, last.chat)
            earlier = self.store.messages.list(source, limit=ALL, before=message_id)
            sent, shown = self.store.injections.all(source), self.store.injections.shown(source)
            for message in (*earlier, last):
                copy = self._copy(message, chat)
                if message.id in sent:
                    keys = shown.get(message.id, frozenset())
                    self.store.injections.put(target, copy, sent[message.id], shown=keys)
            self.store.jobs.enqueue(scope.user, EMBED, now=self.clock.now())
        return self.store.chats.get(target)

    def _copy(self, message: Message, chat: str) -> str:
        scope = Scope(message.user)
        copy = replace(message, id=self.ids.new(), chat=chat, client_id=None)
        self.store.messages.add(copy, self.store.messages.chunks(scope, message.id))
        judged = self.store.judgements.get(scope, message.id)
        if judged is not None:
            self.store.judgements.put(scope, copy.id, "copy", judged)
        for memory in self.store.memories.of_messages(scope, [message.id]):
            spans = [
                Span(message_id=copy.id, start=span.start, end=span.end)
                for span in memory.spans
                if span.message_id == message.id
            ]
            self.store.memories.cite(scope, memory.id, spans)
        return copy.id

    def _vectors_of(self, scope: Scope, message_ids: Sequence[str], policy: Policy) -> dict[str, Vector]:
        """The vectors of all that will be compared anew when these messages are gone; embedding locks nothing."""
        survey = self._survey(scope, message_ids, policy, {})
        return self.vectors(scope.user, survey.texts) if survey.sayings else {}

    def _unlearn(
        self, scope: Scope, message_ids: Sequence[str], policy: Policy, vectors: Mapping[str, Vector]
    ) -> list[Memory]:
        survey = self._survey(scope, message_ids, policy, vectors)
        change = self.relearn(
            scope.everything,
            survey,
            policy.keep,
            without=frozenset(message_ids),
            likeness=likeness(vectors),
        )
        if change.new or change.changed:
            self.store.jobs.enqueue(scope.user, EMBED, now=self.clock.now())
        return list(change.gone)

    def _survey(
        self, scope: Scope, message_ids: Sequence[str], policy: Policy, vectors: Mapping[str, Vector]
    ) -> Survey:
        return self.relearn.survey(
            scope.everything,
            policy.keep,
            seeds=self.store.memories.of_messages(scope.everything, message_ids),
            without=frozenset(message_ids),
            vectors=vectors,
            model=self._model(scope.user),
        )

    def _has(self, scope: Scope) -> bool:
        try:
            self.store.chats.get(scope)
        except NotFound:
            return False
        return True
