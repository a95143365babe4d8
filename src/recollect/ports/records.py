"""Keeps what stands around memories: summaries, files, what was forgotten, what was done, what was agreed to."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from recollect.domain.candidate import PassageKey
from recollect.domain.event import AuditEntry, ErasureCertificate, Event, EventAction
from recollect.domain.extraction import Extraction
from recollect.domain.feedback import RelevanceFeedback
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Profile, Summary, SummaryKind


class Summaries(Protocol):
    def add(self, summary: Summary) -> None:
        """Keep a summary. The working one of a chat takes the place of the one before."""

    def latest(self, scope: Scope, kind: SummaryKind) -> Summary | None:
        """The newest of a chat, if there is one."""

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[Summary]:
        """The newest first."""

    def count_answers_since(self, scope: Scope, kind: SummaryKind) -> int:
        """How often the assistant has spoken in a chat since its newest summary of that kind."""

    def delete_from(self, scope: Scope, message_id: str) -> int:
        """Delete the summaries that tell of this message or of what came after it in its chat; return how many."""

    def messages_since(self, scope: Scope, kind: SummaryKind, *, limit: int = 100) -> Sequence[Message]:
        """What the user and the assistant said in a chat since its newest summary of that kind, oldest first."""


class ContextFiles(Protocol):
    def add(self, file: ContextFile) -> None: ...

    def get(self, scope: Scope, context_id: str) -> ContextFile:
        """The file, or NotFound. A unique beginning of its id, or its name, will do."""

    def list(self, scope: Scope) -> Sequence[ContextFile]:
        """All of the user's; with a chat in the scope those attached to it. By name."""

    def attach(self, scope: Scope, context_id: str) -> None:
        """Make a file available in the scope's chat."""

    def detach(self, scope: Scope, context_id: str) -> None: ...

    def delete(self, scope: Scope, context_id: str) -> None: ...


class Extractions(Protocol):
    def put(self, scope: Scope, message_id: str, extractor: str, extraction: Extraction) -> None:
        """Keep what a judge said, in place of what one said before."""

    def get(self, scope: Scope, message_id: str) -> Extraction | None: ...


class Tombstones(Protocol):
    """What was forgotten, by hash: the words themselves are not kept."""

    def add(self, user: str, fact_hash: str, *, now: datetime) -> None: ...

    def forgotten_at(self, user: str, fact_hash: str) -> datetime | None: ...

    def all(self, user: str) -> Mapping[str, datetime]:
        """Every hash, and when it was buried; the oldest first."""

    def remove(self, user: str, fact_hash: str) -> None: ...


class Events(Protocol):
    def add(self, event: Event) -> None: ...

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
        """The newest first: all, or those before another one, up to a time, of some actions, about one memory."""

    def get(self, scope: Scope, event_id: str) -> Event: ...

    def mark_undone(self, scope: Scope, event_id: str) -> None: ...


class Injections(Protocol):
    """
    What was put behind a message for a model, so that later turns of the chat send the same bytes at the same place.

    What such a text shows may change: when it is corrected, forgotten, deleted or no longer agreed to, or when the
    message itself is edited or deleted, the whole text goes.
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
        """Keep the text of a message in place of an earlier one, or NotFound; `shown` is what the text shows."""

    def texts(self, scope: Scope) -> Mapping[str, str]:
        """The texts of the scope's chat by message, in order."""

    def passage_keys(self, scope: Scope) -> Mapping[str, frozenset[PassageKey]]:
        """What the texts of the scope's chat show, by message: it need not be said again."""

    def receipt_ids(self, scope: Scope) -> Mapping[str, str]:
        """The receipts that tell of the texts, by message."""


class TriageCounts(Protocol):
    def increment(self, user: str, reason: str, *, now: datetime) -> None: ...

    def all(self, user: str) -> Mapping[str, int]:
        """How often which reason was given, the most frequent first."""


class Consents(Protocol):
    """What the user agreed to. `profile` is off until they say yes; kinds of memory are on until they say no."""

    def all(self, scope: Scope) -> Mapping[str, bool]: ...

    def set(self, scope: Scope, category: str, *, granted: bool, now: datetime) -> None:
        """Write down an answer. Taking consent back erases what it covered, shadows included, in this transaction."""

    def count_covered(self, scope: Scope, category: str) -> Mapping[str, int]:
        """What would go if consent were taken back: rows by name."""


class Profiles(Protocol):
    def get(self, scope: Scope) -> Profile | None:
        """The profile, if there is one and the user has consented: the query itself asks."""

    def put(self, profile: Profile) -> None:
        """Keep the profile, or ConsentRequired."""


class TokenUsage(Protocol):
    """What was asked of language models, in calls and tokens."""

    def reserve(self, scope: Scope, tokens: int, *, per_day: int, per_chat: int, now: datetime) -> bool:
        """Set tokens aside for one call, unless a cap would be passed; 0 is no cap. All in one transaction."""

    def settle(self, scope: Scope, reserved_tokens: int, used_tokens: int, *, now: datetime) -> None:
        """Put what was really spent in the place of what was set aside."""

    def usage(self, scope: Scope, *, now: datetime) -> tuple[int, int]:
        """Calls and tokens: of a user today, or of a chat ever."""


class Feedback(Protocol):
    """What the user said of what was recalled. It goes with the passage, the chat or the user it is about."""

    def add(self, feedback: RelevanceFeedback) -> None:
        """Keep an opinion, in place of one about the same passage of the same receipt."""

    def list(self, scope: Scope, *, limit: int = 1000) -> Sequence[RelevanceFeedback]:
        """The newest first; with a chat in the scope those of its recalls."""


class AuditLog(Protocol):
    """A ledger nobody can change without it showing. It never holds what was said."""

    def add(self, user: str, action: str, detail: str, *, now: datetime) -> None: ...

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[AuditEntry]:
        """The newest first."""

    def is_intact(self, scope: Scope) -> bool:
        """Whether no line of a user's was changed, put elsewhere, or removed before a later one."""


class Erasure(Protocol):
    """Takes rows and their bytes away for good."""

    def erase_memory(self, scope: Scope, memory_id: str) -> ErasureCertificate: ...

    def erase_chat(self, scope: Scope) -> ErasureCertificate: ...

    def erase_user(self, user: str) -> ErasureCertificate: ...
