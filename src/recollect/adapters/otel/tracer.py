"""Tracer over the OpenTelemetry API. The host's SDK decides where spans are exported."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry import propagate, trace

from recollect.ports.tracer import SpanAttributes


@dataclass(frozen=True, slots=True)
class OtelSpan:
    inner: trace.Span

    def set_attributes(
        self, attributes: SpanAttributes, *, name: str | None = None, failed: bool = False
    ) -> None:
        self.inner.set_attributes(attributes)
        if name is not None:
            self.inner.update_name(name)
        if failed:
            self.inner.set_status(trace.StatusCode.ERROR)


class OtelTracer:
    def __init__(self) -> None:
        self._tracer = trace.get_tracer("recollect")

    @contextmanager
    def span(self, name: str, *, headers: Mapping[str, str] | None = None) -> Iterator[OtelSpan]:
        context = propagate.extract(headers) if headers else None
        # Exception messages may quote user text, so only the exception's type is recorded.
        with self._tracer.start_as_current_span(
            name, context=context, record_exception=False, set_status_on_exception=False
        ) as inner:
            span = OtelSpan(inner)
            try:
                yield span
            except BaseException as error:
                span.set_attributes({"error.type": type(error).__name__}, failed=True)
                raise
