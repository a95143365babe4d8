"""Spans around recalls and jobs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from recollect.domain.job import Job, JobKind
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.ports.tracer import Tracer
from recollect.retrieval.retriever import Retriever
from recollect.retrieval.search_state import RetrievalResult

Handler: TypeAlias = Callable[[Job], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedRecall(Retriever):
    """A retriever that records a span with the timings and result counts of each recall."""

    tracer: Tracer

    def __call__(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        *,
        visible_ids: frozenset[str] = frozenset(),
        in_prompt: frozenset[str] = frozenset(),
        relative_cutoff: float = 0.0,
        as_of: datetime | None = None,
    ) -> RetrievalResult:
        with self.tracer.span("recall") as span:
            result = Retriever.__call__(
                self,
                scope,
                query,
                policy,
                visible_ids=visible_ids,
                in_prompt=in_prompt,
                relative_cutoff=relative_cutoff,
                as_of=as_of,
            )
            span.set_attributes(
                {
                    **{f"recollect.recall.{part}": elapsed_ms for part, elapsed_ms in result.timings.items()},
                    **{f"recollect.recall.found.{source}": hits for source, hits in result.sources.items()},
                    "recollect.recall.kept": len(result.candidates),
                    "recollect.recall.degraded": len(result.degraded),
                }
            )
            return result


def trace_handlers(handlers: Mapping[JobKind, Handler], tracer: Tracer) -> dict[JobKind, Handler]:
    return {kind: _trace_handler(handler, tracer) for kind, handler in handlers.items()}


def _trace_handler(handler: Handler, tracer: Tracer) -> Handler:
    def handle(job: Job) -> bool:
        with tracer.span(f"job {job.kind}") as span:
            span.set_attributes({"recollect.job.id": job.id, "recollect.job.attempts": job.attempts})
            return handler(job)

    return handle
