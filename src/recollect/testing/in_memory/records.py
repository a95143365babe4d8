"""Summaries, context files, extractions, tombstones, events, receipts, feedback and usage in memory."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.candidate import PassageKey, Source
from recollect.domain.event import Event, EventAction
from recollect.domain.extraction import Extraction
from recollect.domain.feedback import RelevanceFeedback
from recollect.domain.import_ledger import ImportRecord, LedgerEntry
from recollect.domain.message import CHAT_ROLES, Message, Role
from recollect.domain.reason import Reason
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Summary, SummaryKind
from recollect.errors import InvalidInput, NotFound
from recollect.storage.reasons import encode_reason
from recollect.storage.receipts import PassageText, decode_receipt, encode_receipt, item_keys, show_passage
from recollect.storage.timestamps import to_ms
from recollect.testing.in_memory.database import Connection
from recollect.testing.in_memory.messages import rows_in_scope, touch_chat
from recollect.testing.in_memory.tables import InjectionRow, LedgerRow, MessageRow, SummaryRow, UserTables


class InMemorySummaries:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, summary: Summary) -> None:
        with self._connection.write(summary.user) as tables:
            if summary.chat not in tables.chats:
                raise NotFound(
                    f"There is no chat {summary.chat!r} for this user. `recollect chats` lists them."
                )
            if summary.kind is SummaryKind.WORKING:
                for row in _summaries(tables, Scope(summary.user, summary.chat), SummaryKind.WORKING):
                    tables.delete_summary(row.summary.id)
            last = tables.messages.get(summary.last_message_id or "")
            tables.summaries[summary.id] = SummaryRow(
                no=self._connection.new_number(), summary=summary, last_message_no=last.no if last else None
            )
            tables.index_summary(summary, self._connection.new_number())

    def latest(self, scope: Scope, kind: SummaryKind) -> Summary | None:
        rows = _summaries(self._connection.read(scope.user), scope, kind)
        return rows[-1].summary if rows else None

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[Summary]:
        rows = _summaries(self._connection.read(scope.user), scope, None)
        return [row.summary for row in reversed(rows)][:limit]

    def count_answers_since(self, scope: Scope, kind: SummaryKind) -> int:
        return sum(row.message.role is Role.ASSISTANT for row in self._rows_since(scope, kind))

    def delete_from(self, scope: Scope, message_id: str) -> int:
        with self._connection.write(scope.user, creates_user=False) as tables:
            first = tables.messages.get(message_id)
            if first is None:
                return 0
            covering = [
                row.summary.id
                for row in tables.summaries.values()
                if row.summary.chat == first.message.chat and (row.last_message_no or 0) >= first.no
            ]
            for summary_id in covering:
                tables.delete_summary(summary_id)
        return len(covering)

    def messages_since(self, scope: Scope, kind: SummaryKind, *, limit: int = 100) -> Sequence[Message]:
        rows = [row for row in self._rows_since(scope, kind) if row.message.role in CHAT_ROLES]
        return [row.message for row in rows[:limit]]

    def _rows_since(self, scope: Scope, kind: SummaryKind) -> Sequence[MessageRow]:
        tables = self._connection.read(scope.user)
        covered_no = max((row.last_message_no or 0 for row in _summaries(tables, scope, kind)), default=0)
        return [row for row in rows_in_scope(tables, scope) if row.no > covered_no]


class InMemoryContextFiles:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, file: ContextFile) -> None:
        with self._connection.write(file.user) as tables:
            tables.context_files[file.id] = replace(file, chats=())
            for chat in file.chats:
                self.attach(Scope(file.user, chat), file.id)

    def get(self, scope: Scope, context_id: str) -> ContextFile:
        files = self._connection.read(scope.user).context_files.values()
        matches = [file for file in files if file.name == context_id or file.id.startswith(context_id)]
        if len(matches) != 1 or not context_id:
            raise NotFound(
                f"There is no context file {context_id!r} for this user, or more than one matches."
            )
        return matches[0]

    def list(self, scope: Scope) -> Sequence[ContextFile]:
        files = self._connection.read(scope.user).context_files.values()
        listed = [file for file in files if scope.chat is None or scope.chat in file.chats]
        return sorted(listed, key=lambda file: file.name)

    def attach(self, scope: Scope, context_id: str) -> None:
        chat = _require_chat(scope)
        with self._connection.write(scope.user, creates_user=False) as tables:
            file = self.get(scope, context_id)
            if chat not in tables.chats:
                touch_chat(self._connection, tables, chat, file.created_at)
            if chat not in file.chats:
                tables.context_files[file.id] = replace(file, chats=(*file.chats, chat))

    def detach(self, scope: Scope, context_id: str) -> None:
        chat = _require_chat(scope)
        with self._connection.write(scope.user, creates_user=False) as tables:
            file = self.get(scope, context_id)
            if chat not in tables.chats:
                raise NotFound(f"There is no chat {chat!r} for this user. `recollect chats` lists them.")
            chats = tuple(each for each in file.chats if each != chat)
            tables.context_files[file.id] = replace(file, chats=chats)

    def delete(self, scope: Scope, context_id: str) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            file = self.get(scope, context_id)
            del tables.context_files[file.id]
            tables.delete_injections_of({Source.CONTEXT}, file.id)


class InMemoryExtractions:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, scope: Scope, message_id: str, extractor: str, extraction: Extraction) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            if message_id in tables.messages:
                tables.extractions[message_id] = extraction

    def get(self, scope: Scope, message_id: str) -> Extraction | None:
        return self._connection.read(scope.user).extractions.get(message_id)

    def get_many(self, scope: Scope, message_ids: Collection[str]) -> Mapping[str, Extraction]:
        extractions = self._connection.read(scope.user).extractions
        return {each: extractions[each] for each in message_ids if each in extractions}


class InMemoryTombstones:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, user: str, fact_hash: str, *, now: datetime) -> None:
        with self._connection.write(user) as tables:
            tables.tombstones[fact_hash] = now

    def forgotten_at(self, user: str, fact_hashes: Collection[str]) -> Mapping[str, datetime]:
        tombstones = self._connection.read(user).tombstones
        return {each: tombstones[each] for each in fact_hashes if each in tombstones}

    def all(self, user: str) -> Mapping[str, datetime]:
        tombstones = self._connection.read(user).tombstones
        return {key: tombstones[key] for key in sorted(tombstones, key=lambda key: (tombstones[key], key))}

    def remove(self, user: str, fact_hash: str) -> None:
        with self._connection.write(user, creates_user=False) as tables:
            tables.tombstones.pop(fact_hash, None)


class InMemoryEvents:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, user: str, events: Sequence[Event]) -> None:
        if events:
            with self._connection.write(user) as tables:
                tables.events.update({event.id: event for event in events})

    def list(
        self,
        scope: Scope,
        *,
        limit: int = 50,
        before: str | None = None,
        until: datetime | None = None,
        actions: Collection[EventAction] = (),
        memory_id: str | None = None,
    ) -> Sequence[Event]:
        events = list(self._connection.read(scope.user).events.values())
        if before is not None:
            ids = [event.id for event in events]
            events = events[: ids.index(before)] if before in ids else []
        selected = [
            event
            for event in reversed(events)
            if (until is None or event.at <= until)
            and (not actions or event.action in actions)
            and (memory_id is None or any(change.memory_id == memory_id for change in event.changes))
        ]
        return selected[:limit]

    def get(self, scope: Scope, event_id: str) -> Event:
        event = self._connection.read(scope.user).events.get(event_id)
        if event is None:
            raise NotFound(f"There is no event {event_id!r} for this user.")
        return event

    def mark_undone(self, scope: Scope, event_id: str) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            if event_id in tables.events:
                tables.events[event_id] = replace(tables.events[event_id], is_undone=True)


class InMemoryTriageCounts:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def increment(self, user: str, reason: Reason, *, now: datetime) -> None:
        with self._connection.write(user) as tables:
            tables.triage_counts[reason] = tables.triage_counts.get(reason, 0) + 1

    def all(self, user: str) -> Mapping[Reason, int]:
        counts = self._connection.read(user).triage_counts
        ordered = sorted(counts, key=lambda reason: (-counts[reason], encode_reason(reason)))
        return {reason: counts[reason] for reason in ordered}


class InMemoryReceipts:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, receipt: Receipt) -> None:
        with self._connection.write(receipt.user) as tables:
            tables.receipts[receipt.id] = _as_stored(receipt)

    def get(self, scope: Scope, receipt_id: str) -> Receipt:
        newest = self._newest(scope)
        matches = [each for each in newest if receipt_id and each.id.startswith(receipt_id)]
        receipts = newest[:1] if receipt_id == "last" else matches
        receipts = [each for each in receipts if each.id == receipt_id] or receipts
        if not receipts:
            raise NotFound(f"There is no receipt {receipt_id!r} for this user. Each recall leaves one.")
        if len(receipts) > 1:
            raise NotFound(f"More than one receipt id begins with {receipt_id!r}. Give more characters.")
        return self._with_texts(receipts[0])

    def list(self, scope: Scope, *, limit: int = 20, with_texts: bool = False) -> Sequence[Receipt]:
        receipts = self._newest(scope)[:limit]
        return [self._with_texts(receipt) for receipt in receipts] if with_texts else receipts

    def prune(self, before: datetime) -> int:
        pruned = 0
        for user in self._connection.users():
            with self._connection.write(user, creates_user=False) as tables:
                expired = [each.id for each in tables.receipts.values() if each.created_at < before]
                for receipt_id in expired:
                    del tables.receipts[receipt_id]
                pruned += len(expired)
        return pruned

    def _newest(self, scope: Scope) -> Sequence[Receipt]:
        receipts = reversed(list(self._connection.read(scope.user).receipts.values()))
        return [receipt for receipt in receipts if scope.chat in {None, receipt.chat}]

    def _with_texts(self, receipt: Receipt) -> Receipt:
        """Return the receipt with the texts of its items, and of the block if it was injected into a chat."""
        tables = self._connection.read(receipt.user)
        passages = {
            key: passage
            for key in item_keys([receipt])
            if (passage := _find_passage(tables, *key)) is not None
        }
        blocks = (row.text for row in tables.injections.values() if row.receipt_id == receipt.id)
        return replace(
            receipt,
            text=next(blocks, ""),
            items=tuple(show_passage(item, passages) for item in receipt.items),
        )


class InMemoryPreferences:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self, user: str) -> Mapping[str, str]:
        return dict(self._connection.read(user).preferences)

    def for_chat(self, scope: Scope) -> tuple[Mapping[str, str], str | None]:
        tables = self._connection.read(scope.user)
        chat = tables.chats.get(scope.chat or "")
        return dict(tables.preferences), chat.mode if chat else None

    def set(self, user: str, key: str, value: str | None, *, now: datetime) -> None:
        with self._connection.write(user) as tables:
            if value is None:
                tables.preferences.pop(key, None)
            else:
                tables.preferences[key] = value


class InMemoryInjections:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(
        self,
        scope: Scope,
        message_id: str,
        text: str,
        *,
        passage_keys: Collection[PassageKey] = (),
        receipt_id: str | None = None,
    ) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            if message_id not in tables.messages:
                raise NotFound(f"There is no message {message_id!r} for this user.")
            tables.injections[message_id] = InjectionRow(
                text=text, receipt_id=receipt_id, passage_keys=frozenset(passage_keys)
            )

    def texts(self, scope: Scope) -> Mapping[str, str]:
        return {message_id: row.text for message_id, row in self._rows(scope).items()}

    def receipt_ids(self, scope: Scope) -> Mapping[str, str]:
        return {message_id: row.receipt_id for message_id, row in self._rows(scope).items() if row.receipt_id}

    def passage_keys(self, scope: Scope) -> Mapping[str, frozenset[PassageKey]]:
        return {
            message_id: row.passage_keys for message_id, row in self._rows(scope).items() if row.passage_keys
        }

    def _rows(self, scope: Scope) -> Mapping[str, InjectionRow]:
        tables = self._connection.read(scope.user)
        return {
            message_id: tables.injections[message_id]
            for message_id, row in tables.messages.items()
            if row.message.chat == scope.chat and message_id in tables.injections
        }


class InMemoryFeedback:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, feedback: RelevanceFeedback) -> None:
        with self._connection.write(feedback.user) as tables:
            tables.feedback[feedback.item_id, feedback.receipt_id] = feedback

    def list(self, scope: Scope, *, limit: int = 1000) -> Sequence[RelevanceFeedback]:
        rows = [
            row
            for row in self._connection.read(scope.user).feedback.values()
            if scope.chat in {None, row.chat}
        ]
        rows.sort(key=lambda row: (row.receipt_id, row.item_id))
        rows.sort(key=lambda row: row.created_at, reverse=True)
        return rows[:limit]


class InMemoryImportLedger:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, record: ImportRecord) -> None:
        with self._connection.write(record.user) as tables:
            tables.imports[record.id] = record

    def finish(self, scope: Scope, import_id: str, *, now: datetime) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            if import_id in tables.imports:
                tables.imports[import_id] = replace(tables.imports[import_id], finished_at=now)

    def get(self, scope: Scope, import_id: str) -> ImportRecord:
        records = [each for each in self._newest(scope) if import_id in {"last", each.id}]
        if not records:
            raise NotFound(f"There is no import {import_id!r} of this user.")
        return records[0]

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[ImportRecord]:
        return self._newest(scope)[:limit]

    def add(self, scope: Scope, import_id: str, entries: Sequence[LedgerEntry]) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            if import_id in tables.imports:
                for entry in entries:
                    tables.import_entries.setdefault(
                        entry.source_id, LedgerRow(import_id=import_id, entry=entry)
                    )

    def known_source_ids(self, scope: Scope, source_ids: Sequence[str]) -> Collection[str]:
        return {each for each in source_ids if each in self._connection.read(scope.user).import_entries}

    def entries(self, scope: Scope, import_id: str) -> Sequence[LedgerEntry]:
        rows = self._connection.read(scope.user).import_entries.values()
        return [row.entry for row in rows if row.import_id == import_id]

    def delete(self, scope: Scope, import_id: str) -> None:
        with self._connection.write(scope.user, creates_user=False) as tables:
            tables.imports.pop(import_id, None)
            for source_id in [
                key for key, row in tables.import_entries.items() if row.import_id == import_id
            ]:
                del tables.import_entries[source_id]

    def _newest(self, scope: Scope) -> Sequence[ImportRecord]:
        return list(reversed(list(self._connection.read(scope.user).imports.values())))


class InMemoryTokenUsage:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def reserve(self, scope: Scope, tokens: int, *, per_day: int, per_chat: int, now: datetime) -> bool:
        with self._connection.write(scope.user) as tables:
            day_tokens = _sum_usage(tables, day=_day(now))[1]
            chat_tokens = sum(
                used for (_, chat), (_, used) in tables.token_usage.items() if chat == scope.chat
            )
            if (per_day and day_tokens + tokens > per_day) or (per_chat and chat_tokens + tokens > per_chat):
                return False
            _add_usage(tables, scope, now, calls=1, tokens=tokens)
        return True

    def settle(self, scope: Scope, reserved_tokens: int, used_tokens: int, *, now: datetime) -> None:
        with self._connection.write(scope.user) as tables:
            _add_usage(tables, scope, now, calls=0, tokens=used_tokens - reserved_tokens)

    def usage(self, scope: Scope, *, now: datetime) -> tuple[int, int]:
        tables = self._connection.read(scope.user)
        if scope.chat is None:
            return _sum_usage(tables, day=_day(now))
        rows = [row for (_, chat), row in tables.token_usage.items() if chat == scope.chat]
        return sum(calls for calls, _ in rows), sum(tokens for _, tokens in rows)


def _summaries(tables: UserTables, scope: Scope, kind: SummaryKind | None) -> Sequence[SummaryRow]:
    return [
        row
        for row in tables.summaries.values()
        if scope.chat in {None, row.summary.chat} and kind in {None, row.summary.kind}
    ]


def _require_chat(scope: Scope) -> str:
    if scope.chat is None:
        raise InvalidInput("A chat id is required.")
    return scope.chat


def _day(now: datetime) -> str:
    return f"{now:%Y-%m-%d}"


def _sum_usage(tables: UserTables, *, day: str) -> tuple[int, int]:
    rows = [row for (each, _), row in tables.token_usage.items() if each == day]
    return sum(calls for calls, _ in rows), sum(tokens for _, tokens in rows)


def _add_usage(tables: UserTables, scope: Scope, now: datetime, *, calls: int, tokens: int) -> None:
    key = (_day(now), scope.chat)
    known_calls, known_tokens = tables.token_usage.get(key, (0, 0))
    tables.token_usage[key] = (known_calls + calls, known_tokens + tokens)


def _as_stored(receipt: Receipt) -> Receipt:
    """Return the receipt without what is not stored."""
    item_ids, body = encode_receipt(receipt)
    return decode_receipt(
        receipt.user,
        {
            "id": receipt.id,
            "chat": receipt.chat,
            "created_at": to_ms(receipt.created_at),
            "query": receipt.query,
            "tokens": receipt.tokens,
            "budget": receipt.budget,
            "item_ids": item_ids,
            "body": body,
        },
    )


def _find_passage(
    tables: UserTables, source: Source, item_id: str, version: int | None
) -> PassageText | None:
    match source:
        case Source.MESSAGE if item_id in tables.messages:
            message = tables.messages[item_id].message
            return PassageText(message.content, to_ms(message.created_at), message.chat, message.role)
        case Source.CHUNK:
            message_id, _, index = item_id.partition("#")
            chunk = next((c for c in tables.chunks.get(message_id, ()) if str(c.index) == index), None)
            if chunk is None:
                return None
            message = tables.messages[message_id].message
            return PassageText(chunk.content, to_ms(message.created_at), message.chat, message.role)
        case Source.MEMORY if item_id in tables.memories:
            memory = tables.memories[item_id].memory
            versions = tables.versions.get(item_id, ())
            text = next((row.memory.text for row in versions if row.memory.version == version), memory.text)
            return PassageText(text, to_ms(memory.created_at), memory.chat, memory.speaker)
        case Source.SUMMARY if item_id in tables.summaries:
            summary = tables.summaries[item_id].summary
            return PassageText(summary.text, to_ms(summary.created_at), summary.chat, None)
        case _:
            return None
