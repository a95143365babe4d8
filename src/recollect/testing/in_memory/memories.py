"""Memories and their versions in memory."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.candidate import Source
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
from recollect.domain.memory_details import MemoryFacet, RecallUse
from recollect.domain.metadata import MetadataFilter, matches_metadata
from recollect.domain.outcomes import FactOutcome, version_changes
from recollect.domain.reason import Reason
from recollect.domain.related_memories import RelatedMemories
from recollect.domain.scope import Scope
from recollect.errors import NotFound, Refused, StoreError
from recollect.ports.embedder import Vector
from recollect.ports.store import NO_LIMIT
from recollect.testing.in_memory.database import Connection
from recollect.testing.in_memory.search import InMemorySearch
from recollect.testing.in_memory.tables import MemoryRow, UserTables, VersionRow, is_valid_at


class InMemoryMemories:
    def __init__(self, connection: Connection, search: InMemorySearch) -> None:
        self._connection = connection
        self._search = search

    def add(self, memory: Memory, *, reason: Reason | None = None) -> tuple[Memory, bool]:
        with self._connection.write(memory.user) as tables:
            if memory.status is MemoryStatus.ACTIVE:
                same = _by_hash(tables, memory.fact_hash)
                if same is not None:
                    return same, False
            self._insert(tables, memory, reason)
        return memory, True

    def get(self, scope: Scope, memory_id: str) -> Memory:
        memories = self._connection.read(scope.user).memories
        if memory_id in memories:
            return memories[memory_id].memory
        matches = [key for key in memories if memory_id and key.startswith(memory_id)]
        if len(matches) == 1:
            return memories[matches[0]].memory
        missing = (
            f"There is no memory {memory_id!r} for this user. `recollect memories list` shows what there is."
        )
        ambiguous = f"More than one memory id begins with {memory_id!r}. Give more characters."
        raise NotFound(ambiguous if matches else missing)

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
        rows = [
            row
            for row in self._connection.read(scope.user).memories.values()
            if (scope.chat in {None, row.memory.chat})
            and (as_of is not None or status in {None, row.memory.status})
            and kind in {None, row.memory.kind}
            and origin in {None, row.memory.origin}
            and (tag is None or tag in row.memory.tags)
            and matches_metadata(row.memory.metadata, metadata)
            and band in {None, ImportanceBand.from_importance(row.memory.importance)}
            and (not contains or contains.lower() in row.memory.text.lower())
            and (as_of is None or is_valid_at(row.memory, as_of))
        ]
        return [row.memory for row in _newest_first(rows)][offset : offset + limit]

    def count(self, scope: Scope, *, limit: int = NO_LIMIT) -> int:
        return min(len(_active_rows(self._connection.read(scope.user))), limit)

    def by_hash(self, scope: Scope, fact_hash: str) -> Memory | None:
        return _by_hash(self._connection.read(scope.user), fact_hash)

    def by_attribute(self, scope: Scope, attribute: str) -> Sequence[Memory]:
        rows = _active_rows(self._connection.read(scope.user))
        return [row.memory for row in _newest_first([r for r in rows if r.memory.attribute == attribute])]

    def of_messages(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Memory]:
        return [
            row.memory
            for row in self._connection.read(scope.user).memories.values()
            if any(span.message_id in message_ids for span in row.memory.spans)
        ]

    def related(self, scope: Scope, memories: Sequence[Memory]) -> Sequence[Memory]:
        ids = {memory.id for memory in memories} | {m.superseded_by for m in memories if m.superseded_by}
        attributes = {memory.attribute for memory in memories if memory.attribute}
        hashes = {memory.fact_hash for memory in memories}
        spans = {span for memory in memories for span in memory.spans}
        return [
            row.memory
            for row in self._connection.read(scope.user).memories.values()
            if row.memory.id in ids
            or row.memory.superseded_by in ids
            or row.memory.attribute in attributes
            or row.memory.fact_hash in hashes
            or spans & set(row.memory.spans)
        ]

    def related_to(
        self,
        scope: Scope,
        new_memories: Sequence[Memory],
        *,
        kinds: Collection[Kind],
        newest: int,
        vectors: Mapping[str, Vector],
        model: str | None,
        nearest: int,
    ) -> RelatedMemories:
        tables = self._connection.read(scope.user)
        query_vectors = {new.id: vectors[new.text] for new in new_memories if new.text in vectors}
        hits = self._search.nearest_memories(scope, query_vectors, model=model, limit=nearest)
        near_ids = {memory_id for each in hits.values() for memory_id, _ in each}
        hashes = {memory.fact_hash for memory in new_memories}
        attributes = {memory.attribute for memory in new_memories if memory.attribute}
        message_ids = {span.message_id for memory in new_memories for span in memory.spans}
        active = _active_rows(tables)
        for kind in kinds:
            newest_rows = _newest_first([row for row in active if row.memory.kind is kind])[:newest]
            near_ids |= {row.memory.id for row in newest_rows}
        related = [
            row.memory
            for row in tables.memories.values()
            if row.memory.id in near_ids
            or any(span.message_id in message_ids for span in row.memory.spans)
            or (
                row.memory.status is MemoryStatus.ACTIVE
                and (row.memory.fact_hash in hashes or row.memory.attribute in attributes)
            )
        ]
        return RelatedMemories(memories=tuple(related), nearest=hits)

    def apply(self, outcomes: Sequence[FactOutcome]) -> None:
        for each in version_changes(outcomes):
            if each.change is ChangeKind.ADD:
                with self._connection.write(each.memory.user) as tables:
                    self._insert(tables, each.memory, each.reason)
            else:
                self._update(each.memory, each.change, each.reason)

    def change_kinds(self, scope: Scope, memory_ids: Collection[str]) -> Mapping[str, frozenset[ChangeKind]]:
        versions = self._connection.read(scope.user).versions
        return {
            memory_id: frozenset(row.version.change for row in versions[memory_id])
            for memory_id in memory_ids
            if memory_id in versions
        }

    def add_sources(self, scope: Scope, memory_id: str, spans: Sequence[SourceSpan]) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            row = tables.memories.get(memory_id)
            if row is not None:
                merged = _known_spans(tables, (*row.memory.spans, *spans))
                tables.memories[memory_id] = replace(row, memory=replace(row.memory, spans=merged))

    def at_version(self, scope: Scope, memory_id: str, version: int) -> Memory:
        for row in self._connection.read(scope.user).versions.get(memory_id, ()):
            if row.version.version == version:
                return row.memory
        raise NotFound(f"Version {version} of memory {memory_id!r} is not stored in full.")

    def save(self, memory: Memory, change: ChangeKind, *, reason: Reason | None = None) -> Memory:
        with self._connection.transaction(memory.user):
            same = self.by_hash(Scope(memory.user), memory.fact_hash)
            if memory.status is MemoryStatus.ACTIVE and same is not None and same.id != memory.id:
                raise Refused(f"Memory {same.id} already states the same. Forget one of the two instead.")
            next_version = replace(memory, version=memory.version + 1)
            self._update(next_version, change, reason)
        return next_version

    def history(self, scope: Scope, memory_id: str) -> Sequence[MemoryVersion]:
        memory = self.get(scope, memory_id)
        return [row.version for row in self._connection.read(scope.user).versions[memory.id]]

    def erase(self, scope: Scope, memory_id: str) -> None:
        memory = self.get(scope, memory_id)
        with self._connection.write(scope.user, creates_user=False) as tables:
            tables.delete_memory(memory.id)

    def _insert(self, tables: UserTables, memory: Memory, reason: Reason | None) -> None:
        if memory.id in tables.memories or (
            memory.status is MemoryStatus.ACTIVE and _by_hash(tables, memory.fact_hash) is not None
        ):
            raise StoreError(f"{StoreError.__doc__} (memory {memory.id!r} exists, or its fact is active)")
        stored = replace(
            memory,
            chat=memory.chat if memory.chat in tables.chats else None,
            spans=_known_spans(tables, memory.spans),
        )
        tables.memories[memory.id] = MemoryRow(no=self._connection.new_number(), memory=stored)
        tables.index_memory(stored, self._connection.new_number())
        _add_version(tables, memory, ChangeKind.ADD, None, reason)

    def _update(self, memory: Memory, change: ChangeKind, reason: Reason | None) -> None:
        """Store a version of a memory whose predecessor is the stored one."""
        with self._connection.write(memory.user, creates_user=False) as tables:
            row = tables.memories.get(memory.id)
            if row is None:
                raise NotFound(
                    f"There is no memory {memory.id!r} for this user. `recollect memories list` shows what there is."
                )
            if row.memory.version != memory.version - 1:
                raise Refused(
                    f"Memory {memory.id} was changed in the meantime: it is at version {row.memory.version}, not"
                    f" {memory.version - 1}. Read it again and repeat the change."
                )
            stored = replace(
                memory,
                chat=row.memory.chat,
                created_at=memory.created_at,
                spans=_known_spans(tables, memory.spans),
            )
            tables.memories[memory.id] = replace(row, memory=stored)
            tables.index_memory(stored, self._connection.new_number())
            if memory.text != row.memory.text or memory.status is MemoryStatus.FORGOTTEN:
                tables.delete_injections_of({Source.MEMORY}, memory.id)
            old_text = row.memory.text if row.memory.text != memory.text else None
            _add_version(tables, memory, change, old_text, reason)


class InMemoryStatistics:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def count_by_facet(self, scope: Scope, *, contains: str | None = None) -> Mapping[MemoryFacet, int]:
        counts: dict[MemoryFacet, int] = {}
        for row in self._connection.read(scope.user).memories.values():
            memory = row.memory
            if contains and contains.lower() not in memory.text.lower():
                continue
            facet = MemoryFacet(
                status=memory.status,
                kind=memory.kind,
                origin=memory.origin,
                band=ImportanceBand.from_importance(memory.importance),
            )
            counts[facet] = counts.get(facet, 0) + 1
        return counts

    def recall_uses(self, scope: Scope, memory_id: str, *, limit: int) -> Sequence[RecallUse]:
        receipts = reversed(list(self._connection.read(scope.user).receipts.values()))
        uses = [
            RecallUse(
                receipt_id=receipt.id,
                at=receipt.created_at,
                chat=receipt.chat,
                query=receipt.query,
                disposition=item.disposition,
                score=item.score,
            )
            for receipt in receipts
            for item in receipt.items
            if item.source is Source.MEMORY and item.id == memory_id
        ]
        return uses[:limit]


def _active_rows(tables: UserTables) -> Sequence[MemoryRow]:
    return [row for row in tables.memories.values() if row.memory.status is MemoryStatus.ACTIVE]


def _by_hash(tables: UserTables, fact_hash: str) -> Memory | None:
    return next((row.memory for row in _active_rows(tables) if row.memory.fact_hash == fact_hash), None)


def _newest_first(rows: Sequence[MemoryRow]) -> Sequence[MemoryRow]:
    return sorted(rows, key=lambda row: (row.memory.last_stated_at, row.no), reverse=True)


def _known_spans(tables: UserTables, spans: Sequence[SourceSpan]) -> tuple[SourceSpan, ...]:
    """Return the spans in existing messages, one per start, in the order of the messages."""
    by_place: dict[tuple[int, int], SourceSpan] = {}
    for span in spans:
        row = tables.messages.get(span.message_id)
        if row is not None:
            by_place.setdefault((row.no, span.start), span)
    return tuple(by_place[place] for place in sorted(by_place))


def _add_version(
    tables: UserTables, memory: Memory, change: ChangeKind, old_text: str | None, reason: Reason | None
) -> None:
    version = MemoryVersion(
        memory_id=memory.id,
        version=memory.version,
        change=change,
        text=memory.text,
        old_text=old_text,
        kind=memory.kind,
        weight=memory.weight,
        status=memory.status,
        changed_at=memory.updated_at,
        reason=reason,
    )
    row = VersionRow(version=version, memory=memory)
    tables.versions[memory.id] = (*tables.versions.get(memory.id, ()), row)
