"""Values for browsing memories: facets, and the sources, uses and forecast of one memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.domain.event import Event
from recollect.domain.memory import ImportanceBand, Kind, Memory, MemoryStatus, Origin
from recollect.domain.message import Message
from recollect.domain.reason import Reason
from recollect.domain.receipt import Disposition


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFacet:
    """A combination of the attributes that memories can be filtered by."""

    status: MemoryStatus
    kind: Kind
    origin: Origin
    band: ImportanceBand


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallUse:
    """A recall that had a memory among its candidates."""

    receipt_id: str
    at: datetime
    chat: str | None
    query: str | None
    disposition: Disposition
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuote:
    """A source span with its message."""

    message: Message
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightPoint:
    """The weight of a memory at one time."""

    at: datetime
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two memories that may be duplicates: their vectors are close, but their texts are not equal."""

    memory: Memory  #: the more detailed one
    other: Memory
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """What an event did to one memory. A version that is no longer stored is None."""

    memory_id: str
    before: Memory | None
    after: Memory | None
    current: Memory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDetails:
    """An event with its changes."""

    event: Event
    changes: Sequence[MemoryChange]
    can_be_undone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDetails:
    """The sources and recalls of a memory, and its weight over time if it is not mentioned again."""

    quotes: Sequence[SourceQuote]
    uses: Sequence[RecallUse]
    weight_forecast: Sequence[WeightPoint]
    archive_below: float
    archive_at: datetime | None  #: when it will be archived; None if not within the forecast
    archive_reason: Reason | None  #: why it will be archived
