"""Conversation and session summaries: built every few answers, or on request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.domain.job import EMBED_JOB
from recollect.domain.message import Message
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.domain.summary import Summary, SummaryKind
from recollect.errors import CapReached
from recollect.maintenance.extractive_summary import validate_summary
from recollect.maintenance.summarizer import build_summary_prompt, summarize_extractively
from recollect.ports.chat_model import ChatModel, ModelMessage
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import NO_LIMIT, Store
from recollect.services.ingest import IngestService
from recollect.services.spending import MeteredModel


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryService:
    store: Store
    clock: Clock
    ids: Ids
    ingest: IngestService
    model: ChatModel | None
    prompt_overrides: Mapping[str, str] = field(default_factory=dict)  #: the user's templates, by name

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[Summary]:
        """Return the summaries of a chat or of all chats, newest first."""
        return self.store.summaries.list(scope, limit=limit)

    def summarize(self, scope: Scope, policy: Policy) -> Sequence[Summary]:
        """Summarize a chat now; return nothing if it has no messages since its last summary."""
        self.store.chats.get(scope)
        return self.save_summaries(scope, self.build_summaries(scope, policy, force=True), policy)

    def build_summaries(self, scope: Scope, policy: Policy, *, force: bool = False) -> Sequence[Summary]:
        """
        Return the summaries due in a chat; with `force`, all that have new messages.

        May wait for a model, so it stores no summary; `save_summaries` does. Raises ProviderBusy and ProviderError
        from the model, and AnswerUnreadable if its reply is empty.
        """
        answers_per_summary = {
            SummaryKind.CONVERSATION: policy.summaries.every_answers,
            SummaryKind.WORKING: policy.summaries.working_every_exchanges,
        }
        due = [
            kind
            for kind, answers in answers_per_summary.items()
            if force or (answers and self.store.summaries.count_answers_since(scope, kind) >= answers)
        ]
        summaries = (self._build_summary(scope, kind, policy) for kind in due)
        return [summary for summary in summaries if summary is not None]

    def save_summaries(self, scope: Scope, summaries: Sequence[Summary], policy: Policy) -> Sequence[Summary]:
        """Store the summaries whose messages were not changed meanwhile; return them."""
        with self.store.transaction(scope.user):
            current = [summary for summary in summaries if self._is_current(scope, summary)]
            for summary in current:
                self.store.summaries.add(summary)
            if current:
                self.store.jobs.enqueue(scope.user, EMBED_JOB, now=self.clock.now())
            self.ingest.prune_raw(scope, policy)
        return current

    def _build_summary(self, scope: Scope, kind: SummaryKind, policy: Policy) -> Summary | None:
        messages = self.store.summaries.messages_since(scope, kind)
        if not messages or scope.chat is None:
            return None
        previous = self.store.summaries.latest(scope, kind)
        text = self._summary_text(scope, kind, previous.text if previous else None, messages, policy)
        if not text:
            return None
        return Summary(
            id=self.ids.new(),
            user=scope.user,
            chat=scope.chat,
            kind=kind,
            text=text,
            created_at=self.clock.now(),
            last_message_id=messages[-1].id,
        )

    def _summary_text(
        self,
        scope: Scope,
        kind: SummaryKind,
        previous: str | None,
        messages: Sequence[Message],
        policy: Policy,
    ) -> str:
        if self.model is not None:
            metered = MeteredModel.for_chat(self.model, self.store.token_usage, policy, scope, self.clock)
            prompt = build_summary_prompt(kind, previous, messages, policy.summaries, self.prompt_overrides)
            try:
                # Twice the limit for models that write more; a longer summary is truncated at a sentence.
                completion = metered.complete(
                    [ModelMessage(role="user", content=prompt.text)], max_tokens=prompt.max_tokens * 2
                )
            except CapReached:
                self.store.triage_counts.increment(
                    scope.user, Reason(ReasonCode.SUMMARY_CAPPED), now=self.clock.now()
                )
            else:
                return validate_summary(completion.text, prompt.max_tokens)
        return summarize_extractively(kind, previous, messages, policy.summaries)

    def _is_current(self, scope: Scope, summary: Summary) -> bool:
        uncovered_ids = [
            m.id for m in self.store.summaries.messages_since(scope, summary.kind, limit=NO_LIMIT)
        ]
        return summary.last_message_id in uncovered_ids
