"""Memories, their versions and their sources in SQLite."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.passages import HAS_METADATA
from recollect.adapters.sqlite.rows import (
    Row,
    SqlValue,
    SqlValues,
    chat_number,
    fetch,
    fetch_number,
    fetch_one,
    insert_rows,
    where_clause,
)
from recollect.adapters.sqlite.search import SqliteSearch
from recollect.adapters.sqlite.statistics import BAND_EXPRESSION, TEXT_CONTAINS
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
from recollect.domain.outcomes import FactOutcome, VersionChange, version_changes
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
from recollect.storage.passages import MEMORY_PASSAGE
from recollect.storage.reasons import decode_reason_or_none, encode_reason_or_none
from recollect.storage.timestamps import from_ms, to_ms, to_ms_or_none

MEMORY_COLUMNS = """
    kind weight status origin speaker tags metadata times_stated version pinned attribute value superseded_by
    valid_from valid_to expires_at reason fact_hash tokens created_at updated_at last_stated_at text
""".split()
SOURCE_SPANS = """
    (SELECT json_group_array(json_array(q.id, s.start, s.end) ORDER BY s.message_no, s.start)
        FROM memory_spans s JOIN messages q ON q.no = s.message_no WHERE s.user_no = m.user_no AND s.memory_no = m.no)
"""
SELECTED_COLUMNS = f"m.id, c.id, {', '.join('m.' + name for name in MEMORY_COLUMNS)}, {SOURCE_SPANS}"
SELECT_MEMORY = f"SELECT {SELECTED_COLUMNS} FROM memories m LEFT JOIN chats c ON c.no = m.chat_no "
#: Inserted rows refer to others by their ids.
MEMORY_NUMBER = "(SELECT no FROM memories WHERE user_no = ? AND id = ?)"
INSERT_MEMORIES = f"INSERT INTO memories (user_no, chat_no, id, {', '.join(MEMORY_COLUMNS)})"
MEMORY_ROW = (
    f"(?, (SELECT no FROM chats WHERE user_no = ? AND id = ?), ?, {', '.join('?' for _ in MEMORY_COLUMNS)})"
)
UPDATE_MEMORY = f"""
    UPDATE memories SET {", ".join(name + " = ?" for name in MEMORY_COLUMNS)}
    WHERE user_no = ? AND id = ? AND version = ?
"""
INSERT_VERSIONS = """
    INSERT INTO memory_versions
        (user_no, memory_no, version, change, text, old_text, kind, weight, status, changed_at, reason, body)
"""
#: The old text is that of the version before, if it differs.
VERSION_ROW = f"""
    (?, {MEMORY_NUMBER}, ?, ?, ?, nullif(coalesce(?, (
        SELECT v.text FROM memory_versions v WHERE v.user_no = ? AND v.memory_no = {MEMORY_NUMBER} AND v.version = ?
    )), ?), ?, ?, ?, ?, ?, ?)
"""
#: Spans that are stored already, and those of unknown messages, are ignored.
INSERT_SPANS = "INSERT OR IGNORE INTO memory_spans (user_no, memory_no, message_no, start, end)"
SPAN_ROW = f"(?, {MEMORY_NUMBER}, (SELECT no FROM messages WHERE user_no = ? AND id = ?), ?, ?)"
DELETE_SPANS = f"DELETE FROM memory_spans WHERE user_no = ? AND memory_no = {MEMORY_NUMBER}"
WHERE_RELATED = """
    WHERE m.user_no = ?1 AND (
        m.id IN (SELECT value FROM json_each(?2)) OR m.superseded_by IN (SELECT value FROM json_each(?2))
        OR m.attribute IN (SELECT value FROM json_each(?3)) OR m.fact_hash IN (SELECT value FROM json_each(?4))
        OR m.no IN (
            SELECT s.memory_no FROM json_each(?5) j CROSS JOIN messages q ON q.user_no = ?1 AND q.id = j.value ->> 0
            CROSS JOIN memory_spans s ON s.user_no = q.user_no AND s.message_no = q.no AND s.start = j.value ->> 1
                AND s.end = j.value ->> 2
        )
    )
    ORDER BY m.no
"""
#: Memories that consolidation compares new ones with, and their passages. Each part of the union reads an index.
SELECT_COMPARED = f"""
    SELECT {SELECTED_COLUMNS}, p.no
    FROM memories m LEFT JOIN chats c ON c.no = m.chat_no
        LEFT JOIN passages p ON p.user_no = m.user_no AND p.kind = {MEMORY_PASSAGE.code} AND p.row_no = m.no
    WHERE m.no IN (
        SELECT n.row_no FROM json_each(:nearest) j CROSS JOIN passages n ON n.no = j.value AND n.user_no = :user
        UNION SELECT h.no FROM json_each(:hashes) j CROSS JOIN memories h
            ON h.user_no = :user AND h.fact_hash = j.value AND h.status = 'active'
        UNION SELECT a.no FROM json_each(:attributes) j CROSS JOIN memories a
            ON a.user_no = :user AND a.attribute = j.value AND a.status = 'active'
        UNION SELECT s.memory_no FROM json_each(:messages) j
            CROSS JOIN messages q ON q.user_no = :user AND q.id = j.value
            CROSS JOIN memory_spans s ON s.user_no = q.user_no AND s.message_no = q.no
        UNION SELECT newest.no FROM json_each(:kinds) j CROSS JOIN memories newest ON newest.no IN (
            SELECT no FROM memories WHERE user_no = :user AND kind = j.value AND status = 'active'
            ORDER BY last_stated_at DESC, no DESC LIMIT :newest
        )
    )
    ORDER BY m.no
"""
#: Memories valid at a past time; forgotten, archived, quarantined and contested ones are excluded.
VALID_AS_OF = """
    EXISTS (SELECT 1 FROM (SELECT ? AS moment) WHERE m.status IN ('active', 'superseded')
        AND coalesce(m.valid_from, m.created_at) <= moment AND coalesce(m.valid_to, moment + 1) > moment)
"""


class SqliteMemories:
    def __init__(self, database: Database, search: SqliteSearch) -> None:
        self._database = database
        self._search = search

    def add(self, memory: Memory, *, reason: Reason | None = None) -> tuple[Memory, bool]:
        with self._database.transaction() as db:
            if memory.status is MemoryStatus.ACTIVE:
                existing = self.by_hash(Scope(memory.user), memory.fact_hash)
                if existing is not None:
                    return existing, False
            self._write(db, [VersionChange(memory=memory, change=ChangeKind.ADD, reason=reason)])
        return memory, True

    def get(self, scope: Scope, memory_id: str) -> Memory:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(
                db,
                SELECT_MEMORY
                + "WHERE m.user_no = ?1 AND m.id >= ?2 AND m.id < ?2 || '{' ORDER BY m.id LIMIT 2",
                (user_no, memory_id),
            )
            is_exact = bool(rows) and rows[0][0] == memory_id
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
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            clause, values = where_clause(
                {
                    "m.user_no = ?": user_no,
                    "m.chat_no = ?": chat_number(db, user_no, scope.chat),
                    "m.status = ?": None if as_of else status,
                    "m.kind = ?": kind,
                    "m.origin = ?": origin,
                    f"{BAND_EXPRESSION} = ?": band,
                    TEXT_CONTAINS: contains or None,
                    VALID_AS_OF: to_ms_or_none(as_of),
                    "EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)": tag,
                    HAS_METADATA.format(required="?", metadata="m.metadata"): encode_metadata_filter(
                        metadata
                    ),
                }
            )
            rows = fetch(
                db,
                f"{SELECT_MEMORY} {clause} ORDER BY m.last_stated_at DESC, m.no DESC LIMIT ? OFFSET ?",
                [*values, limit, offset],
            )
        return [_to_memory(scope.user, row) for row in rows]

    def count(self, scope: Scope, *, limit: int = NO_LIMIT) -> int:
        with self._database.reader() as db:
            return fetch_number(
                db,
                "SELECT count(*) FROM (SELECT 1 FROM memories WHERE user_no = ? AND status = 'active' LIMIT ?)",
                (self._database.user_number(db, scope.user), limit),
            )

    def by_hash(self, scope: Scope, fact_hash: str) -> Memory | None:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            row = fetch_one(
                db,
                SELECT_MEMORY + "WHERE m.user_no = ? AND m.fact_hash = ? AND m.status = 'active'",
                (user_no, fact_hash),
            )
        return None if row is None else _to_memory(scope.user, row)

    def by_attribute(self, scope: Scope, attribute: str) -> Sequence[Memory]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(
                db,
                SELECT_MEMORY
                + """
                WHERE m.user_no = ? AND m.attribute = ? AND m.status = 'active'
                ORDER BY m.last_stated_at DESC, m.no DESC
                """,
                (user_no, attribute),
            )
        return [_to_memory(scope.user, row) for row in rows]

    def of_messages(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Memory]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(
                db,
                SELECT_MEMORY
                + """
                WHERE +m.user_no = ?1 AND m.no IN (
                    SELECT s.memory_no FROM memory_spans s JOIN messages q ON q.no = s.message_no
                    WHERE s.user_no = ?1 AND q.user_no = ?1 AND q.id IN (SELECT value FROM json_each(?2))
                )
                ORDER BY m.no
                """,
                (user_no, json.dumps(list(message_ids))),
            )
        return [_to_memory(scope.user, row) for row in rows]

    def related(self, scope: Scope, memories: Sequence[Memory]) -> Sequence[Memory]:
        successors = (memory.superseded_by for memory in memories if memory.superseded_by)
        spans = {(span.message_id, span.start, span.end) for memory in memories for span in memory.spans}
        with self._database.reader() as db:
            rows = fetch(
                db,
                SELECT_MEMORY + WHERE_RELATED,
                (
                    self._database.user_number(db, scope.user),
                    json.dumps(list({*(memory.id for memory in memories), *successors})),
                    json.dumps(list({memory.attribute for memory in memories if memory.attribute})),
                    json.dumps(list({memory.fact_hash for memory in memories})),
                    json.dumps(list(spans)),
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
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            query_vectors = {new.id: vectors[new.text] for new in new_memories if new.text in vectors}
            hits = self._search.nearest_memories(scope, query_vectors, model=model, limit=nearest)
            rows = fetch(
                db,
                SELECT_COMPARED,
                {
                    "user": user_no,
                    "nearest": json.dumps(list({hit.passage_id for each in hits.values() for hit in each})),
                    "hashes": json.dumps([memory.fact_hash for memory in new_memories]),
                    "attributes": json.dumps([m.attribute for m in new_memories if m.attribute]),
                    "messages": json.dumps(list({s.message_id for m in new_memories for s in m.spans})),
                    "kinds": json.dumps(list(kinds)),
                    "newest": newest,
                },
            )
        ids = {row[-1]: row[0] for row in rows}
        return RelatedMemories(
            memories=tuple(_to_memory(scope.user, row[:-1]) for row in rows),
            nearest={
                new_id: tuple((ids[hit.passage_id], hit.score) for hit in each)
                for new_id, each in hits.items()
            },
        )

    def apply(self, outcomes: Sequence[FactOutcome]) -> None:
        changes = list(version_changes(outcomes))
        if changes:
            with self._database.transaction() as db:
                self._write(db, changes)

    def change_kinds(self, scope: Scope, memory_ids: Collection[str]) -> Mapping[str, frozenset[ChangeKind]]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT m.id, json_group_array(DISTINCT v.change) FROM json_each(?2) j"
                " CROSS JOIN memories m ON m.user_no = ?1 AND m.id = j.value"
                " CROSS JOIN memory_versions v ON v.user_no = m.user_no AND v.memory_no = m.no GROUP BY m.id",
                (self._database.user_number(db, scope.user), json.dumps(list(memory_ids))),
            )
        return {memory_id: frozenset(map(ChangeKind, json.loads(changes))) for memory_id, changes in rows}

    def add_sources(self, scope: Scope, memory_id: str, spans: Sequence[SourceSpan]) -> None:
        with self._database.transaction() as db:
            _add_spans(db, self._database.user_number(db, scope.user), [(memory_id, span) for span in spans])

    def at_version(self, scope: Scope, memory_id: str, version: int) -> Memory:
        with self._database.reader() as db:
            row = fetch_one(
                db,
                "SELECT m.id, v.text, v.body FROM memory_versions v"
                " JOIN memories m ON m.user_no = v.user_no AND m.no = v.memory_no"
                " WHERE m.user_no = ? AND m.id = ? AND v.version = ?",
                (self._database.user_number(db, scope.user), memory_id, version),
            )
        if row is None:
            raise NotFound(f"Version {version} of memory {memory_id!r} is not stored in full.")
        return decode_version(scope.user, *row)

    def save(self, memory: Memory, change: ChangeKind, *, reason: Reason | None = None) -> Memory:
        with self._database.transaction() as db:
            self._refuse_duplicate(memory)
            next_version = replace(memory, version=memory.version + 1)
            user_no = self._database.user_number(db, memory.user)
            # It may have lost sources; learning only adds some.
            db.execute(DELETE_SPANS, (user_no, user_no, memory.id))
            self._write(db, [VersionChange(memory=next_version, change=change, reason=reason)])
        return next_version

    def _write(self, db: apsw.Connection, changes: Sequence[VersionChange]) -> None:
        """Store versions of memories of one user: each new one, or the successor of the stored one."""
        first = changes[0].memory
        user_no = self._database.get_or_create_user(db, first.user, to_ms(first.created_at))
        # In order, since one memory may become active only when another no longer is.
        for is_new, group in groupby(changes, key=lambda each: each.change is ChangeKind.ADD):
            if is_new:
                memories = [(user_no, user_no, m.chat, m.id, *_column_values(m)) for m in _memories(group)]
                insert_rows(db, INSERT_MEMORIES, MEMORY_ROW, memories)
            else:
                for memory in _memories(group):
                    _update_memory(db, user_no, memory)
        _add_spans(db, user_no, [(m.id, span) for m in _memories(changes) for span in m.spans])
        texts: dict[str, str] = {}
        versions = []
        for each in changes:
            versions.append(_version_row(user_no, each, texts.get(each.memory.id)))
            texts[each.memory.id] = each.memory.text
        insert_rows(db, INSERT_VERSIONS, VERSION_ROW, versions)

    def history(self, scope: Scope, memory_id: str) -> Sequence[MemoryVersion]:
        memory = self.get(scope, memory_id)
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT v.version, v.change, v.text, v.old_text, v.kind, v.weight, v.status, v.changed_at,"
                " v.reason FROM memory_versions v JOIN memories m ON m.user_no = v.user_no AND m.no = v.memory_no"
                " WHERE m.user_no = ? AND m.id = ? ORDER BY v.version",
                (self._database.user_number(db, scope.user), memory.id),
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
        with self._database.transaction() as db:
            memory = self.get(scope, memory_id)
            user_no = self._database.user_number(db, scope.user)
            db.execute("DELETE FROM memories WHERE user_no = ? AND id = ?", (user_no, memory.id))

    def _refuse_duplicate(self, memory: Memory) -> None:
        same = self.by_hash(Scope(memory.user), memory.fact_hash)
        if memory.status is MemoryStatus.ACTIVE and same is not None and same.id != memory.id:
            raise Refused(f"Memory {same.id} already states the same. Forget one of the two instead.")


def _to_memory(user: str, row: Row) -> Memory:
    *columns, spans = row
    return to_memory(
        user,
        dict(zip(("id", "chat", *MEMORY_COLUMNS), columns, strict=True)),
        tuple(
            SourceSpan(message_id=message, start=start, end=end) for message, start, end in json.loads(spans)
        ),
    )


def _column_values(memory: Memory) -> list[SqlValue]:
    columns = memory_columns(memory)
    return [columns[name] for name in MEMORY_COLUMNS]


def _memories(changes: Iterable[VersionChange]) -> Iterator[Memory]:
    return (each.memory for each in changes)


def _update_memory(db: apsw.Connection, user_no: int, memory: Memory) -> None:
    """Replace the stored version, which must be the one before."""
    db.execute(UPDATE_MEMORY, (*_column_values(memory), user_no, memory.id, memory.version - 1))
    if db.changes():
        return
    select_version = "SELECT version FROM memories WHERE user_no = ? AND id = ?"
    row = fetch_one(db, select_version, (user_no, memory.id))
    if row is None:
        raise NotFound(
            f"There is no memory {memory.id!r} for this user. `recollect memories list` shows what there is."
        )
    raise Refused(
        f"Memory {memory.id} was changed in the meantime: it is at version {row[0]}, not"
        f" {memory.version - 1}. Read it again and repeat the change."
    )


def _add_spans(db: apsw.Connection, user_no: int, spans: Iterable[tuple[str, SourceSpan]]) -> None:
    insert_rows(
        db,
        INSERT_SPANS,
        SPAN_ROW,
        [(user_no, user_no, memory_id, user_no, s.message_id, s.start, s.end) for memory_id, s in spans],
    )


def _version_row(user_no: int, change: VersionChange, previous_text: str | None) -> SqlValues:
    """Return the row of a version; `previous_text` is that of a version stored with it."""
    memory = change.memory
    return (
        user_no,
        user_no,
        memory.id,
        memory.version,
        change.change,
        memory.text,
        previous_text,
        user_no,
        user_no,
        memory.id,
        memory.version - 1,
        memory.text,
        memory.kind,
        memory.weight,
        memory.status,
        to_ms(memory.updated_at),
        encode_reason_or_none(change.reason),
        encode_version(memory),
    )
