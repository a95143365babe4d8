"""Numbers in the text format that Prometheus reads."""

from collections.abc import Iterable, Iterator, Mapping

from recollect.model.metrics import measured
from recollect.model.scope import Scope
from recollect.surfaces.http.traffic import STEPS, Traffic
from recollect.surfaces.library.memory import Memory

#: Receipts that are looked at for each scrape.
RECALLS = 200
Sample = tuple[Mapping[str, str], float]


def exposition(memory: Memory, user: str, traffic: Traffic) -> str:
    return "".join(f"{line}\n" for line in _lines(memory, user, traffic))


def _lines(memory: Memory, user: str, traffic: Traffic) -> Iterator[str]:
    store, scope = memory.runtime.store, Scope(user)
    recalls = measured(store.receipts.list(scope, limit=RECALLS))
    yield from _family("recollect_memories", "gauge", "Memories in use.", [({}, store.memories.count(scope))])
    yield from _family(
        "recollect_jobs",
        "gauge",
        "Queued work by kind and state.",
        [
            ({"kind": kind, "state": state}, number)
            for (kind, state), number in store.jobs.counts(scope).items()
        ],
    )
    yield from _family(
        "recollect_recall_hit_ratio",
        "gauge",
        f"Share of the last {RECALLS} recalls that found something.",
        [({}, recalls.hit_rate)],
    )
    yield from _family(
        "recollect_recall_degraded",
        "gauge",
        f"Recalls of the last {RECALLS} in which something did not work.",
        [({}, recalls.degraded)],
    )
    yield from _family(
        "recollect_recall_milliseconds",
        "gauge",
        f"Time of the last {RECALLS} recalls by part and quantile.",
        [
            ({"part": part.removesuffix("_ms"), "quantile": name}, getattr(spent, field))
            for part, spent in recalls.latency.items()
            for name, field in (("0.5", "p50"), ("0.95", "p95"), ("0.99", "p99"))
        ],
    )
    yield from _family(
        "recollect_http_requests_total",
        "counter",
        "Requests answered.",
        [({"method": m, "status": str(s)}, number) for (m, s), number in sorted(traffic.answers.items())],
    )
    yield from _histogram(traffic)


def _histogram(traffic: Traffic) -> Iterator[str]:
    name, total = "recollect_http_first_byte_seconds", sum(traffic.answers.values())
    yield f"# HELP {name} Time until an answer began."
    yield f"# TYPE {name} histogram"
    for step in STEPS:
        yield f'{name}_bucket{{le="{step}"}} {traffic.within[step]}'
    yield f'{name}_bucket{{le="+Inf"}} {total}'
    yield f"{name}_sum {traffic.seconds:.6f}"
    yield f"{name}_count {total}"


def _family(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        told = ",".join(f'{label}="{text}"' for label, text in labels.items())
        yield f"{name}{{{told}}} {value:g}" if told else f"{name} {value:g}"
