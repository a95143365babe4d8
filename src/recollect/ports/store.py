"""Keeps the truth: messages, memories, preferences and receipts. Nothing is read without a user."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from recollect.domain.memory import (
    ChangeKind,
    ImportanceBand,
    Kind,
    Memory,
    MemoryStatus,
    MemoryVersion,
    Origin,
    SourceSpan,
)
from recollect.domain.message import Chat, Chunk, Message, MessageType
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.ports.backup import Backup, ProgressCallback
from recollect.ports.queue import JobQueue
from recollect.ports.records import (
    AuditLog,
    Consents,
    ContextFiles,
    Erasure,
    Events,
    Extractions,
    Feedback,
    Injections,
    Profiles,
    Summaries,
    TokenUsage,
    Tombstones,
    TriageCounts,
)
from recollect.ports.search import Search, Vectors
from recollect.ports.statistics import Statistics

#: A limit that limits nothing: more than anybody has.
NO_LIMIT = 2**31


class Messages(Protocol):
    def add(self, message: Message, chunks: Sequence[Chunk]) -> tuple[Message, bool]:
        """
        Store a message with its chunks; its chat is made if it is new.

        A client id that is already there stores nothing: the first message comes back, with False.
        """

    def get(self, scope: Scope, message_id: str) -> Message:
        """The message, or NotFound; the same for one that belongs to somebody else."""

    def list(
        self, scope: Scope, *, limit: int = 100, before: str | None = None, newest_first: bool = False
    ) -> Sequence[Message]:
        """Messages in the order they came, the last `limit` of them, or those just before another one."""

    def recent(self, scope: Scope, *, full: int, limit: int, importance_above: int) -> Sequence[Message]:
        """
        The last `limit` messages of a chat in the order they came, system messages left out.

        Of those before the last `whole` only what has a summary and an importance `above` a number is there.
        """

    def get_many(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Message]:
        """Those of these messages that exist, in the order they came."""

    def prune_raw(self, scope: Scope, *, keep: int, trivial_only: bool, summarized_only: bool) -> int:
        """
        Delete what was judged and is older than the last `keep` messages of the scope's chat; return how many.

        `trivial_only` spares what is worth something, `summarised` what the session summary does not cover yet.
        """

    def edit(self, scope: Scope, message_id: str, content: str, chunks: Sequence[Chunk], tokens: int) -> None:
        """Replace the text; index, chunks and vectors follow."""

    def delete(self, scope: Scope, message_id: str) -> None:
        """Delete a message with its chunks and vectors, or NotFound."""

    def annotate(
        self, scope: Scope, message_id: str, *, importance: int, summary: str | None, kind: MessageType
    ) -> None:
        """Write down what a message is worth."""

    def list_unextracted(self, scope: Scope, *, limit: int) -> Sequence[Message]:
        """Messages no extractor has seen yet, oldest first; system messages are never among them."""

    def mark_extracted(self, scope: Scope, message_ids: Sequence[str]) -> None: ...

    def list_unchunked(
        self, scope: Scope, *, after: str | None, tokens_above: int, limit: int
    ) -> Sequence[Message]:
        """Messages above a size in tokens that were stored without chunks, in order, after another one."""

    def replace_chunks(self, scope: Scope, message_id: str, chunks: Sequence[Chunk]) -> None: ...

    def chunks(self, scope: Scope, message_id: str) -> Sequence[Chunk]: ...


class Chats(Protocol):
    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[Chat]:
        """The user's chats, the most recently used first."""

    def get(self, scope: Scope) -> Chat:
        """The scope's chat, or NotFound."""

    def rename(self, scope: Scope, title: str) -> None: ...

    def first_lines(self, scope: Scope, chats: Sequence[str]) -> Mapping[str, str]:
        """How the first thing that the user said in each of these chats begins."""

    def mode(self, scope: Scope) -> str | None:
        """The mode the user chose for the scope's chat, if they did."""

    def set_mode(self, scope: Scope, mode: str | None, *, now: datetime) -> None:
        """Choose how memory is used in a chat, which is made if it is new; None takes the choice back."""

    def delete(self, scope: Scope) -> None:
        """Delete a chat with its messages, chunks, summaries and vectors; memories stay, without their source."""


class Memories(Protocol):
    def add(self, memory: Memory, *, reason: str | None = None) -> tuple[Memory, bool]:
        """Store a memory and its first version. If the same fact is active, that one comes back, with False."""

    def get(self, scope: Scope, memory_id: str) -> Memory:
        """The memory, or NotFound. A unique beginning of its id will do."""

    def list(
        self,
        scope: Scope,
        *,
        limit: int = 100,
        offset: int = 0,
        standing: MemoryStatus | None = MemoryStatus.ACTIVE,
        kind: Kind | None = None,
        tag: str | None = None,
        origin: Origin | None = None,
        band: ImportanceBand | None = None,
        contains: str | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[Memory]:
        """
        Memories, the most recently seen first. A scope with a chat gives those first said there; `as_of` those that
        were known and true then, whatever their standing is.
        """

    def count(self, scope: Scope, *, limit: int = NO_LIMIT) -> int:
        """How many active memories there are; `most` if there are more."""

    def by_hash(self, scope: Scope, fact_hash: str) -> Memory | None:
        """The active memory that says the same, if there is one."""

    def by_attribute(self, scope: Scope, attribute: str) -> Sequence[Memory]:
        """The active memories that fill a slot, the most recently seen first."""

    def of_messages(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Memory]:
        """Memories that rest on any of these messages, whatever their standing."""

    def related(self, scope: Scope, memories: Sequence[Memory]) -> Sequence[Memory]:
        """
        These and those they had to do with, whatever their standing: the same words, the same slot, the same source,
        or one took the other's place.
        """

    def has_later_sources(self, scope: Scope, message_id: str) -> bool:
        """Whether a memory rests on a message that came after this one."""

    def add_sources(self, scope: Scope, memory_id: str, spans: Sequence[SourceSpan]) -> None:
        """Let a memory rest on further words; that is no new version of it."""

    def at_version(self, scope: Scope, memory_id: str, version: int) -> Memory:
        """A memory as it was, or NotFound if that is not kept."""

    def save(self, memory: Memory, change: ChangeKind, *, reason: str | None = None) -> Memory:
        """Replace a memory by its next version, and return that. Its version must be the stored one, or Refused."""

    def history(self, scope: Scope, memory_id: str) -> Sequence[MemoryVersion]:
        """All versions, oldest first."""

    def erase(self, scope: Scope, memory_id: str) -> None:
        """Remove every row of it, versions and vectors included."""


class Receipts(Protocol):
    def add(self, receipt: Receipt) -> None:
        """Keep a receipt; durable soon rather than at once."""

    def get(self, scope: Scope, receipt_id: str) -> Receipt:
        """The receipt, or NotFound; `last` is the newest."""

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[Receipt]: ...

    def prune(self, before: datetime) -> int:
        """Delete older ones of every user; return how many."""


class Preferences(Protocol):
    def all(self, user: str) -> Mapping[str, str]:
        """What the user has set, by setting name."""

    def set(self, user: str, key: str, value: str | None, *, now: datetime) -> None:
        """Set a preference; None takes it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One line of a check: what was looked at, whether it is well, and what to do if not."""

    name: str
    ok: bool
    detail: str
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    messages: int
    chats: int
    chunks: int
    memories: int
    summaries: int
    vectors: int
    pending_vectors: int
    jobs: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)  #: bytes by part


class StoreMaintenance(Protocol):
    """Looks after the shadows. It never writes to the truth."""

    def check(self, *, deep: bool = False) -> Sequence[CheckResult]:
        """Look at integrity, and compare the shadows with the truth."""

    def repair_indexes(self) -> int:
        """Repair the differences between truth and shadows, by content; return how many there were."""

    def rebuild_index(self, index: str) -> int:
        """Make a shadow anew from the truth (`fulltext` or `vectors`); return how many passages it holds."""

    def optimize_index(self) -> int:
        """Put together what was written in many pieces, a little at a time; return in how many steps."""

    def stats(self, scope: Scope) -> StoreStats: ...

    def backup(self, destination: str, *, now: datetime, progress: ProgressCallback | None = None) -> Backup:
        """
        Copy everything as it is at this moment, others may write meanwhile; the copy is looked through before it
        gets its name. Refused where there is a file already.
        """


class Store(Protocol):
    """One database. Everything inside one `transaction()` is on disk when it ends, or none of it."""

    messages: Messages
    chats: Chats
    memories: Memories
    receipts: Receipts
    preferences: Preferences
    jobs: JobQueue
    search: Search
    vectors: Vectors
    maintenance: StoreMaintenance
    summaries: Summaries
    context_files: ContextFiles
    extractions: Extractions
    tombstones: Tombstones
    events: Events
    triage_counts: TriageCounts
    audit_log: AuditLog
    consents: Consents
    profiles: Profiles
    erasure: Erasure
    token_usage: TokenUsage
    injections: Injections
    feedback: Feedback
    statistics: Statistics

    def transaction(self) -> AbstractContextManager[None]:
        """Begin to write. Inside another transaction this joins it."""

    def users(self) -> Sequence[str]: ...

    def location(self) -> str:
        """Where the data is, for people."""

    def close(self) -> None: ...
