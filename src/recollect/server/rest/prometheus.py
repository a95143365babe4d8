"""Numbers in the text format that Prometheus reads."""

from collections.abc import Iterable, Iterator, Mapping

from recollect.domain.metrics import Metrics, measured
from recollect.domain.scope import Scope
from recollect.library.memory import Memory
from recollect.ports.store import Store
from recollect.server.http_metrics import STEPS, Traffic

#: Receipts that are looked at for each scrape.
RECALLS = 200
Sample = tuple[Mapping[str, str], float]


def exposition(memory: Memory, user: str, traffic: Traffic) -> str:
    store, scope = memory.runtime.store, Scope(user)
    recalls = measured(store.receipts.list(scope, limit=RECALLS))
    lines = (*_held(store, scope), *_recalled(recalls), *_answered(traffic), *_histogram(traffic))
    return "".join(f"{line}\n" for line in lines)


def _held(store: Store, scope: Scope) -> Iterator[str]:
    yield from _gauge("recollect_memories", "Memories in use.", [({}, store.memories.count(scope))])
    jobs = [
        ({"kind": kind, "state": state}, number) for (kind, state), number in store.jobs.counts(scope).items()
    ]
    yield from _gauge("recollect_jobs", "Queued work by kind and state.", jobs)


def _recalled(recalls: Metrics) -> Iterator[str]:
    yield from _gauge(
        "recollect_recall_hit_ratio",
        f"Share of the last {RECALLS} recalls that found something.",
        [({}, recalls.hit_rate)],
    )
    yield from _gauge(
        "recollect_recall_degraded",
        f"Recalls of the last {RECALLS} in which something did not work.",
        [({}, recalls.degraded)],
    )
    yield from _gauge(
        "recollect_recall_milliseconds",
        f"Time of the last {RECALLS} recalls by part and quantile.",
        [
            ({"part": part.removesuffix("_ms"), "quantile": name}, getattr(spent, field))
            for part, spent in recalls.latency.items()
            for name, field in (("0.5", "p50"), ("0.95", "p95"), ("0.99", "p99"))
        ],
    )


def _answered(traffic: Traffic) -> Iterator[str]:
    answers = sorted(traffic.answers.items())
    samples = [({"method": method, "status": str(status)}, number) for (method, status), number in answers]
    return _family("recollect_http_requests_total", "counter", "Requests answered.", samples)


def _histogram(traffic: Traffic) -> Iterator[str]:
    name, total = "recollect_http_first_byte_seconds", sum(traffic.answers.values())
    yield f"# HELP {name} Time until an answer began."
    yield f"# TYPE {name} histogram"
    for step in STEPS:
        yield f'{name}_bucket{{le="{step}"}} {traffic.within[step]}'
    yield f'{name}_bucket{{le="+Inf"}} {total}'
    yield f"{name}_sum {traffic.seconds:.6f}"
    yield f"{name}_count {total}"


def _gauge(name: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    return _family(name, "gauge", about, samples)


def _family(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        told = ",".join(f'{label}="{text}"' for label, text in labels.items())
        yield f"{name}{{{told}}} {value:g}" if told else f"{name} {value:g}"
