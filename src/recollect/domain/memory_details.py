"""Leafing through what is remembered: how much there is of what, and what became of one memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.domain.event import Event
from recollect.domain.memory import Band, Kind, Memory, Origin, Standing
from recollect.domain.message import Message
from recollect.domain.receipt import Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """Memories that are alike in everything one can choose them by."""

    standing: Standing
    kind: Kind
    origin: Origin
    band: Band


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A recall in which a memory was considered."""

    receipt_id: str
    at: datetime
    chat: str | None
    query: str | None
    fate: Fate
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The words of a message that a memory rests on."""

    message: Message
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What a memory weighs at a moment."""

    at: datetime
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Two memories that may say the same: their vectors do, their words do not prove it."""

    memory: Memory  #: the one that says more
    other: Memory
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Altered:
    """What an event did to one memory. What is not kept any more is None."""

    memory_id: str
    before: Memory | None
    after: Memory | None
    now: Memory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An event with what it did."""

    event: Event
    altered: Sequence[Altered]
    can_be_undone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What a memory rests on, when it was recalled, and how it fades if it is not said again."""

    quotes: Sequence[Quote]
    uses: Sequence[Use]
    fading: Sequence[Point]
    archive_below: float
    leaves_at: datetime | None  #: when it is put away; None if it stays for as long as was looked
    reason: str | None  #: why it is put away then
