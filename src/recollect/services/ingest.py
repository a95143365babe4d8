"""Ingestion: prepare and store messages, and queue their jobs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from recollect.domain.job import EMBED_JOB, JobKind, NewJob
from recollect.domain.message import CHAT_ROLES, EXTRACTED_ROLES, Chunk, Message, MessageDraft, Role
from recollect.domain.outcomes import (
    IngestResult,
)
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.domain.summary import SummaryKind
from recollect.errors import InvalidInput, NotFound
from recollect.ingestion.preparation import PreparedMessage, chunk_message, prepare_message
from recollect.ingestion.triage.decision import ExtractMessage, SkipMessage, TriageDecision, triage
from recollect.maintenance.extractive_summary import is_summary_due
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestService:
    store: Store
    clock: Clock
    ids: Ids

    def prepare(self, scope: Scope, draft: MessageDraft, policy: Policy) -> PreparedMessage:
        """Return the message that a draft becomes; nothing is stored."""
        return prepare_message(draft, policy, scope=scope, message_id=self.ids.new(), now=self.clock.now())

    def chunk(self, message: Message, policy: Policy) -> Sequence[Chunk]:
        """Return the chunks of a stored message; none if it is short."""
        return chunk_message(message, policy)

    def add_messages(
        self, scope: Scope, drafts: Sequence[MessageDraft], policy: Policy
    ) -> list[IngestResult]:
        """Store messages and queue their jobs in one transaction: all are on disk when this returns, or none."""
        # Prepare before the transaction: a long message must not hold the write lock meanwhile.
        prepared_messages = [self.prepare(scope, draft, policy) for draft in drafts]
        if not policy.collects:
            return [_not_stored(prepared, policy) for prepared in prepared_messages]
        decisions = [
            (prepared, triage(prepared.message.content, prepared.message.role, policy.triage))
            for prepared in prepared_messages
        ]
        with self.store.transaction(scope.user):
            return [self._store(prepared, decision, policy) for prepared, decision in decisions]

    def add_batch(
        self, user: str, entries: Sequence[tuple[Scope, MessageDraft, Policy]]
    ) -> list[IngestResult | InvalidInput]:
        """Store messages of several chats in one transaction; an invalid message is returned as its error."""
        with self.store.transaction(user):
            return [self._add_or_error(*entry) for entry in entries]

    def _add_or_error(self, scope: Scope, draft: MessageDraft, policy: Policy) -> IngestResult | InvalidInput:
        try:
            [result] = self.add_messages(scope, [draft], policy)
        except InvalidInput as error:
            return error
        return result

    def prune_raw(self, scope: Scope, policy: Policy) -> None:
        """Delete raw message text if `collect.store_raw` does not keep it."""
        if policy.collect.store_raw != "full":
            self.store.messages.prune_raw(
                scope,
                keep=policy.context.recent_messages,
                trivial_only=policy.collect.store_raw == "gated",
                summarized_only=bool(policy.summaries.working_every_exchanges),
            )

    def unextracted_messages(self, scope: Scope, *, limit: int) -> Sequence[Message]:
        """Return messages that were not extracted yet, oldest first, without system messages."""
        return self.store.messages.list_unextracted(scope, limit=limit)

    def mark_extracted(self, scope: Scope, message_ids: Sequence[str]) -> None:
        """Mark messages as extracted, so that they are not extracted again."""
        with self.store.transaction(scope.user):
            self.store.messages.mark_extracted(scope, message_ids)

    def message_exists(self, scope: Scope, message_id: str) -> bool:
        try:
            return self.store.messages.get(scope, message_id).id == message_id
        except NotFound:
            return False

    def _store(self, prepared: PreparedMessage, decision: TriageDecision, policy: Policy) -> IngestResult:
        to_extract = needs_extraction(prepared.message, decision, policy)
        trivial = isinstance(decision, SkipMessage) and prepared.message.role in CHAT_ROLES
        marked = replace(prepared.message, extracted=not to_extract, importance=0 if trivial else None)
        stored, new = self.store.messages.add(marked, prepared.chunks)
        if new:
            self.enqueue_jobs(stored, policy, to_extract=to_extract)
            redactions = (
                Reason(ReasonCode.SECRET_REDACTED, {"kind": kind}) for kind in prepared.redacted_kinds
            )
            for reason in (decision.reason, *redactions):
                self.store.triage_counts.increment(stored.user, reason, now=self.clock.now())
            if not to_extract:
                self.prune_raw(Scope(stored.user, stored.chat), policy)
        return IngestResult(
            message=stored,
            is_new=new,
            is_queued=to_extract,
            reason=decision.reason,
            redacted_kinds=prepared.redacted_kinds,
        )

    def enqueue_jobs(self, message: Message, policy: Policy, *, to_extract: bool) -> None:
        now = self.clock.now()
        self.store.jobs.enqueue(message.user, EMBED_JOB, now=now)
        # In the mode "single_fact" a user message and its answer are extracted together, once the answer is stored.
        if (
            self._is_extraction_due(message, policy)
            if policy.extraction.mode == "single_fact"
            else to_extract
        ):
            self.store.jobs.enqueue(message.user, self._extraction_job(message, policy), now=now)
        if message.role is Role.ASSISTANT and self._is_summary_due(message, policy):
            self.store.jobs.enqueue(message.user, summary_job(message.chat), now=now)

    def _is_extraction_due(self, message: Message, policy: Policy) -> bool:
        """Whether an answer completes an exchange; the answer itself may be trivial ("OK.")."""
        chat = Scope(message.user, message.chat)
        return (
            message.role is Role.ASSISTANT
            and policy.extracts
            and bool(self.store.messages.list_unextracted(chat, limit=1))
        )

    def _extraction_job(self, message: Message, policy: Policy) -> NewJob:
        """Return the extraction job: due at once, or in batch mode after a wait unless the batch is full."""
        payload = {"message": message.id}
        if policy.extraction.mode != "batch":
            return NewJob(kind=JobKind.EXTRACT, key=message.id, payload=payload)
        unextracted = self.store.messages.list_unextracted(
            Scope(message.user), limit=policy.extraction.batch_size
        )
        full = len(unextracted) >= policy.extraction.batch_size
        wait = timedelta(seconds=0 if full else policy.extraction.batch_wait_seconds)
        return NewJob(kind=JobKind.EXTRACT, key="batch", payload=payload, run_at=self.clock.now() + wait)

    def _is_summary_due(self, message: Message, policy: Policy) -> bool:
        if not policy.extracts:
            return False
        scope, summary_policy = Scope(message.user, message.chat), policy.summaries
        return any(
            every and is_summary_due(self.store.summaries.count_answers_since(scope, kind), every)
            for kind, every in (
                (SummaryKind.CONVERSATION, summary_policy.every_answers),
                (SummaryKind.WORKING, summary_policy.working_every_exchanges),
            )
        )


def summary_job(chat: str) -> NewJob:
    return NewJob(kind=JobKind.SUMMARIZE, key=chat, payload={"chat": chat})


def not_collecting(policy: Policy) -> Reason:
    return Reason(ReasonCode.NOT_COLLECTING, {"mode": policy.memory.mode})


def _not_stored(prepared: PreparedMessage, policy: Policy) -> IngestResult:
    reason = not_collecting(policy)
    return IngestResult(
        message=prepared.message, is_new=False, is_queued=False, reason=reason, is_stored=False
    )


def needs_extraction(message: Message, decision: TriageDecision, policy: Policy) -> bool:
    """Whether the message will be extracted."""
    return (
        isinstance(decision, ExtractMessage)
        and policy.extracts
        and policy.extraction.mode != "off"
        and message.role in EXTRACTED_ROLES[policy.extraction.roles]
        and bool(message.content)
    )
