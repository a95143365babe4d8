"""Spans around jobs."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from recollect.domain.job import Job, JobKind
from recollect.ports.tracer import Tracer

Handler: TypeAlias = Callable[[Job], bool]


def trace_handlers(handlers: Mapping[JobKind, Handler], tracer: Tracer) -> dict[JobKind, Handler]:
    return {kind: _trace_handler(handler, tracer) for kind, handler in handlers.items()}


def _trace_handler(handler: Handler, tracer: Tracer) -> Handler:
    def handle(job: Job) -> bool:
        with tracer.span(f"job {job.kind}") as span:
            span.set_attributes({"recollect.job.id": job.id, "recollect.job.attempts": job.attempts})
            return handler(job)

    return handle
