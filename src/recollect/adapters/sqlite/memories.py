"""Memories, their versions and their sources in SQLite."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import Row, Value, chat_number, fetch, fetch_one, number, where
from recollect.adapters.sqlite.statistics import BAND, CONTAINS
from recollect.adapters.sqlite.timestamps import from_ms, maybe_ms, maybe_time, to_ms
from recollect.domain.memory import Band, Change, Kind, Memory, Origin, Span, Standing, Version
from recollect.domain.message import Role
from recollect.domain.scope import Scope
from recollect.errors import NotFound, Refused
from recollect.ports.store import ALL
from recollect.text.tokens import estimate

COLUMNS = """
    kind weight standing origin speaker tags sightings version pinned attribute value superseded_by valid_from valid_to
    expires_at reason fact_hash tokens created_at updated_at seen_at text
""".split()
MEMORY = f"""
    SELECT m.no, m.id, c.id, {", ".join("m." + name for name in COLUMNS)}
    FROM memories m LEFT JOIN chats c ON c.no = m.chat_no
"""
INSERT = f"""
    INSERT INTO memories (user_no, chat_no, id, {", ".join(COLUMNS)})
    VALUES (?, ?, ?, {", ".join("?" * len(COLUMNS))})
"""
UPDATE = f"""
    UPDATE memories SET {", ".join(name + " = ?" for name in COLUMNS)}
    WHERE user_no = ? AND id = ? AND version = ?
"""
INSERT_VERSION = """
    INSERT INTO memory_versions
        (user_no, memory_no, version, change, text, old_text, kind, weight, standing, changed_at, reason, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
CONNECTED = """
    WHERE m.user_no = ?1 AND (
        m.id IN (SELECT value FROM json_each(?2)) OR m.superseded_by IN (SELECT value FROM json_each(?2))
        OR m.attribute IN (SELECT value FROM json_each(?3)) OR m.fact_hash IN (SELECT value FROM json_each(?4))
        OR m.no IN (
            SELECT s.memory_no FROM json_each(?5) j CROSS JOIN messages q ON q.user_no = ?1 AND q.id = j.value ->> 0
            CROSS JOIN memory_spans s ON s.message_no = q.no AND s.start = j.value ->> 1 AND s.end = j.value ->> 2
        )
    )
    ORDER BY m.no
"""
SPANS = """
    SELECT s.memory_no, m.id, s.start, s.end FROM memory_spans s JOIN messages m ON m.no = s.message_no
    WHERE s.user_no = ? AND s.memory_no IN (SELECT value FROM json_each(?))
    ORDER BY s.memory_no, s.message_no, s.start
"""
INSERT_SPAN = """
    INSERT OR IGNORE INTO memory_spans (user_no, memory_no, message_no, start, end)
    SELECT ?1, ?2, no, ?4, ?5 FROM messages WHERE user_no = ?1 AND id = ?3
"""
#: As a search of then has it: what was forgotten, put away or in doubt is not told of.
THEN = """
    EXISTS (SELECT 1 FROM (SELECT ? AS moment) WHERE m.standing IN ('active', 'superseded')
        AND coalesce(m.valid_from, m.created_at) <= moment AND coalesce(m.valid_to, moment + 1) > moment)
"""


class SqliteMemories:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, memory: Memory, *, reason: str | None = None) -> tuple[Memory, bool]:
        now = to_ms(memory.created_at)
        with self._database.transaction() as db:
            user_no = self._database.user_or_new(db, memory.user, now)
            if memory.standing is Standing.ACTIVE:
                known = self.by_hash(Scope(memory.user), memory.fact_hash)
                if known is not None:
                    return known, False
            chat = fetch_one(db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, memory.chat))
            db.execute(INSERT, (user_no, chat and chat[0], memory.id, *_values(memory)))
            memory_no = db.last_insert_rowid()
            _add_spans(db, user_no, memory_no, memory.spans)
            _add_version(db, user_no, memory_no, memory, Change.ADD, None, reason)
        return memory, True

    def get(self, scope: Scope, memory_id: str) -> Memory:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            rows = fetch(
                db,
                MEMORY + "WHERE m.user_no = ?1 AND m.id >= ?2 AND m.id < ?2 || '{' ORDER BY m.id LIMIT 2",
                (user_no, memory_id),
            )
            whole = bool(rows) and rows[0][1] == memory_id
            if not memory_id or (len(rows) != 1 and not whole):
                why = f"There is no memory {memory_id!r} for this user. `recollect list` shows what there is."
                raise NotFound(
                    f"More than one memory begins with {memory_id!r}. Give more of it." if rows else why
                )
            return self._memories(db, scope.user, rows[:1])[0]

    def list(
        self,
        scope: Scope,
        *,
        limit: int = 100,
        offset: int = 0,
        standing: Standing | None = Standing.ACTIVE,
        kind: Kind | None = None,
        tag: str | None = None,
        origin: Origin | None = None,
        band: Band | None = None,
        contains: str | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[Memory]:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            clause, values = where(
                {
                    "m.user_no = ?": user_no,
                    "m.chat_no = ?": chat_number(db, user_no, scope.chat),
                    "m.standing = ?": None if as_of else standing,
                    "m.kind = ?": kind,
                    "m.origin = ?": origin,
                    f"{BAND} = ?": band,
                    CONTAINS: contains or None,
                    THEN: maybe_ms(as_of),
                    "EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)": tag,
                }
            )
            rows = fetch(
                db,
                f"{MEMORY} {clause} ORDER BY m.seen_at DESC, m.no DESC LIMIT ? OFFSET ?",
                [*values, limit, offset],
            )
            return self._memories(db, scope.user, rows)

    def count(self, scope: Scope, *, most: int = ALL) -> int:
        with self._database.reading() as db:
            return number(
                db,
                "SELECT count(*) FROM (SELECT 1 FROM memories WHERE user_no = ? AND standing = 'active' LIMIT ?)",
                (self._database.user(db, scope.user), most),
            )

    def by_hash(self, scope: Scope, fact_hash: str) -> Memory | None:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            row = fetch_one(
                db,
                MEMORY + "WHERE m.user_no = ? AND m.fact_hash = ? AND m.standing = 'active'",
                (user_no, fact_hash),
            )
            return None if row is None else self._memories(db, scope.user, [row])[0]

    def by_attribute(self, scope: Scope, attribute: str) -> Sequence[Memory]:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            rows = fetch(
                db,
                MEMORY
                + """
                WHERE m.user_no = ? AND m.attribute = ? AND m.standing = 'active'
                ORDER BY m.seen_at DESC, m.no DESC
                """,
                (user_no, attribute),
            )
            return self._memories(db, scope.user, rows)

    def of_messages(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Memory]:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            rows = fetch(
                db,
                MEMORY
                + """
                WHERE +m.user_no = ?1 AND m.no IN (
                    SELECT s.memory_no FROM memory_spans s JOIN messages q ON q.no = s.message_no
                    WHERE q.user_no = ?1 AND q.id IN (SELECT value FROM json_each(?2))
                )
                ORDER BY m.no
                """,
                (user_no, json.dumps(list(message_ids))),
            )
            return self._memories(db, scope.user, rows)

    def connected(self, scope: Scope, memories: Sequence[Memory]) -> Sequence[Memory]:
        successors = (memory.superseded_by for memory in memories if memory.superseded_by)
        spans = {(span.message_id, span.start, span.end) for memory in memories for span in memory.spans}
        with self._database.reading() as db:
            rows = fetch(
                db,
                MEMORY + CONNECTED,
                (
                    self._database.user(db, scope.user),
                    json.dumps(list({*(memory.id for memory in memories), *successors})),
                    json.dumps(list({memory.attribute for memory in memories if memory.attribute})),
                    json.dumps(list({memory.fact_hash for memory in memories})),
                    json.dumps(list(spans)),
                ),
            )
            return self._memories(db, scope.user, rows)

    def rests_on_later(self, scope: Scope, message_id: str) -> bool:
        with self._database.reading() as db:
            return bool(
                number(
                    db,
                    "SELECT EXISTS (SELECT 1 FROM memory_spans WHERE user_no = ?1 AND message_no >"
                    " (SELECT no FROM messages WHERE user_no = ?1 AND id = ?2))",
                    (self._database.user(db, scope.user), message_id),
                )
            )

    def cite(self, scope: Scope, memory_id: str, spans: Sequence[Span]) -> None:
        with self._database.transaction() as db:
            user_no = self._database.user(db, scope.user)
            memory_no = number(
                db, "SELECT no FROM memories WHERE user_no = ? AND id = ?", (user_no, memory_id)
            )
            _add_spans(db, user_no, memory_no, spans)

    def at_version(self, scope: Scope, memory_id: str, version: int) -> Memory:
        with self._database.reading() as db:
            row = fetch_one(
                db,
                "SELECT m.no, m.id, v.text, v.body FROM memory_versions v JOIN memories m ON m.no = v.memory_no"
                " WHERE m.user_no = ? AND m.id = ? AND v.version = ?",
                (self._database.user(db, scope.user), memory_id, version),
            )
        if row is None or row[3] is None:
            raise NotFound(f"Version {version} of memory {memory_id!r} is not kept in full.")
        memory_no, full_id, text, body = row
        kept = json.loads(body)
        spans = tuple(Span(message_id=m, start=start, end=end) for m, start, end in kept["spans"])
        columns = [text if name == "text" else kept.get(name) for name in COLUMNS]
        return _memory(scope.user, (memory_no, full_id, kept["chat"], *columns), spans)

    def save(self, memory: Memory, change: Change, *, reason: str | None = None) -> Memory:
        with self._database.transaction() as db:
            user_no = self._database.user(db, memory.user)
            old = self.get(Scope(memory.user), memory.id)
            self._only_one(memory)
            later = replace(memory, version=memory.version + 1)
            db.execute(UPDATE, (*_values(later), user_no, memory.id, memory.version))
            if not db.changes():
                raise Refused(
                    f"Memory {memory.id} was changed meanwhile: it is at version {old.version}, not"
                    f" {memory.version}. Read it again and repeat the change."
                )
            [memory_no] = fetch(
                db, "SELECT no FROM memories WHERE user_no = ? AND id = ?", (user_no, memory.id)
            )[0]
            db.execute("DELETE FROM memory_spans WHERE user_no = ? AND memory_no = ?", (user_no, memory_no))
            _add_spans(db, user_no, memory_no, memory.spans)
            old_text = old.text if old.text != memory.text else None
            _add_version(db, user_no, memory_no, later, change, old_text, reason)
        return later

    def history(self, scope: Scope, memory_id: str) -> Sequence[Version]:
        memory = self.get(scope, memory_id)
        with self._database.reading() as db:
            rows = fetch(
                db,
                "SELECT v.version, v.change, v.text, v.old_text, v.kind, v.weight, v.standing, v.changed_at,"
                " v.reason FROM memory_versions v JOIN memories m ON m.no = v.memory_no"
                " WHERE m.user_no = ? AND m.id = ? ORDER BY v.version",
                (self._database.user(db, scope.user), memory.id),
            )
        return [
            Version(
                memory_id=memory.id,
                version=version,
                change=Change(change),
                text=text,
                old_text=old_text,
                kind=Kind(kind),
                weight=weight,
                standing=Standing(standing),
                changed_at=from_ms(changed_at),
                reason=reason,
            )
            for version, change, text, old_text, kind, weight, standing, changed_at, reason in rows
        ]

    def erase(self, scope: Scope, memory_id: str) -> None:
        with self._database.transaction() as db:
            memory = self.get(scope, memory_id)
            user_no = self._database.user(db, scope.user)
            db.execute("DELETE FROM memories WHERE user_no = ? AND id = ?", (user_no, memory.id))

    def _only_one(self, memory: Memory) -> None:
        same = self.by_hash(Scope(memory.user), memory.fact_hash)
        if memory.standing is Standing.ACTIVE and same is not None and same.id != memory.id:
            raise Refused(f"Memory {same.id} says the same already. Forget one of the two instead.")

    def _memories(self, db: apsw.Connection, user: str, rows: Sequence[Row]) -> Sequence[Memory]:
        """Rows with what they rest on, which is asked for once for all of them."""
        spans: dict[int, list[Span]] = {row[0]: [] for row in rows}
        found = fetch(db, SPANS, (self._database.user(db, user), json.dumps(list(spans))))
        for memory_no, message, start, end in found:
            spans[memory_no].append(Span(message_id=message, start=start, end=end))
        return [_memory(user, row, tuple(spans[row[0]])) for row in rows]


def _memory(user: str, row: Row, spans: tuple[Span, ...]) -> Memory:
    column = dict(zip(("no", "id", "chat", *COLUMNS), row, strict=True))
    return Memory(
        id=column["id"],
        user=user,
        chat=column["chat"],
        text=column["text"],
        kind=Kind(column["kind"]),
        weight=column["weight"],
        standing=Standing(column["standing"]),
        origin=Origin(column["origin"]),
        speaker=Role(column["speaker"]),
        tags=tuple(json.loads(column["tags"])),
        sightings=column["sightings"],
        version=column["version"],
        pinned=bool(column["pinned"]),
        attribute=column["attribute"],
        value=column["value"],
        superseded_by=column["superseded_by"],
        valid_from=maybe_time(column["valid_from"]),
        valid_to=maybe_time(column["valid_to"]),
        expires_at=maybe_time(column["expires_at"]),
        reason=column["reason"],
        created_at=from_ms(column["created_at"]),
        updated_at=from_ms(column["updated_at"]),
        seen_at=from_ms(column["seen_at"]),
        spans=spans,
    )


def _values(memory: Memory) -> list[Value]:
    column: dict[str, Value] = {
        "kind": memory.kind,
        "weight": memory.weight,
        "standing": memory.standing,
        "origin": memory.origin,
        "speaker": memory.speaker,
        "tags": json.dumps(memory.tags, ensure_ascii=False),
        "sightings": memory.sightings,
        "version": memory.version,
        "pinned": int(memory.pinned),
        "attribute": memory.attribute,
        "value": memory.value,
        "superseded_by": memory.superseded_by,
        "valid_from": maybe_ms(memory.valid_from),
        "valid_to": maybe_ms(memory.valid_to),
        "expires_at": maybe_ms(memory.expires_at),
        "reason": memory.reason,
        "fact_hash": memory.fact_hash,
        "tokens": estimate(memory.text),
        "created_at": to_ms(memory.created_at),
        "updated_at": to_ms(memory.updated_at),
        "seen_at": to_ms(memory.seen_at),
        "text": memory.text,
    }
    return [column[name] for name in COLUMNS]


def _add_spans(db: apsw.Connection, user_no: int, memory_no: int, spans: Sequence[Span]) -> None:
    db.executemany(INSERT_SPAN, [(user_no, memory_no, s.message_id, s.start, s.end) for s in spans])


def _add_version(
    db: apsw.Connection,
    user_no: int,
    memory_no: int,
    memory: Memory,
    change: Change,
    old_text: str | None,
    reason: str | None,
) -> None:
    db.execute(
        INSERT_VERSION,
        (
            user_no,
            memory_no,
            memory.version,
            change,
            memory.text,
            old_text,
            memory.kind,
            memory.weight,
            memory.standing,
            to_ms(memory.updated_at),
            reason,
            _packed(memory),
        ),
    )


def _packed(memory: Memory) -> str:
    columns = dict(zip(COLUMNS, _values(memory), strict=True))
    del columns["text"]
    spans = [[span.message_id, span.start, span.end] for span in memory.spans]
    return json.dumps({**columns, "chat": memory.chat, "spans": spans}, ensure_ascii=False)
