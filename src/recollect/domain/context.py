"""What may be put before the model, and the block of text that comes of it."""

from dataclasses import dataclass

from recollect.domain.candidate import ScoredCandidate
from recollect.domain.message import Message
from recollect.domain.receipt import ReceiptItem
from recollect.domain.summary import ContextFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """What may be shown: this conversation, what came earlier in it, and everything else."""

    recent_messages: tuple[Message, ...] = ()  #: the most recent messages of the chat, oldest first
    earlier_messages: tuple[Message, ...] = ()  #: earlier messages of the chat, shown by their summaries
    candidates: tuple[ScoredCandidate, ...] = ()  #: best first
    working_summary: str | None = None  #: the session summary
    context_files: tuple[ContextFile, ...] = ()  #: files attached to the chat
    profile: str | None = None  #: only with the user's consent


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """The text that goes into a prompt, with an account of every recollection that asked to be in it."""

    text: str
    tokens: int
    items: tuple[ReceiptItem, ...]  #: one for each recollection, best first
    tiers: Tiers = Tiers()  #: what the text holds
    notes: tuple[str, ...] = ()  #: files, profile and summary that had no room, in words
