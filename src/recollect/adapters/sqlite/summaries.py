"""Summaries and context files in SQLite."""

import json
from collections.abc import Sequence

import apsw

from recollect.adapters.sqlite import rows
from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.messages import SELECT_MESSAGE, to_message
from recollect.adapters.sqlite.rows import Row, fetch, fetch_number
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Summary, SummaryKind
from recollect.errors import InvalidInput, NotFound
from recollect.storage.timestamps import from_ms, to_ms
from recollect.text.tokens import estimate_tokens

SELECT_SUMMARY = """
    SELECT s.id, c.id, s.kind, s.text, s.created_at, m.id
    FROM summaries s JOIN chats c ON c.no = s.chat_no LEFT JOIN messages m ON m.no = s.last_message_no
    WHERE s.user_no = :user AND (:chat IS NULL OR c.id = :chat)
"""
SELECT_LATEST_SUMMARY = f"{SELECT_SUMMARY} AND s.kind = :kind ORDER BY s.no DESC LIMIT 1"
SELECT_CONTEXT_FILE = """
    SELECT f.id, f.name, f.content, f.created_at, (SELECT json_group_array(c.id) FROM context_file_chats l
        JOIN chats c ON c.no = l.chat_no WHERE l.user_no = f.user_no AND l.file_no = f.no)
    FROM context_files f WHERE f.user_no = :user
"""
SELECT_FILES_OF_CHAT = f"""
    {SELECT_CONTEXT_FILE} AND f.no IN (SELECT l.file_no FROM context_file_chats l
        JOIN chats c ON c.user_no = l.user_no AND c.no = l.chat_no WHERE c.user_no = :user AND c.id = :chat)
    ORDER BY f.name, f.no
"""


class SqliteSummaries:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, summary: Summary) -> None:
        now = to_ms(summary.created_at)
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, summary.user, now)
            chat_no = require_chat_number(db, user_no, Scope(summary.user, summary.chat))
            if summary.kind is SummaryKind.WORKING:
                db.execute(
                    "DELETE FROM summaries WHERE user_no = ? AND chat_no = ? AND kind = 'working'",
                    (user_no, chat_no),
                )
            select_number = "SELECT no FROM messages WHERE user_no = ? AND id = ?"
            row = (
                user_no,
                chat_no,
                summary.id,
                summary.kind,
                summary.text,
                estimate_tokens(summary.text),
                fetch_number(db, select_number, (user_no, summary.last_message_id)) or None,
                now,
            )
            db.execute(
                "INSERT INTO summaries (user_no, chat_no, id, kind, text, tokens, last_message_no,"
                " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )

    def latest(self, scope: Scope, kind: SummaryKind) -> Summary | None:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            rows = fetch(db, SELECT_LATEST_SUMMARY, {"user": user_no, "chat": scope.chat, "kind": kind})
        return to_summary(scope.user, rows[0]) if rows else None

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[Summary]:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            values = {"user": user_no, "chat": scope.chat, "limit": limit}
            records = fetch(db, SELECT_SUMMARY + "ORDER BY s.no DESC LIMIT :limit", values)
        return [to_summary(scope.user, row) for row in records]

    def count_answers_since(self, scope: Scope, kind: SummaryKind) -> int:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            return fetch_number(
                db,
                "SELECT count(*) FROM messages WHERE user_no = ?1 AND chat_no = ?2 AND role = 'assistant' AND no >"
                " coalesce((SELECT max(last_message_no) FROM summaries"
                " WHERE user_no = ?1 AND chat_no = ?2 AND kind = ?3), 0)",
                (user_no, rows.chat_number(db, user_no, scope.chat), kind),
            )

    def delete_from(self, scope: Scope, message_id: str) -> int:
        with self._database.transaction() as db:
            db.execute(
                "DELETE FROM summaries WHERE no IN (SELECT s.no FROM messages m"
                " JOIN summaries s ON s.user_no = m.user_no AND s.chat_no = m.chat_no AND s.last_message_no >= m.no"
                " WHERE m.user_no = ? AND m.id = ?)",
                (self._database.user_number(db, scope.user), message_id),
            )
            return db.changes()

    def messages_since(self, scope: Scope, kind: SummaryKind, *, limit: int = 100) -> Sequence[Message]:
        with self._database.reader() as db:
            records = fetch(
                db,
                SELECT_MESSAGE
                + """
                WHERE m.user_no = ?1 AND c.id = ?2 AND m.role IN ('user', 'assistant') AND m.no > coalesce(
                    (SELECT max(last_message_no) FROM summaries s
                     WHERE s.user_no = c.user_no AND s.chat_no = c.no AND s.kind = ?3), 0)
                ORDER BY m.no LIMIT ?4
                """,
                (self._database.user_number(db, scope.user), scope.chat, kind, limit),
            )
        return [to_message(scope.user, row) for row in records]


class SqliteContextFiles:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, file: ContextFile) -> None:
        now = to_ms(file.created_at)
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, file.user, now)
            db.execute(
                "INSERT INTO context_files (user_no, id, name, content, created_at) VALUES (?, ?, ?, ?, ?)",
                (user_no, file.id, file.name, file.content, now),
            )
            for chat in file.chats:
                self.attach(Scope(file.user, chat), file.id)

    def get(self, scope: Scope, context_id: str) -> ContextFile:
        with self._database.reader() as db:
            records = fetch(
                db,
                SELECT_CONTEXT_FILE + "AND (f.name = :id OR (f.id >= :id AND f.id < :id || '{')) LIMIT 2",
                {"user": self._database.user_number(db, scope.user), "id": context_id},
            )
        if len(records) != 1 or not context_id:
            raise NotFound(
                f"There is no context file {context_id!r} for this user, or more than one matches."
            )
        return to_context_file(scope.user, records[0])

    def list(self, scope: Scope) -> Sequence[ContextFile]:
        with self._database.reader() as db:
            values = {"user": self._database.user_number(db, scope.user), "chat": scope.chat}
            statement = SELECT_FILES_OF_CHAT if scope.chat else f"{SELECT_CONTEXT_FILE} ORDER BY f.name, f.no"
            records = fetch(db, statement, values)
        return [to_context_file(scope.user, row) for row in records]

    def attach(self, scope: Scope, context_id: str) -> None:
        with self._database.transaction() as db:
            file = self.get(scope, context_id)
            user_no = self._database.user_number(db, scope.user)
            db.execute(
                "INSERT OR IGNORE INTO chats (user_no, id, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)",
                (user_no, _require_chat(scope), to_ms(file.created_at)),
            )
            db.execute(
                "INSERT OR IGNORE INTO context_file_chats (user_no, chat_no, file_no)"
                " SELECT ?1, ?2, no FROM context_files WHERE user_no = ?1 AND id = ?3",
                (user_no, require_chat_number(db, user_no, scope), file.id),
            )

    def detach(self, scope: Scope, context_id: str) -> None:
        with self._database.transaction() as db:
            file = self.get(scope, context_id)
            user_no = self._database.user_number(db, scope.user)
            db.execute(
                "DELETE FROM context_file_chats WHERE user_no = ?1 AND chat_no = ?2 AND file_no ="
                " (SELECT no FROM context_files WHERE user_no = ?1 AND id = ?3)",
                (user_no, require_chat_number(db, user_no, scope), file.id),
            )

    def delete(self, scope: Scope, context_id: str) -> None:
        with self._database.transaction() as db:
            file = self.get(scope, context_id)
            db.execute(
                "DELETE FROM context_files WHERE user_no = ? AND id = ?",
                (self._database.user_number(db, scope.user), file.id),
            )


def require_chat_number(db: apsw.Connection, user_no: int, scope: Scope) -> int:
    chat_no = fetch_number(
        db, "SELECT no FROM chats WHERE user_no = ? AND id = ?", (user_no, _require_chat(scope))
    )
    if not chat_no:
        raise NotFound(f"There is no chat {scope.chat!r} for this user. `recollect chats` lists them.")
    return chat_no


def _require_chat(scope: Scope) -> str:
    if scope.chat is None:
        raise InvalidInput("A chat id is required.")
    return scope.chat


def to_summary(user: str, row: Row) -> Summary:
    summary_id, chat, kind, text, created_at, last = row
    return Summary(
        id=summary_id,
        user=user,
        chat=chat,
        kind=SummaryKind(kind),
        text=text,
        created_at=from_ms(created_at),
        last_message_id=last,
    )


def to_context_file(user: str, row: Row) -> ContextFile:
    context_id, name, content, created_at, chats = row
    return ContextFile(
        id=context_id,
        user=user,
        name=name,
        content=content,
        created_at=from_ms(created_at),
        chats=tuple(json.loads(chats)),
    )
