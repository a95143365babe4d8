"""Typed outcomes of ingestion, consolidation and `why_not`."""

from dataclasses import dataclass
from typing import TypeAlias

from recollect.domain.candidate import ScoredCandidate
from recollect.domain.memory import Memory
from recollect.domain.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """The fact was unknown; a memory was created."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforced:
    """The fact was known; its memory was reinforced."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """The fact replaced an older memory, which stays in the history."""

    memory: Memory | None  #: None if the old fact ended without a successor
    old: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicting:
    """The fact contradicts a memory; the user decides in the review queue."""

    memory: Memory
    against: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyKnown:
    """The fact was known; nothing changed."""

    memory: Memory
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviouslyForgotten:
    """The user had forgotten this fact; it is not learned again."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """The user has not consented to facts of this kind."""

    text: str
    reason: str


FactOutcome: TypeAlias = (
    New | Reinforced | Superseded | Conflicting | AlreadyKnown | PreviouslyForgotten | Declined
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """The result of adding a message. It is stored, unless collection is off for the chat."""

    message: Message
    is_new: bool  #: False if its client id is known, or if it is not stored
    is_queued: bool  #: whether extraction is queued
    reason: str  #: the reason given by triage
    redacted_kinds: tuple[str, ...] = ()  #: kinds of secrets that were redacted
    is_stored: bool = True  #: False if collection is off


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Why a passage is not recalled, or the rank at which it is."""

    id: str
    text: str
    reason: str
    rank: int | None = None  #: its rank, if a channel returned it
    candidate: ScoredCandidate | None = None
