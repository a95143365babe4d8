"""Ports for summaries, context files, extractions, tombstones, events, consents, usage and the audit log."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from recollect.domain.candidate import PassageKey
from recollect.domain.event import AuditEntry, Event, EventAction
from recollect.domain.extraction import Extraction
from recollect.domain.feedback import RelevanceFeedback
from recollect.domain.import_ledger import ImportRecord, LedgerEntry
from recollect.domain.message import Message
from recollect.domain.reason import Reason
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Profile, Summary, SummaryKind


class Summaries(Protocol):
    def add(self, summary: Summary) -> None:
        """Store a summary. A working summary replaces the previous one of its chat."""

    def latest(self, scope: Scope, kind: SummaryKind) -> Summary | None:
        """Return the newest summary of a chat, if there is one."""

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[Summary]:
        """Return summaries, newest first."""

    def count_answers_since(self, scope: Scope, kind: SummaryKind) -> int:
        """Count the assistant's messages in a chat since its newest summary of that kind."""

    def delete_from(self, scope: Scope, message_id: str) -> int:
        """Delete the summaries that cover this message or later ones of its chat; return how many."""

    def messages_since(self, scope: Scope, kind: SummaryKind, *, limit: int = 100) -> Sequence[Message]:
        """Return user and assistant messages of a chat since its newest summary of that kind, oldest first."""


class ContextFiles(Protocol):
    def add(self, file: ContextFile) -> None: ...

    def get(self, scope: Scope, context_id: str) -> ContextFile:
        """Return the file with this id, unique id prefix or name, or raise NotFound."""

    def list(self, scope: Scope) -> Sequence[ContextFile]:
        """Return the user's files by name; with a chat in the scope, those attached to it."""

    def attach(self, scope: Scope, context_id: str) -> None:
        """Attach a file to the scope's chat."""

    def detach(self, scope: Scope, context_id: str) -> None: ...

    def delete(self, scope: Scope, context_id: str) -> None: ...


class Extractions(Protocol):
    def put(self, scope: Scope, message_id: str, extractor: str, extraction: Extraction) -> None:
        """Store the extraction of a message, replacing an earlier one."""

    def get(self, scope: Scope, message_id: str) -> Extraction | None: ...

    def get_many(self, scope: Scope, message_ids: Collection[str]) -> Mapping[str, Extraction]:
        """Return the stored extractions of these messages, by message id."""


class Tombstones(Protocol):
    """Forgotten facts by hash; their text is not kept."""

    def add(self, user: str, fact_hash: str, *, now: datetime) -> None: ...

    def forgotten_at(self, user: str, fact_hashes: Collection[str]) -> Mapping[str, datetime]:
        """Return when the user forgot each of these facts, by hash."""

    def all(self, user: str) -> Mapping[str, datetime]:
        """Return every hash with the time it was forgotten, oldest first."""

    def remove(self, user: str, fact_hash: str) -> None: ...


class Events(Protocol):
    def add(self, user: str, events: Sequence[Event]) -> None: ...

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
        """Return events, newest first, filtered by predecessor, time, actions or memory."""

    def get(self, scope: Scope, event_id: str) -> Event: ...

    def mark_undone(self, scope: Scope, event_id: str) -> None: ...


class ImportLedger(Protocol):
    """What imports added, by ids derived from the sources. An entry outlives the item, so that nothing comes back."""

    def begin(self, record: ImportRecord) -> None: ...

    def finish(self, scope: Scope, import_id: str, *, now: datetime) -> None: ...

    def get(self, scope: Scope, import_id: str) -> ImportRecord:
        """Return the import, or raise NotFound; `last` is the newest."""

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[ImportRecord]:
        """Return imports, newest first, without those that were undone."""

    def add(self, scope: Scope, import_id: str, entries: Sequence[LedgerEntry]) -> None:
        """Add entries; one whose source id is known stays as it is."""

    def known_source_ids(self, scope: Scope, source_ids: Sequence[str]) -> Collection[str]:
        """Return those of these source ids that any import of the user has added."""

    def entries(self, scope: Scope, import_id: str) -> "Sequence[LedgerEntry]":
        """Return the entries of an import, in the order in which they were added."""

    def delete(self, scope: Scope, import_id: str) -> None:
        """Delete an import with its entries, so that its sources can be imported again."""


class Injections(Protocol):
    """
    The memory blocks injected after messages, so that later turns of the chat send the same bytes at the same place.

    A block is deleted when a passage in it is corrected, forgotten, deleted or no longer covered by consent, or when
    the message itself is edited or deleted.
    """

    def put(
        self,
        scope: Scope,
        message_id: str,
        text: str,
        *,
        passage_keys: Collection[PassageKey] = (),
        receipt_id: str | None = None,
    ) -> None:
        """Store a message's block, replacing an earlier one, or raise NotFound; `passage_keys` are its contents."""

    def texts(self, scope: Scope) -> Mapping[str, str]:
        """Return the blocks of the scope's chat by message id, in order."""

    def passage_keys(self, scope: Scope) -> Mapping[str, frozenset[PassageKey]]:
        """Return the passages in each block of the chat by message id; they need not be injected again."""

    def receipt_ids(self, scope: Scope) -> Mapping[str, str]:
        """Return the receipt id of each block by message id."""


class TriageCounts(Protocol):
    def increment(self, user: str, reason: Reason, *, now: datetime) -> None: ...

    def all(self, user: str) -> Mapping[Reason, int]:
        """Return the count of each triage reason, most frequent first."""


class Consents(Protocol):
    """The user's consents: opt-in for `profile`, opt-out for kinds of memory."""

    def all(self, scope: Scope) -> Mapping[str, bool]: ...

    def set(self, scope: Scope, category: str, *, granted: bool, now: datetime) -> None:
        """Record a decision. A withdrawal erases what the consent covered, indexes included, in this transaction."""

    def count_covered(self, scope: Scope, category: str) -> Mapping[str, int]:
        """Count the rows that a withdrawal would erase, by name."""


class Profiles(Protocol):
    def get(self, scope: Scope) -> Profile | None:
        """Return the profile if there is one and the user has consented; the query itself checks consent."""

    def put(self, profile: Profile) -> None:
        """Store the profile, or raise ConsentRequired."""


class TokenUsage(Protocol):
    """Calls and tokens of language models, per user and chat."""

    def reserve(self, scope: Scope, tokens: int, *, per_day: int, per_chat: int, now: datetime) -> bool:
        """Reserve tokens for one call unless a cap would be exceeded; 0 means no cap. One transaction."""

    def settle(self, scope: Scope, reserved_tokens: int, used_tokens: int, *, now: datetime) -> None:
        """Replace a reservation by the tokens actually used."""

    def usage(self, scope: Scope, *, now: datetime) -> tuple[int, int]:
        """Return calls and tokens: of a user today, or of a chat in total."""


class Feedback(Protocol):
    """Relevance feedback. It is deleted with the passage, the chat or the user it concerns."""

    def add(self, feedback: RelevanceFeedback) -> None:
        """Store feedback, replacing earlier feedback on the same passage of the same receipt."""

    def list(self, scope: Scope, *, limit: int = 1000) -> Sequence[RelevanceFeedback]:
        """Return feedback, newest first; with a chat in the scope, only on recalls in that chat."""


class AuditLog(Protocol):
    """A tamper-evident log of consents and erasures. It never contains message text."""

    def add(self, user: str, action: str, detail: str, *, now: datetime) -> None: ...

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[AuditEntry]:
        """Return entries, newest first."""

    def is_intact(self, scope: Scope) -> bool:
        """Return whether no entry of the user was changed, moved, or removed before a later one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedRows:
    """What an erasure deleted."""

    target: str
    rows: Mapping[str, int]  #: number of rows by name
    texts: Sequence[str]  #: the deleted texts


@dataclass(frozen=True, slots=True, kw_only=True)
class ByteScan:
    """Whether deleted texts are left in the store's files."""

    is_complete: bool  #: no bytes of the texts are left
    detail: str
    bytes_scanned: int


class Erasure(Protocol):
    """Deletes every row of a memory, a chat or a user, or raises NotFound."""

    def erase_memory(self, scope: Scope, memory_id: str) -> ErasedRows: ...

    def erase_chat(self, scope: Scope) -> ErasedRows: ...

    def erase_user(self, user: str) -> ErasedRows: ...


class ByteErasure(Protocol):
    """Overwrites the bytes of deleted rows. A store may lack this: then they go whenever its database reuses them."""

    def scrub(self, texts: Sequence[str]) -> ByteScan:
        """Remove the bytes of deleted rows from the store's files, and scan the files for these texts."""
