"""Erasure: delete rows; then vacuum, and say what remains until the log and backups are recycled."""

from collections.abc import Sequence

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.dependents import delete_chats, delete_memories
from recollect.adapters.postgres.errors import translate_errors
from recollect.adapters.postgres.messages import delete_messages
from recollect.adapters.postgres.receipts import clear_receipt_queries
from recollect.adapters.postgres.rows import (
    Connection,
    execute,
    fetch,
    fetch_number,
    fetch_one,
)
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.ports.records import ByteScan, ErasedRows

SELECT_MEMORY_TEXTS = """
    SELECT text FROM memories WHERE user_id = $1 AND no = $2
    UNION SELECT text FROM memory_versions WHERE user_id = $1 AND memory_no = $2
    UNION SELECT old_text FROM memory_versions WHERE user_id = $1 AND memory_no = $2 AND old_text IS NOT NULL
"""
SELECT_SOURCE_MESSAGES = "SELECT DISTINCT message_no FROM memory_spans WHERE user_id = $1 AND memory_no = $2"
SELECT_CHAT_TEXTS = """
    SELECT content FROM messages WHERE user_id = $1 AND chat_no = $2
    UNION SELECT text FROM summaries WHERE user_id = $1 AND chat_no = $2
"""
#: Messages whose whole text is the source of a memory.
SELECT_WHOLE_SOURCES = """
    SELECT m.no, m.id, m.content FROM memory_spans s JOIN messages m ON m.user_id = s.user_id AND m.no = s.message_no
    WHERE s.user_id = $1 AND s.memory_no = $2 AND m.extracted = 1 AND s.start_char = 0
        AND s.end_char = length(m.content)
"""
#: Memories with sources in this chat only.
SELECT_ORPHANS = """
    SELECT f.no, f.id FROM memories f WHERE f.user_id = $1 AND EXISTS (
        SELECT 1 FROM memory_spans s JOIN messages m ON m.user_id = s.user_id AND m.no = s.message_no
        WHERE s.user_id = f.user_id AND s.memory_no = f.no AND m.chat_no = $2
    ) AND NOT EXISTS (
        SELECT 1 FROM memory_spans s JOIN messages m ON m.user_id = s.user_id AND m.no = s.message_no
        WHERE s.user_id = f.user_id AND s.memory_no = f.no AND m.chat_no <> $2
    )
"""
REMOVE_FACTS = """
    UPDATE extractions SET body = jsonb_set(body::jsonb, '{facts}', (
        SELECT coalesce(jsonb_agg(f.value ORDER BY f.place), '[]')
        FROM jsonb_array_elements(body::jsonb -> 'facts') WITH ORDINALITY f (value, place)
        WHERE f.value ->> 'text' <> ALL($2::text[])
    ))::text WHERE user_id = $1 AND EXISTS (
        SELECT 1 FROM jsonb_array_elements(body::jsonb -> 'facts') f WHERE f ->> 'text' = ANY($2::text[])
    )
"""
#: What the certificate says remains.
REMAINS = (
    "the rows and their index entries are deleted and vacuumed; copies remain in the server's write-ahead log, on its"
    " standbys and in its backups until these are recycled"
)
#: Tables whose deleted rows may contain text.
VACUUMED_TABLES = """
    messages chunks summaries memories memory_versions extractions events context_files profiles receipts feedback
    injections passages postings vectors vector_blocks jobs audit_log
""".split()
#: Tables with rows of users. The order respects their references.
USER_TABLES = """
    feedback injections memories chats summaries imports context_files receipts jobs token_usage events tombstones
    triage_counts profiles consents audit_log preferences passages passage_statistics postings
    vectors vector_blocks centroids embedding_queue users
""".split()
SELECT_USER_TEXTS = """
    SELECT content FROM messages WHERE user_id = $1 UNION SELECT text FROM memories WHERE user_id = $1
    UNION SELECT text FROM memory_versions WHERE user_id = $1
    UNION SELECT text FROM summaries WHERE user_id = $1
    UNION SELECT content FROM context_files WHERE user_id = $1 UNION SELECT notes FROM profiles WHERE user_id = $1
"""


class PostgresErasure:
    def __init__(self, database: Database) -> None:
        self._database = database

    def erase_memory(self, scope: Scope, memory_id: str) -> ErasedRows:
        user = scope.user
        with self._database.transaction(user) as db:
            row = fetch_one(
                db, "SELECT no, id FROM memories WHERE user_id = $1 AND id = $2", (user, memory_id)
            )
            if row is None:
                raise NotFound(f"There is no memory {memory_id!r} for this user.")
            memory_no, full_id = row
            traces = _read_texts(db, SELECT_MEMORY_TEXTS, user, memory_no)
            sources = fetch(db, SELECT_WHOLE_SOURCES, (user, memory_no))
            source_numbers = [no for (no,) in fetch(db, SELECT_SOURCE_MESSAGES, (user, memory_no))]
            rows = {"memories": delete_memories(db, user, [memory_no])}
            rows["extractions"] = execute(db, REMOVE_FACTS, (user, traces))
            # A message's summary may state the fact itself.
            rows["message_summaries"] = execute(
                db,
                "UPDATE messages SET summary = NULL"
                " WHERE user_id = $1 AND summary IS NOT NULL AND no = ANY($2::bigint[])",
                (user, source_numbers),
            )
            # A message whose whole text is the source of this memory is erased with it.
            message_ids = [message_id for _, message_id, _ in sources]
            rows["messages"] = delete_messages(db, user, [no for no, _, _ in sources], message_ids)
            rows["receipt_queries"] = clear_receipt_queries(db, user, [full_id, *message_ids])
            rows["events"] = _delete_events(db, user, [full_id])
        texts = [*traces, *(text for _, _, text in sources)]
        return ErasedRows(target=f"memory {full_id}", rows=rows, texts=texts)

    def erase_chat(self, scope: Scope) -> ErasedRows:
        user = scope.user
        with self._database.transaction(user) as db:
            chat_no = fetch_number(
                db, "SELECT no FROM chats WHERE user_id = $1 AND id = $2", (user, scope.chat)
            )
            if not chat_no:
                raise NotFound(
                    f"There is no chat {scope.chat!r} for this user. `recollect chats` lists them."
                )
            traces = _read_texts(db, SELECT_CHAT_TEXTS, user, chat_no)
            orphan_memories = fetch(db, SELECT_ORPHANS, (user, chat_no))
            for memory_no, _ in orphan_memories:
                traces += _read_texts(db, SELECT_MEMORY_TEXTS, user, memory_no)
            message_rows = fetch(
                db, "SELECT id FROM messages WHERE user_id = $1 AND chat_no = $2", (user, chat_no)
            )
            memory_ids = [memory for _, memory in orphan_memories]
            message_ids = [message for (message,) in message_rows]
            rows = {"memories": delete_memories(db, user, [no for no, _ in orphan_memories])}
            rows["events"] = _delete_events(db, user, memory_ids)
            rows["messages"] = len(message_ids)
            rows["jobs"] = execute(
                db, "DELETE FROM jobs WHERE user_id = $1 AND key = ANY($2::text[])", (user, message_ids)
            )
            rows["receipts"] = execute(
                db, "DELETE FROM receipts WHERE user_id = $1 AND chat = $2", (user, scope.chat)
            )
            rows["receipt_queries"] = clear_receipt_queries(db, user, [*memory_ids, *message_ids])
            rows["chats"] = delete_chats(db, user, [chat_no])
        return ErasedRows(target=f"chat {scope.chat}", rows=rows, texts=traces)

    def erase_user(self, user: str) -> ErasedRows:
        with self._database.transaction(user) as db:
            if fetch_one(db, "SELECT 1 FROM users WHERE user_id = $1", (user,)) is None:
                raise NotFound(f"There is no user {user!r}.")
            traces = _read_texts(db, SELECT_USER_TEXTS, user)
            rows = {
                table: fetch_number(db, f"SELECT count(*) FROM {table} WHERE user_id = $1", (user,))
                for table in ("messages", "memories", "chats", "summaries", "receipts", "jobs")
            }
            for table in USER_TABLES:
                execute(db, f"DELETE FROM {table} WHERE user_id = $1", (user,))
            self._database.forget_user(user)
        return ErasedRows(target=f"user {user}", rows=rows, texts=traces)


class PostgresByteErasure:
    """VACUUM removes deleted rows from tables and indexes. The write-ahead log and backups are the server's own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def scrub(self, texts: Sequence[str]) -> ByteScan:  # noqa: ARG002 - a server's files cannot be searched
        with translate_errors(self._database.location), self._database.connect() as connection:
            for table in VACUUMED_TABLES:
                execute(connection, f"VACUUM (INDEX_CLEANUP ON) {table}")
        return ByteScan(is_complete=False, detail=REMAINS, bytes_scanned=0)


def _read_texts(db: Connection, sql: str, *values: str | int) -> list[str]:
    return [text for (text,) in fetch(db, sql, values)]


def _delete_events(db: Connection, user: str, memory_ids: list[str]) -> int:
    return execute(
        db,
        "DELETE FROM events WHERE user_id = $1 AND EXISTS ("
        "SELECT 1 FROM jsonb_array_elements(body::jsonb) e WHERE e ->> 0 = ANY($2::text[]))",
        (user, memory_ids),
    )
