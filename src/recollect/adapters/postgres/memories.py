"""Memories, their versions and their sources in PostgreSQL."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.dependents import delete_injections, delete_memories
from recollect.adapters.postgres.passages import HAS_METADATA, memory_passage, row_number
from recollect.adapters.postgres.postings import index_passage, reindex_passage
from recollect.adapters.postgres.rows import (
    Connection,
    Row,
    SqlValue,
    chat_number,
    execute,
    fetch,
    fetch_number,
    fetch_one,
    where_clause,
)
from recollect.adapters.postgres.search import PostgresSearch
from recollect.adapters.postgres.statistics import BAND_EXPRESSION, TEXT_CONTAINS
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
from recollect.domain.metadata import MetadataFilter
from recollect.domain.outcomes import FactOutcome, version_changes
from recollect.domain.reason import Reason
from recollect.domain.related_memories import RelatedMemories
from recollect.domain.scope import Scope
from recollect.errors import NotFound, Refused
from recollect.ports.embedder import Vector
from recollect.ports.store import NO_LIMIT
from recollect.storage.encoding import (
    decode_version,
    encode_metadata_filter,
    encode_version,
    memory_columns,
    to_memory,
)
from recollect.storage.passages import NO_CHAT
from recollect.storage.reasons import decode_reason_or_none, encode_reason_or_none
from recollect.storage.timestamps import from_ms, to_ms, to_ms_or_none

MEMORY_COLUMNS = """
    kind weight status origin speaker tags metadata times_stated version pinned attribute value superseded_by
    valid_from valid_to expires_at reason fact_hash tokens created_at updated_at last_stated_at text
""".split()
SOURCE_SPANS = """
    (SELECT coalesce(
            json_agg(json_build_array(q.id, s.start_char, s.end_char) ORDER BY s.message_no, s.start_char), '[]'
        )
        FROM memory_spans s JOIN messages q ON q.user_id = s.user_id AND q.no = s.message_no
        WHERE s.user_id = m.user_id AND s.memory_no = m.no)
"""
SELECT_MEMORY = f"""
    SELECT m.no, m.id, c.id, {", ".join("m." + name for name in MEMORY_COLUMNS)}, {SOURCE_SPANS}
    FROM memories m LEFT JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no
"""
INSERT_MEMORY = f"""
    INSERT INTO memories (user_id, chat_no, id, {", ".join(MEMORY_COLUMNS)})
    VALUES (
        $1, (SELECT no FROM chats WHERE user_id = $1 AND id = $2), $3,
        {", ".join(f"${number}" for number in range(4, 4 + len(MEMORY_COLUMNS)))}
    )
    RETURNING no
"""
UPDATE_MEMORY = f"""
    UPDATE memories SET {", ".join(f"{name} = ${number}" for number, name in enumerate(MEMORY_COLUMNS, 3))}
    WHERE user_id = $1 AND no = $2
"""
INSERT_VERSION = """
    INSERT INTO memory_versions
        (user_id, memory_no, version, change, text, old_text, kind, weight, status, changed_at, reason, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
"""
WHERE_RELATED = """
    WHERE m.user_id = $1 AND (
        m.id = ANY($2::text[]) OR m.superseded_by = ANY($2::text[])
        OR m.attribute = ANY($3::text[]) OR m.fact_hash = ANY($4::text[])
        OR m.no IN (
            SELECT s.memory_no FROM unnest($5::text[], $6::bigint[], $7::bigint[]) j (message, start_char, end_char)
            JOIN messages q ON q.user_id = $1 AND q.id = j.message
            JOIN memory_spans s ON s.user_id = q.user_id AND s.message_no = q.no AND s.start_char = j.start_char
                AND s.end_char = j.end_char
        )
    )
    ORDER BY m.no
"""
#: Memories that consolidation compares new ones with. Each part of the union reads an index.
SELECT_COMPARED = f"""
    {SELECT_MEMORY}
    WHERE m.user_id = $1 AND m.no IN (
        SELECT unnest($2::bigint[])
        UNION SELECT h.no FROM memories h
            WHERE h.user_id = $1 AND h.fact_hash = ANY($3::text[]) AND h.status = 'active'
        UNION SELECT a.no FROM memories a
            WHERE a.user_id = $1 AND a.attribute = ANY($4::text[]) AND a.status = 'active'
        UNION SELECT s.memory_no FROM messages q
            JOIN memory_spans s ON s.user_id = q.user_id AND s.message_no = q.no
            WHERE q.user_id = $1 AND q.id = ANY($5::text[])
        UNION SELECT newest.no FROM unnest($6::text[]) j (kind) CROSS JOIN LATERAL (
            SELECT n.no FROM memories n WHERE n.user_id = $1 AND n.kind = j.kind AND n.status = 'active'
            ORDER BY n.last_stated_at DESC, n.no DESC LIMIT $7
        ) newest
    )
    ORDER BY m.no
"""
INSERT_SPANS = """
    INSERT INTO memory_spans (user_id, memory_no, message_no, start_char, end_char)
    SELECT DISTINCT ON (m.no, j.start_char) m.user_id, $2::bigint, m.no, j.start_char, j.end_char
    FROM unnest($3::text[], $4::bigint[], $5::bigint[]) WITH ORDINALITY j (message, start_char, end_char, place)
    JOIN messages m ON m.user_id = $1 AND m.id = j.message ORDER BY m.no, j.start_char, j.place
    ON CONFLICT (user_id, memory_no, message_no, start_char) DO NOTHING
"""
#: Memories valid at a past time; forgotten, archived, quarantined and contested ones are excluded.
VALID_AS_OF = """
    EXISTS (SELECT 1 FROM (SELECT ?::bigint AS moment) t WHERE m.status IN ('active', 'superseded')
        AND coalesce(m.valid_from, m.created_at) <= moment AND coalesce(m.valid_to, moment + 1) > moment)
"""


class PostgresMemories:
    def __init__(self, database: Database, search: PostgresSearch) -> None:
        self._database = database
        self._search = search

    def add(self, memory: Memory, *, reason: Reason | None = None) -> tuple[Memory, bool]:
        now = to_ms(memory.created_at)
        with self._database.transaction(memory.user) as db:
            self._database.ensure_user(memory.user, now)
            if memory.status is MemoryStatus.ACTIVE:
                existing = self.by_hash(Scope(memory.user), memory.fact_hash)
                if existing is not None:
                    return existing, False
            _insert_memory(db, memory.user, memory, reason)
        return memory, True

    def get(self, scope: Scope, memory_id: str) -> Memory:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                SELECT_MEMORY
                + "WHERE m.user_id = $1 AND m.id >= $2 AND m.id < $2 || '{' ORDER BY m.id LIMIT 2",
                (scope.user, memory_id),
            )
            is_exact = bool(rows) and rows[0][1] == memory_id
            if not memory_id or (len(rows) != 1 and not is_exact):
                missing = (
                    f"There is no memory {memory_id!r} for this user."
                    " `recollect memories list` shows what there is."
                )
                ambiguous = f"More than one memory id begins with {memory_id!r}. Give more characters."
                raise NotFound(ambiguous if rows else missing)
        return _to_memory(scope.user, rows[0])

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
        with self._database.reader(scope.user) as db:
            clause, values = where_clause(
                {
                    "m.user_id = ?": scope.user,
                    "m.chat_no = ?": chat_number(db, scope.user, scope.chat),
                    "m.status = ?": None if as_of else status,
                    "m.kind = ?": kind,
                    "m.origin = ?": origin,
                    f"{BAND_EXPRESSION} = ?": band,
                    TEXT_CONTAINS: contains or None,
                    VALID_AS_OF: to_ms_or_none(as_of),
                    "m.tags::jsonb @> jsonb_build_array(?::text)": tag,
                    HAS_METADATA.format(required="?", metadata="m.metadata"): encode_metadata_filter(
                        metadata
                    ),
                }
            )
            rows = fetch(
                db,
                f"{SELECT_MEMORY} {clause} ORDER BY m.last_stated_at DESC, m.no DESC"
                f" LIMIT ${len(values) + 1} OFFSET ${len(values) + 2}",
                [*values, limit, offset],
            )
        return [_to_memory(scope.user, row) for row in rows]

    def count(self, scope: Scope, *, limit: int = NO_LIMIT) -> int:
        with self._database.reader(scope.user) as db:
            return fetch_number(
                db,
                "SELECT count(*) FROM (SELECT 1 FROM memories WHERE user_id = $1 AND status = 'active' LIMIT $2) m",
                (scope.user, limit),
            )

    def by_hash(self, scope: Scope, fact_hash: str) -> Memory | None:
        with self._database.reader(scope.user) as db:
            row = fetch_one(
                db,
                SELECT_MEMORY + "WHERE m.user_id = $1 AND m.fact_hash = $2 AND m.status = 'active'",
                (scope.user, fact_hash),
            )
        return None if row is None else _to_memory(scope.user, row)

    def by_attribute(self, scope: Scope, attribute: str) -> Sequence[Memory]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                SELECT_MEMORY
                + """
                WHERE m.user_id = $1 AND m.attribute = $2 AND m.status = 'active'
                ORDER BY m.last_stated_at DESC, m.no DESC
                """,
                (scope.user, attribute),
            )
        return [_to_memory(scope.user, row) for row in rows]

    def of_messages(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Memory]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                SELECT_MEMORY
                + """
                WHERE m.user_id = $1 AND m.no IN (
                    SELECT s.memory_no FROM memory_spans s
                    JOIN messages q ON q.user_id = s.user_id AND q.no = s.message_no
                    WHERE s.user_id = $1 AND q.user_id = $1 AND q.id = ANY($2::text[])
                )
                ORDER BY m.no
                """,
                (scope.user, list(message_ids)),
            )
        return [_to_memory(scope.user, row) for row in rows]

    def related(self, scope: Scope, memories: Sequence[Memory]) -> Sequence[Memory]:
        successors = (memory.superseded_by for memory in memories if memory.superseded_by)
        spans = {(span.message_id, span.start, span.end) for memory in memories for span in memory.spans}
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                SELECT_MEMORY + WHERE_RELATED,
                (
                    scope.user,
                    list({*(memory.id for memory in memories), *successors}),
                    list({memory.attribute for memory in memories if memory.attribute}),
                    list({memory.fact_hash for memory in memories}),
                    [message_id for message_id, _, _ in spans],
                    [start for _, start, _ in spans],
                    [end for _, _, end in spans],
                ),
            )
        return [_to_memory(scope.user, row) for row in rows]

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
        with self._database.reader(scope.user) as db:
            query_vectors = {new.id: vectors[new.text] for new in new_memories if new.text in vectors}
            hits = self._search.nearest_memories(scope, query_vectors, model=model, limit=nearest)
            rows = fetch(
                db,
                SELECT_COMPARED,
                (
                    scope.user,
                    list({row_number(hit.passage_id) for each in hits.values() for hit in each}),
                    [memory.fact_hash for memory in new_memories],
                    [memory.attribute for memory in new_memories if memory.attribute],
                    list({span.message_id for memory in new_memories for span in memory.spans}),
                    [str(kind) for kind in kinds],
                    newest,
                ),
            )
        ids = {memory_passage(row[0]): row[1] for row in rows}
        return RelatedMemories(
            memories=tuple(_to_memory(scope.user, row) for row in rows),
            nearest={
                new_id: tuple((ids[hit.passage_id], hit.score) for hit in each)
                for new_id, each in hits.items()
            },
        )

    def apply(self, outcomes: Sequence[FactOutcome]) -> None:
        changes = list(version_changes(outcomes))
        if not changes:
            return
        with self._database.transaction(changes[0].memory.user) as db:
            for each in changes:
                if each.change is ChangeKind.ADD:
                    self._insert(db, each.memory)
                else:
                    self._update(db, each.memory, each.change, each.reason)

    def change_kinds(self, scope: Scope, memory_ids: Collection[str]) -> Mapping[str, frozenset[ChangeKind]]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                "SELECT m.id, array_agg(DISTINCT v.change) FROM memories m"
                " JOIN memory_versions v ON v.user_id = m.user_id AND v.memory_no = m.no"
                " WHERE m.user_id = $1 AND m.id = ANY($2::text[]) GROUP BY m.id",
                (scope.user, list(memory_ids)),
            )
        return {memory_id: frozenset(map(ChangeKind, changes)) for memory_id, changes in rows}

    def add_sources(self, scope: Scope, memory_id: str, spans: Sequence[SourceSpan]) -> None:
        with self._database.transaction(scope.user) as db:
            memory_no = fetch_number(
                db, "SELECT no FROM memories WHERE user_id = $1 AND id = $2", (scope.user, memory_id)
            )
            _add_spans(db, scope.user, memory_no, spans)

    def at_version(self, scope: Scope, memory_id: str, version: int) -> Memory:
        with self._database.reader(scope.user) as db:
            row = fetch_one(
                db,
                "SELECT m.id, v.text, v.body FROM memory_versions v"
                " JOIN memories m ON m.user_id = v.user_id AND m.no = v.memory_no"
                " WHERE m.user_id = $1 AND m.id = $2 AND v.version = $3",
                (scope.user, memory_id, version),
            )
        if row is None:
            raise NotFound(f"Version {version} of memory {memory_id!r} is not stored in full.")
        return decode_version(scope.user, *row)

    def save(self, memory: Memory, change: ChangeKind, *, reason: Reason | None = None) -> Memory:
        with self._database.transaction(memory.user) as db:
            self._refuse_duplicate(memory)
            next_version = replace(memory, version=memory.version + 1)
            self._update(db, next_version, change, reason)
        return next_version

    def _insert(self, db: Connection, memory: Memory) -> None:
        self._database.ensure_user(memory.user, to_ms(memory.created_at))
        _insert_memory(db, memory.user, memory, None)

    def _update(self, db: Connection, memory: Memory, change: ChangeKind, reason: Reason | None) -> None:
        """Store a version of a memory whose predecessor is the stored one."""
        user = memory.user
        row = fetch_one(
            db,
            "SELECT no, version, text FROM memories WHERE user_id = $1 AND id = $2",
            (user, memory.id),
        )
        if row is None:
            raise NotFound(
                f"There is no memory {memory.id!r} for this user. `recollect memories list` shows what there is."
            )
        memory_no, version, text = row
        if version != memory.version - 1:
            raise Refused(
                f"Memory {memory.id} was changed in the meantime: it is at version {version}, not"
                f" {memory.version - 1}. Read it again and repeat the change."
            )
        execute(db, UPDATE_MEMORY, (user, memory_no, *_column_values(memory)))
        if memory.text != text:
            reindex_passage(db, user, memory_passage(memory_no), memory.text)
        if memory.text != text or memory.status is MemoryStatus.FORGOTTEN:
            delete_injections(db, user, (Source.MEMORY,), [memory.id])
        execute(db, "DELETE FROM memory_spans WHERE user_id = $1 AND memory_no = $2", (user, memory_no))
        _add_spans(db, user, memory_no, memory.spans)
        old_text = text if text != memory.text else None
        _add_version(db, user, memory_no, memory, change, old_text, reason)

    def history(self, scope: Scope, memory_id: str) -> Sequence[MemoryVersion]:
        memory = self.get(scope, memory_id)
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                "SELECT v.version, v.change, v.text, v.old_text, v.kind, v.weight, v.status, v.changed_at,"
                " v.reason FROM memory_versions v JOIN memories m ON m.user_id = v.user_id AND m.no = v.memory_no"
                " WHERE m.user_id = $1 AND m.id = $2 ORDER BY v.version",
                (scope.user, memory.id),
            )
        return [
            MemoryVersion(
                memory_id=memory.id,
                version=version,
                change=ChangeKind(change),
                text=text,
                old_text=old_text,
                kind=Kind(kind),
                weight=weight,
                status=MemoryStatus(status),
                changed_at=from_ms(changed_at),
                reason=decode_reason_or_none(reason),
            )
            for version, change, text, old_text, kind, weight, status, changed_at, reason in rows
        ]

    def erase(self, scope: Scope, memory_id: str) -> None:
        with self._database.transaction(scope.user) as db:
            memory = self.get(scope, memory_id)
            select_number = "SELECT no FROM memories WHERE user_id = $1 AND id = $2"
            delete_memories(db, scope.user, [fetch_number(db, select_number, (scope.user, memory.id))])

    def _refuse_duplicate(self, memory: Memory) -> None:
        same = self.by_hash(Scope(memory.user), memory.fact_hash)
        if memory.status is MemoryStatus.ACTIVE and same is not None and same.id != memory.id:
            raise Refused(f"Memory {same.id} already states the same. Forget one of the two instead.")


def _to_memory(user: str, row: Row) -> Memory:
    *columns, spans = row
    return to_memory(
        user,
        dict(zip(("no", "id", "chat", *MEMORY_COLUMNS), columns, strict=True)),
        tuple(SourceSpan(message_id=message, start=start, end=end) for message, start, end in spans),
    )


def _column_values(memory: Memory) -> list[SqlValue]:
    columns = memory_columns(memory)
    return [columns[name] for name in MEMORY_COLUMNS]


def _insert_memory(db: Connection, user: str, memory: Memory, reason: Reason | None) -> None:
    values = (user, memory.chat, memory.id, *_column_values(memory))
    memory_no = fetch_number(db, INSERT_MEMORY, values)
    index_passage(db, user, memory_passage(memory_no), NO_CHAT, memory.text)
    _add_spans(db, user, memory_no, memory.spans)
    _add_version(db, user, memory_no, memory, ChangeKind.ADD, None, reason)


def _add_spans(db: Connection, user: str, memory_no: int, spans: Sequence[SourceSpan]) -> None:
    if spans:
        columns = (
            [span.message_id for span in spans],
            [span.start for span in spans],
            [span.end for span in spans],
        )
        execute(db, INSERT_SPANS, (user, memory_no, *columns))


def _add_version(
    db: Connection,
    user: str,
    memory_no: int,
    memory: Memory,
    change: ChangeKind,
    old_text: str | None,
    reason: Reason | None,
) -> None:
    execute(
        db,
        INSERT_VERSION,
        (
            user,
            memory_no,
            memory.version,
            change,
            memory.text,
            old_text,
            memory.kind,
            memory.weight,
            memory.status,
            to_ms(memory.updated_at),
            encode_reason_or_none(reason),
            encode_version(memory),
        ),
    )
