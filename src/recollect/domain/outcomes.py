"""What came of something, as a value: never a flag, never silence."""

from dataclasses import dataclass
from typing import TypeAlias

from recollect.domain.candidate import ScoredCandidate
from recollect.domain.memory import Memory
from recollect.domain.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """Nobody had said it before."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforced:
    """It was known; now it is known a little better."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """It took the place of something that no longer holds; that stays in history."""

    memory: Memory | None  #: None when a thing merely ended
    old: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicting:
    """It contradicts what is known, and the user is asked."""

    memory: Memory
    against: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyKnown:
    """There was nothing to do."""

    memory: Memory
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviouslyForgotten:
    """It was forgotten, and stays so."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """The user does not want this kept."""

    text: str
    reason: str


FactOutcome: TypeAlias = (
    New | Reinforced | Superseded | Conflicting | AlreadyKnown | PreviouslyForgotten | Declined
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """A message is on disk, or memory does not listen here and it is not."""

    message: Message
    is_new: bool  #: False if its client id was there already, or if it is not stored
    is_queued: bool  #: whether a judge will look at it
    reason: str  #: what the funnel said
    redacted_kinds: tuple[str, ...] = ()  #: kinds of secrets that were masked before it was stored
    is_stored: bool = True  #: False where memory does not listen


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Why something is not recalled, or that it is."""

    id: str
    text: str
    reason: str
    rank: int | None = None  #: its place in the order, if a channel brought it
    candidate: ScoredCandidate | None = None
