"""Metrics in the Prometheus text format."""

from collections.abc import Iterable, Iterator, Mapping

from recollect.domain.metrics import RecallMetrics
from recollect.domain.scope import Scope
from recollect.library.memory import Memory
from recollect.server.http_metrics import LATENCY_BUCKETS_SECONDS, HttpMetrics
from recollect.services import Services

#: Receipts aggregated per scrape.
MAX_RECEIPTS_PER_SCRAPE = 200
Sample = tuple[Mapping[str, str], float]


def render_metrics(memory: Memory, user: str, http_metrics: HttpMetrics) -> str:
    services, scope = memory.application.services, Scope(user)
    recalls = services.analytics.recall_metrics(scope, limit=MAX_RECEIPTS_PER_SCRAPE)
    lines = (
        *_storage_metrics(services, scope),
        *_recall_metrics(recalls),
        *_request_metrics(http_metrics),
        *_latency_histogram(http_metrics),
    )
    return "".join(f"{line}\n" for line in lines)


def _storage_metrics(services: Services, scope: Scope) -> Iterator[str]:
    yield from _gauge("recollect_memories", "Active memories.", [({}, services.memories.count(scope))])
    jobs = [
        ({"kind": kind, "state": state}, number)
        for (kind, state), number in services.jobs.count_by_state(scope).items()
    ]
    yield from _gauge("recollect_jobs", "Queued jobs by kind and state.", jobs)


def _recall_metrics(recalls: RecallMetrics) -> Iterator[str]:
    yield from _gauge(
        "recollect_recall_hit_ratio",
        f"Share of the last {MAX_RECEIPTS_PER_SCRAPE} recalls with at least one result.",
        [({}, recalls.hit_rate)],
    )
    yield from _gauge(
        "recollect_recall_degraded",
        f"Degraded recalls among the last {MAX_RECEIPTS_PER_SCRAPE}.",
        [({}, recalls.degraded_count)],
    )
    yield from _gauge(
        "recollect_recall_milliseconds",
        f"Latency of the last {MAX_RECEIPTS_PER_SCRAPE} recalls by part and quantile.",
        [
            ({"part": part.removesuffix("_ms"), "quantile": name}, getattr(percentiles, field))
            for part, percentiles in recalls.latency.items()
            for name, field in (("0.5", "p50"), ("0.95", "p95"), ("0.99", "p99"))
        ],
    )


def _request_metrics(http_metrics: HttpMetrics) -> Iterator[str]:
    responses = sorted(http_metrics.responses.items())
    samples = [({"method": method, "status": str(status)}, number) for (method, status), number in responses]
    return _family(
        "recollect_http_requests_total", "counter", "HTTP responses by method and status.", samples
    )


def _latency_histogram(http_metrics: HttpMetrics) -> Iterator[str]:
    name, total = "recollect_http_first_byte_seconds", sum(http_metrics.responses.values())
    yield f"# HELP {name} Time to first byte of HTTP responses."
    yield f"# TYPE {name} histogram"
    for bound in LATENCY_BUCKETS_SECONDS:
        yield f'{name}_bucket{{le="{bound}"}} {http_metrics.responses_within[bound]}'
    yield f'{name}_bucket{{le="+Inf"}} {total}'
    yield f"{name}_sum {http_metrics.total_seconds:.6f}"
    yield f"{name}_count {total}"


def _gauge(name: str, help_text: str, samples: Iterable[Sample]) -> Iterator[str]:
    return _family(name, "gauge", help_text, samples)


def _family(name: str, kind: str, help_text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        label_text = ",".join(f'{label}="{text}"' for label, text in labels.items())
        yield f"{name}{{{label_text}}} {value:g}" if label_text else f"{name} {value:g}"
