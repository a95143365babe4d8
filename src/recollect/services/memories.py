"""Changes of memories by the user: edit, forget, archive, restore, pin, merge and undo."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from recollect.consolidation.similarity.duplicates import merge_memories, more_specific
from recollect.consolidation.similarity.transitions import echoes
from recollect.domain.candidate import SearchFilter, Source
from recollect.domain.decay import WEEK
from recollect.domain.event import Event, EventAction, EventChange
from recollect.domain.job import EMBED_JOB
from recollect.domain.memory import (
    ChangeKind,
    ImportanceBand,
    Kind,
    Memory,
    MemoryStatus,
    MemoryVersion,
    Origin,
    SourceSpan,
)
from recollect.domain.memory_details import MemoryDetails, MemoryFacet, SourceQuote, WeightPoint
from recollect.domain.message import Role
from recollect.domain.metadata import Metadata, MetadataFilter
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound, Refused
from recollect.extraction.sentence_units import split_units
from recollect.ingestion.normalization import normalize_content
from recollect.maintenance.decay import archive_reason, decay_outcome, effective_weight
from recollect.ports.clock import Clock
from recollect.ports.store import NO_LIMIT, Store
from recollect.services.event_log import EventLog

#: Statuses from which a memory can be restored.
RESTORABLE_STATUSES = frozenset(
    {MemoryStatus.ARCHIVED, MemoryStatus.FORGOTTEN, MemoryStatus.QUARANTINED, MemoryStatus.CONTESTED}
)
REVIEW_STATUSES = frozenset({MemoryStatus.QUARANTINED, MemoryStatus.CONTESTED})
#: New status and change kind of memories that the user forgets or archives.
REMOVAL_EFFECTS = {
    EventAction.FORGET: (MemoryStatus.FORGOTTEN, ChangeKind.DELETE),
    EventAction.ARCHIVE: (MemoryStatus.ARCHIVED, ChangeKind.ARCHIVE),
}
#: Recalls listed in the details of a memory.
MAX_RECALLS_SHOWN = 200
#: Points of the decay curve before now, and intervals after now.
DECAY_CURVE_POINTS = 12
BY_USER_REASON = Reason(ReasonCode.BY_USER)


#: Gets the current version inside the transaction, and raises if the client has seen another one.
VersionCheck: TypeAlias = Callable[[int], None]


def _accept_any_version(_version: int) -> None:
    """Default of `check_version`."""


#: Maximum repetitions of one fact by the assistant that are searched for.
MAX_SEARCHED_ECHOES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryService:
    store: Store
    clock: Clock
    event_log: EventLog

    def get(self, scope: Scope, memory_id: str) -> Memory:
        """Return the memory with this id or unique id prefix, or raise NotFound."""
        return self.store.memories.get(scope, memory_id)

    def list(
        self,
        scope: Scope,
        *,
        limit: int = 100,
        offset: int = 0,
        status: MemoryStatus | None = MemoryStatus.ACTIVE,
        kind: Kind | None = None,
        tag: str | None = None,
        origin: Origin | None = None,
        band: ImportanceBand | None = None,
        contains: str | None = None,
        as_of: datetime | None = None,
        metadata: MetadataFilter = (),
    ) -> Sequence[Memory]:
        """Return memories, most recently mentioned first; with a chat in the scope, those first mentioned there."""
        return self.store.memories.list(
            scope,
            limit=limit,
            offset=offset,
            status=status,
            kind=kind,
            tag=tag,
            origin=origin,
            band=band,
            contains=contains,
            as_of=as_of,
            metadata=metadata,
        )

    def current_weight(self, memory: Memory, policy: Policy, *, at: datetime | None = None) -> float:
        """Return what decay has left of the weight of a memory, now or at a time."""
        return effective_weight(memory, at or self.clock.now(), policy.decay)

    def list_all(
        self, scope: Scope, *, status: MemoryStatus | None = MemoryStatus.ACTIVE
    ) -> Sequence[Memory]:
        """Return every memory of a status, or of all statuses with None."""
        return self.store.memories.list(scope, limit=NO_LIMIT, status=status)

    def find_existing(self, scope: Scope, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        """Return those of these memories that still exist, by id."""
        found = (self._find(scope, each) for each in memory_ids)
        return {memory.id: memory for memory in found if memory is not None}

    def count(self, scope: Scope) -> int:
        """Count active memories."""
        return self.store.memories.count(scope)

    def count_by_facet(self, scope: Scope, *, contains: str | None = None) -> Mapping[MemoryFacet, int]:
        """Count memories by status, kind, origin and importance."""
        return self.store.statistics.count_by_facet(scope, contains=contains)

    def learned_from(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Memory]:
        """Return the memories with a source in any of these messages, whatever their status."""
        return self.store.memories.of_messages(scope.user_scope, message_ids)

    def history(self, scope: Scope, memory_id: str) -> Sequence[MemoryVersion]:
        """Return all versions of a memory, oldest first."""
        return self.store.memories.history(scope, memory_id)

    def source_quotes(self, scope: Scope, memory: Memory) -> Sequence[SourceQuote]:
        """Return the spans of a memory whose messages still exist."""
        messages = {
            message.id: message
            for message in self.store.messages.get_many(scope, [span.message_id for span in memory.spans])
        }
        return [
            SourceQuote(message=messages[span.message_id], start=span.start, end=span.end)
            for span in memory.spans
            if span.message_id in messages
        ]

    def list_events(
        self,
        scope: Scope,
        *,
        limit: int = 50,
        before: str | None = None,
        until: datetime | None = None,
        actions: Collection[EventAction] = (),
        memory_id: str | None = None,
    ) -> Sequence[Event]:
        """Return the changes of memories, newest first."""
        return self.store.events.list(
            scope,
            limit=limit,
            before=before and self.store.events.get(scope, before).id,
            until=until,
            actions=actions,
            memory_id=memory_id,
        )

    def update(
        self,
        scope: Scope,
        memory_id: str,
        policy: Policy,
        *,
        text: str | None = None,
        tags: Sequence[str] | None = None,
        pinned: bool | None = None,
        metadata: Metadata | None = None,
        check_version: VersionCheck = _accept_any_version,
    ) -> Memory:
        """Change text, tags, pinning or metadata of a memory in one transaction."""
        with self.store.transaction(scope.user):
            memory = self.store.memories.get(scope, memory_id)
            check_version(memory.version)
            if text is not None:
                memory = self.update_memory(scope, memory.id, text, policy)
            if tags is not None:
                memory = self.set_tags(scope, memory.id, tags)
            if pinned is not None:
                memory = self.pin(scope, memory.id, pinned=pinned)
            if metadata is not None:
                memory = self.set_metadata(scope, memory.id, metadata)
        return memory

    def update_memory(self, scope: Scope, memory_id: str, text: str, policy: Policy) -> Memory:
        """Replace the text of a memory; the old text stays in its history."""
        normalized = normalize_content(text, max_bytes=policy.collect.max_message_bytes).strip()
        with self.store.transaction(scope.user):
            memory = self.store.memories.get(scope, memory_id)
            saved = self._save_change(replace(memory, text=normalized), ChangeKind.UPDATE, EventAction.EDIT)
            self.store.jobs.enqueue(scope.user, EMBED_JOB, now=self.clock.now())
        return saved

    def set_tags(self, scope: Scope, memory_id: str, tags: Sequence[str]) -> Memory:
        """Replace the tags of a memory."""
        with self.store.transaction(scope.user):
            memory = self.store.memories.get(scope, memory_id)
            return self._save_change(replace(memory, tags=tuple(tags)), ChangeKind.UPDATE, EventAction.EDIT)

    def set_metadata(self, scope: Scope, memory_id: str, metadata: Metadata) -> Memory:
        """Replace the metadata of a memory."""
        with self.store.transaction(scope.user):
            memory = self.store.memories.get(scope, memory_id)
            return self._save_change(replace(memory, metadata=metadata), ChangeKind.UPDATE, EventAction.EDIT)

    def forget(
        self, scope: Scope, memory_id: str, *, check_version: VersionCheck = _accept_any_version
    ) -> Memory:
        """Forget a memory. Its history stays readable, and it is not learned again from old messages."""
        with self.store.transaction(scope.user):
            check_version(self.store.memories.get(scope, memory_id).version)
            [forgotten] = self.remove_memories(scope, [memory_id], EventAction.FORGET)
        return forgotten

    def forget_all(self, scope: Scope) -> int:
        """Forget every memory of a user, or those first mentioned in a chat; return how many there were."""
        with self.store.transaction(scope.user):
            memories = self.store.memories.list(scope, limit=NO_LIMIT)
            for memory in memories:
                self.forget(scope, memory.id)
        return len(memories)

    def archive(self, scope: Scope, memory_id: str) -> Memory:
        """Archive a memory: it is not recalled, and can be restored."""
        [archived] = self.remove_memories(scope, [memory_id], EventAction.ARCHIVE)
        return archived

    def remove_memories(
        self, scope: Scope, memory_ids: Sequence[str], action: EventAction
    ) -> Sequence[Memory]:
        """Forget or archive several memories as one event, which one undo reverts."""
        status, change, now = *REMOVAL_EFFECTS[action], self.clock.now()
        with self.store.transaction(scope.user):
            memories = {m.id: m for m in (self.store.memories.get(scope, each) for each in memory_ids)}
            changing = [memory for memory in memories.values() if memory.status is not status]
            for memory in changing:
                if status is MemoryStatus.FORGOTTEN:
                    self.store.tombstones.add(scope.user, memory.fact_hash, now=now)
                    memory = self._with_echoes(memory)  # noqa: PLW2901
                removed = replace(memory, status=status, reason=BY_USER_REASON, updated_at=now)
                memories[memory.id] = self.store.memories.save(removed, change, reason=BY_USER_REASON)
            if changing:
                self.event_log.record(
                    scope.user,
                    action,
                    *(EventChange(memory_id=m.id, previous_version=m.version) for m in changing),
                )
        return list(memories.values())

    def _with_echoes(self, memory: Memory) -> Memory:
        """Add the assistant's repetitions to the sources of a memory: a forgotten one hides its sources from recall."""
        scope, search_filter = Scope(user=memory.user), SearchFilter(sources=frozenset({Source.MESSAGE}))
        hits = self.store.search.lexical(
            scope, memory.text, limit=MAX_SEARCHED_ECHOES, search_filter=search_filter
        )
        messages = self.store.search.load(
            scope, [hit.passage_id for hit in hits], search_filter=search_filter
        ).values()
        spans = [
            SourceSpan(message_id=message.id, start=unit.start, end=unit.end)
            for message in messages
            if message.role is Role.ASSISTANT
            for unit in split_units(message.text)
            if echoes(memory, unit.text)
        ]
        return replace(memory, spans=tuple(dict.fromkeys((*memory.spans, *spans))))

    def restore_memories(self, scope: Scope, memory_ids: Sequence[str]) -> Sequence[Memory]:
        """Restore several memories in one transaction."""
        with self.store.transaction(scope.user):
            return [self.restore(scope, each) for each in self._full_ids(scope, memory_ids)]

    def restore(self, scope: Scope, memory_id: str) -> Memory:
        """Restore an archived or forgotten memory, or accept one from the review queue."""
        with self.store.transaction(scope.user):
            memory = self.store.memories.get(scope, memory_id)
            if memory.status not in RESTORABLE_STATUSES:
                raise InvalidInput(f"Memory {memory.id} is {memory.status}: there is nothing to restore.")
            self.store.tombstones.remove(scope.user, memory.fact_hash)
            restored = replace(
                memory, status=MemoryStatus.ACTIVE, reason=None, last_stated_at=self.clock.now()
            )
            action = EventAction.ACCEPT if memory.status in REVIEW_STATUSES else EventAction.RESTORE
            steps = self._supersede_conflicts(memory) if memory.status is MemoryStatus.CONTESTED else ()
            return self._save_change(restored, ChangeKind.RESTORE, action, *steps)

    def pin_memories(
        self, scope: Scope, memory_ids: Sequence[str], *, pinned: bool = True
    ) -> Sequence[Memory]:
        """Pin or unpin several memories in one transaction."""
        with self.store.transaction(scope.user):
            return [self.pin(scope, each, pinned=pinned) for each in self._full_ids(scope, memory_ids)]

    def pin(self, scope: Scope, memory_id: str, *, pinned: bool = True) -> Memory:
        """Exempt a memory from decay, or let it decay again."""
        with self.store.transaction(scope.user):
            memory = self.store.memories.get(scope, memory_id)
            return self._save_change(replace(memory, pinned=pinned), ChangeKind.UPDATE, EventAction.PIN)

    def merge(self, scope: Scope, memory_ids: Sequence[str]) -> Memory:
        """Merge memories into the most specific one, with the sources of all."""
        with self.store.transaction(scope.user):
            memories = {m.id: m for m in (self.store.memories.get(scope, each) for each in memory_ids)}
            if len(memories) < 2:
                raise InvalidInput("A merge needs at least two different memories.")
            first, *others = memories.values()
            most_specific = first
            for other in others:
                most_specific = more_specific(most_specific, other)
            return self.merge_into(most_specific, [m for m in memories.values() if m.id != most_specific.id])

    def merge_into(self, target: Memory, others: Sequence[Memory]) -> Memory:
        """Merge others into a memory; they stay in history. Must run inside a transaction."""
        now, combined = self.clock.now(), target
        for other in others:
            combined = replace(
                merge_memories(combined, other, now), id=target.id, version=target.version, text=target.text
            )
        steps = []
        for other in others:
            superseded = replace(
                other,
                status=MemoryStatus.SUPERSEDED,
                superseded_by=target.id,
                reason=Reason(ReasonCode.MERGED_INTO, {"text": target.text}),
                updated_at=now,
            )
            self.store.memories.save(superseded, ChangeKind.MERGE, reason=superseded.reason)
            steps.append(EventChange(memory_id=other.id, previous_version=other.version))
        return self._save_change(combined, ChangeKind.MERGE, EventAction.MERGE, *steps)

    def describe_memory(self, scope: Scope, memory_id: str, policy: Policy, *, weeks: int) -> MemoryDetails:
        """Return the sources of a memory, its recalls, and its decay over the next weeks."""
        memory, now = self.store.memories.get(scope, memory_id), self.clock.now()
        check_times = (now + week * WEEK for week in range(weeks + 1))
        archival = next(
            (
                (at, why)
                for at in check_times
                if (why := archive_reason(decay_outcome(memory, at, policy.decay)))
            ),
            (None, None),
        )
        return MemoryDetails(
            quotes=self.source_quotes(scope.user_scope, memory),
            uses=self.store.statistics.recall_uses(scope, memory.id, limit=MAX_RECALLS_SHOWN),
            weight_forecast=[
                WeightPoint(at=at, weight=effective_weight(memory, at, policy.decay))
                for at in _sample_times(memory.last_stated_at, now, weeks)
            ],
            archive_below=policy.decay.archive_below,
            archive_at=archival[0],
            archive_reason=archival[1],
        )

    def undo(self, scope: Scope, event_id: str | None = None) -> Event:
        """Undo the last event, or a given one; return the undone event."""
        with self.store.transaction(scope.user):
            event = self.store.events.get(scope, event_id) if event_id else self._last_undoable(scope)
            if event.is_undone:
                raise InvalidInput(f"Event {event.id} is already undone.")
            undone = tuple(self._undo_step(scope, step, event) for step in event.changes)
            self.store.events.mark_undone(scope, event.id)
            self.event_log.record(scope.user, EventAction.UNDO, *undone)
            self.store.jobs.enqueue(scope.user, EMBED_JOB, now=self.clock.now())
        return event

    def _undo_step(self, scope: Scope, step: EventChange, event: Event) -> EventChange:
        memory = self.store.memories.get(scope, step.memory_id)
        if not self._is_unchanged_since(scope, memory, (step.previous_version or 0) + 1):
            raise Refused(
                f"Memory {memory.id} was changed after this {event.action}. Undo the later change first:"
                " `recollect memories events` shows it."
            )
        previous = self._memory_before(scope, memory, step)
        saved = replace(previous, version=memory.version, updated_at=self.clock.now())
        self.store.memories.save(
            saved, ChangeKind.RESTORE, reason=Reason(ReasonCode.UNDID, {"action": event.action.value})
        )
        return EventChange(memory_id=memory.id, previous_version=memory.version)

    def _is_unchanged_since(self, scope: Scope, memory: Memory, version: int) -> bool:
        """Whether the memory has the content of this version."""
        versioned = self.store.memories.at_version(scope, memory.id, version)
        expected = replace(
            versioned, version=memory.version, updated_at=memory.updated_at, spans=memory.spans
        )
        return expected == memory

    def _memory_before(self, scope: Scope, memory: Memory, step: EventChange) -> Memory:
        """Return the previous version; a memory that did not exist before becomes forgotten."""
        if step.previous_version is None:
            self.store.tombstones.add(scope.user, memory.fact_hash, now=self.clock.now())
            return replace(memory, status=MemoryStatus.FORGOTTEN, reason=Reason(ReasonCode.REJECTED_BY_USER))
        before = self.store.memories.at_version(scope, memory.id, step.previous_version)
        if before.status is MemoryStatus.ACTIVE:
            self.store.tombstones.remove(scope.user, before.fact_hash)
        return before

    def _last_undoable(self, scope: Scope) -> Event:
        events = self.store.events.list(scope, limit=NO_LIMIT)
        undoable = next((event for event in events if self.can_be_undone(scope, event)), None)
        if undoable is None:
            raise NotFound("There is nothing to undo.")
        return undoable

    def can_be_undone(self, scope: Scope, event: Event) -> bool:
        """Events on memories that were erased with their messages cannot be undone."""
        return (
            not event.is_undone
            and event.action is not EventAction.UNDO
            and all(self._memory_exists(scope, step.memory_id) for step in event.changes)
        )

    def _memory_exists(self, scope: Scope, memory_id: str) -> bool:
        return self._find(scope, memory_id) is not None

    def _find(self, scope: Scope, memory_id: str) -> Memory | None:
        try:
            return self.store.memories.get(scope, memory_id)
        except NotFound:
            return None

    def _full_ids(self, scope: Scope, memory_ids: Sequence[str]) -> Sequence[str]:
        """Resolve prefixes of ids, without duplicates."""
        return list(dict.fromkeys(self.store.memories.get(scope, each).id for each in memory_ids))

    def _supersede_conflicts(self, contested: Memory) -> tuple[EventChange, ...]:
        """Supersede the memories that an accepted contested memory contradicts."""
        steps = []
        scope = Scope(contested.user)
        conflicts = (
            self.store.memories.by_attribute(scope, contested.attribute) if contested.attribute else ()
        )
        for conflict in conflicts:
            superseded = replace(
                conflict,
                status=MemoryStatus.SUPERSEDED,
                superseded_by=contested.id,
                valid_to=contested.valid_from or contested.last_stated_at,
                reason=Reason(ReasonCode.SUPERSEDED_BY, {"text": contested.text}),
                updated_at=self.clock.now(),
            )
            self.store.memories.save(superseded, ChangeKind.SUPERSEDE, reason=superseded.reason)
            steps.append(EventChange(memory_id=conflict.id, previous_version=conflict.version))
        return tuple(steps)

    def _save_change(
        self, memory: Memory, change: ChangeKind, action: EventAction, *more_steps: EventChange
    ) -> Memory:
        saved = self.store.memories.save(
            replace(memory, updated_at=self.clock.now()), change, reason=memory.reason
        )
        self.event_log.record(
            memory.user,
            action,
            EventChange(memory_id=memory.id, previous_version=memory.version),
            *more_steps,
        )
        return saved


def _sample_times(start: datetime, now: datetime, weeks: int) -> Iterator[datetime]:
    """Yield times from the last mention until some weeks from now, evenly spaced, including now."""
    yield from (
        start + (now - start) * step / DECAY_CURVE_POINTS for step in range(DECAY_CURVE_POINTS) if now > start
    )
    yield from (now + weeks * WEEK * step / DECAY_CURVE_POINTS for step in range(DECAY_CURVE_POINTS + 1))
