"""
Import of other applications' files: conversations, memories and context files.

Each item has a source id, derived from the ids in its file. The ledger in the store says which source ids were
imported: running an import again adds nothing, an interrupted one continues where it stopped, and what the user deleted
since does not come back. Messages pass the same funnel as live ones (redaction, triage, extraction as a job) and keep
their dates.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import TypeAlias

from recollect.domain.decay import base_weight
from recollect.domain.event import EventChange
from recollect.domain.import_ledger import ImportRecord, LedgerEntry, LedgerItem
from recollect.domain.import_report import (
    ImportCounts,
    ImportPreview,
    ImportProgress,
    ImportReport,
    ImportUndoReport,
    OmittedPart,
)
from recollect.domain.memory import ChangeKind, Kind, Memory, Origin
from recollect.domain.message import Message, MessageDraft, Role
from recollect.domain.policy import DecayPolicy, Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import MAX_NAME_CHARS, Scope
from recollect.domain.summary import ContextFile
from recollect.errors import EmptyText, InvalidInput, NotFound, Refused, TextTooLong
from recollect.extraction.local_extractor import extract_by_rules
from recollect.extraction.third_person import read_third_person
from recollect.ingestion.normalization import normalize_content
from recollect.interchange.formats import FORMAT_NAMES, ImportSource, UnknownFormat, open_file
from recollect.interchange.items import (
    ImportedContextFile,
    ImportedConversation,
    ImportedMemory,
    ImportedMessage,
    ImportItem,
    Omission,
    OmissionReason,
)
from recollect.interchange.json_fields import derive_id
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import NO_LIMIT, Store
from recollect.services.chats import ChatService
from recollect.services.embedders import EmbedderRegistry
from recollect.services.ingest import IngestService
from recollect.services.interchange import InterchangeService

#: Messages stored in one transaction, and memories consolidated in one.
IMPORT_BATCH_SIZE = 100
#: Messages deleted in one transaction by an undo, unless one chat has more.
UNDO_BATCH_SIZE = 500
#: Texts that a dry run embeds to estimate the time.
EMBEDDING_SAMPLE_TEXTS = 4
MAX_DAMAGED_PARTS = 100
MAX_SOURCE_CHARS = 500

ProgressCallback: TypeAlias = Callable[[ImportProgress], None]


def ignore_progress(progress: ImportProgress) -> None:
    """Do nothing; the default."""


@dataclass(slots=True)
class _Tally:
    """Counts of one run."""

    files: Counter[str] = field(default_factory=Counter)
    items: Counter[str] = field(default_factory=Counter)
    secrets: Counter[str] = field(default_factory=Counter)
    omissions: Counter[str] = field(default_factory=Counter)
    damaged_parts: list[OmittedPart] = field(default_factory=list)
    oldest: datetime | None = None
    newest: datetime | None = None

    def omit(self, file: str, omission: Omission) -> None:
        self.omissions[omission.reason] += 1
        if omission.reason.is_damage and len(self.damaged_parts) < MAX_DAMAGED_PARTS:
            self.damaged_parts.append(
                OmittedPart(
                    file=file, position=omission.position, reason=omission.reason, detail=omission.detail
                )
            )

    def count_date(self, date: datetime | None) -> None:
        if date is not None:
            self.oldest = min(date, self.oldest or date)
            self.newest = max(date, self.newest or date)

    def counts(self) -> ImportCounts:
        return ImportCounts(
            files=dict(self.files),
            conversations=self.items["conversations"],
            branches=self.items["branches"],
            messages=self.items["messages"],
            memories=self.items["memories"],
            context_files=self.items["context_files"],
            duplicates=self.items["duplicates"],
            secrets=dict(self.secrets),
            omissions=dict(self.omissions),
            damaged_parts=tuple(self.damaged_parts),
            oldest=self.oldest,
            newest=self.newest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportService:
    store: Store
    clock: Clock
    ids: Ids
    ingest: IngestService
    interchange: InterchangeService
    chats: ChatService
    embedders: EmbedderRegistry

    def preview(
        self,
        scope: Scope,
        files: Iterable[ImportSource],
        policy: Policy,
        *,
        with_branches: bool = False,
        on_progress: ProgressCallback = ignore_progress,
    ) -> ImportPreview:
        """Read files and report what an import would add. Nothing is stored."""
        tally, samples, tokens, passages = _Tally(), list[str](), 0, 0
        seen: set[str] = set()
        for item in self._read(files, tally, with_branches=with_branches, on_progress=on_progress):
            match item:
                case ImportedConversation():
                    unknown = self._unknown_messages(scope, item, tally, policy)
                    new = [each for each in unknown if each[0] not in seen]
                    tally.items["duplicates"] += len(unknown) - len(new)
                    seen.update(source_id for source_id, _ in new)
                    for _, draft in new:
                        prepared = self.ingest.prepare(scope, draft, policy)
                        tally.secrets.update(prepared.redacted_kinds)
                        tokens += prepared.message.tokens
                        passages += 1 + len(prepared.chunks)
                        if len(samples) < EMBEDDING_SAMPLE_TEXTS:
                            samples.append(prepared.message.content)
                    tally.items["messages"] += len(new)
                    tally.items["conversations"] += bool(new)
                case ImportedMemory() | ImportedContextFile():
                    source_id = _source_id(item)
                    if source_id in seen or self._is_known(scope, source_id):
                        tally.items["duplicates"] += 1
                        continue
                    seen.add(source_id)
                    is_memory = isinstance(item, ImportedMemory)
                    if isinstance(item, ImportedMemory):
                        tally.count_date(item.created_at or item.last_stated_at)
                        self._count_secrets(scope, item, tally, policy)
                    tally.items["memories" if is_memory else "context_files"] += 1
                    passages += is_memory
        _refuse_unknown(tally)
        return ImportPreview(
            counts=tally.counts(),
            tokens=tokens,
            passages=passages,
            embedding_seconds=self._estimate_embedding(scope, samples, passages),
        )

    def run(
        self,
        scope: Scope,
        files: Iterable[ImportSource],
        policy: Policy,
        *,
        source: str,
        with_branches: bool = False,
        extends_finished: bool = False,
        expected_items: int | None = None,
        on_progress: ProgressCallback = ignore_progress,
    ) -> ImportReport:
        """
        Import files. Each batch is on disk when the next one begins, so an interrupted import continues if it is run
        again with the same `source`, the name of what is imported; with `extends_finished`, a finished one does too,
        and one undo reverts both. Branches that the user left are not imported unless `with_branches`.
        """
        if not policy.collects:
            raise Refused(f"Memory is {policy.memory.mode}, so nothing is imported. Turn it on first.")
        started_at, tally = self.clock.monotonic(), _Tally()
        record = self._begin(scope, source[:MAX_SOURCE_CHARS], extends_finished=extends_finished)
        memories: list[ImportedMemory] = []
        items = self._read(
            files, tally, with_branches=with_branches, expected_items=expected_items, on_progress=on_progress
        )
        for item in items:
            match item:
                case ImportedConversation():
                    self._import_conversation(scope, record.id, item, tally, policy)
                case ImportedMemory():
                    memories.append(item)
                    if len(memories) == IMPORT_BATCH_SIZE:
                        self._import_memories(scope, record.id, memories, tally, policy)
                        memories.clear()
                case ImportedContextFile():
                    self._import_context_file(scope, record.id, item, tally, policy)
        self._import_memories(scope, record.id, memories, tally, policy)
        has_items = bool(self.store.imports.entries(scope, record.id))
        if has_items:
            self.store.imports.finish(scope, record.id, now=self.clock.now())
        else:
            self.store.imports.delete(scope, record.id)
            _refuse_unknown(tally)
        return ImportReport(
            import_id=record.id if has_items else None,
            counts=tally.counts(),
            queued_passages=self.store.vectors.count_queued(scope.user),
            seconds=self.clock.monotonic() - started_at,
        )

    def count_items(self, files: Iterable[ImportSource], *, with_branches: bool = False) -> int:
        """Return the number of messages, memories and files to import, for the progress; nothing is looked up."""
        items = self._read(files, _Tally(), with_branches=with_branches, on_progress=ignore_progress)
        return sum(len(each.messages) if isinstance(each, ImportedConversation) else 1 for each in items)

    def get(self, scope: Scope, import_id: str) -> ImportRecord:
        """Return an import, or raise NotFound; `last` is the newest."""
        return self.store.imports.get(scope, import_id)

    def list_imports(self, scope: Scope, *, limit: int = 20) -> Sequence[ImportRecord]:
        return self.store.imports.list(scope, limit=limit)

    def undo(self, scope: Scope, import_id: str, policy: Policy) -> ImportUndoReport:
        """
        Delete what an import added, with what was learned from it. Memories that changed since are kept and named.
        Run again after an interruption, it deletes the rest.
        """
        record = self.store.imports.get(scope, import_id)
        entries = self.store.imports.entries(scope, record.id)
        message_ids = _item_ids(entries, LedgerItem.MESSAGE)
        messages = self._delete_messages(scope, message_ids, policy)
        kept: list[Reason] = []
        memories = 0
        for event_id in reversed(dict.fromkeys(_item_ids(entries, LedgerItem.EVENT))):
            memories += self._undo_memories(scope, event_id, kept)
        file_ids = set(_item_ids(entries, LedgerItem.CONTEXT_FILE))
        with self.store.transaction(scope.user):
            stored = [file for file in self.store.context_files.list(scope) if file.id in file_ids]
            for file in stored:
                self.store.context_files.delete(scope, file.id)
            self.store.imports.delete(scope, record.id)
        return ImportUndoReport(
            messages=messages, memories=memories, context_files=len(stored), kept=tuple(kept)
        )

    def _begin(self, scope: Scope, source: str, *, extends_finished: bool) -> ImportRecord:
        """Return the import of the same source to continue, or a new one."""
        last = next(iter(self.store.imports.list(scope, limit=1)), None)
        if last is not None and last.source == source and (extends_finished or last.finished_at is None):
            return last
        record = ImportRecord(id=self.ids.new(), user=scope.user, source=source, started_at=self.clock.now())
        self.store.imports.begin(record)
        return record

    def _read(
        self,
        files: Iterable[ImportSource],
        tally: _Tally,
        *,
        with_branches: bool,
        expected_items: int | None = None,
        on_progress: ProgressCallback,
    ) -> Iterator[ImportedConversation | ImportedMemory | ImportedContextFile]:
        """Yield what to import; count omissions and unreadable files."""
        started_at, count = self.clock.monotonic(), 0
        for file in files:
            for item in _read_file(file, tally):
                match item:
                    case Omission():
                        tally.omit(file.name, item)
                        continue
                    case ImportedConversation(branch_of=str()):
                        tally.items["branches"] += 1
                        if not with_branches:
                            continue
                yield item
                count += len(item.messages) if isinstance(item, ImportedConversation) else 1
                on_progress(
                    ImportProgress(
                        file=file.name,
                        items=count,
                        expected_items=expected_items,
                        elapsed_seconds=self.clock.monotonic() - started_at,
                    )
                )

    def _import_conversation(
        self, scope: Scope, import_id: str, conversation: ImportedConversation, tally: _Tally, policy: Policy
    ) -> None:
        chat = Scope(scope.user, conversation.chat)
        new = self._unknown_messages(scope, conversation, tally, policy)
        tally.items["conversations"] += bool(new)
        for batch in _batches(new):
            results = self.ingest.add_messages(chat, [draft for _, draft in batch], policy)
            entries = [
                LedgerEntry(source_id=source_id, item=LedgerItem.MESSAGE, item_id=result.message.id)
                for (source_id, _), result in zip(batch, results, strict=True)
            ]
            # A crash before this line is repaired by the next run: the messages are known by their client ids.
            with self.store.transaction(scope.user):
                self.store.imports.add(scope, import_id, entries)
                if conversation.title and self.store.chats.get(chat).title is None:
                    self.store.chats.rename(chat, conversation.title)
            tally.items["messages"] += sum(result.is_new for result in results)
            tally.items["duplicates"] += sum(not result.is_new for result in results)
            for result in results:
                tally.secrets.update(result.redacted_kinds)

    def _unknown_messages(
        self, scope: Scope, conversation: ImportedConversation, tally: _Tally, policy: Policy
    ) -> list[tuple[str, MessageDraft]]:
        """Return the source ids and drafts of the messages that are not stored yet."""
        by_source = {
            derive_id(conversation.chat, each.id): each
            for each in conversation.messages
            if _is_storable(each, conversation.chat, tally, policy)
        }
        known = self.store.imports.known_source_ids(scope, list(by_source))
        new = {source_id: each for source_id, each in by_source.items() if source_id not in known}
        if new:
            stored = self._stored_messages(Scope(scope.user, conversation.chat))
            new = {source_id: each for source_id, each in new.items() if not _take(stored, each)}
        tally.items["duplicates"] += len(by_source) - len(new)
        for each in new.values():
            tally.count_date(each.created_at)
        return [
            (
                source_id,
                MessageDraft(
                    role=each.role,
                    content=each.text,
                    created_at=each.created_at or conversation.created_at,
                    client_id=f"import-{source_id}",
                ),
            )
            for source_id, each in new.items()
        ]

    def _stored_messages(self, chat: Scope) -> Counter[tuple[str, str]]:
        """
        Count the messages of a chat that were not imported: an own export may come back to its origin, and a hook may
        have stored what an agent's transcript has too, at about the same time.
        """
        try:
            self.store.chats.get(chat)
        except NotFound:
            return Counter()
        messages: Sequence[Message] = self.store.messages.list(chat, limit=NO_LIMIT)
        return Counter(
            (each.role.value, each.content.strip())
            for each in messages
            if not (each.client_id or "").startswith("import-")
        )

    def _import_memories(
        self, scope: Scope, import_id: str, items: Sequence[ImportedMemory], tally: _Tally, policy: Policy
    ) -> None:
        by_source = {_source_id(item): item for item in items}
        known = self.store.imports.known_source_ids(scope, list(by_source))
        new = {source_id: item for source_id, item in by_source.items() if source_id not in known}
        tally.items["duplicates"] += len(items) - len(new)
        if not new:
            return
        memories = [self._to_memory(scope, source_id, item, policy.decay) for source_id, item in new.items()]
        for item in new.values():
            self._count_secrets(scope, item, tally, policy)
        with self.store.transaction(scope.user):
            result = self.interchange.import_memories(scope, memories, policy)
            if result.event_id is not None:
                entries = [
                    LedgerEntry(source_id=source_id, item=LedgerItem.EVENT, item_id=result.event_id)
                    for source_id in new
                ]
                self.store.imports.add(scope, import_id, entries)
        tally.items["memories"] += len(result.memories)
        tally.items["duplicates"] += result.known_count
        for skipped in result.skipped_memories:
            tally.omissions[skipped.reason.code] += 1
        for memory in result.memories:
            tally.count_date(memory.created_at)

    def _count_secrets(self, scope: Scope, item: ImportedMemory, tally: _Tally, policy: Policy) -> None:
        draft = MessageDraft(role=item.speaker, content=item.text)
        tally.secrets.update(self.ingest.prepare(scope, draft, policy).redacted_kinds)

    def _to_memory(self, scope: Scope, source_id: str, item: ImportedMemory, policy: DecayPolicy) -> Memory:
        now = self.clock.now()
        created_at = item.created_at or item.last_stated_at or now
        # Recollect's own exports name the kind; most other files do not.
        fact = None if item.kind else read_third_person(item.text, at=created_at)
        kind = item.kind or (fact.kind if fact else _kind_by_rules(item.text, created_at))
        return Memory(
            id=item.id or source_id,
            user=scope.user,
            text=fact.text if fact else item.text,
            kind=kind,
            weight=base_weight(kind, item.weight, policy),
            origin=Origin.IMPORT,
            speaker=item.speaker,
            created_at=created_at,
            updated_at=now,
            last_stated_at=max(item.last_stated_at or created_at, created_at),
            tags=item.tags,
            pinned=item.pinned,
            attribute=fact.attribute if fact else item.attribute,
            value=fact.value if fact else item.value,
            valid_from=item.valid_from,
            valid_to=item.valid_to,
            expires_at=item.expires_at,
            times_stated=item.times_stated,
        )

    def _import_context_file(
        self, scope: Scope, import_id: str, item: ImportedContextFile, tally: _Tally, policy: Policy
    ) -> None:
        source_id = _source_id(item)
        if self._is_known(scope, source_id):
            tally.items["duplicates"] += 1
            return
        try:
            content = normalize_content(item.content, max_bytes=policy.collect.max_message_bytes)
        except (EmptyText, TextTooLong) as error:
            tally.omit(item.name, _too_long_or_empty(error, item.name))
            return
        draft = MessageDraft(role=Role.USER, content=content)
        prepared = self.ingest.prepare(scope, draft, policy)
        tally.secrets.update(prepared.redacted_kinds)
        with self.store.transaction(scope.user):
            names = {file.name for file in self.store.context_files.list(scope)}
            name = item.name[: MAX_NAME_CHARS - 8]
            file = ContextFile(
                id=self.ids.new(),
                user=scope.user,
                name=next(each for each in _numbered(name) if each not in names),
                content=prepared.message.content,
                created_at=self.clock.now(),
            )
            self.store.context_files.add(file)
            entry = LedgerEntry(source_id=source_id, item=LedgerItem.CONTEXT_FILE, item_id=file.id)
            self.store.imports.add(scope, import_id, [entry])
        tally.items["context_files"] += 1

    def _is_known(self, scope: Scope, source_id: str) -> bool:
        return bool(self.store.imports.known_source_ids(scope, [source_id]))

    def _estimate_embedding(self, scope: Scope, samples: Sequence[str], passages: int) -> float | None:
        embedder = self.embedders.for_user(scope.user)
        if embedder is None or not samples:
            return None
        embedder.embed(samples[:1])  # loads the model
        started_at = self.clock.monotonic()
        embedder.embed(samples)
        return (self.clock.monotonic() - started_at) / len(samples) * passages

    def _delete_messages(self, scope: Scope, message_ids: Sequence[str], policy: Policy) -> int:
        """Delete messages, whole chats at once where all of their messages were imported; return how many."""
        by_chat: dict[str, list[str]] = {}
        for message in self.store.messages.get_many(scope, message_ids):
            by_chat.setdefault(message.chat, []).append(message.id)
        whole: list[str] = []
        whole_messages = 0
        for chat, ids in by_chat.items():
            if self.store.chats.get(Scope(scope.user, chat)).message_count != len(ids):
                for message_id in ids:
                    self.chats.delete_message(scope, message_id, policy)
                continue
            whole.append(chat)
            whole_messages += len(ids)
            # One commit for several chats: each rewrites a part of the full-text index.
            if whole_messages >= UNDO_BATCH_SIZE:
                self.chats.delete_chats(scope, whole, policy)
                whole, whole_messages = [], 0
        if whole:
            self.chats.delete_chats(scope, whole, policy)
        return sum(map(len, by_chat.values()))

    def _undo_memories(self, scope: Scope, event_id: str, kept: list[Reason]) -> int:
        """Erase the memories that an event added and restore those it changed; return how many were erased."""
        with self.store.transaction(scope.user):
            event = self.store.events.get(scope, event_id)
            ids_erased = [
                change.memory_id
                for change in event.changes
                if change.previous_version is None and self._erase_unchanged(scope, change.memory_id, kept)
            ]
            for change in event.changes:
                self._restore_unchanged(scope, change)
            self.store.events.mark_undone(scope, event_id)
        return len(ids_erased)

    def _erase_unchanged(self, scope: Scope, memory_id: str, kept: list[Reason]) -> bool:
        memory = self._find_memory(scope, memory_id)
        if memory is None:
            return False
        if memory.version > 1:
            kept.append(Reason(ReasonCode.CHANGED_SINCE_IMPORT, {"text": memory.text}))
            return False
        self.store.memories.erase(scope, memory_id)
        return True

    def _restore_unchanged(self, scope: Scope, change: EventChange) -> None:
        """Restore a memory that an imported one superseded, unless it has changed again."""
        memory = self._find_memory(scope, change.memory_id)
        if memory is None or change.previous_version is None or memory.version != change.previous_version + 1:
            return
        previous = self.store.memories.at_version(scope, memory.id, change.previous_version)
        restored = replace(previous, version=memory.version, updated_at=self.clock.now())
        self.store.memories.save(restored, ChangeKind.RESTORE, reason=Reason(ReasonCode.IMPORT_UNDONE))

    def _find_memory(self, scope: Scope, memory_id: str) -> Memory | None:
        try:
            return self.store.memories.get(scope, memory_id)
        except NotFound:
            return None


def _read_file(file: ImportSource, tally: _Tally) -> Iterator[ImportItem]:
    """Yield the items of a file, or why it cannot be read."""
    try:
        recognized = open_file(file)
        if isinstance(recognized, UnknownFormat):
            yield Omission(
                reason=OmissionReason.UNKNOWN_FORMAT, position="the file", detail=recognized.reason
            )
            return
        tally.files[recognized.format] += 1
        yield from recognized.items
    except InvalidInput as error:
        yield Omission(reason=OmissionReason.UNREADABLE_FILE, position="the file", detail=str(error))


def _refuse_unknown(tally: _Tally) -> None:
    """Raise InvalidInput if no file was of a known format."""
    if tally.files:
        return
    reasons = "; ".join(f"{part.file}: {part.detail}" for part in tally.damaged_parts[:3])
    raise InvalidInput(
        f"Nothing here can be imported ({reasons or 'there is no file of a known kind'}). Supported are"
        f" {', '.join(FORMAT_NAMES.values())}, and packs of Recollect."
    )


def _is_storable(message: ImportedMessage, chat: str, tally: _Tally, policy: Policy) -> bool:
    try:
        normalize_content(message.text, max_bytes=policy.collect.max_message_bytes)
    except (EmptyText, TextTooLong) as error:
        tally.omit(chat, _too_long_or_empty(error, f"message {message.id}"))
        return False
    return True


def _take(stored: Counter[tuple[str, str]], message: ImportedMessage) -> bool:
    """Take a stored message with the same text away, and return whether there was one."""
    key = (message.role.value, message.text.strip())
    stored[key] -= 1
    return stored[key] >= 0


def _too_long_or_empty(error: InvalidInput, position: str) -> Omission:
    reason = OmissionReason.TOO_LONG if isinstance(error, TextTooLong) else OmissionReason.EMPTY_TEXT
    return Omission(reason=reason, position=position)


def _source_id(item: ImportedMemory | ImportedContextFile) -> str:
    if isinstance(item, ImportedMemory):
        return derive_id("memory", item.id or "", item.text)
    return derive_id("context file", item.name, item.content)


def _kind_by_rules(text: str, at: datetime) -> Kind:
    facts = extract_by_rules(text, role=Role.USER, sent_at=at).facts
    return facts[0].kind if facts else Kind.NOTE


def _item_ids(entries: Iterable[LedgerEntry], item: LedgerItem) -> list[str]:
    return [entry.item_id for entry in entries if entry.item is item]


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name} ({number})"
        number += 1


def _batches(items: Sequence[tuple[str, MessageDraft]]) -> Iterator[list[tuple[str, MessageDraft]]]:
    iterator = iter(items)
    while batch := list(islice(iterator, IMPORT_BATCH_SIZE)):
        yield batch
