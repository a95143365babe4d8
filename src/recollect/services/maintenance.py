"""Maintenance: archive decayed memories and merge duplicates."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from recollect.consolidation.similarity.duplicates import is_duplicate, more_specific
from recollect.domain.decay import WEEK
from recollect.domain.event import EventAction, EventChange
from recollect.domain.maintenance import ArchivedMemory, MaintenanceReport, MemoryMerge
from recollect.domain.memory import ChangeKind, Memory, MemoryStatus
from recollect.domain.memory_details import MemoryDetails, SourceQuote, WeightPoint
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.maintenance.decay import (
    DecayOutcome,
    Retain,
    apply_decay,
    decay_outcome,
    effective_weight,
    forecast_decay,
)
from recollect.ports.store import NO_LIMIT
from recollect.services.ingest import IngestMixin
from recollect.services.memories import MemoryEditsMixin

#: Memories compared per run: a few seconds of work.
COMPARE_BATCH_SIZE = 200
#: Recalls listed in the details of a memory.
MAX_RECALLS_SHOWN = 200
#: Points of the decay curve before now, and intervals after now.
DECAY_CURVE_POINTS = 12
#: Preference key: `updated_at` of the last memory that was compared.
COMPARED_UNTIL_KEY = ".compared_until"


@dataclass(frozen=True, kw_only=True)
class MaintenanceMixin(IngestMixin, MemoryEditsMixin):
    def run_maintenance(self, scope: Scope, policy: Policy, *, dry_run: bool = False) -> MaintenanceReport:
        """Archive decayed memories and merge duplicates; with `dry_run` only report what would be done."""
        scope, now = scope.user_scope, self.clock.now()
        memories = self.store.memories.list(scope, limit=NO_LIMIT)
        outlooks = [(memory, decay_outcome(memory, now, policy.decay)) for memory in memories]
        due = [(memory, outlook) for memory, outlook in outlooks if not isinstance(outlook, Retain)]
        if not dry_run:
            for memory, _ in due:
                self._archive_decayed(memory, policy)
        merged = tuple(
            self._merge_duplicates(scope, policy, {memory.id for memory, _ in due}, dry_run=dry_run)
        )
        return MaintenanceReport(
            at=now,
            archived_memories=tuple(
                ArchivedMemory(memory=memory, reason=_archive_reason(outlook)) for memory, outlook in due
            ),
            merges=merged,
        )

    def forecast_decay(self, scope: Scope, policy: Policy, *, weeks: int) -> MaintenanceReport:
        """Return the memories that will be archived within some weeks unless they are mentioned again."""
        memories = self.store.memories.list(scope.user_scope, limit=NO_LIMIT)
        archivals = forecast_decay(memories, self.clock.now(), weeks, policy.decay)
        return MaintenanceReport(
            at=self.clock.now(),
            archived_memories=tuple(
                ArchivedMemory(memory=m, reason=_archive_reason(o), due_in_weeks=week)
                for week, m, o in archivals
            ),
        )

    def describe_memory(self, scope: Scope, memory_id: str, policy: Policy, *, weeks: int) -> MemoryDetails:
        """Return the sources of a memory, its recalls, and its decay over the next weeks."""
        memory, now = self.store.memories.get(scope, memory_id), self.clock.now()
        source_messages = self.store.messages.get_many(
            scope.user_scope, [span.message_id for span in memory.spans]
        )
        messages = {message.id: message for message in source_messages}
        check_times = (now + week * WEEK for week in range(weeks + 1))
        archival = next(
            (
                (at, why)
                for at in check_times
                if (why := _archive_reason(decay_outcome(memory, at, policy.decay)))
            ),
            (None, None),
        )
        return MemoryDetails(
            quotes=[
                SourceQuote(message=messages[span.message_id], start=span.start, end=span.end)
                for span in memory.spans
                if span.message_id in messages
            ],
            uses=self.store.statistics.recall_uses(scope, memory.id, limit=MAX_RECALLS_SHOWN),
            weight_forecast=[
                WeightPoint(at=at, weight=effective_weight(memory, at, policy.decay))
                for at in _sample_times(memory.seen_at, now, weeks)
            ],
            archive_below=policy.decay.archive_below,
            archive_at=archival[0],
            archive_reason=archival[1],
        )

    def _archive_decayed(self, memory: Memory, policy: Policy) -> None:
        """Archive one memory in its own transaction, after checking again: it may have been reinforced meanwhile."""
        with self.store.transaction():
            current = self.store.memories.get(Scope(memory.user), memory.id)
            after = apply_decay(current, self.clock.now(), policy.decay)
            if after.standing is not current.standing:
                self.store.memories.save(
                    replace(after, updated_at=self.clock.now()), ChangeKind.ARCHIVE, reason=after.reason
                )
                self.record_event(
                    memory.user,
                    EventAction.ARCHIVE,
                    EventChange(memory_id=memory.id, previous_version=current.version),
                )

    def _merge_duplicates(
        self, scope: Scope, policy: Policy, leaving_ids: set[str], *, dry_run: bool
    ) -> Iterator[MemoryMerge]:
        """Compare memories changed since the last run with similar ones, and merge duplicates."""
        batch = self._memories_to_compare(scope)
        excluded_ids = set(leaving_ids)
        model = self._embedding_model_id(scope.user)
        vectors = self.embed_texts(scope.user, [memory.text for memory in batch])
        for memory in batch:
            neighbours = self.consolidator.find_similar(
                scope, memory, policy.consolidation, vectors.get(memory.text), model
            )
            for other, cosine in neighbours:
                if other.id == memory.id or {memory.id, other.id} & excluded_ids:
                    continue
                if is_duplicate(other, memory, cosine, policy.consolidation):
                    target = more_specific(memory, other)
                    absorbed = other if target.id == memory.id else memory
                    excluded_ids.add(absorbed.id)
                    yield MemoryMerge(target=target, duplicates=(absorbed,))
                    if not dry_run:
                        self._merge_if_active(scope, target.id, absorbed.id)
        if batch and not dry_run:
            last = f"{batch[-1].updated_at:%Y-%m-%dT%H:%M:%S.%f}"
            self.store.preferences.set(scope.user, COMPARED_UNTIL_KEY, last, now=self.clock.now())

    def _merge_if_active(self, scope: Scope, target_id: str, absorbed_id: str) -> None:
        with self.store.transaction():
            target = self.store.memories.get(scope, target_id)
            absorbed = self.store.memories.get(scope, absorbed_id)
            if target.standing is absorbed.standing is MemoryStatus.ACTIVE:
                self.merge_into(target, [absorbed])

    def _memories_to_compare(self, scope: Scope) -> list[Memory]:
        last = self.store.preferences.all(scope.user).get(COMPARED_UNTIL_KEY)
        since = datetime.fromisoformat(last).replace(tzinfo=UTC) if last else None
        known = self.store.memories.list(scope, limit=NO_LIMIT)
        new = [memory for memory in known if since is None or memory.updated_at > since]
        return sorted(new, key=lambda memory: (memory.updated_at, memory.id))[:COMPARE_BATCH_SIZE]


def _sample_times(start: datetime, now: datetime, weeks: int) -> Iterator[datetime]:
    """Yield times from the last mention until some weeks from now, evenly spaced, including now."""
    yield from (
        start + (now - start) * step / DECAY_CURVE_POINTS for step in range(DECAY_CURVE_POINTS) if now > start
    )
    yield from (now + weeks * WEEK * step / DECAY_CURVE_POINTS for step in range(DECAY_CURVE_POINTS + 1))


def _archive_reason(outlook: DecayOutcome) -> str:
    return "" if isinstance(outlook, Retain) else outlook.reason
