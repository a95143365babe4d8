"""What became of memories that were brought from elsewhere."""

from dataclasses import dataclass

from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    kept: tuple[Memory, ...] = ()
    known: int = 0  #: that were here already
    left_out: tuple[LeftOut, ...] = ()
