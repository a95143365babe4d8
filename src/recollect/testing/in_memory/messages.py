"""Messages and chats in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.message import CHAT_ROLES, Chat, Chunk, Message, MessageType, Role
from recollect.domain.scope import Scope
from recollect.domain.summary import SummaryKind
from recollect.errors import NotFound, StoreError
from recollect.testing.in_memory.database import Connection
from recollect.testing.in_memory.tables import MESSAGE_SOURCES, ChatRow, MessageRow, UserTables

FIRST_LINE_CHARS = 200


class InMemoryMessages:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, message: Message, chunks: Sequence[Chunk]) -> tuple[Message, bool]:
        with self._connection.write(message.user) as tables:
            if message.client_id is not None:
                for row in tables.messages.values():
                    if row.message.client_id == message.client_id:
                        return row.message, False
            if message.id in tables.messages:
                raise StoreError(f"{StoreError.__doc__} (a message with the id {message.id!r} exists)")
            touch_chat(self._connection, tables, message.chat, message.created_at)
            row = MessageRow(no=self._connection.new_number(), message=message)
            tables.messages[message.id] = row
            tables.index_message(row, self._connection.new_number())
            self._put_chunks(tables, message, chunks)
        return message, True

    def get(self, scope: Scope, message_id: str) -> Message:
        tables = self._connection.read(scope.user)
        matches = [key for key in tables.messages if message_id and key.startswith(message_id)]
        if message_id not in tables.messages and len(matches) > 1:
            raise NotFound(f"More than one message id begins with {message_id!r}. Give more characters.")
        full_id = matches[0] if len(matches) == 1 else message_id
        return _find_row(tables, scope, full_id).message

    def list(
        self, scope: Scope, *, limit: int = 100, before: str | None = None, newest_first: bool = False
    ) -> Sequence[Message]:
        tables = self._connection.read(scope.user)
        rows = rows_in_scope(tables, scope)
        if before is not None:
            first = tables.messages.get(before)
            rows = [row for row in rows if first is not None and row.no < first.no]
        messages = [row.message for row in rows[max(len(rows) - limit, 0) :]]
        return messages[::-1] if newest_first else messages

    def recent(self, scope: Scope, *, full: int, limit: int, importance_above: int) -> Sequence[Message]:
        rows = rows_in_scope(self._connection.read(scope.user), scope)
        messages = [row.message for row in rows if row.message.role is not Role.SYSTEM][-limit:]
        first_full = len(messages) - full
        return [
            message
            for place, message in enumerate(messages)
            if place >= first_full or (message.summary and (message.importance or 0) > importance_above)
        ]

    def get_many(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Message]:
        wanted = set(message_ids)
        return [
            row.message
            for row in self._connection.read(scope.user).messages.values()
            if row.message.id in wanted
        ]

    def prune_raw(self, scope: Scope, *, keep: int, trivial_only: bool, summarized_only: bool) -> int:
        with self._connection.write(scope.user, creates_user=False) as tables:
            rows = rows_in_scope(tables, scope)
            covered_no = max(
                (
                    row.last_message_no or 0
                    for row in tables.summaries.values()
                    if row.summary.chat == scope.chat and row.summary.kind is SummaryKind.WORKING
                ),
                default=0,
            )
            pruned = [
                row.message.id
                for row in rows[: max(len(rows) - keep, 0)]
                if row.message.extracted
                and (not trivial_only or row.message.importance == 0)
                and (not summarized_only or row.no <= covered_no)
            ]
            for message_id in pruned:
                tables.delete_message(message_id)
        return len(pruned)

    def edit(self, scope: Scope, message_id: str, content: str, chunks: Sequence[Chunk], tokens: int) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            row = _find_row(tables, scope, message_id)
            if content != row.message.content:
                tables.injections.pop(message_id, None)
                tables.delete_injections_of(MESSAGE_SOURCES, message_id)
            edited = replace(
                row.message,
                content=content,
                tokens=tokens,
                summary=None,
                importance=None,
                message_type=None,
                extracted=False,
            )
            tables.messages[message_id] = replace(row, message=edited)
            tables.index_message(tables.messages[message_id], self._connection.new_number())
            self._put_chunks(tables, edited, chunks)

    def delete(self, scope: Scope, message_id: str) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            tables.delete_message(_find_row(tables, scope, message_id).message.id)

    def annotate(
        self, scope: Scope, message_id: str, *, importance: int, summary: str | None, kind: MessageType
    ) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            row = _find_row(tables, scope, message_id)
            annotated = replace(
                row.message, importance=importance, summary=summary, message_type=kind, extracted=True
            )
            tables.messages[message_id] = replace(row, message=annotated)

    def list_unextracted(self, scope: Scope, *, limit: int) -> Sequence[Message]:
        rows = rows_in_scope(self._connection.read(scope.user), scope)
        return [
            row.message for row in rows if not row.message.extracted and row.message.role is not Role.SYSTEM
        ][:limit]

    def mark_extracted(self, scope: Scope, message_ids: Sequence[str]) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            for message_id in message_ids:
                if (row := tables.messages.get(message_id)) is not None:
                    tables.messages[message_id] = replace(row, message=replace(row.message, extracted=True))

    def list_unchunked(
        self, scope: Scope, *, after: str | None, tokens_above: int, limit: int
    ) -> Sequence[Message]:
        tables = self._connection.read(scope.user)
        first = tables.messages.get(after) if after is not None else None
        return [
            row.message
            for row in tables.messages.values()
            if row.message.role in CHAT_ROLES
            and row.message.tokens > tokens_above
            and (first is None or row.no > first.no)
            and not tables.chunks.get(row.message.id)
        ][:limit]

    def replace_chunks(self, scope: Scope, message_id: str, chunks: Sequence[Chunk]) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            self._put_chunks(tables, _find_row(tables, scope, message_id).message, chunks)

    def chunks(self, scope: Scope, message_id: str) -> Sequence[Chunk]:
        tables = self._connection.read(scope.user)
        return list(tables.chunks.get(_find_row(tables, scope, message_id).message.id, ()))

    def _put_chunks(self, tables: UserTables, message: Message, chunks: Sequence[Chunk]) -> None:
        tables.delete_chunks(message.id)
        if message.role in CHAT_ROLES and chunks:
            tables.chunks[message.id] = tuple(sorted(chunks, key=lambda chunk: chunk.index))
            for chunk in chunks:
                tables.index_chunk(message, chunk, self._connection.new_number())


class InMemoryChats:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[Chat]:
        tables = self._connection.read(scope.user)
        newest_first = sorted(
            tables.chats,
            key=lambda chat: (tables.chats[chat].updated_at, tables.chats[chat].no),
            reverse=True,
        )
        return [_to_chat(tables, scope.user, chat) for chat in newest_first[:limit]]

    def get(self, scope: Scope) -> Chat:
        return _to_chat(self._connection.read(scope.user), scope.user, scope.chat)

    def rename(self, scope: Scope, title: str) -> None:
        chat = self.get(scope)
        with self._connection.write(scope.user, creates_user=False) as tables:
            tables.chats[chat.id] = replace(tables.chats[chat.id], title=title)

    def first_lines(self, scope: Scope, chats: Sequence[str]) -> Mapping[str, str]:
        lines: dict[str, str] = {}
        for row in self._connection.read(scope.user).messages.values():
            if row.message.role is Role.USER and row.message.chat in chats:
                lines.setdefault(row.message.chat, row.message.content[:FIRST_LINE_CHARS])
        return {chat: lines[chat] for chat in chats if chat in lines}

    def mode(self, scope: Scope) -> str | None:
        row = self._connection.read(scope.user).chats.get(scope.chat or "")
        return row.mode if row else None

    def set_mode(self, scope: Scope, mode: str | None, *, now: datetime) -> None:
        assert scope.chat is not None
        with self._connection.write(scope.user) as tables:
            if scope.chat not in tables.chats:
                touch_chat(self._connection, tables, scope.chat, now)
            tables.chats[scope.chat] = replace(tables.chats[scope.chat], mode=mode)

    def delete(self, scope: Scope) -> None:
        chat = self.get(scope)
        with self._connection.write(scope.user, creates_user=False) as tables:
            tables.delete_chat(chat.id)


def touch_chat(connection: Connection, tables: UserTables, chat: str, now: datetime) -> None:
    """Create a chat if needed, and record its use."""
    row = tables.chats.get(chat)
    if row is None:
        row = ChatRow(no=connection.new_number(), title=None, mode=None, created_at=now, updated_at=now)
    tables.chats[chat] = replace(row, updated_at=max(row.updated_at, now))


def rows_in_scope(tables: UserTables, scope: Scope) -> Sequence[MessageRow]:
    """Return the messages of the scope's chat or of all chats, in order."""
    return [row for row in tables.messages.values() if scope.chat in {None, row.message.chat}]


def _find_row(tables: UserTables, scope: Scope, message_id: str) -> MessageRow:
    row = tables.messages.get(message_id)
    if row is None or scope.chat not in {None, row.message.chat}:
        raise NotFound(f"There is no message {message_id!r} for this user.")
    return row


def _to_chat(tables: UserTables, user: str, chat: str | None) -> Chat:
    row = tables.chats.get(chat or "")
    if row is None or chat is None:
        raise NotFound(f"There is no chat {chat!r} for this user. `recollect chats` lists them.")
    return Chat(
        id=chat,
        user=user,
        title=row.title,
        created_at=row.created_at,
        updated_at=row.updated_at,
        message_count=sum(each.message.chat == chat for each in tables.messages.values()),
    )
