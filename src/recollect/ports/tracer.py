"""Port for tracing. Spans never contain message text."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

SpanAttributes: TypeAlias = Mapping[str, str | int | float]


class Span(Protocol):
    def set_attributes(
        self, attributes: SpanAttributes, *, name: str | None = None, failed: bool = False
    ) -> None:
        """Set attributes, optionally a better name, and whether the operation failed."""


class Tracer(Protocol):
    def span(self, name: str, *, headers: Mapping[str, str] | None = None) -> AbstractContextManager[Span]:
        """Open a span as a child of the current one, or of the one named by a request's headers."""
