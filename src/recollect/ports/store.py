"""Port for the store: messages, memories, preferences and receipts. Every read names a user."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from recollect.domain.context import ChatContext
from recollect.domain.diagnostics import CheckResult, StoreStats
from recollect.domain.extraction import LearningContext
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
from recollect.domain.metadata import MetadataFilter
from recollect.domain.outcomes import FactOutcome
from recollect.domain.reason import Reason
from recollect.domain.receipt import Receipt
from recollect.domain.related_memories import RelatedMemories
from recollect.domain.scope import Scope
from recollect.ports.access import AccessTokens, IdempotencyKeys, RateLimits, Schedules, Sessions
from recollect.ports.backup import Backups
from recollect.ports.embedder import Vector
from recollect.ports.queue import JobQueue
from recollect.ports.records import (
    AuditLog,
    ByteErasure,
    Consents,
    ContextFiles,
    Erasure,
    Events,
    Extractions,
    Feedback,
    ImportLedger,
    Injections,
    Profiles,
    Summaries,
    TokenUsage,
    Tombstones,
    TriageCounts,
)
from recollect.ports.search import Search, Vectors
from recollect.ports.statistics import Statistics

#: Larger than any result.
NO_LIMIT = 2**31


class Messages(Protocol):
    def add(self, message: Message, chunks: Sequence[Chunk]) -> tuple[Message, bool]:
        """
        Store a message with its chunks, creating its chat if needed.

        If the client id is known, nothing is stored: the existing message is returned, with False.
        """

    def get(self, scope: Scope, message_id: str) -> Message:
        """Return the message with this id or unique id prefix, or raise NotFound, also if it is another user's."""

    def list(
        self, scope: Scope, *, limit: int = 100, before: str | None = None, newest_first: bool = False
    ) -> Sequence[Message]:
        """Return the last `limit` messages in order, or those just before another message."""

    def recent(self, scope: Scope, *, full: int, limit: int, importance_above: int) -> Sequence[Message]:
        """
        Return the last `limit` messages of a chat in order, without system messages.

        Before the last `full` messages, only those with a summary and an importance above `importance_above` are
        included.
        """

    def get_many(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Message]:
        """Return those of these messages that exist, in order."""

    def prune_raw(self, scope: Scope, *, keep: int, trivial_only: bool, summarized_only: bool) -> int:
        """
        Delete extracted messages before the last `keep` messages of the scope's chat; return how many.

        `trivial_only` keeps messages with an importance above 0; `summarized_only` keeps those that the session
        summary does not cover yet.
        """

    def edit(self, scope: Scope, message_id: str, content: str, chunks: Sequence[Chunk], tokens: int) -> None:
        """Replace the text, with its index entries, chunks and vectors."""

    def delete(self, scope: Scope, message_id: str) -> None:
        """Delete a message with its chunks and vectors, or raise NotFound."""

    def annotate(
        self, scope: Scope, message_id: str, *, importance: int, summary: str | None, kind: MessageType
    ) -> None:
        """Store the importance, summary and type of a message, and mark it as extracted."""

    def list_unextracted(self, scope: Scope, *, limit: int) -> Sequence[Message]:
        """Return messages that were not extracted yet, oldest first, without system messages."""

    def mark_extracted(self, scope: Scope, message_ids: Sequence[str]) -> None: ...

    def list_unchunked(
        self, scope: Scope, *, after: str | None, tokens_above: int, limit: int
    ) -> Sequence[Message]:
        """Return messages above a size in tokens that have no chunks, in order, after another message."""

    def replace_chunks(self, scope: Scope, message_id: str, chunks: Sequence[Chunk]) -> None: ...

    def chunks(self, scope: Scope, message_id: str) -> Sequence[Chunk]: ...


class Chats(Protocol):
    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[Chat]:
        """Return the user's chats, most recently used first."""

    def get(self, scope: Scope) -> Chat:
        """Return the scope's chat, or raise NotFound."""

    def rename(self, scope: Scope, title: str) -> None: ...

    def first_lines(self, scope: Scope, chats: Sequence[str]) -> Mapping[str, str]:
        """Return the beginning of the user's first message in each of these chats."""

    def mode(self, scope: Scope) -> str | None:
        """Return the memory mode set for the scope's chat, if any."""

    def set_mode(self, scope: Scope, mode: str | None, *, now: datetime) -> None:
        """Set the memory mode of a chat, creating the chat if needed; None removes the mode."""

    def delete(self, scope: Scope) -> None:
        """Delete a chat with its messages, chunks, summaries and vectors; memories stay, without these sources."""


class Memories(Protocol):
    def add(self, memory: Memory, *, reason: Reason | None = None) -> tuple[Memory, bool]:
        """Store a memory and its first version. If the same fact is active, return that memory, with False."""

    def get(self, scope: Scope, memory_id: str) -> Memory:
        """Return the memory with this id or unique id prefix, or raise NotFound."""

    def list(
        self,
        scope: Scope,
        *,
        limit: int = 100,
        offset: int = 0,
        status: MemoryStatus | None = MemoryStatus.ACTIVE,
        kind: Kind | None = None,
        tag: str | None = None,
        origin: Origin | None = None,
        band: ImportanceBand | None = None,
        contains: str | None = None,
        as_of: datetime | None = None,
        metadata: MetadataFilter = (),
    ) -> Sequence[Memory]:
        """
        Return memories, most recently mentioned first. With a chat in the scope, those first mentioned there; with
        `as_of`, those known and valid at that time, whatever their status is now.
        """

    def count(self, scope: Scope, *, limit: int = NO_LIMIT) -> int:
        """Count active memories, up to `limit`."""

    def by_hash(self, scope: Scope, fact_hash: str) -> Memory | None:
        """Return the active memory with this fact hash, if any."""

    def by_attribute(self, scope: Scope, attribute: str) -> Sequence[Memory]:
        """Return the active memories with this attribute, most recently mentioned first."""

    def of_messages(self, scope: Scope, message_ids: Sequence[str]) -> Sequence[Memory]:
        """Return memories with a source span in any of these messages, whatever their status."""

    def related(self, scope: Scope, memories: Sequence[Memory]) -> Sequence[Memory]:
        """
        Return these memories and the ones related to them, whatever their status: same fact, same attribute, same
        source message, or one superseded the other.
        """

    def related_to(
        self,
        scope: Scope,
        new_memories: Sequence[Memory],
        *,
        kinds: Collection[Kind],
        newest: int,
        vectors: Mapping[str, Vector],
        model: str | None,
        nearest: int,
    ) -> RelatedMemories:
        """
        Return what consolidation compares new memories with, in one read: those of any status with a source in the
        same messages, and the active ones with the same fact or attribute, the `newest` of each of the kinds, and the
        `nearest` to each new memory by the cosine of `vectors` of this model, by text.
        """

    def apply(self, outcomes: Sequence[FactOutcome]) -> None:
        """
        Write outcomes of consolidation, in order: the memories that they add, and the versions of those they change.

        Raise Refused if a memory is not at the version before.
        """

    def change_kinds(self, scope: Scope, memory_ids: Collection[str]) -> Mapping[str, frozenset[ChangeKind]]:
        """Return the kinds of change in the history of each of these memories, by memory id."""

    def add_sources(self, scope: Scope, memory_id: str, spans: Sequence[SourceSpan]) -> None:
        """Add source spans to a memory without creating a version."""

    def at_version(self, scope: Scope, memory_id: str, version: int) -> Memory:
        """Return a memory at a version, or raise NotFound if that version is not stored."""

    def save(self, memory: Memory, change: ChangeKind, *, reason: Reason | None = None) -> Memory:
        """Store and return the next version. Raise Refused if the given version is not the stored one."""

    def history(self, scope: Scope, memory_id: str) -> Sequence[MemoryVersion]:
        """Return all versions, oldest first."""

    def erase(self, scope: Scope, memory_id: str) -> None:
        """Delete every row of a memory, versions and vectors included."""


class Receipts(Protocol):
    def add(self, receipt: Receipt) -> None:
        """Store a receipt; it becomes durable shortly after the call."""

    def get(self, scope: Scope, receipt_id: str) -> Receipt:
        """
        Return the receipt with this id or unique id prefix, or raise NotFound; `last` is the newest.

        Receipts are stored without texts. Those of the items are read from their passages; an item whose passage was
        erased says so.
        """

    def list(self, scope: Scope, *, limit: int = 20, with_texts: bool = False) -> Sequence[Receipt]:
        """Return receipts, newest first, with the texts of their items only if requested."""

    def prune(self, before: datetime) -> int:
        """Delete older receipts of all users; return how many."""


class Preferences(Protocol):
    def all(self, user: str) -> Mapping[str, str]:
        """Return the user's preferences by setting name."""

    def for_chat(self, scope: Scope) -> tuple[Mapping[str, str], str | None]:
        """Return the user's preferences and the memory mode of the scope's chat, if any, in one read."""

    def set(self, user: str, key: str, value: str | None, *, now: datetime) -> None:
        """Set a preference; None removes it."""


class StoreMaintenance(Protocol):
    def check(self, *, deep: bool = False) -> Sequence[CheckResult]:
        """Check integrity, and compare derived data with the rows it is derived from. Nothing is changed."""

    def stats(self, scope: Scope) -> StoreStats: ...


class IndexMaintenance(Protocol):
    """Repairs derived data: indexes and vectors. It never changes messages or memories."""

    def repair(self) -> int:
        """Repair derived data that differs from its rows; return the number of differences."""

    def rebuild(self, index: str) -> int:
        """Rebuild an index (`fulltext` or `vectors`) from the rows; return its number of passages."""

    def optimize(self) -> int:
        """Merge index segments incrementally; return the number of steps."""


class Store(Protocol):
    """One database. All writes in one `transaction(user)` are durable when it ends, or none of them."""

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
    imports: ImportLedger
    access_tokens: AccessTokens
    sessions: Sessions
    idempotency_keys: IdempotencyKeys
    rate_limits: RateLimits
    schedules: Schedules
    feedback: Feedback
    statistics: Statistics

    def transaction(self, user: str, *, durable: bool = True) -> AbstractContextManager[None]:
        """
        Begin a write transaction on the data of one user, or join the current one of this thread. If it is not
        `durable`, it does not wait for the disk, and a power loss may undo it.

        Transactions of one user run one after another, in all processes: what one of them reads, no other changes
        until it ends. Those of different users may run at the same time. One of SYSTEM_USER excludes all others, and
        transactions of any user may be nested in it; nesting another user's in a user's raises StoreError.
        """

    def chat_context(self, scope: Scope, *, full: int, limit: int, importance_above: int) -> ChatContext:
        """
        Return what a context block shows besides recalled passages, in one read: `messages.recent` with these
        arguments, the working summary, the files of the chat, the profile and the consents. Without a chat in the
        scope, only the last two.
        """

    def learning_context(
        self,
        scope: Scope,
        message_ids: Collection[str],
        *,
        fact_hashes: Collection[str] = (),
        with_files: bool = False,
    ) -> LearningContext:
        """Return what learning these facts from these messages depends on, in one read."""

    # Capabilities that a store may lack.

    @property
    def backups(self) -> Backups | None: ...

    @property
    def byte_erasure(self) -> ByteErasure | None: ...

    @property
    def indexes(self) -> IndexMaintenance | None: ...

    def users(self) -> Sequence[str]: ...

    def location(self) -> str:
        """Return where the data is, for display."""

    def close(self) -> None: ...
