"""Tells the time, and makes names that nobody else has."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The current time, aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back. For measuring only."""


class Ids(Protocol):
    def new(self) -> str:
        """A new id: lower-case letters and digits, unguessable, later ones sort after earlier ones."""
