"""Spans: how long things took and inside of what, for those who collect them. What anybody said is never in one."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

SpanAttributes: TypeAlias = Mapping[str, str | int | float]


class Span(Protocol):
    def set_attributes(
        self, attributes: SpanAttributes, *, name: str | None = None, failed: bool = False
    ) -> None:
        """What is known by now; a better name, and whether it went wrong."""


class Tracer(Protocol):
    def span(self, name: str, *, headers: Mapping[str, str] | None = None) -> AbstractContextManager[Span]:
        """A span inside of the one that is open here, or of the one that a request's headers name."""
