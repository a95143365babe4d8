"""Consents, profiles, the audit log and erasure in memory."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.candidate import Source
from recollect.domain.consent import DEFAULT_CONSENTS, PROFILE_CATEGORY
from recollect.domain.event import AuditEntry
from recollect.domain.scope import Scope
from recollect.domain.summary import Profile
from recollect.errors import ConsentRequired, NotFound
from recollect.ports.records import ErasedRows
from recollect.storage.audit_chain import GENESIS_HASH, AuditRow, hash_entry, is_intact
from recollect.storage.timestamps import from_ms, to_ms
from recollect.testing.in_memory.database import Connection
from recollect.testing.in_memory.tables import UserTables


class InMemoryAuditLog:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, user: str, action: str, detail: str, *, now: datetime) -> None:
        with self._connection.write(user) as tables:
            rows = list(tables.audit_log.values())
            previous_hash = rows[-1].hash if rows else GENESIS_HASH
            entry_hash = hash_entry(previous_hash, to_ms(now), action, detail)
            tables.audit_log[len(rows)] = AuditRow(to_ms(now), action, detail, entry_hash)

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[AuditEntry]:
        rows = reversed(list(self._connection.read(scope.user).audit_log.values()))
        return [AuditEntry(at=from_ms(row.at_ms), action=row.action, detail=row.detail) for row in rows][
            :limit
        ]

    def is_intact(self, scope: Scope) -> bool:
        return is_intact(self._connection.read(scope.user).audit_log.values())


class InMemoryConsents:
    def __init__(self, connection: Connection, audit_log: InMemoryAuditLog) -> None:
        self._connection = connection
        self._audit_log = audit_log

    def all(self, scope: Scope) -> Mapping[str, bool]:
        return {**DEFAULT_CONSENTS, **self._connection.read(scope.user).consents}

    def set(self, scope: Scope, category: str, *, granted: bool, now: datetime) -> None:
        with self._connection.write(scope.user) as tables:
            tables.consents[category] = granted
            erased_counts = {} if granted else self.count_covered(scope, category)
            if not granted:
                _erase_category(tables, category)
            detail = json.dumps({"category": category, "erased": erased_counts})
            action = "consent given" if granted else "consent taken back"
            self._audit_log.add(scope.user, action, detail, now=now)

    def count_covered(self, scope: Scope, category: str) -> Mapping[str, int]:
        tables = self._connection.read(scope.user)
        if category == PROFILE_CATEGORY:
            return {"profile": len(tables.profiles)}
        return {"memories": sum(row.memory.kind == category for row in tables.memories.values())}


class InMemoryProfiles:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, scope: Scope) -> Profile | None:
        tables = self._connection.read(scope.user)
        return tables.profiles.get(scope.user) if tables.consents.get(PROFILE_CATEGORY) else None

    def put(self, profile: Profile) -> None:
        with self._connection.write(profile.user) as tables:
            if not tables.consents.get(PROFILE_CATEGORY):
                raise ConsentRequired(
                    "The profile is stored only with consent, which has not been given. Ask the user for it first."
                )
            tables.profiles[profile.user] = profile


class InMemoryErasure:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def erase_memory(self, scope: Scope, memory_id: str) -> ErasedRows:
        with self._connection.write(scope.user, creates_user=False) as tables:
            row = tables.memories.get(memory_id)
            if row is None:
                raise NotFound(f"There is no memory {memory_id!r} for this user.")
            memory, texts = row.memory, _memory_texts(tables, memory_id)
            messages = [
                message
                for span in memory.spans
                if (message := tables.messages[span.message_id].message).extracted
                and (span.start, span.end) == (0, len(message.content))
            ]
            source_ids = {span.message_id for span in memory.spans}
            tables.delete_memory(memory_id)
            rows = {"memories": 1, "extractions": _remove_facts(tables, texts)}
            rows["message_summaries"] = _clear_summaries(tables, source_ids)
            for message in messages:
                tables.delete_message(message.id)
            rows["messages"] = len(messages)
            erased_ids = [memory_id, *(message.id for message in messages)]
            rows["receipt_queries"] = _clear_receipt_queries(tables, erased_ids)
            rows["events"] = _delete_events(tables, [memory_id])
        texts += [message.content for message in messages]
        return ErasedRows(target=f"memory {memory_id}", rows=rows, texts=texts)

    def erase_chat(self, scope: Scope) -> ErasedRows:
        with self._connection.write(scope.user, creates_user=False) as tables:
            if scope.chat is None or scope.chat not in tables.chats:
                raise NotFound(
                    f"There is no chat {scope.chat!r} for this user. `recollect chats` lists them."
                )
            contents = {
                row.message.id: row.message.content
                for row in tables.messages.values()
                if row.message.chat == scope.chat
            }
            texts = [*contents.values()]
            texts += [r.summary.text for r in tables.summaries.values() if r.summary.chat == scope.chat]
            orphans = [
                row.memory.id
                for row in tables.memories.values()
                if row.memory.spans and all(span.message_id in contents for span in row.memory.spans)
            ]
            for memory_id in orphans:
                texts += _memory_texts(tables, memory_id)
                tables.delete_memory(memory_id)
            rows = {"memories": len(orphans), "events": _delete_events(tables, orphans)}
            rows["messages"] = len(contents)
            jobs = [no for no, row in tables.jobs.items() if row.job.key in contents]
            for no in jobs:
                del tables.jobs[no]
            rows["jobs"] = len(jobs)
            in_chat = [each.id for each in tables.receipts.values() if each.chat == scope.chat]
            for receipt_id in in_chat:
                del tables.receipts[receipt_id]
            rows["receipts"] = len(in_chat)
            rows["receipt_queries"] = _clear_receipt_queries(tables, [*orphans, *contents])
            tables.delete_chat(scope.chat)
            rows["chats"] = 1
        return ErasedRows(target=f"chat {scope.chat}", rows=rows, texts=list(dict.fromkeys(texts)))

    def erase_user(self, user: str) -> ErasedRows:
        with self._connection.transaction(user):
            if user not in self._connection.users():
                raise NotFound(f"There is no user {user!r}.")
            tables = self._connection.read(user)
            texts = [row.message.content for row in tables.messages.values()]
            texts += [text for memory_id in tables.memories for text in _memory_texts(tables, memory_id)]
            texts += [row.summary.text for row in tables.summaries.values()]
            texts += [file.content for file in tables.context_files.values()]
            texts += [profile.notes for profile in tables.profiles.values()]
            rows = {
                "messages": len(tables.messages),
                "memories": len(tables.memories),
                "chats": len(tables.chats),
                "summaries": len(tables.summaries),
                "receipts": len(tables.receipts),
                "jobs": len(tables.jobs),
            }
            self._connection.delete_user(user)
        return ErasedRows(target=f"user {user}", rows=rows, texts=list(dict.fromkeys(texts)))


def _erase_category(tables: UserTables, category: str) -> None:
    """Erase the data of a category, the stored extractions it could be learned from, and queries that may quote it."""
    if category == PROFILE_CATEGORY:
        tables.profiles.clear()
        tables.delete_injections_of({Source.PROFILE}, PROFILE_CATEGORY)
        return
    erased = [row.memory.id for row in tables.memories.values() if row.memory.kind == category]
    for memory_id in erased:
        tables.delete_memory(memory_id)
    for message_id, extraction in list(tables.extractions.items()):
        facts = tuple(fact for fact in extraction.facts if fact.kind != category)
        tables.extractions[message_id] = replace(extraction, facts=facts)
    _clear_receipt_queries(tables, erased)


def _memory_texts(tables: UserTables, memory_id: str) -> list[str]:
    versions = [row.version for row in tables.versions.get(memory_id, ())]
    texts = [tables.memories[memory_id].memory.text, *(version.text for version in versions)]
    texts += [version.old_text for version in versions if version.old_text is not None]
    return list(dict.fromkeys(texts))


def _remove_facts(tables: UserTables, texts: Collection[str]) -> int:
    """Remove the facts from stored extractions, so that they cannot be learned again."""
    changed = 0
    for message_id, extraction in list(tables.extractions.items()):
        facts = tuple(fact for fact in extraction.facts if fact.text not in texts)
        if len(facts) < len(extraction.facts):
            tables.extractions[message_id] = replace(extraction, facts=facts)
            changed += 1
    return changed


def _clear_summaries(tables: UserTables, message_ids: Collection[str]) -> int:
    rows = [
        tables.messages[each] for each in message_ids if tables.messages[each].message.summary is not None
    ]
    for row in rows:
        tables.messages[row.message.id] = replace(row, message=replace(row.message, summary=None))
    return len(rows)


def _clear_receipt_queries(tables: UserTables, ids: Collection[str]) -> int:
    """
    Remove the queries of receipts with an erased item: they may quote it.

    A chunk's id is its message's id, # and a number.
    """
    shown = [
        receipt
        for receipt in tables.receipts.values()
        if receipt.query is not None and any(item.id.partition("#")[0] in ids for item in receipt.items)
    ]
    for receipt in shown:
        tables.receipts[receipt.id] = replace(receipt, query=None)
    return len(shown)


def _delete_events(tables: UserTables, memory_ids: Collection[str]) -> int:
    concerned = [
        event.id
        for event in tables.events.values()
        if any(change.memory_id in memory_ids for change in event.changes)
    ]
    for event_id in concerned:
        del tables.events[event_id]
    return len(concerned)
