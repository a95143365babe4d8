"""What happens while an answer is made, one thing after the other."""

from dataclasses import dataclass
from typing import TypeAlias

from recollect.domain.outcomes import IngestResult
from recollect.domain.receipt import Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReady:
    """What will be put before the model; the user's message is on disk."""

    ingest_result: IngestResult
    receipt: Receipt
    prompt: str  #: the user's words with the memory block behind them


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFinished:
    """The answer is over, and on disk if somebody gave it."""

    ingest_result: IngestResult | None  #: None if there was nothing in it, or memory was only quoted
    text: str


TurnEvent: TypeAlias = ContextReady | AnswerDelta | AnswerFinished
