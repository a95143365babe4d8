"""Maintenance: archive decayed memories and merge duplicates."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from recollect.consolidation.similarity.duplicates import is_duplicate, more_specific
from recollect.domain.diagnostics import CheckResult
from recollect.domain.event import EventAction, EventChange
from recollect.domain.job import EMBED_JOB
from recollect.domain.maintenance import ArchivedMemory, MaintenanceReport, MemoryMerge
from recollect.domain.memory import ChangeKind, Memory, MemoryStatus
from recollect.domain.policy import Policy
from recollect.domain.scope import SYSTEM_USER, Scope
from recollect.errors import Refused, StoreError
from recollect.maintenance.decay import Retain, apply_decay, archive_reason, decay_outcome, forecast_decay
from recollect.ports.backup import Backup, ProgressCallback
from recollect.ports.clock import Clock
from recollect.ports.store import NO_LIMIT, IndexMaintenance, Store
from recollect.services.consolidation import ConsolidationService
from recollect.services.embedders import EmbedderRegistry
from recollect.services.event_log import EventLog
from recollect.services.memories import MemoryService

#: Memories compared per run: a few seconds of work.
COMPARE_BATCH_SIZE = 200
#: Preference key: `updated_at` of the last memory that was compared.
COMPARED_UNTIL_KEY = ".compared_until"


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceService:
    store: Store
    clock: Clock
    consolidation: ConsolidationService
    embedders: EmbedderRegistry
    memories: MemoryService
    event_log: EventLog

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
                ArchivedMemory(memory=memory, reason=reason)
                for memory, outlook in due
                if (reason := archive_reason(outlook))
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
                ArchivedMemory(memory=memory, reason=reason, due_in_weeks=week)
                for week, memory, outlook in archivals
                if (reason := archive_reason(outlook))
            ),
        )

    def users(self) -> Sequence[str]:
        """Return every user of the store."""
        return self.store.users()

    def location(self) -> str:
        """Return where the data is, for display."""
        return self.store.location()

    def ping(self) -> None:
        """Read from the store, or raise StoreError."""
        self.store.jobs.next_due()

    def check(self, *, deep: bool = False) -> Sequence[CheckResult]:
        """Check the store without changing it; `deep` compares every index entry with its text."""
        return self.store.maintenance.check(deep=deep)

    def backup(self, destination: str | None = None, *, progress: ProgressCallback | None = None) -> Backup:
        """
        Copy the data of all users to a new file, or raise Refused if it exists.

        Without a destination the file is created in the store's own folder for backups.
        """
        if self.store.backups is None:
            raise Refused(
                "Backups are not available with this database. Use its own tools, for example pg_dump for PostgreSQL."
            )
        return self.store.backups.create(destination, now=self.clock.now(), progress=progress)

    def capabilities(self) -> Mapping[str, bool]:
        """Return what the store can do besides storing, by name."""
        return {
            "backups": self.store.backups is not None,
            "byte erasure": self.store.byte_erasure is not None,
            "index repair": self.store.indexes is not None,
        }

    def optimize_indexes(self) -> int:
        """Merge index segments; return the number of steps, 0 if the database does that itself."""
        return 0 if self.store.indexes is None else self.store.indexes.optimize()

    def repair(self) -> Mapping[str, int]:
        """
        Repair indexes that differ from the text, and rebuild a corrupt full-text index; return what was done.

        Rolled back with a StoreError if messages or memories would be lost.
        """
        with self._refuse_row_loss():
            differences = self._require_indexes().repair()
        # A corrupt index, which only the deep check detects, must be rebuilt.
        is_corrupt = any(
            not each.ok and each.name.startswith("full text")
            for each in self.store.maintenance.check(deep=True)
        )
        return {"differences": differences, **(self.rebuild_index("fulltext") if is_corrupt else {})}

    def rebuild_index(self, index: str) -> Mapping[str, int]:
        """Rebuild `fulltext` or `vectors` from the text; return the number of passages by index."""
        with self._refuse_row_loss():
            return {index: self._require_indexes().rebuild(index)}

    def enqueue_embedding(self) -> None:
        """Queue the embedding job of every user who has passages without a vector."""
        for user in self.store.users():
            if self.store.vectors.count_queued(user):
                self.store.jobs.enqueue(user, EMBED_JOB, now=self.clock.now())

    def _require_indexes(self) -> IndexMaintenance:
        if self.store.indexes is None:
            raise Refused("This database maintains its indexes itself; there is nothing to repair.")
        return self.store.indexes

    @contextmanager
    def _refuse_row_loss(self) -> Iterator[None]:
        """Run the block in a transaction; roll it back if the number of messages or memories shrank."""
        with self.store.transaction(SYSTEM_USER):
            counts_before = self._count_source_rows()
            yield
            counts_after = self._count_source_rows()
            lost_rows = {
                name: number - counts_after[name]
                for name, number in counts_before.items()
                if counts_after[name] < number
            }
            if lost_rows:
                lost_text = " and ".join(f"{number} {name}" for name, number in lost_rows.items())
                raise StoreError(
                    f"The repair would have lost {lost_text}, so it was rolled back and the file is unchanged."
                    " Run `recollect doctor --deep` for details; you may need to restore a backup."
                )

    def _count_source_rows(self) -> Mapping[str, int]:
        user_stats = [self.store.maintenance.stats(Scope(user)) for user in self.store.users()]
        return {
            "messages": sum(each.messages for each in user_stats),
            "memories": sum(each.memories for each in user_stats),
        }

    def _archive_decayed(self, memory: Memory, policy: Policy) -> None:
        """Archive one memory in its own transaction, after checking again: it may have been reinforced meanwhile."""
        with self.store.transaction(memory.user):
            current = self.store.memories.get(Scope(memory.user), memory.id)
            after = apply_decay(current, self.clock.now(), policy.decay)
            if after.status is not current.status:
                self.store.memories.save(
                    replace(after, updated_at=self.clock.now()), ChangeKind.ARCHIVE, reason=after.reason
                )
                self.event_log.record(
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
        vectors = self.embedders.embed_texts(scope.user, [memory.text for memory in batch])
        for memory in batch:
            neighbours = self.consolidation.find_similar(scope, memory, vectors, policy.consolidation)
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
        with self.store.transaction(scope.user):
            target = self.store.memories.get(scope, target_id)
            absorbed = self.store.memories.get(scope, absorbed_id)
            if target.status is absorbed.status is MemoryStatus.ACTIVE:
                self.memories.merge_into(target, [absorbed])

    def _memories_to_compare(self, scope: Scope) -> list[Memory]:
        last = self.store.preferences.all(scope.user).get(COMPARED_UNTIL_KEY)
        since = datetime.fromisoformat(last).replace(tzinfo=UTC) if last else None
        known = self.store.memories.list(scope, limit=NO_LIMIT)
        new = [memory for memory in known if since is None or memory.updated_at > since]
        return sorted(new, key=lambda memory: (memory.updated_at, memory.id))[:COMPARE_BATCH_SIZE]
