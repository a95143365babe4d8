"""The inputs of context assembly, by tier, and the memory block it produces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.domain.candidate import ScoredCandidate
from recollect.domain.message import Message
from recollect.domain.reason import Reason
from recollect.domain.receipt import ReceiptItem
from recollect.domain.summary import ContextFile, Profile, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatContext:
    """What the store has for a context block besides recalled passages."""

    recent_messages: Sequence[Message] = ()  #: of the chat, oldest first
    working_summary: Summary | None = None
    context_files: Sequence[ContextFile] = ()  #: attached to the chat
    profile: Profile | None = None  #: only with the user's consent
    consents: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """The tiers of a memory block: recent messages, earlier messages of the chat, recalled passages, and the rest."""

    recent_messages: tuple[Message, ...] = ()  #: the most recent messages of the chat, oldest first
    earlier_messages: tuple[Message, ...] = ()  #: earlier messages of the chat, included as summaries
    candidates: tuple[ScoredCandidate, ...] = ()  #: best first
    working_summary: str | None = None  #: the session summary
    context_files: tuple[ContextFile, ...] = ()  #: files attached to the chat
    profile: str | None = None  #: only with the user's consent


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """The memory block for a prompt, with a receipt item for every candidate."""

    text: str
    tokens: int
    items: tuple[ReceiptItem, ...]  #: one per candidate, best first
    tiers: Tiers = Tiers()  #: the contents of the text
    notes: tuple[Reason, ...] = ()  #: which files, profile or summary did not fit the budget
