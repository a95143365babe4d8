"""The tables of the in-memory store: copy-on-write dictionaries, one set per user."""

from collections.abc import Iterable, Iterator, MutableMapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Generic, TypeVar

from recollect.domain.candidate import PassageKey, Source
from recollect.domain.event import Event
from recollect.domain.extraction import Extraction
from recollect.domain.feedback import RelevanceFeedback
from recollect.domain.import_ledger import ImportRecord, LedgerEntry
from recollect.domain.job import Job
from recollect.domain.memory import Memory, MemoryStatus, MemoryVersion
from recollect.domain.message import CHAT_ROLES, Chunk, Message
from recollect.domain.reason import Reason
from recollect.domain.receipt import Receipt
from recollect.domain.summary import ContextFile, Profile, Summary
from recollect.ports.embedder import Vector
from recollect.storage.audit_chain import AuditRow
from recollect.storage.passages import (
    CHUNK_PASSAGE,
    MEMORY_PASSAGE,
    MESSAGE_PASSAGE,
    SUMMARY_PASSAGE,
    PassageKind,
)

Key = TypeVar("Key")
Row = TypeVar("Row")

#: Sources whose injections go with a message.
MESSAGE_SOURCES = frozenset({Source.MESSAGE, Source.CHUNK})


class Table(MutableMapping[Key, Row], Generic[Key, Row]):
    """A dictionary that shares its rows with its forks until one of them writes. Rows are immutable."""

    def __init__(self) -> None:
        self._rows: dict[Key, Row] = {}
        self._is_shared = False

    def fork(self) -> "Table[Key, Row]":
        fork: Table[Key, Row] = Table()
        fork._rows = self._rows
        fork._is_shared = self._is_shared = True
        return fork

    def __getitem__(self, key: Key) -> Row:
        return self._rows[key]

    def __setitem__(self, key: Key, row: Row) -> None:
        self._own_rows()[key] = row

    def __delitem__(self, key: Key) -> None:
        del self._own_rows()[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def _own_rows(self) -> dict[Key, Row]:
        if self._is_shared:
            self._rows, self._is_shared = dict(self._rows), False
        return self._rows


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRow:
    no: int
    title: str | None
    mode: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    no: int
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow:
    no: int
    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    version: MemoryVersion
    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    no: int
    summary: Summary
    last_message_no: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    job: Job
    rerun: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRow:
    text: str
    receipt_id: str | None
    passage_keys: frozenset[PassageKey]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    import_id: str
    entry: LedgerEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """An indexed text: of the message, memory or summary `owner`, or of one of a message's chunks."""

    kind: PassageKind
    owner: str
    text: str
    chat: str | None  #: None for memories, which belong to no chat
    chunk: Chunk | None = None

    @property
    def key(self) -> tuple[PassageKind, str, int | None]:
        return (self.kind, self.owner, self.chunk.index if self.chunk else None)


@dataclass(slots=True, kw_only=True)
class UserTables:
    """The rows of one user. Tables keep the order in which rows were added."""

    no: int = 0
    preferences: Table[str, str] = field(default_factory=Table)
    chats: Table[str, ChatRow] = field(default_factory=Table)
    messages: Table[str, MessageRow] = field(default_factory=Table)
    chunks: Table[str, tuple[Chunk, ...]] = field(default_factory=Table)  #: by message
    memories: Table[str, MemoryRow] = field(default_factory=Table)
    versions: Table[str, tuple[VersionRow, ...]] = field(default_factory=Table)  #: by memory
    tombstones: Table[str, datetime] = field(default_factory=Table)
    extractions: Table[str, Extraction] = field(default_factory=Table)  #: by message
    events: Table[str, Event] = field(default_factory=Table)
    triage_counts: Table[Reason, int] = field(default_factory=Table)
    summaries: Table[str, SummaryRow] = field(default_factory=Table)
    context_files: Table[str, ContextFile] = field(default_factory=Table)
    profiles: Table[str, Profile] = field(default_factory=Table)
    consents: Table[str, bool] = field(default_factory=Table)
    audit_log: Table[int, AuditRow] = field(default_factory=Table)
    token_usage: Table[tuple[str, str | None], tuple[int, int]] = field(default_factory=Table)
    injections: Table[str, InjectionRow] = field(default_factory=Table)  #: by message
    feedback: Table[tuple[str, str], RelevanceFeedback] = field(default_factory=Table)
    receipts: Table[str, Receipt] = field(default_factory=Table)
    imports: Table[str, ImportRecord] = field(default_factory=Table)
    import_entries: Table[str, LedgerRow] = field(default_factory=Table)  #: by source id
    jobs: Table[int, JobRow] = field(default_factory=Table)
    passages: Table[int, PassageRow] = field(default_factory=Table)
    passage_ids: Table[tuple[PassageKind, str, int | None], int] = field(default_factory=Table)
    vectors: Table[tuple[str, int], Vector] = field(default_factory=Table)  #: by model and passage
    embedding_queue: Table[int, None] = field(default_factory=Table)

    def fork(self) -> "UserTables":
        fork = UserTables(no=self.no)
        for each in fields(UserTables):
            if each.name != "no":
                setattr(fork, each.name, getattr(self, each.name).fork())
        return fork

    # Passages

    def index_message(self, row: MessageRow, new_id: int) -> None:
        message = row.message
        if message.role in CHAT_ROLES:
            self._put_passage(
                new_id,
                PassageRow(kind=MESSAGE_PASSAGE, owner=message.id, text=message.content, chat=message.chat),
            )

    def index_chunk(self, message: Message, chunk: Chunk, new_id: int) -> None:
        self._put_passage(
            new_id,
            PassageRow(
                kind=CHUNK_PASSAGE, owner=message.id, text=chunk.content, chat=message.chat, chunk=chunk
            ),
        )

    def index_memory(self, memory: Memory, new_id: int) -> None:
        self._put_passage(
            new_id, PassageRow(kind=MEMORY_PASSAGE, owner=memory.id, text=memory.text, chat=None)
        )

    def index_summary(self, summary: Summary, new_id: int) -> None:
        self._put_passage(
            new_id,
            PassageRow(kind=SUMMARY_PASSAGE, owner=summary.id, text=summary.text, chat=summary.chat),
        )

    def _put_passage(self, new_id: int, row: PassageRow) -> None:
        """Index a text. If the row is indexed with another text already, its vectors are deleted."""
        passage_id = self.passage_ids.get(row.key)
        if passage_id is None:
            passage_id = self.passage_ids[row.key] = new_id
        elif self.passages[passage_id].text == row.text:
            return
        self._delete_vectors(passage_id)
        self.passages[passage_id] = row
        self.embedding_queue[passage_id] = None

    def unindex(self, kind: PassageKind, owner: str, chunk_index: int | None = None) -> None:
        passage_id = self.passage_ids.pop((kind, owner, chunk_index), None)
        if passage_id is not None:
            del self.passages[passage_id]
            self._delete_vectors(passage_id)
            self.embedding_queue.pop(passage_id, None)

    def _delete_vectors(self, passage_id: int) -> None:
        for key in [key for key in self.vectors if key[1] == passage_id]:
            del self.vectors[key]

    # Rows that go with other rows

    def delete_chunks(self, message_id: str) -> None:
        for chunk in self.chunks.pop(message_id, ()):
            self.unindex(CHUNK_PASSAGE, message_id, chunk.index)

    def delete_message(self, message_id: str) -> None:
        del self.messages[message_id]
        self.delete_chunks(message_id)
        self.unindex(MESSAGE_PASSAGE, message_id)
        self.extractions.pop(message_id, None)
        self.injections.pop(message_id, None)
        self.delete_injections_of(MESSAGE_SOURCES, message_id)
        self.delete_feedback(item for item, _ in self.feedback if item.partition("#")[0] == message_id)
        for row in [
            row
            for row in self.memories.values()
            if any(span.message_id == message_id for span in row.memory.spans)
        ]:
            spans = tuple(span for span in row.memory.spans if span.message_id != message_id)
            self.memories[row.memory.id] = MemoryRow(no=row.no, memory=replace(row.memory, spans=spans))

    def delete_memory(self, memory_id: str) -> None:
        del self.memories[memory_id]
        self.versions.pop(memory_id, None)
        self.unindex(MEMORY_PASSAGE, memory_id)
        self.delete_injections_of({Source.MEMORY}, memory_id)
        self.delete_feedback([memory_id])

    def delete_summary(self, summary_id: str) -> None:
        del self.summaries[summary_id]
        self.unindex(SUMMARY_PASSAGE, summary_id)
        self.delete_injections_of({Source.SUMMARY}, summary_id)
        self.delete_feedback([summary_id])

    def delete_chat(self, chat: str) -> None:
        del self.chats[chat]
        for message_id in [row.message.id for row in self.messages.values() if row.message.chat == chat]:
            self.delete_message(message_id)
        for summary_id in [row.summary.id for row in self.summaries.values() if row.summary.chat == chat]:
            self.delete_summary(summary_id)
        for row in [row for row in self.memories.values() if row.memory.chat == chat]:
            self.memories[row.memory.id] = MemoryRow(no=row.no, memory=replace(row.memory, chat=None))
        for file in [file for file in self.context_files.values() if chat in file.chats]:
            chats = tuple(each for each in file.chats if each != chat)
            self.context_files[file.id] = replace(file, chats=chats)
        for key in [key for key, feedback in self.feedback.items() if feedback.chat == chat]:
            del self.feedback[key]

    def delete_feedback(self, items: Iterable[str]) -> None:
        deleted = set(items)
        for key in [key for key in self.feedback if key[0] in deleted]:
            del self.feedback[key]

    def delete_injections_of(self, sources: AbstractSet[Source], owner: str) -> None:
        """Delete the injections that show a passage of this row; a chunk's owner is its message."""
        for message_id, row in list(self.injections.items()):
            if any(source in sources and _owner(source, name) == owner for source, name in row.passage_keys):
                del self.injections[message_id]


def _owner(source: Source, name: str) -> str:
    return name.partition("#")[0] if source is Source.CHUNK else name


def is_valid_at(memory: Memory, moment: datetime) -> bool:
    """Return whether a memory was known and valid at a past time."""
    return (
        memory.status in {MemoryStatus.ACTIVE, MemoryStatus.SUPERSEDED}
        and (memory.valid_from or memory.created_at) <= moment
        and (memory.valid_to is None or memory.valid_to > moment)
    )
