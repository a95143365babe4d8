"""Import of memories from other files."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from recollect.consolidation.stated_fact import StatedFact
from recollect.domain.event import EventAction, EventChange
from recollect.domain.import_result import ImportResult, SkippedMemory
from recollect.domain.job import EMBED_JOB
from recollect.domain.memory import Memory, MemoryStatus, Origin
from recollect.domain.message import MessageDraft
from recollect.domain.outcomes import (
    Conflicting,
    FactOutcome,
    New,
    Reinforced,
    Rejected,
    Superseded,
)
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.ingestion.preparation import prepare_message
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import Store
from recollect.services.consolidation import ConsolidationService
from recollect.services.embedders import EmbedderRegistry, TextVectors
from recollect.services.event_log import EventLog


@dataclass(slots=True)
class _ImportTally:
    new_memories: list[Memory] = field(default_factory=list)
    known_count: int = 0
    left_out: list[SkippedMemory] = field(default_factory=list)
    steps: list[EventChange] = field(default_factory=list)

    def leave_out(self, memory: Memory, reason: Reason) -> None:
        self.left_out.append(SkippedMemory(text=memory.text, reason=reason))

    def count_outcome(self, outcome: FactOutcome, imported: Memory) -> None:
        match outcome:
            case New(memory=memory):
                self._add(memory)
            case Superseded(memory=memory, old=old):
                if memory is not None:
                    self._add(memory)
                self.steps.append(EventChange(memory_id=old.id, previous_version=old.version - 1))
            case Conflicting(memory=memory, against=against):
                self.steps.append(EventChange(memory_id=memory.id, previous_version=None))
                self.leave_out(imported, Reason(ReasonCode.CONFLICT_IN_REVIEW, {"text": against.text}))
            case Reinforced():
                self.known_count += 1
            case Rejected(memory=known, reason=reason):
                if known is None:
                    self.leave_out(imported, reason)
                else:
                    self.known_count += 1
            case _:
                assert_never(outcome)

    def _add(self, memory: Memory) -> None:
        self.new_memories.append(memory)
        self.steps.append(EventChange(memory_id=memory.id, previous_version=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class InterchangeService:
    store: Store
    clock: Clock
    ids: Ids
    consolidation: ConsolidationService
    embedders: EmbedderRegistry
    event_log: EventLog

    def import_memories(self, scope: Scope, memories: Sequence[Memory], policy: Policy) -> ImportResult:
        """
        Import memories from another file. Known memories are not stored twice; forgotten ones and kinds without
        consent are skipped. The import is one event, which one undo reverts.
        """
        tally = _ImportTally()
        prepared = [self._prepare_import(scope, memory, policy) for memory in memories]
        vectors = self.embedders.embed_texts(scope.user, [memory.text for memory in prepared])
        with self.store.transaction(scope.user):
            consents = self.store.consents.all(scope)
            forgotten_at = self.store.tombstones.forgotten_at(
                scope.user, {memory.fact_hash for memory in prepared}
            )
            for memory in prepared:
                if reason := _exclusion_reason(memory, consents, forgotten_at.keys()):
                    tally.leave_out(memory, reason)
                else:
                    self._import_memory(scope, memory, tally, vectors, policy)
            event = None
            if tally.steps:
                event = self.event_log.record(scope.user, EventAction.LEARN, *tally.steps)
                self.store.jobs.enqueue(scope.user, EMBED_JOB, now=self.clock.now())
        return ImportResult(
            memories=tuple(tally.new_memories),
            known_count=tally.known_count,
            skipped_memories=tuple(tally.left_out),
            event_id=event.id if event else None,
        )

    def _prepare_import(self, scope: Scope, memory: Memory, policy: Policy) -> Memory:
        """Redact secrets, and drop references to rows that are not in this store."""
        draft = MessageDraft(role=memory.speaker, content=memory.text)
        return replace(
            memory,
            user=scope.user,
            text=prepare_message(
                draft, policy, scope=scope, message_id=self.ids.new(), now=self.clock.now()
            ).message.content,
            origin=Origin.IMPORT,
            spans=(),
            chat=None,
            version=1,
            superseded_by=None,
        )

    def _import_memory(
        self, scope: Scope, memory: Memory, tally: _ImportTally, vectors: TextVectors, policy: Policy
    ) -> None:
        if self.store.memories.by_hash(scope, memory.fact_hash) is not None:
            tally.known_count += 1
            return
        renamed = replace(memory, id=self._available_id(scope, memory.id))
        [outcome] = self.consolidation.consolidate(
            scope, [StatedFact(memory=renamed)], vectors, policy.consolidation, forgotten_at={}
        )
        tally.count_outcome(outcome, renamed)

    def _available_id(self, scope: Scope, memory_id: str) -> str:
        """Return the original id, or a new one if it is taken."""
        try:
            self.store.memories.get(scope, memory_id)
        except NotFound:
            return memory_id
        return self.ids.new()


def _exclusion_reason(
    memory: Memory, consents: Mapping[str, bool], forgotten_hashes: Collection[str]
) -> Reason | None:
    if memory.status is not MemoryStatus.ACTIVE:
        return Reason(ReasonCode.NOT_ACTIVE, {"status": memory.status.value})
    if not consents.get(memory.kind, True):
        return Reason(ReasonCode.NO_CONSENT, {"category": memory.kind.value})
    return Reason(ReasonCode.FORGOTTEN_HERE) if memory.fact_hash in forgotten_hashes else None
