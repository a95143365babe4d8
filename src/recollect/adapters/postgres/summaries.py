"""Summaries and context files in PostgreSQL."""

from collections.abc import Sequence

from recollect.adapters.postgres import rows
from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.dependents import delete_injections, delete_summaries
from recollect.adapters.postgres.messages import SELECT_MESSAGE, to_message
from recollect.adapters.postgres.passages import summary_passage
from recollect.adapters.postgres.postings import index_passage
from recollect.adapters.postgres.rows import (
    Connection,
    Row,
    execute,
    fetch,
    fetch_number,
    fetch_one,
)
from recollect.domain.candidate import Source
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Summary, SummaryKind
from recollect.errors import InvalidInput, NotFound
from recollect.storage.timestamps import from_ms, to_ms
from recollect.text.tokens import estimate_tokens

SELECT_SUMMARY = """
    SELECT s.id, c.id, s.kind, s.text, s.created_at, m.id
    FROM summaries s JOIN chats c ON c.user_id = s.user_id AND c.no = s.chat_no
        LEFT JOIN messages m ON m.user_id = s.user_id AND m.no = s.last_message_no
    WHERE s.user_id = $1 AND ($2::text IS NULL OR c.id = $2)
"""
SELECT_CONTEXT_FILE = """
    SELECT f.id, f.name, f.content, f.created_at, (SELECT coalesce(json_agg(c.id), '[]') FROM context_file_chats l
        JOIN chats c ON c.user_id = l.user_id AND c.no = l.chat_no WHERE l.user_id = f.user_id AND l.file_no = f.no)
    FROM context_files f WHERE f.user_id = $1
"""


class PostgresSummaries:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, summary: Summary) -> None:
        now = to_ms(summary.created_at)
        with self._database.transaction(summary.user) as db:
            self._database.ensure_user(summary.user, now)
            chat_no = require_chat_number(db, summary.user, Scope(summary.user, summary.chat))
            if summary.kind is SummaryKind.WORKING:
                previous = fetch(
                    db,
                    "SELECT no, id FROM summaries WHERE user_id = $1 AND chat_no = $2 AND kind = 'working'",
                    (summary.user, chat_no),
                )
                delete_summaries(db, summary.user, previous)
            select_number = "SELECT no FROM messages WHERE user_id = $1 AND id = $2"
            row = (
                summary.user,
                chat_no,
                summary.id,
                summary.kind,
                summary.text,
                estimate_tokens(summary.text),
                fetch_number(db, select_number, (summary.user, summary.last_message_id)) or None,
                now,
            )
            [summary_no] = fetch(
                db,
                "INSERT INTO summaries (user_id, chat_no, id, kind, text, tokens, last_message_no,"
                " created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING no",
                row,
            )[0]
            index_passage(db, summary.user, summary_passage(summary_no), chat_no, summary.text)

    def latest(self, scope: Scope, kind: SummaryKind) -> Summary | None:
        with self._database.reader(scope.user) as db:
            row = fetch_one(
                db,
                SELECT_SUMMARY + "AND s.kind = $3 ORDER BY s.no DESC LIMIT 1",
                (scope.user, scope.chat, kind),
            )
        return None if row is None else _to_summary(scope.user, row)

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[Summary]:
        with self._database.reader(scope.user) as db:
            records = fetch(
                db, SELECT_SUMMARY + "ORDER BY s.no DESC LIMIT $3", (scope.user, scope.chat, limit)
            )
        return [_to_summary(scope.user, row) for row in records]

    def count_answers_since(self, scope: Scope, kind: SummaryKind) -> int:
        with self._database.reader(scope.user) as db:
            return fetch_number(
                db,
                "SELECT count(*) FROM messages WHERE user_id = $1 AND chat_no = $2 AND role = 'assistant' AND no >"
                " coalesce((SELECT max(last_message_no) FROM summaries"
                " WHERE user_id = $1 AND chat_no = $2 AND kind = $3), 0)",
                (scope.user, rows.chat_number(db, scope.user, scope.chat), kind),
            )

    def delete_from(self, scope: Scope, message_id: str) -> int:
        with self._database.transaction(scope.user) as db:
            covering = fetch(
                db,
                "SELECT s.no, s.id FROM messages m"
                " JOIN summaries s ON s.user_id = m.user_id AND s.chat_no = m.chat_no AND s.last_message_no >= m.no"
                " WHERE m.user_id = $1 AND m.id = $2",
                (scope.user, message_id),
            )
            return delete_summaries(db, scope.user, covering)

    def messages_since(self, scope: Scope, kind: SummaryKind, *, limit: int = 100) -> Sequence[Message]:
        with self._database.reader(scope.user) as db:
            records = fetch(
                db,
                SELECT_MESSAGE
                + """
                WHERE m.user_id = $1 AND c.id = $2 AND m.role IN ('user', 'assistant') AND m.no > coalesce(
                    (SELECT max(last_message_no) FROM summaries s
                     WHERE s.user_id = c.user_id AND s.chat_no = c.no AND s.kind = $3), 0)
                ORDER BY m.no LIMIT $4
                """,
                (scope.user, scope.chat, kind, limit),
            )
        return [to_message(scope.user, row) for row in records]


class PostgresContextFiles:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, file: ContextFile) -> None:
        now = to_ms(file.created_at)
        with self._database.transaction(file.user) as db:
            self._database.ensure_user(file.user, now)
            execute(
                db,
                "INSERT INTO context_files (user_id, id, name, content, created_at) VALUES ($1, $2, $3, $4, $5)",
                (file.user, file.id, file.name, file.content, now),
            )
            for chat in file.chats:
                self.attach(Scope(file.user, chat), file.id)

    def get(self, scope: Scope, context_id: str) -> ContextFile:
        with self._database.reader(scope.user) as db:
            records = fetch(
                db,
                SELECT_CONTEXT_FILE + "AND (f.name = $2 OR (f.id >= $2 AND f.id < $2 || '{')) LIMIT 2",
                (scope.user, context_id),
            )
        if len(records) != 1 or not context_id:
            raise NotFound(
                f"There is no context file {context_id!r} for this user, or more than one matches."
            )
        return to_context_file(scope.user, records[0])

    def list(self, scope: Scope) -> Sequence[ContextFile]:
        with self._database.reader(scope.user) as db:
            records = fetch(
                db,
                SELECT_CONTEXT_FILE
                + """
                AND ($2::text IS NULL OR f.no IN (SELECT l.file_no FROM context_file_chats l
                    JOIN chats c ON c.user_id = l.user_id AND c.no = l.chat_no WHERE c.user_id = $1 AND c.id = $2))
                ORDER BY f.name, f.no
                """,
                (scope.user, scope.chat),
            )
        return [to_context_file(scope.user, row) for row in records]

    def attach(self, scope: Scope, context_id: str) -> None:
        with self._database.transaction(scope.user) as db:
            file = self.get(scope, context_id)
            execute(
                db,
                "INSERT INTO chats (user_id, id, created_at, updated_at) VALUES ($1, $2, $3, $3)"
                " ON CONFLICT (user_id, id) DO NOTHING",
                (scope.user, _require_chat(scope), to_ms(file.created_at)),
            )
            execute(
                db,
                "INSERT INTO context_file_chats (user_id, chat_no, file_no)"
                " SELECT user_id, $2::bigint, no FROM context_files WHERE user_id = $1 AND id = $3"
                " ON CONFLICT (user_id, chat_no, file_no) DO NOTHING",
                (scope.user, require_chat_number(db, scope.user, scope), file.id),
            )

    def detach(self, scope: Scope, context_id: str) -> None:
        with self._database.transaction(scope.user) as db:
            file = self.get(scope, context_id)
            execute(
                db,
                "DELETE FROM context_file_chats WHERE user_id = $1 AND chat_no = $2 AND file_no ="
                " (SELECT no FROM context_files WHERE user_id = $1 AND id = $3)",
                (scope.user, require_chat_number(db, scope.user, scope), file.id),
            )

    def delete(self, scope: Scope, context_id: str) -> None:
        with self._database.transaction(scope.user) as db:
            file = self.get(scope, context_id)
            execute(
                db,
                "DELETE FROM context_files WHERE user_id = $1 AND id = $2",
                (scope.user, file.id),
            )
            delete_injections(db, scope.user, (Source.CONTEXT,), [file.id])


def require_chat_number(db: Connection, user: str, scope: Scope) -> int:
    chat_no = fetch_number(
        db, "SELECT no FROM chats WHERE user_id = $1 AND id = $2", (user, _require_chat(scope))
    )
    if not chat_no:
        raise NotFound(f"There is no chat {scope.chat!r} for this user. `recollect chats` lists them.")
    return chat_no


def _require_chat(scope: Scope) -> str:
    if scope.chat is None:
        raise InvalidInput("A chat id is required.")
    return scope.chat


def _to_summary(user: str, row: Row) -> Summary:
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
        chats=tuple(chats),
    )
