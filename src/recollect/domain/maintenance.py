"""What the gardener did, or would do."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class PutAway:
    """A memory whose time has come, or will have come in so many weeks."""

    memory: Memory
    reason: str
    weeks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    kept: Memory
    others: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tended:
    at: datetime
    put_away: tuple[PutAway, ...] = ()
    merged: tuple[Merged, ...] = ()
