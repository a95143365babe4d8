"""Import of memories from other files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from recollect.consolidation.consolidator import Consolidator
from recollect.domain.event import EventAction, EventChange
from recollect.domain.import_result import ImportResult, SkippedMemory
from recollect.domain.memory import Memory, MemoryStatus, Origin
from recollect.domain.message import MessageDraft
from recollect.domain.outcomes import (
    AlreadyKnown,
    Conflicting,
    Declined,
    FactOutcome,
    New,
    PreviouslyForgotten,
    Reinforced,
    Superseded,
)
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.ingestion.preparation import MessagePreparer
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Vector
from recollect.ports.store import Store
from recollect.services.embedders import EmbedderRegistry
from recollect.services.event_log import EventLog
from recollect.services.ingest import EMBED_JOB


@dataclass(slots=True)
class _ImportTally:
    new_memories: list[Memory] = field(default_factory=list)
    known_count: int = 0
    left_out: list[SkippedMemory] = field(default_factory=list)
    steps: list[EventChange] = field(default_factory=list)

    def leave_out(self, memory: Memory, reason: str) -> None:
        self.left_out.append(SkippedMemory(text=memory.text, reason=reason))

    def count_outcome(self, outcome: FactOutcome, imported: Memory) -> None:
        match outcome:
            case New(memory=memory):
                self._add(memory)
            case Superseded(old=old) if old.id == imported.id:
                # The imported memory describes an earlier state: it is stored as superseded.
                self._add(old)
            case Superseded(memory=memory, old=old):
                if memory is not None:
                    self._add(memory)
                self.steps.append(EventChange(memory_id=old.id, previous_version=old.version - 1))
            case Conflicting(memory=memory, against=against):
                self.steps.append(EventChange(memory_id=memory.id, previous_version=None))
                self.leave_out(imported, f"contradicts {against.text!r}; it is in the review queue")
            case Reinforced() | AlreadyKnown():
                self.known_count += 1
            case PreviouslyForgotten(reason=reason) | Declined(reason=reason):
                self.leave_out(imported, reason)

    def _add(self, memory: Memory) -> None:
        self.new_memories.append(memory)
        self.steps.append(EventChange(memory_id=memory.id, previous_version=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class InterchangeService:
    store: Store
    clock: Clock
    ids: Ids
    preparer: MessagePreparer
    consolidator: Consolidator
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
            for memory in prepared:
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
            text=self.preparer(scope, draft, policy).message.content,
            origin=Origin.IMPORT,
            spans=(),
            chat=None,
            version=1,
            superseded_by=None,
        )

    def _import_memory(
        self, scope: Scope, memory: Memory, tally: _ImportTally, vectors: Mapping[str, Vector], policy: Policy
    ) -> None:
        if reason := self._exclusion_reason(scope, memory):
            tally.leave_out(memory, reason)
        elif self.store.memories.by_hash(scope, memory.fact_hash) is not None:
            tally.known_count += 1
        else:
            renamed = replace(memory, id=self._available_id(scope, memory.id))
            vector = vectors.get(memory.text)
            tally.count_outcome(
                self.consolidator(
                    renamed, policy.consolidation, vector=vector, model=self.embedders.model_id(scope.user)
                ),
                renamed,
            )

    def _exclusion_reason(self, scope: Scope, memory: Memory) -> str | None:
        if memory.status is not MemoryStatus.ACTIVE:
            return f"it is {memory.status}"
        if not self.store.consents.all(scope).get(memory.kind, True):
            return f"no consent for {memory.kind}"
        if self.store.tombstones.forgotten_at(scope.user, memory.fact_hash) is not None:
            return "it was forgotten here"
        return None

    def _available_id(self, scope: Scope, memory_id: str) -> str:
        """Return the original id, or a new one if it is taken."""
        try:
            self.store.memories.get(scope, memory_id)
        except NotFound:
            return memory_id
        return self.ids.new()
