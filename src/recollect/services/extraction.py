"""Extraction service: extract facts from stored messages and consolidate them with what is known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from recollect.consolidation.reconciliation import reinforce
from recollect.consolidation.stated_fact import StatedFact
from recollect.domain.candidate import SearchFilter, Source
from recollect.domain.event import EventAction, EventChange
from recollect.domain.extraction import Extraction, Fact, LearningContext
from recollect.domain.job import EMBED_JOB
from recollect.domain.memory import Kind, Memory, MemoryStatus, Origin, fact_hash
from recollect.domain.message import Message, MessageDraft, Role
from recollect.domain.metadata import NO_METADATA, Metadata
from recollect.domain.outcomes import (
    Conflicting,
    FactOutcome,
    New,
    Reinforced,
    Rejected,
    Superseded,
    changed_memories,
)
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import CapReached, NotFound
from recollect.extraction.local_extractor import extract_by_rules
from recollect.extraction.message_extraction import extract_with_rules, source_texts
from recollect.extraction.nearness import judge_nearness, texts_to_compare
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder
from recollect.ports.store import Store
from recollect.services.consolidation import ConsolidationService
from recollect.services.context_files import ContextFileMatcher
from recollect.services.embedders import EmbedderRegistry, TextVectors, embed_texts
from recollect.services.event_log import EventLog
from recollect.services.extractor import Extractor
from recollect.services.ingest import IngestService, not_collecting
from recollect.services.spending import MeteredModel

#: If more passages are queued, their job embeds those of new memories too, so that learning never reads a backlog.
MAX_QUEUED_READ = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedMessages:
    """The extractions of messages with what else was computed outside the transaction, ready for consolidation."""

    messages: Sequence[Message]
    extractions: Sequence[Extraction]  #: one for each message
    vectors: TextVectors = field(
        default_factory=TextVectors
    )  #: of facts, and of what a replay compares with them
    #: The name of the context file that contains a fact already.
    file_by_fact: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionService:
    store: Store
    clock: Clock
    ids: Ids
    ingest: IngestService
    extractor: Extractor
    consolidation: ConsolidationService
    embedders: EmbedderRegistry
    context_files: ContextFileMatcher
    event_log: EventLog

    def remember(
        self,
        scope: Scope,
        text: str,
        policy: Policy,
        *,
        tags: Sequence[str] = (),
        kind: Kind | None = None,
        metadata: Metadata = NO_METADATA,
    ) -> New | Reinforced | Rejected:
        """Store a text unchanged as a message of the user and as a memory. Both are on disk when this returns."""
        draft = MessageDraft(role=Role.USER, content=text, metadata=metadata)
        prepared = self.ingest.prepare(scope, draft, policy)
        message = prepared.message
        if not policy.collects:
            return Rejected(text=message.content, reason=not_collecting(policy))
        facts = extract_by_rules(message.content, role=Role.USER, sent_at=message.created_at).facts
        fact = Fact(
            text=message.content.strip(),
            kind=kind or (facts[0].kind if facts else Kind.NOTE),
            weight=1.0,
            start=0,
            end=len(message.content),
        )
        memory = replace(self._stated_fact(message, fact, Origin.MANUAL).memory, tags=tuple(tags))
        with self.store.transaction(scope.user):
            if not self.store.consents.all(scope).get(memory.kind, True):
                return _reject_without_consent(fact)
            known = self.store.memories.by_hash(scope, memory.fact_hash)
            outcome: New | Reinforced
            if known is None:
                self.store.messages.add(replace(message, extracted=True), prepared.chunks)
                self.ingest.enqueue_jobs(message, policy, to_extract=False)
                outcome = New(memory=memory)
            else:
                reinforced = reinforce(known, memory, self.clock.now())
                outcome = Reinforced(memory=replace(reinforced, version=known.version + 1))
            self.store.tombstones.remove(scope.user, memory.fact_hash)
            self.store.memories.apply([outcome])
            self._record_outcomes(scope.user, [outcome])
            return outcome

    def pending_messages(self, scope: Scope, message_id: str, policy: Policy) -> LearningContext:
        """Return the messages to extract together: this one, its exchange, or the next batch, if there are any."""
        messages, mode = self.store.messages, policy.extraction.mode
        ids = [message_id]
        if mode in {"batch", "single_fact"}:
            try:
                searched = (
                    scope.user_scope
                    if mode == "batch"
                    else Scope(scope.user, messages.get(scope, message_id).chat)
                )
            except NotFound:
                return LearningContext()
            ids = [
                each.id for each in messages.list_unextracted(searched, limit=policy.extraction.batch_size)
            ]
        pending = self.store.learning_context(scope, ids, with_files=True)
        return replace(pending, messages=[each for each in pending.messages if not each.extracted])

    def extract(self, scope: Scope, pending: LearningContext, policy: Policy) -> ExtractedMessages:
        """Extract and embed facts. May wait for a model, so it holds no lock and stores no facts."""
        messages = pending.messages
        extractions = self._judge_nearness(
            scope,
            messages,
            self._extract_facts(Scope(scope.user, messages[0].chat), messages, policy),
            policy,
        )
        texts = [fact.text for extraction in extractions for fact in extraction.facts]
        if not texts:
            return ExtractedMessages(messages=messages, extractions=extractions)
        vectors = embed_texts(self.embedders.for_active_model(pending.embedding_model), texts)
        if messages[0].id in pending.late_ids:
            vectors = self._add_replay_vectors(messages, extractions, vectors, policy)
        return ExtractedMessages(
            messages=messages,
            extractions=extractions,
            vectors=vectors,
            file_by_fact=self.context_files.match_facts(
                texts, pending.context_files, vectors.by_text, policy.consolidation
            )
            if pending.context_files
            else {},
        )

    def learn(self, scope: Scope, extracted: ExtractedMessages, policy: Policy) -> list[FactOutcome]:
        """
        Store extractions and consolidate their facts, in the transaction that completes the job.

        Messages that were edited, deleted or learned meanwhile are skipped.
        """
        outcomes: list[FactOutcome] = []
        with self.store.transaction(scope.user):
            stored = self.store.learning_context(
                scope,
                [message.id for message in extracted.messages],
                fact_hashes={fact_hash(fact.text) for each in extracted.extractions for fact in each.facts},
            )
            current = {message.id: message for message in stored.messages}
            chats = set()
            for message, extraction in zip(extracted.messages, extracted.extractions, strict=True):
                if _is_unchanged(message, current.get(message.id)):
                    outcomes += self._learn_message(message, extraction, extracted, stored, policy)
                    chats.add(message.chat)
            has_changes = any(changed_memories(outcome) for outcome in outcomes)
            embedder = self.embedders.for_active_model(stored.embedding_model)
            if has_changes and not self._store_vectors(scope.user, embedder, extracted.vectors):
                self.store.jobs.enqueue(scope.user, EMBED_JOB, now=self.clock.now())
            for chat in chats:
                self.ingest.prune_raw(Scope(scope.user, chat), policy)
        return outcomes

    def _store_vectors(self, user: str, embedder: Embedder | None, vectors: TextVectors) -> bool:
        """Store the vectors of the facts that became memories; return whether all queued passages have one now."""
        if embedder is None or vectors.model != embedder.model_id:
            return False
        queued = self.store.vectors.queue(user, limit=MAX_QUEUED_READ + 1).passages
        if len(queued) > MAX_QUEUED_READ:
            return False
        pairs = [(each, vectors.by_text[each.text]) for each in queued if each.text in vectors.by_text]
        self.store.vectors.put(user, embedder.model_id, pairs)
        return len(pairs) == len(queued)

    def _extract_facts(self, scope: Scope, messages: Sequence[Message], policy: Policy) -> list[Extraction]:
        model = self.extractor.model
        if model is not None:
            metered = MeteredModel.for_chat(model, self.store.token_usage, policy, scope, self.clock)
            try:
                return replace(self.extractor, model=metered)(
                    messages,
                    policy=policy,
                    known_memories=self._related_memory_texts(scope, messages, policy),
                    context_texts=[file.content for file in self.store.context_files.list(scope)],
                )
            except CapReached:
                self.store.triage_counts.increment(
                    scope.user, Reason(ReasonCode.EXTRACTION_CAPPED), now=self.clock.now()
                )
        return extract_with_rules(messages, policy)

    def _judge_nearness(
        self, scope: Scope, messages: Sequence[Message], extractions: Sequence[Extraction], policy: Policy
    ) -> list[Extraction]:
        """Compare the facts of a model with their messages by meaning."""
        sources = {source.id: source.visible_text for source in source_texts(messages, policy)}
        texts = {
            message.id: texts_to_compare(extraction, sources[message.id])
            for message, extraction in zip(messages, extractions, strict=True)
            if extraction.model and message.id in sources
        }
        vectors = self.embedders.embed_texts(
            scope.user, list({text for each in texts.values() for text in each})
        )
        return [
            judge_nearness(
                extraction, sources[message.id], vectors.similarity, cosine_floor=vectors.cosine_floor
            )
            if vectors.by_text and texts.get(message.id)
            else extraction
            for message, extraction in zip(messages, extractions, strict=True)
        ]

    def _learn_message(
        self,
        message: Message,
        extraction: Extraction,
        extracted: ExtractedMessages,
        stored: LearningContext,
        policy: Policy,
    ) -> list[FactOutcome]:
        scope, consents = Scope(message.user), stored.consents
        allowed = _apply_consent(extraction, consents, policy)
        self.store.messages.annotate(
            scope,
            message.id,
            importance=allowed.importance,
            summary=allowed.summary,
            kind=allowed.message_type,
        )
        self.store.extractions.put(scope, message.id, allowed.model or "rules", allowed)
        outcomes: list[FactOutcome] = [
            _reject_without_consent(fact) for fact in extraction.facts if not consents.get(fact.kind, True)
        ]
        outcomes += (
            Rejected(text=fact.text, reason=_in_context_file(extracted.file_by_fact[fact.text]))
            for fact in allowed.facts
            if fact.text in extracted.file_by_fact
        )
        origin = Origin.MODEL if extraction.model else Origin.RULES
        stated_facts = [
            self._stated_fact(message, fact, origin)
            for fact in allowed.facts
            if fact.text not in extracted.file_by_fact
        ]
        if stated_facts and message.id in stored.late_ids:
            outcomes += self._learn_out_of_order(scope, stated_facts, extracted.vectors, policy)
        else:
            learned = self.consolidation.consolidate(
                scope,
                stated_facts,
                extracted.vectors,
                policy.consolidation,
                forgotten_at=stored.forgotten_at,
            )
            self._record_outcomes(scope.user, learned)
            outcomes += learned
        self._quarantine(message, extraction, consents)
        return outcomes

    def _learn_out_of_order(
        self, scope: Scope, facts: Sequence[StatedFact], vectors: TextVectors, policy: Policy
    ) -> list[FactOutcome]:
        """Replay facts of a message that is older than messages already learned from."""
        replay_set = self.consolidation.collect_replay(
            scope, policy.consolidation, new_facts=facts, vectors=vectors
        )
        change = self.consolidation.replay(scope, replay_set, policy.consolidation, vectors=vectors)
        added = [New(memory=memory) for memory in change.to_add]
        self._record_outcomes(scope.user, added)
        return [*added, *(Reinforced(memory=memory) for memory in change.to_update)]

    def _add_replay_vectors(
        self,
        messages: Sequence[Message],
        extractions: Sequence[Extraction],
        vectors: TextVectors,
        policy: Policy,
    ) -> TextVectors:
        """Return the vectors with those that a replay of these late facts will compare."""
        facts = [
            self._stated_fact(message, fact, Origin.RULES)
            for message, extraction in zip(messages, extractions, strict=True)
            for fact in extraction.facts
        ]
        user = messages[0].user
        replay_set = self.consolidation.collect_replay(
            Scope(user), policy.consolidation, new_facts=facts, vectors=vectors
        )
        missing_texts = [text for text in replay_set.texts if text not in vectors.by_text]
        more = self.embedders.embed_texts(user, missing_texts)
        return replace(vectors, by_text={**vectors.by_text, **more.by_text})

    def _record_outcomes(self, user: str, outcomes: Iterable[FactOutcome]) -> None:
        """Record what was learned as events, so that it can be listed and undone."""
        actions: list[tuple[EventAction, tuple[EventChange, ...]]] = []
        for outcome in outcomes:
            match outcome:
                case New(memory=memory):
                    added = EventChange(memory_id=memory.id, previous_version=None)
                    actions.append((EventAction.LEARN, (added,)))
                case Superseded(memory=memory, old=old):
                    new_steps = [EventChange(memory_id=memory.id, previous_version=None)] if memory else []
                    ended_step = EventChange(memory_id=old.id, previous_version=old.version - 1)
                    actions.append((EventAction.SUPERSEDE, (*new_steps, ended_step)))
                case Reinforced() | Conflicting() | Rejected():
                    pass
                case _:
                    assert_never(outcome)
        self.event_log.record_all(user, actions)

    def _quarantine(self, message: Message, extraction: Extraction, consents: Mapping[str, bool]) -> None:
        """Store facts that failed validation as quarantined memories, once each, for review by the user."""
        memories = {
            memory.fact_hash: memory
            for memory in (self._quarantined_memory(message, fact) for fact in extraction.quarantined_facts)
            if consents.get(memory.kind, True)
        }
        if not memories:
            return
        related = self.store.memories.related(Scope(message.user), list(memories.values()))
        known_hashes = {m.fact_hash for m in related if m.status is MemoryStatus.QUARANTINED}
        for memory in memories.values():
            if memory.fact_hash not in known_hashes:
                self.store.memories.add(memory)

    def _quarantined_memory(self, message: Message, fact: Fact) -> Memory:
        memory = self._stated_fact(message, fact, Origin.MODEL).memory
        return replace(memory, status=MemoryStatus.QUARANTINED, reason=fact.quarantine_reason)

    def _related_memory_texts(self, scope: Scope, messages: Sequence[Message], policy: Policy) -> list[str]:
        """Return related and recent memories for the extraction prompt, so that the model does not repeat them."""
        if not policy.extraction.known_memories:
            return []
        query = "\n".join(message.content for message in messages if message.role is Role.USER)
        search_filter = SearchFilter(sources=frozenset({Source.MEMORY}))
        hits = self.store.search.lexical(
            scope.user_scope, query, limit=policy.extraction.known_memories, search_filter=search_filter
        )
        loaded = self.store.search.load(
            scope.user_scope, [hit.passage_id for hit in hits], search_filter=search_filter
        )
        recent = self.store.memories.list(scope.user_scope, limit=policy.extraction.known_memories)
        texts = [
            *(loaded[h.passage_id].text for h in hits if h.passage_id in loaded),
            *(m.text for m in recent),
        ]
        return list(dict.fromkeys(texts))[: policy.extraction.known_memories]

    def _stated_fact(self, message: Message, fact: Fact, origin: Origin) -> StatedFact:
        return StatedFact.from_fact(message, fact, origin, memory_id=self.ids.new(), now=self.clock.now())


def _is_unchanged(message: Message, current: Message | None) -> bool:
    """Whether a message still has the text that was extracted, and was not learned meanwhile."""
    return current is not None and not current.extracted and current.content == message.content


def _apply_consent(extraction: Extraction, consents: Mapping[str, bool], policy: Policy) -> Extraction:
    """Drop facts of kinds without consent, and set biography to full weight if the policy fixes it."""
    fixed_weight = policy.decay.biography_fixed
    facts = (
        replace(f, weight=1.0) if fixed_weight and f.kind is Kind.BIOGRAPHY else f for f in extraction.facts
    )
    return replace(extraction, facts=tuple(fact for fact in facts if consents.get(fact.kind, True)))


def _in_context_file(name: str) -> Reason:
    return Reason(ReasonCode.IN_CONTEXT_FILE, {"name": name})


def _reject_without_consent(fact: Fact) -> Rejected:
    return Rejected(text=fact.text, reason=Reason(ReasonCode.NO_CONSENT, {"category": fact.kind.value}))
