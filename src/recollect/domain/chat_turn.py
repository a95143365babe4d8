"""The events of a chat turn, in order: the context, the answer's deltas, the end."""

from dataclasses import dataclass
from typing import TypeAlias

from recollect.domain.outcomes import IngestResult
from recollect.domain.receipt import Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReady:
    """The context is assembled and the user's message is stored; the model is called next."""

    ingest_result: IngestResult
    receipt: Receipt
    prompt: str  #: the user's message followed by the memory block


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDelta:
    """A part of the streamed answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFinished:
    """The answer is complete, and stored if a model wrote it."""

    ingest_result: IngestResult | None  #: None if it was empty or only quoted memories
    text: str


TurnEvent: TypeAlias = ContextReady | AnswerDelta | AnswerFinished
