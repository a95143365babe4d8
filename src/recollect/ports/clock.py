"""Ports for time and unique ids."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Return the current time, timezone-aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds of a monotonic clock, for measuring durations only."""


class Ids(Protocol):
    def new(self) -> str:
        """Return a new id: lower-case letters and digits, unguessable, sortable by creation time."""
