"""Messages and chats in SQLite."""

import json
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.fulltext import create_fulltext_index
from recollect.adapters.sqlite.rows import Row, chat_number, fetch, fetch_number, fetch_one, where_clause
from recollect.domain.message import CHAT_ROLES, Chat, Chunk, ChunkKind, Message, MessageType, Role
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.storage.encoding import decode_metadata, encode_metadata
from recollect.storage.timestamps import from_ms, to_ms

log = logging.getLogger(__name__)

SELECT_MESSAGE = """
    SELECT m.id, c.id, m.role, m.content, m.created_at, m.tokens, m.tool_calls, m.tool_call_id, m.client_id,
        m.original_bytes, m.summary, m.importance, m.message_type, m.extracted, m.metadata
    FROM messages m JOIN chats c ON c.no = m.chat_no
"""
#: Selects row numbers from an index first, so that only the returned rows are read.
SELECT_RECENT_MESSAGES = f"""
    WITH last AS MATERIALIZED (
        SELECT no, row_number() OVER (ORDER BY no DESC) AS place FROM messages
        WHERE user_no = :user AND chat_no = (SELECT no FROM chats WHERE user_no = :user AND id = :chat)
            AND role <> 'system'
        ORDER BY no DESC LIMIT :limit
    )
    {SELECT_MESSAGE} JOIN last USING (no)
    WHERE place <= :full OR (m.summary <> '' AND m.importance > :importance) ORDER BY place DESC
"""
INSERT_MESSAGE = """
    INSERT INTO messages (user_no, chat_no, id, role, content, created_at, tokens, tool_calls, tool_call_id,
        client_id, original_bytes, summary, importance, message_type, extracted, metadata)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
INSERT_CHUNK = """
    INSERT INTO chunks (user_no, message_no, chunk_index, chunk_kind, content, start, tokens, language)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
PRUNE_MESSAGES = """
    DELETE FROM messages WHERE user_no = ?1 AND chat_no = ?2 AND extracted = 1 AND (NOT ?4 OR importance = 0)
        AND no NOT IN (SELECT no FROM messages WHERE user_no = ?1 AND chat_no = ?2 ORDER BY no DESC LIMIT ?3)
        AND (NOT ?5 OR no <= (SELECT max(last_message_no) FROM summaries
            WHERE user_no = ?1 AND chat_no = ?2 AND kind = 'working'))
"""
UPSERT_CHAT = """
    INSERT INTO chats (user_no, id, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)
    ON CONFLICT (user_no, id) DO UPDATE SET updated_at = max(updated_at, excluded.updated_at)
    RETURNING no
"""
SELECT_CHAT = """
    SELECT c.id, c.title, c.created_at, c.updated_at, (SELECT count(*) FROM messages m
        WHERE m.user_no = c.user_no AND m.chat_no = c.no)
    FROM chats c
"""
SELECT_FIRST_LINES = """
    SELECT c.id, substr(m.content, 1, 200) FROM json_each(?2) j CROSS JOIN chats c ON c.user_no = ?1 AND c.id = j.value
        CROSS JOIN messages m ON m.no = (
            SELECT no FROM messages WHERE user_no = ?1 AND chat_no = c.no AND role = 'user' ORDER BY no LIMIT 1
        )
"""


class SqliteMessages:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, message: Message, chunks: Sequence[Chunk]) -> tuple[Message, bool]:
        now = to_ms(message.created_at)
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, message.user, now)
            if message.client_id is not None:
                clause = "WHERE m.user_no = ? AND m.client_id = ?"
                row = fetch_one(db, SELECT_MESSAGE + clause, (user_no, message.client_id))
                if row is not None:
                    return to_message(message.user, row), False
            [chat_no] = fetch(db, UPSERT_CHAT, (user_no, message.chat, now))[0]
            _insert_message(
                db,
                (
                    user_no,
                    chat_no,
                    message.id,
                    message.role,
                    message.content,
                    now,
                    message.tokens,
                    message.tool_calls,
                    message.tool_call_id,
                    message.client_id,
                    message.original_bytes,
                    message.summary,
                    message.importance,
                    message.message_type,
                    int(message.extracted),
                    encode_metadata(message.metadata),
                ),
            )
            if message.role in CHAT_ROLES:
                _add_chunks(db, user_no, db.last_insert_rowid(), chunks)
        return message, True

    def get(self, scope: Scope, message_id: str) -> Message:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(
                db,
                SELECT_MESSAGE
                + "WHERE m.user_no = ?1 AND m.id >= ?2 AND m.id < ?2 || '{' AND (?3 IS NULL OR c.id = ?3)"
                " ORDER BY m.id LIMIT 2",
                (user_no, message_id, scope.chat),
            )
        is_exact = bool(rows) and rows[0][0] == message_id
        if not message_id or (len(rows) != 1 and not is_exact):
            missing = f"There is no message {message_id!r} for this user."
            ambiguous = f"More than one message id begins with {message_id!r}. Give more characters."
            raise NotFound(ambiguous if rows else missing)
        return to_message(scope.user, rows[0])

    def list(
        self, scope: Scope, *, limit: int = 100, before: str | None = None, newest_first: bool = False
    ) -> Sequence[Message]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            select_number = "SELECT no FROM messages WHERE user_no = ? AND id = ?"
            clause, values = where_clause(
                {
                    "m.user_no = ?": user_no,
                    "m.chat_no = ?": chat_number(db, user_no, scope.chat),
                    "m.no < ?": None
                    if before is None
                    else fetch_number(db, select_number, (user_no, before)),
                }
            )
            rows = fetch(db, f"{SELECT_MESSAGE} {clause} ORDER BY m.no DESC LIMIT ?", [*values, limit])
        return [to_message(scope.user, row) for row in (rows if newest_first else reversed(rows))]

    def recent(self, scope: Scope, *, full: int, limit: int, importance_above: int) -> Sequence[Message]:
        with self._database.reader() as db:
            values = {
                "user": self._database.user_number(db, scope.user),
                "chat": scope.chat,
                "limit": limit,
                "full": full,
                "importance": importance_above,
            }
            rows = fetch(db, SELECT_RECENT_MESSAGES, values)
        return [to_message(scope.user, row) for row in rows]

    def get_many(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Message]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                # The plus sign keeps SQLite from reading all messages of the user in order.
                SELECT_MESSAGE
                + "WHERE m.user_no = ? AND m.id IN (SELECT value FROM json_each(?)) ORDER BY +m.no",
                (self._database.user_number(db, scope.user), json.dumps(list(message_ids))),
            )
        return [to_message(scope.user, row) for row in rows]

    def prune_raw(self, scope: Scope, *, keep: int, trivial_only: bool, summarized_only: bool) -> int:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            chat_no = chat_number(db, user_no, scope.chat)
            db.execute(PRUNE_MESSAGES, (user_no, chat_no, keep, trivial_only, summarized_only))
            return db.changes()

    def edit(self, scope: Scope, message_id: str, content: str, chunks: Sequence[Chunk], tokens: int) -> None:
        with self._database.transaction() as db:
            db.execute(
                "UPDATE messages SET content = ?, tokens = ?, summary = NULL, importance = NULL,"
                " message_type = NULL, extracted = 0 WHERE no = ?",
                (content, tokens, self._message_number(db, scope, message_id)),
            )
            self.replace_chunks(scope, message_id, chunks)

    def delete(self, scope: Scope, message_id: str) -> None:
        with self._database.transaction() as db:
            db.execute("DELETE FROM messages WHERE no = ?", (self._message_number(db, scope, message_id),))

    def annotate(
        self, scope: Scope, message_id: str, *, importance: int, summary: str | None, kind: MessageType
    ) -> None:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            db.execute(
                "UPDATE messages SET importance = ?3, summary = ?4, message_type = ?5, extracted = 1"
                " WHERE user_no = ?1 AND id = ?2"
                " AND (?6 IS NULL OR chat_no = (SELECT no FROM chats WHERE user_no = ?1 AND id = ?6))",
                (user_no, message_id, importance, summary, kind, scope.chat),
            )
            if not db.changes():
                raise NotFound(f"There is no message {message_id!r} for this user.")

    def list_unextracted(self, scope: Scope, *, limit: int) -> Sequence[Message]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(
                db,
                SELECT_MESSAGE
                + """
                WHERE m.user_no = ?1 AND m.extracted = 0 AND m.role <> 'system'
                    AND (?2 IS NULL OR c.id = ?2)
                ORDER BY m.no LIMIT ?3
                """,
                (user_no, scope.chat, limit),
            )
        return [to_message(scope.user, row) for row in rows]

    def mark_extracted(self, scope: Scope, message_ids: Sequence[str]) -> None:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            db.executemany(
                "UPDATE messages SET extracted = 1 WHERE user_no = ? AND id = ?",
                [(user_no, message_id) for message_id in message_ids],
            )

    def list_unchunked(
        self, scope: Scope, *, after: str | None, tokens_above: int, limit: int
    ) -> Sequence[Message]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(
                db,
                SELECT_MESSAGE
                + """
                WHERE m.user_no = ?1 AND m.role IN ('user', 'assistant') AND m.tokens > ?3
                    AND m.no > coalesce((SELECT no FROM messages WHERE user_no = ?1 AND id = ?2), 0)
                    AND NOT EXISTS (SELECT 1 FROM chunks k WHERE k.user_no = m.user_no AND k.message_no = m.no)
                ORDER BY m.no LIMIT ?4
                """,
                (user_no, after, tokens_above, limit),
            )
        return [to_message(scope.user, row) for row in rows]

    def replace_chunks(self, scope: Scope, message_id: str, chunks: Sequence[Chunk]) -> None:
        with self._database.transaction() as db:
            message_no = self._message_number(db, scope, message_id)
            [user_no, role] = fetch(db, "SELECT user_no, role FROM messages WHERE no = ?", (message_no,))[0]
            db.execute("DELETE FROM chunks WHERE user_no = ? AND message_no = ?", (user_no, message_no))
            if role in CHAT_ROLES:
                _add_chunks(db, user_no, message_no, chunks)

    def chunks(self, scope: Scope, message_id: str) -> Sequence[Chunk]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT chunk_index, chunk_kind, content, start, tokens, language FROM chunks"
                " WHERE user_no = ? AND message_no = ? ORDER BY chunk_index",
                (self._database.user_number(db, scope.user), self._message_number(db, scope, message_id)),
            )
        return [
            Chunk(index=i, kind=ChunkKind(kind), content=text, start=start, tokens=tokens, language=language)
            for i, kind, text, start, tokens, language in rows
        ]

    def _message_number(self, db: apsw.Connection, scope: Scope, message_id: str) -> int:
        user_no = self._database.user_number(db, scope.user)
        row = fetch_one(
            db,
            "SELECT m.no FROM messages m JOIN chats c ON c.no = m.chat_no"
            " WHERE m.user_no = ?1 AND m.id = ?2 AND (?3 IS NULL OR c.id = ?3)",
            (user_no, message_id, scope.chat),
        )
        if row is None:
            raise NotFound(f"There is no message {message_id!r} for this user.")
        return int(row[0])


class SqliteChats:
    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[Chat]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(
                db,
                SELECT_CHAT + "WHERE c.user_no = ? ORDER BY c.updated_at DESC, c.no DESC LIMIT ?",
                (user_no, limit),
            )
        return [_to_chat(scope.user, row) for row in rows]

    def get(self, scope: Scope) -> Chat:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            row = fetch_one(db, SELECT_CHAT + "WHERE c.user_no = ? AND c.id = ?", (user_no, scope.chat))
        if row is None:
            raise NotFound(f"There is no chat {scope.chat!r} for this user. `recollect chats` lists them.")
        return _to_chat(scope.user, row)

    def rename(self, scope: Scope, title: str) -> None:
        self.get(scope)
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            db.execute(
                "UPDATE chats SET title = ? WHERE user_no = ? AND id = ?", (title, user_no, scope.chat)
            )

    def first_lines(self, scope: Scope, chats: Sequence[str]) -> Mapping[str, str]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            return dict(fetch(db, SELECT_FIRST_LINES, (user_no, json.dumps(chats))))

    def mode(self, scope: Scope) -> str | None:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            row = fetch_one(db, "SELECT mode FROM chats WHERE user_no = ? AND id = ?", (user_no, scope.chat))
        return row[0] if row else None

    def set_mode(self, scope: Scope, mode: str | None, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, scope.user, to_ms(now))
            db.execute(
                "INSERT INTO chats (user_no, id, created_at, updated_at, mode) VALUES (?1, ?2, ?3, ?3, ?4)"
                " ON CONFLICT (user_no, id) DO UPDATE SET mode = excluded.mode",
                (user_no, scope.chat, to_ms(now), mode),
            )

    def delete(self, scope: Scope) -> None:
        with self._database.transaction() as db:
            self.get(scope)
            user_no = self._database.user_number(db, scope.user)
            db.execute("DELETE FROM chats WHERE user_no = ? AND id = ?", (user_no, scope.chat))


def _insert_message(db: apsw.Connection, values: Row) -> None:
    try:
        db.execute(INSERT_MESSAGE, values)
    except apsw.SQLError as error:
        if "passages_fts" not in str(error):
            raise
        # The messages are the truth: without the index they are still stored, and found by their vectors.
        log.warning(
            "The full-text index is missing (%s). An empty one was created; `recollect maintenance repair` fills it.",
            error,
        )
        create_fulltext_index(db)
        db.execute(INSERT_MESSAGE, values)


def _add_chunks(db: apsw.Connection, user_no: int, message_no: int, chunks: Sequence[Chunk]) -> None:
    db.executemany(
        INSERT_CHUNK,
        [(user_no, message_no, c.index, c.kind, c.content, c.start, c.tokens, c.language) for c in chunks],
    )


def to_message(user: str, row: Row) -> Message:
    (
        message_id,
        chat,
        role,
        content,
        created_at,
        tokens,
        tool_calls,
        tool_call_id,
        client_id,
        original_bytes,
        summary,
        importance,
        message_type,
        extracted,
        metadata,
    ) = row
    return Message(
        id=message_id,
        user=user,
        chat=chat,
        role=Role(role),
        content=content,
        created_at=from_ms(created_at),
        tokens=tokens,
        tool_calls=tool_calls,
        tool_call_id=tool_call_id,
        client_id=client_id,
        original_bytes=original_bytes,
        summary=summary,
        importance=importance,
        message_type=MessageType(message_type) if message_type else None,
        extracted=bool(extracted),
        metadata=decode_metadata(metadata),
    )


def _to_chat(user: str, row: Row) -> Chat:
    chat_id, title, created_at, updated_at, messages = row
    return Chat(
        id=chat_id,
        user=user,
        title=title,
        created_at=from_ms(created_at),
        updated_at=from_ms(updated_at),
        message_count=messages,
    )
