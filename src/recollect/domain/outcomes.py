"""Typed outcomes of adding, ingestion, consolidation and `why_not`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from recollect.domain.candidate import ScoredCandidate
from recollect.domain.memory import ChangeKind, Memory
from recollect.domain.message import Message
from recollect.domain.reason import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """The fact was unknown. Its memory is already superseded if it describes an earlier state."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforced:
    """The fact was known; `memory` has the new source and was stated once more."""

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
class Rejected:
    """Nothing was learned: the fact is known, was forgotten, has no consent, or is in a context file."""

    text: str
    reason: Reason
    memory: Memory | None = None  #: the memory that states the fact already


FactOutcome: TypeAlias = New | Reinforced | Superseded | Conflicting | Rejected


def changed_memories(outcome: FactOutcome) -> tuple[Memory, ...]:
    """Return the memories that an outcome adds or changes, in the order in which they are written."""
    match outcome:
        case New(memory=memory) | Reinforced(memory=memory) | Conflicting(memory=memory):
            return (memory,)
        case Superseded(memory=memory, old=old):
            # The old memory first: the store allows one active memory per text.
            return (old,) if memory is None else (old, memory)
        case Rejected():
            return ()
        case _:
            assert_never(outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionChange:
    """A version of a memory to store: its first one, or the one after the stored one."""

    memory: Memory
    change: ChangeKind
    reason: Reason | None = None


def version_changes(outcomes: Iterable[FactOutcome]) -> Iterator[VersionChange]:
    """Yield the versions that outcomes add, in the order in which they are written."""
    for outcome in outcomes:
        match outcome:
            case New(memory=memory) | Conflicting(memory=memory):
                yield VersionChange(memory=memory, change=ChangeKind.ADD)
            case Reinforced(memory=memory):
                yield VersionChange(memory=memory, change=ChangeKind.REINFORCE)
            case Superseded(memory=successor, old=old):
                # The old memory first: the store allows one active memory per text.
                yield VersionChange(memory=old, change=ChangeKind.SUPERSEDE, reason=old.reason)
                if successor is not None:
                    yield VersionChange(memory=successor, change=ChangeKind.ADD)
            case Rejected():
                pass
            case _:
                assert_never(outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """The result of adding a message. It is stored, unless collection is off for the chat."""

    message: Message
    is_new: bool  #: False if its client id is known, or if it is not stored
    is_queued: bool  #: whether extraction is queued
    reason: Reason  #: the reason given by triage
    redacted_kinds: tuple[str, ...] = ()  #: kinds of secrets that were redacted
    is_stored: bool = True  #: False if collection is off

    @property
    def id(self) -> str:
        """The id of the message."""
        return self.message.id


@dataclass(frozen=True, slots=True, kw_only=True)
class AddResult:
    """What became of added messages, and of the facts that are known already."""

    results: tuple[FactOutcome, ...] = ()  #: of a text, or of messages whose extraction was waited for
    messages: tuple[IngestResult, ...] = ()

    @property
    def memories(self) -> tuple[Memory, ...]:
        """The memories that state the facts."""
        return tuple(each.memory for each in self.results if each.memory is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Why a passage is not recalled, or the rank at which it is."""

    id: str
    text: str
    reason: Reason
    cause: Reason | None = None  #: why the memory is not active, if that is the reason
    rank: int | None = None  #: its rank, if a channel returned it
    candidate: ScoredCandidate | None = None
