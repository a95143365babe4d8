"""Erasure: delete rows; then checkpoint, and scan the file for remaining bytes."""

import json
import mmap
from collections.abc import Iterable, Sequence
from pathlib import Path

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.receipts import clear_receipt_queries
from recollect.adapters.sqlite.rows import fetch, fetch_number, fetch_one
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.ports.records import ByteScan, ErasedRows

#: Shorter texts may occur in any file by chance.
MIN_TRACE_CHARS = 6
SELECT_MEMORY_TEXTS = """
    SELECT text FROM memories WHERE no = ?1 UNION SELECT text FROM memory_versions WHERE memory_no = ?1
    UNION SELECT old_text FROM memory_versions WHERE memory_no = ?1 AND old_text IS NOT NULL
"""
SELECT_SOURCE_MESSAGES = "SELECT DISTINCT message_no FROM memory_spans WHERE memory_no = ?"
SELECT_CHAT_TEXTS = """
    SELECT content FROM messages WHERE chat_no = ?1 UNION SELECT text FROM summaries WHERE chat_no = ?1
"""
SELECT_USER_TEXTS = """
    SELECT content FROM messages WHERE user_no = ?1 UNION SELECT text FROM memories WHERE user_no = ?1
    UNION SELECT text FROM memory_versions WHERE user_no = ?1
    UNION SELECT text FROM summaries WHERE user_no = ?1
    UNION SELECT content FROM context_files WHERE user_no = ?1 UNION SELECT notes FROM profiles WHERE user_no = ?1
"""


class SqliteErasure:
    def __init__(self, database: Database) -> None:
        self._database = database

    def erase_memory(self, scope: Scope, memory_id: str) -> ErasedRows:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            row = fetch_one(
                db, "SELECT no, id FROM memories WHERE user_no = ? AND id = ?", (user_no, memory_id)
            )
            if row is None:
                raise NotFound(f"There is no memory {memory_id!r} for this user.")
            memory_no, full_id = row
            traces = _read_texts(db, SELECT_MEMORY_TEXTS, memory_no)
            sources = fetch(
                db,
                "SELECT m.no, m.id, m.content FROM memory_spans s JOIN messages m ON m.no = s.message_no"
                " WHERE s.memory_no = ? AND m.extracted = 1 AND s.start = 0 AND s.end = length(m.content)",
                (memory_no,),
            )
            source_numbers = [no for (no,) in fetch(db, SELECT_SOURCE_MESSAGES, (memory_no,))]
            rows = {"memories": _delete(db, "memories WHERE no = ?", memory_no)}
            rows["extractions"] = _remove_extracted_facts(db, user_no, traces)
            # A message's summary may state the fact itself.
            rows["message_summaries"] = _clear_summaries(db, source_numbers)
            # A message whose whole text is the source of this memory is erased with it.
            rows["messages"] = sum(_delete(db, "messages WHERE no = ?", no) for no, _, _ in sources)
            erased_ids = [full_id, *(message_id for _, message_id, _ in sources)]
            rows["receipt_queries"] = clear_receipt_queries(db, user_no, erased_ids)
            rows["events"] = _delete_events(db, user_no, [full_id])
        texts = [*traces, *(text for _, _, text in sources)]
        return ErasedRows(target=f"memory {full_id}", rows=rows, texts=texts)

    def erase_chat(self, scope: Scope) -> ErasedRows:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, scope.user)
            chat_no = fetch_number(
                db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, scope.chat)
            )
            if not chat_no:
                raise NotFound(
                    f"There is no chat {scope.chat!r} for this user. `recollect chats` lists them."
                )
            traces = _read_texts(db, SELECT_CHAT_TEXTS, chat_no)
            orphan_memories = fetch(
                db,
                "SELECT no, id FROM memories f WHERE user_no = ?1 AND EXISTS (SELECT 1 FROM memory_spans s"
                " JOIN messages m ON m.no = s.message_no WHERE s.memory_no = f.no AND m.chat_no = ?2) AND NOT EXISTS"
                " (SELECT 1 FROM memory_spans s JOIN messages m ON m.no = s.message_no"
                " WHERE s.memory_no = f.no AND m.chat_no <> ?2)",
                (user_no, chat_no),
            )
            for memory_no, _ in orphan_memories:
                traces += _read_texts(db, SELECT_MEMORY_TEXTS, memory_no)
            message_rows = fetch(db, "SELECT id FROM messages WHERE chat_no = ?", (chat_no,))
            erased_ids = [
                *(memory for _, memory in orphan_memories),
                *(message for (message,) in message_rows),
            ]
            rows = {"memories": sum(_delete(db, "memories WHERE no = ?", no) for no, _ in orphan_memories)}
            rows["events"] = _delete_events(db, user_no, [memory for _, memory in orphan_memories])
            rows["messages"] = fetch_number(db, "SELECT count(*) FROM messages WHERE chat_no = ?", (chat_no,))
            rows["jobs"] = _delete(
                db,
                "jobs WHERE user_no = ? AND key IN (SELECT id FROM messages WHERE chat_no = ?)",
                user_no,
                chat_no,
            )
            rows["receipts"] = _delete(
                db, "receipts WHERE user_no = ? AND chat = ?", user_no, str(scope.chat)
            )
            rows["receipt_queries"] = clear_receipt_queries(db, user_no, erased_ids)
            rows["chats"] = _delete(db, "chats WHERE no = ?", chat_no)
        return ErasedRows(target=f"chat {scope.chat}", rows=rows, texts=traces)

    def erase_user(self, user: str) -> ErasedRows:
        with self._database.transaction() as db:
            user_no = self._database.user_number(db, user)
            if not user_no:
                raise NotFound(f"There is no user {user!r}.")
            traces = _read_texts(db, SELECT_USER_TEXTS, user_no)
            rows = {
                table: fetch_number(db, f"SELECT count(*) FROM {table} WHERE user_no = ?", (user_no,))
                for table in ("messages", "memories", "chats", "summaries", "receipts", "jobs")
            }
            # Chats before users: cascades from users reach messages and chunks in no defined order.
            for table in ("memories", "chats", "audit_log"):
                _delete(db, f"{table} WHERE user_no = ?", user_no)
            _delete(db, "users WHERE no = ?", user_no)
        self._database.clear_user_cache()
        return ErasedRows(target=f"user {user}", rows=rows, texts=traces)


class SqliteByteErasure:
    """Deleted rows are overwritten by `secure_delete`; a checkpoint does the same for the write-ahead log."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def scrub(self, texts: Sequence[str]) -> ByteScan:
        is_checkpointed = self._database.checkpoint()
        remaining, bytes_scanned = _count_remaining_texts(self._database.path, texts)
        if remaining:
            detail = (
                f"{remaining} of the erased texts are still in the file: other rows contain the same text"
            )
        elif not is_checkpointed:
            detail = "the rows are deleted, but another process is reading: their bytes go with the next checkpoint"
        else:
            detail = "the rows are deleted and none of their bytes are left in the file"
        return ByteScan(
            is_complete=is_checkpointed and not remaining, detail=detail, bytes_scanned=bytes_scanned
        )


def _read_texts(db: apsw.Connection, sql: str, key: int) -> list[str]:
    return [text for (text,) in fetch(db, sql, (key,))]


def _delete(db: apsw.Connection, target: str, *values: str | int) -> int:
    db.execute(f"DELETE FROM {target}", values)
    return db.changes()


def _delete_events(db: apsw.Connection, user_no: int, memory_ids: list[str]) -> int:
    return _delete(
        db,
        "events WHERE user_no = ? AND EXISTS (SELECT 1 FROM json_each(body) e JOIN json_each(?) g"
        " ON e.value ->> 0 = g.value)",
        user_no,
        json.dumps(memory_ids),
    )


def _clear_summaries(db: apsw.Connection, messages: list[int]) -> int:
    db.execute(
        "UPDATE messages SET summary = NULL WHERE summary IS NOT NULL AND no IN (SELECT value FROM json_each(?))",
        (json.dumps(messages),),
    )
    return db.changes()


def _remove_extracted_facts(db: apsw.Connection, user_no: int, texts: list[str]) -> int:
    """Remove the facts from stored extractions, so that they cannot be learned again."""
    texts_json = json.dumps(texts)
    db.execute(
        # The outer json(): an empty array loses its type in a subquery, and would be stored as a text.
        "UPDATE extractions SET body = json_set(body, '$.facts', json((SELECT json_group_array(json(f.value))"
        " FROM json_each(body, '$.facts') f WHERE f.value ->> '$.text' NOT IN (SELECT value FROM json_each(?2)))))"
        " WHERE user_no = ?1 AND EXISTS (SELECT 1 FROM json_each(body, '$.facts') f"
        " WHERE f.value ->> '$.text' IN (SELECT value FROM json_each(?2)))",
        (user_no, texts_json),
    )
    return db.changes()


def _count_remaining_texts(path: Path, traces: Iterable[str]) -> tuple[int, int]:
    """Return how many of the texts are still in the file or its log, and the number of bytes scanned."""
    needles = [text.encode("utf-8", "surrogatepass") for text in traces if len(text) >= MIN_TRACE_CHARS]
    bytes_scanned = remaining = 0
    for suffix in ("", "-wal"):
        file = path.with_name(path.name + suffix)
        if not file.exists() or not file.stat().st_size:
            continue
        with file.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as data:
            bytes_scanned += len(data)
            remaining += sum(data.find(text[:200]) >= 0 for text in needles)
    return remaining, bytes_scanned
