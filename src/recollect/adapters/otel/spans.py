"""A recall and a job, each inside of a span."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from recollect.domain.job import Job, JobKind
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.ports.tracer import Tracer
from recollect.retrieval.retriever import RecallStep
from recollect.retrieval.search_state import Recalled

Handler: TypeAlias = Callable[[Job], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedRecall(RecallStep):
    """The parts of a recall are its attributes: what each took, and how much it found."""

    tracer: Tracer

    def __call__(
        self,
        scope: Scope,
        question: str,
        policy: Policy,
        *,
        visible: frozenset[str] = frozenset(),
        sent: frozenset[str] = frozenset(),
        cliff: float = 0.0,
        as_of: datetime | None = None,
    ) -> Recalled:
        with self.tracer.span("recall") as span:
            found = RecallStep.__call__(
                self, scope, question, policy, visible=visible, sent=sent, cliff=cliff, as_of=as_of
            )
            span.note(
                {
                    **{f"recollect.recall.{part}": spent for part, spent in found.timings.items()},
                    **{f"recollect.recall.found.{source}": hits for source, hits in found.sources.items()},
                    "recollect.recall.kept": len(found.kept),
                    "recollect.recall.degraded": len(found.degraded),
                }
            )
            return found


def traced(handlers: Mapping[JobKind, Handler], tracer: Tracer) -> dict[JobKind, Handler]:
    return {kind: _traced(handler, tracer) for kind, handler in handlers.items()}


def _traced(handler: Handler, tracer: Tracer) -> Handler:
    def handle(job: Job) -> None:
        with tracer.span(f"job {job.kind}") as span:
            span.note({"recollect.job.id": job.id, "recollect.job.attempts": job.attempts})
            handler(job)

    return handle
