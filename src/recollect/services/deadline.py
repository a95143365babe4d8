"""The deadline of a request."""

from dataclasses import dataclass

from recollect.ports.clock import Clock
from recollect.services.pending_embeddings import MAX_WAIT_SECONDS

#: Share of a deadline kept for lexical search and assembly if dense search is late, and its maximum.
RESERVED_SHARE = 0.3
MAX_RESERVED_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    clock: Clock
    milliseconds: int  #: 0: no deadline
    ends_at: float  #: on the monotonic clock

    @classmethod
    def start(cls, clock: Clock, milliseconds: int) -> "Deadline":
        """Return a deadline so many milliseconds from now; 0 waits for everything."""
        return cls(clock=clock, milliseconds=milliseconds, ends_at=clock.monotonic() + milliseconds / 1000)

    @property
    def is_set(self) -> bool:
        return self.milliseconds > 0

    def remaining(self) -> float | None:
        """Return the seconds that are left, or None without a deadline."""
        return max(self.ends_at - self.clock.monotonic(), 0.0) if self.is_set else None

    def remaining_for_new_passages(self) -> float:
        """Return the seconds to wait for embeddings of new passages: half of what dense search has."""
        seconds = self.remaining_for_dense_search()
        return MAX_WAIT_SECONDS if seconds is None else min(MAX_WAIT_SECONDS, seconds / 2)

    def remaining_for_dense_search(self) -> float | None:
        """Return the seconds until lexical search has to do, or None without a deadline."""
        reserved = min(self.milliseconds / 1000 * RESERVED_SHARE, MAX_RESERVED_SECONDS)
        return max(self.ends_at - reserved - self.clock.monotonic(), 0.0) if self.is_set else None
