"""Messages and chats in PostgreSQL."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.dependents import (
    delete_chats,
    delete_dependents_of_messages,
    delete_injections,
)
from recollect.adapters.postgres.passages import chunk_passage, message_passage
from recollect.adapters.postgres.postings import (
    analyze,
    index_passages,
    post_if_due,
    reindex_passage,
    unindex_passages,
)
from recollect.adapters.postgres.rows import (
    Connection,
    Row,
    array_literal,
    chat_number,
    execute,
    fetch,
    fetch_number,
    fetch_one,
    where_clause,
)
from recollect.domain.candidate import Source
from recollect.domain.message import CHAT_ROLES, Chat, Chunk, ChunkKind, Message, MessageType, Role
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.storage.encoding import decode_metadata, encode_metadata
from recollect.storage.timestamps import from_ms, to_ms

SELECT_MESSAGE = """
    SELECT m.id, c.id, m.role, m.content, m.created_at, m.tokens, m.tool_calls, m.tool_call_id, m.client_id,
        m.original_bytes, m.summary, m.importance, m.message_type, m.extracted, m.metadata
    FROM messages m JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no
"""
#: Selects row numbers from an index first, so that only the returned rows are read.
SELECT_RECENT_MESSAGES = f"""
    WITH last AS MATERIALIZED (
        SELECT user_id, no, row_number() OVER (ORDER BY no DESC) AS place FROM messages
        WHERE user_id = $1 AND chat_no = $2 AND role <> 'system' ORDER BY no DESC LIMIT $3
    )
    {SELECT_MESSAGE} JOIN last l ON l.user_id = m.user_id AND l.no = m.no
    WHERE m.user_id = $1 AND (place <= $4 OR (m.summary <> '' AND m.importance > $5)) ORDER BY place DESC
"""
#: The chat, the message and its index entry, in one round trip. `$17` and `$18` are the length and terms of the text,
#: null for a message that is not indexed.
INSERT_MESSAGE = """
    WITH chat AS (
        INSERT INTO chats AS c (user_id, id, created_at, updated_at) VALUES ($1, $2, $6, $6)
        ON CONFLICT (user_id, id) DO UPDATE SET updated_at = greatest(c.updated_at, excluded.updated_at)
        RETURNING user_id, no
    ), message AS (
        INSERT INTO messages (user_id, chat_no, id, role, content, created_at, tokens, tool_calls, tool_call_id,
            client_id, original_bytes, summary, importance, message_type, extracted, metadata)
        SELECT user_id, no, $3::text, $4::text, $5::text, $6::bigint, $7::bigint, $8::text, $9::text, $10::text,
            $11::bigint, $12::text, $13::integer, $14::text, $15::smallint, $16::text
        FROM chat RETURNING user_id, no, chat_no
    ), passage AS (
        INSERT INTO passages (user_id, no, chat_no, length, terms)
        SELECT user_id, 4 * no, chat_no, $17::integer, $18::text::bigint[] FROM message WHERE $17::integer IS NOT NULL
    ), statistics AS (
        INSERT INTO passage_statistics AS s (user_id, passages, tokens, unposted)
        SELECT user_id, 1, $17::integer, 1 FROM message WHERE $17::integer IS NOT NULL
        ON CONFLICT (user_id) DO UPDATE SET passages = s.passages + 1, tokens = s.tokens + excluded.tokens,
            unposted = s.unposted + 1
        RETURNING unposted
    ), queued AS (
        INSERT INTO embedding_queue (user_id, passage_no)
        SELECT user_id, 4 * no FROM message WHERE $17::integer IS NOT NULL
    )
    SELECT user_id, no, chat_no, coalesce((SELECT unposted FROM statistics), 0) FROM message
"""
INSERT_CHUNKS = """
    INSERT INTO chunks (user_id, message_no, chunk_index, chunk_kind, content, start, tokens, language)
    SELECT $1, $2, * FROM unnest($3::int[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[])
    RETURNING no, chunk_index
"""
SELECT_PRUNED = """
    SELECT no, id FROM messages WHERE user_id = $1 AND chat_no = $2 AND extracted = 1
        AND (NOT $4::boolean OR importance = 0)
        AND no NOT IN (SELECT no FROM messages WHERE user_id = $1 AND chat_no = $2 ORDER BY no DESC LIMIT $3)
        AND (NOT $5::boolean OR no <= (SELECT max(last_message_no) FROM summaries
            WHERE user_id = $1 AND chat_no = $2 AND kind = 'working'))
"""
SELECT_CHAT = """
    SELECT c.id, c.title, c.created_at, c.updated_at, (SELECT count(*) FROM messages m
        WHERE m.user_id = c.user_id AND m.chat_no = c.no)
    FROM chats c
"""
SELECT_FIRST_LINES = """
    SELECT c.id, substr(m.content, 1, 200) FROM chats c CROSS JOIN LATERAL (
        SELECT content FROM messages
        WHERE user_id = c.user_id AND user_id = $1 AND chat_no = c.no AND role = 'user' ORDER BY no LIMIT 1
    ) m WHERE c.user_id = $1 AND c.id = ANY($2::text[])
"""


class PostgresMessages:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, message: Message, chunks: Sequence[Chunk]) -> tuple[Message, bool]:
        user, now = message.user, to_ms(message.created_at)
        with self._database.transaction(user) as db:
            self._database.ensure_user(user, now)
            if message.client_id is not None:
                clause = "WHERE m.user_id = $1 AND m.client_id = $2"
                row = fetch_one(db, SELECT_MESSAGE + clause, (user, message.client_id))
                if row is not None:
                    return to_message(user, row), False
            is_indexed = message.role in CHAT_ROLES
            length, terms = analyze(user, message.content) if is_indexed else (None, None)
            [_, message_no, chat_no, unposted] = fetch(
                db,
                INSERT_MESSAGE,
                (
                    user,
                    message.chat,
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
                    length,
                    None if terms is None else array_literal(terms),
                ),
            )[0]
            if is_indexed:
                _add_chunks(db, user, chat_no, message_no, chunks)
                post_if_due(db, user, unposted)
        return message, True

    def get(self, scope: Scope, message_id: str) -> Message:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                SELECT_MESSAGE
                + "WHERE m.user_id = $1 AND m.id >= $2 AND m.id < $2 || '{' AND ($3::text IS NULL OR c.id = $3)"
                " ORDER BY m.id LIMIT 2",
                (scope.user, message_id, scope.chat),
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
        with self._database.reader(scope.user) as db:
            select_number = "SELECT no FROM messages WHERE user_id = $1 AND id = $2"
            clause, values = where_clause(
                {
                    "m.user_id = ?": scope.user,
                    "m.chat_no = ?": chat_number(db, scope.user, scope.chat),
                    "m.no < ?": None
                    if before is None
                    else fetch_number(db, select_number, (scope.user, before)),
                }
            )
            rows = fetch(
                db,
                f"{SELECT_MESSAGE} {clause} ORDER BY m.no DESC LIMIT ${len(values) + 1}",
                [*values, limit],
            )
        return [to_message(scope.user, row) for row in (rows if newest_first else reversed(rows))]

    def recent(self, scope: Scope, *, full: int, limit: int, importance_above: int) -> Sequence[Message]:
        with self._database.reader(scope.user) as db:
            chat_no = chat_number(db, scope.user, scope.chat)
            rows = fetch(db, SELECT_RECENT_MESSAGES, (scope.user, chat_no, limit, full, importance_above))
        return [to_message(scope.user, row) for row in rows]

    def get_many(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Message]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                SELECT_MESSAGE + "WHERE m.user_id = $1 AND m.id = ANY($2::text[]) ORDER BY m.no",
                (scope.user, list(message_ids)),
            )
        return [to_message(scope.user, row) for row in rows]

    def prune_raw(self, scope: Scope, *, keep: int, trivial_only: bool, summarized_only: bool) -> int:
        with self._database.transaction(scope.user) as db:
            chat_no = chat_number(db, scope.user, scope.chat)
            rows = fetch(db, SELECT_PRUNED, (scope.user, chat_no, keep, trivial_only, summarized_only))
            delete_messages(db, scope.user, [no for no, _ in rows], [message_id for _, message_id in rows])
            return len(rows)

    def edit(self, scope: Scope, message_id: str, content: str, chunks: Sequence[Chunk], tokens: int) -> None:
        with self._database.transaction(scope.user) as db:
            message_no, role, text = self._read_message(db, scope, message_id)
            execute(
                db,
                "UPDATE messages SET content = $1, tokens = $2, summary = NULL, importance = NULL,"
                " message_type = NULL, extracted = 0 WHERE user_id = $3 AND no = $4",
                (content, tokens, scope.user, message_no),
            )
            if content != text:
                if role in CHAT_ROLES:
                    reindex_passage(db, scope.user, message_passage(message_no), content)
                execute(
                    db,
                    "DELETE FROM injections WHERE user_id = $1 AND message_no = $2",
                    (scope.user, message_no),
                )
                delete_injections(db, scope.user, (Source.MESSAGE, Source.CHUNK), [message_id])
            self.replace_chunks(scope, message_id, chunks)

    def delete(self, scope: Scope, message_id: str) -> None:
        with self._database.transaction(scope.user) as db:
            message_no, _, _ = self._read_message(db, scope, message_id)
            delete_messages(db, scope.user, [message_no], [message_id])

    def annotate(
        self, scope: Scope, message_id: str, *, importance: int, summary: str | None, kind: MessageType
    ) -> None:
        with self._database.transaction(scope.user) as db:
            changed = execute(
                db,
                "UPDATE messages SET importance = $3, summary = $4, message_type = $5, extracted = 1"
                " WHERE user_id = $1 AND id = $2"
                " AND ($6::text IS NULL OR chat_no = (SELECT no FROM chats WHERE user_id = $1 AND id = $6))",
                (scope.user, message_id, importance, summary, kind, scope.chat),
            )
            if not changed:
                raise NotFound(f"There is no message {message_id!r} for this user.")

    def list_unextracted(self, scope: Scope, *, limit: int) -> Sequence[Message]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                SELECT_MESSAGE
                + """
                WHERE m.user_id = $1 AND m.extracted = 0 AND m.role <> 'system'
                    AND ($2::text IS NULL OR c.id = $2)
                ORDER BY m.no LIMIT $3
                """,
                (scope.user, scope.chat, limit),
            )
        return [to_message(scope.user, row) for row in rows]

    def mark_extracted(self, scope: Scope, message_ids: Sequence[str]) -> None:
        with self._database.transaction(scope.user) as db:
            execute(
                db,
                "UPDATE messages SET extracted = 1 WHERE user_id = $1 AND id = ANY($2::text[])",
                (scope.user, list(message_ids)),
            )

    def list_unchunked(
        self, scope: Scope, *, after: str | None, tokens_above: int, limit: int
    ) -> Sequence[Message]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                SELECT_MESSAGE
                + """
                WHERE m.user_id = $1 AND m.role IN ('user', 'assistant') AND m.tokens > $3
                    AND m.no > coalesce((SELECT no FROM messages WHERE user_id = $1 AND id = $2), 0)
                    AND NOT EXISTS (SELECT 1 FROM chunks k WHERE k.user_id = m.user_id AND k.message_no = m.no)
                ORDER BY m.no LIMIT $4
                """,
                (scope.user, after, tokens_above, limit),
            )
        return [to_message(scope.user, row) for row in rows]

    def replace_chunks(self, scope: Scope, message_id: str, chunks: Sequence[Chunk]) -> None:
        with self._database.transaction(scope.user) as db:
            message_no, role, _ = self._read_message(db, scope, message_id)
            [chat_no] = fetch(
                db, "SELECT chat_no FROM messages WHERE user_id = $1 AND no = $2", (scope.user, message_no)
            )[0]
            deleted = fetch(
                db,
                "DELETE FROM chunks WHERE user_id = $1 AND message_no = $2 RETURNING no",
                (scope.user, message_no),
            )
            unindex_passages(db, scope.user, [chunk_passage(no) for (no,) in deleted])
            if role in CHAT_ROLES:
                _add_chunks(db, scope.user, chat_no, message_no, chunks)

    def chunks(self, scope: Scope, message_id: str) -> Sequence[Chunk]:
        with self._database.reader(scope.user) as db:
            message_no, _, _ = self._read_message(db, scope, message_id)
            rows = fetch(
                db,
                "SELECT chunk_index, chunk_kind, content, start, tokens, language FROM chunks"
                " WHERE user_id = $1 AND message_no = $2 ORDER BY chunk_index",
                (scope.user, message_no),
            )
        return [
            Chunk(index=i, kind=ChunkKind(kind), content=text, start=start, tokens=tokens, language=language)
            for i, kind, text, start, tokens, language in rows
        ]

    def _read_message(self, db: Connection, scope: Scope, message_id: str) -> Row:
        """Return the number, role and text of a message, or raise NotFound."""
        row = fetch_one(
            db,
            "SELECT m.no, m.role, m.content FROM messages m"
            " JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no"
            " WHERE m.user_id = $1 AND m.id = $2 AND ($3::text IS NULL OR c.id = $3)",
            (scope.user, message_id, scope.chat),
        )
        if row is None:
            raise NotFound(f"There is no message {message_id!r} for this user.")
        return row


class PostgresChats:
    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[Chat]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                SELECT_CHAT + "WHERE c.user_id = $1 ORDER BY c.updated_at DESC, c.no DESC LIMIT $2",
                (scope.user, limit),
            )
        return [_to_chat(scope.user, row) for row in rows]

    def get(self, scope: Scope) -> Chat:
        with self._database.reader(scope.user) as db:
            row = fetch_one(db, SELECT_CHAT + "WHERE c.user_id = $1 AND c.id = $2", (scope.user, scope.chat))
        if row is None:
            raise NotFound(f"There is no chat {scope.chat!r} for this user. `recollect chats` lists them.")
        return _to_chat(scope.user, row)

    def rename(self, scope: Scope, title: str) -> None:
        with self._database.transaction(scope.user) as db:
            self.get(scope)
            execute(
                db,
                "UPDATE chats SET title = $1 WHERE user_id = $2 AND id = $3",
                (title, scope.user, scope.chat),
            )

    def first_lines(self, scope: Scope, chats: Sequence[str]) -> Mapping[str, str]:
        with self._database.reader(scope.user) as db:
            return dict(fetch(db, SELECT_FIRST_LINES, (scope.user, list(chats))))

    def mode(self, scope: Scope) -> str | None:
        with self._database.reader(scope.user) as db:
            row = fetch_one(
                db, "SELECT mode FROM chats WHERE user_id = $1 AND id = $2", (scope.user, scope.chat)
            )
        return row[0] if row else None

    def set_mode(self, scope: Scope, mode: str | None, *, now: datetime) -> None:
        with self._database.transaction(scope.user) as db:
            self._database.ensure_user(scope.user, to_ms(now))
            execute(
                db,
                "INSERT INTO chats (user_id, id, created_at, updated_at, mode) VALUES ($1, $2, $3, $3, $4)"
                " ON CONFLICT (user_id, id) DO UPDATE SET mode = excluded.mode",
                (scope.user, scope.chat, to_ms(now), mode),
            )

    def delete(self, scope: Scope) -> None:
        with self._database.transaction(scope.user) as db:
            self.get(scope)
            chat_no = chat_number(db, scope.user, scope.chat)
            assert chat_no is not None
            delete_chats(db, scope.user, [chat_no])


def delete_messages(
    db: Connection, user: str, message_numbers: Sequence[int], message_ids: Sequence[str]
) -> int:
    """Delete messages with their chunks, index entries, feedback and the injections that show them."""
    if not message_numbers:
        return 0
    delete_dependents_of_messages(db, user, message_numbers, message_ids)
    return execute(
        db,
        "DELETE FROM messages WHERE user_id = $1 AND no = ANY($2::bigint[])",
        (user, list(message_numbers)),
    )


def _add_chunks(db: Connection, user: str, chat_no: int, message_no: int, chunks: Sequence[Chunk]) -> None:
    if not chunks:
        return
    columns = (
        [c.index for c in chunks],
        [str(c.kind) for c in chunks],
        [c.content for c in chunks],
        [c.start for c in chunks],
        [c.tokens for c in chunks],
        [c.language for c in chunks],
    )
    texts = {chunk.index: chunk.content for chunk in chunks}
    rows = fetch(db, INSERT_CHUNKS, (user, message_no, *columns))
    index_passages(db, user, [(chunk_passage(no), chat_no, texts[index]) for no, index in rows])


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
