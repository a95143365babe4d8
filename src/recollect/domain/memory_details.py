"""Leafing through what is remembered: how much there is of what, and what became of one memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.domain.event import Event
from recollect.domain.memory import ImportanceBand, Kind, Memory, MemoryStatus, Origin
from recollect.domain.message import Message
from recollect.domain.receipt import Disposition


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFacet:
    """Memories that are alike in everything one can choose them by."""

    standing: MemoryStatus
    kind: Kind
    origin: Origin
    band: ImportanceBand


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallUse:
    """A recall in which a memory was considered."""

    receipt_id: str
    at: datetime
    chat: str | None
    query: str | None
    disposition: Disposition
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuote:
    """The words of a message that a memory rests on."""

    message: Message
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightPoint:
    """What a memory weighs at a moment."""

    at: datetime
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two memories that may say the same: their vectors do, their words do not prove it."""

    memory: Memory  #: the one that says more
    other: Memory
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """What an event did to one memory. What is not kept any more is None."""

    memory_id: str
    before: Memory | None
    after: Memory | None
    current: Memory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDetails:
    """An event with what it did."""

    event: Event
    changes: Sequence[MemoryChange]
    can_be_undone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDetails:
    """What a memory rests on, when it was recalled, and how it fades if it is not said again."""

    quotes: Sequence[SourceQuote]
    uses: Sequence[RecallUse]
    weight_forecast: Sequence[WeightPoint]
    archive_below: float
    archive_at: datetime | None  #: when it is put away; None if it stays for as long as was looked
    archive_reason: str | None  #: why it is put away then
