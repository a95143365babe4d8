"""Recall on a filled store: latency of each part, and hit rate."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.corpus import Corpus, Fact
from benchmarks.embedders import TimedEmbedder
from benchmarks.figures import Figure, percentiles
from benchmarks.fill import QUIET_SETTINGS, USER_ID, print_progress
from recollect import Memory
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.testing.inspection import store_of

#: Number of phrasings per question; the fastest counts, since other processes disturb the measurement.
ROUND_COUNT = 4
RESULT_LIMIT = 10
READER_THREADS = 8
RECALL_PARTS = ("embed", "dense", "lexical", "rank")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedRecall:
    """One recall: latency, the receipt with the timings of its parts, and whether the fact was found."""

    wall_ms: float
    cpu_ms: float  #: CPU time of all threads without the embedding
    receipt: Receipt
    is_found: bool

    @property
    def besides_embedding_ms(self) -> float:
        return self.wall_ms - self.part_ms("embed")

    @property
    def recall_ms(self) -> float:
        return self.receipt.timings["total_ms"]

    @property
    def other_ms(self) -> float:
        return self.recall_ms - sum(self.part_ms(name) for name in RECALL_PARTS)

    def part_ms(self, name: str) -> float:
        return self.receipt.timings.get(f"{name}_ms", 0.0)


def measure_cold_start(db: Path | str, embedder: TimedEmbedder) -> Figure:
    """Open the store and run one recall with empty caches."""
    embedder.embed_query("load the model")
    started = time.perf_counter()
    with Memory(db, user_id=USER_ID, embedder=embedder, settings=QUIET_SETTINGS) as memory:
        memory.search("where did I put the telescope?")
        wall_ms = (time.perf_counter() - started) * 1000
    return Figure(name="open and recall for the first time, model loaded", value=wall_ms, unit="ms")


def measure_recall(
    memory: Memory,
    embedder: TimedEmbedder,
    facts: Sequence[Fact],
    *,
    max_p95_ms: float | None,
    max_besides_embedding_p95_ms: float | None,
) -> list[Figure]:
    rounds = [_run_round(memory, embedder, facts, turn, memory.search) for turn in range(ROUND_COUNT)]
    best = [min(answers, key=lambda answer: answer.wall_ms) for answers in zip(*rounds, strict=True)]
    besides_embedding = [
        min(a.besides_embedding_ms for a in answers) for answers in zip(*rounds, strict=True)
    ]
    cpu_ms = [min(a.cpu_ms for a in answers) for answers in zip(*rounds, strict=True)]
    figures = [
        *percentiles("recall, end to end", [a.wall_ms for a in best], p95=max_p95_ms),
        *percentiles("recall, besides the embedding", besides_embedding, p95=max_besides_embedding_p95_ms),
        *percentiles("recall, besides the embedding, CPU time", cpu_ms)[:2],
    ]
    for part in RECALL_PARTS:
        figures += percentiles(f"· {part}", [a.part_ms(part) for a in best])[:2]
    figures += percentiles("· load and other", [a.other_ms for a in best])[:2]
    figures += percentiles("· settings, receipt and serialization", [a.wall_ms - a.recall_ms for a in best])[
        :2
    ]
    figures += percentiles("· receipt alone", _measure_receipt_writes(memory, [a.receipt for a in best]))[:2]
    hits = sum(a.is_found for answers in rounds for a in answers) / sum(map(len, rounds))
    return [*figures, Figure(name=f"fact found among {RESULT_LIMIT}", value=hits, unit="share")]


def measure_concurrent_recall(memory: Memory, facts: Sequence[Fact]) -> list[Figure]:
    """Measure recall from several threads at once."""
    print_progress(f"recalling from {READER_THREADS} threads")
    wall_ms: list[float] = []

    def search(fact: Fact) -> None:
        started_at = time.perf_counter()
        memory.search(fact.phrase_query(ROUND_COUNT), limit=RESULT_LIMIT)
        wall_ms.append((time.perf_counter() - started_at) * 1000)

    started_at, cpu_ms = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(READER_THREADS) as pool:
        list(pool.map(search, facts))
    rate = len(facts) / (time.perf_counter() - started_at)
    cpu_ms = (time.process_time() - cpu_ms) * 1000 / len(facts)
    return [
        Figure(name=f"recalls with {READER_THREADS} readers", value=rate, unit="/s"),
        Figure(name=f"· each of the {READER_THREADS} readers, CPU time", value=cpu_ms, unit="ms"),
        *percentiles(f"· each of the {READER_THREADS} readers", wall_ms)[:2],
    ]


def measure_context(memory: Memory, embedder: TimedEmbedder, facts: Sequence[Fact]) -> list[Figure]:
    """Measure context assembly inside a chat, up to the rendered prompt block."""

    def build_context(question: str, *, limit: int) -> object:
        return memory.context(question, chat_id="chat-007", settings={"recall.limit": limit})

    recalls = _run_round(memory, embedder, facts, ROUND_COUNT, build_context)
    return percentiles("context in a chat, besides the embedding", [a.besides_embedding_ms for a in recalls])[
        :2
    ]


def sample_facts(size: int, count: int) -> list[Fact]:
    """Return facts spread evenly over the corpus."""
    facts = Corpus(size=size).facts
    return facts[:: max(len(facts) // count, 1)][:count]


def _run_round(
    memory: Memory,
    embedder: TimedEmbedder,
    facts: Sequence[Fact],
    variant: int,
    search: Callable[..., object],
) -> list[TimedRecall]:
    print_progress(f"asking {len(facts)} questions, round {variant + 1}")
    recalls = []
    for fact in facts:
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        search(fact.phrase_query(variant), limit=RESULT_LIMIT)
        wall_seconds, cpu_seconds = time.perf_counter() - wall_start, time.process_time() - cpu_start
        receipt = store_of(memory.application).receipts.get(Scope(USER_ID), "last")
        recalls.append(
            TimedRecall(
                wall_ms=wall_seconds * 1000,
                cpu_ms=cpu_seconds * 1000 - embedder.query_cpu_ms,
                receipt=receipt,
                is_found=any(fact.answer in item.text for item in receipt.items[:RESULT_LIMIT]),
            )
        )
    return recalls


def _measure_receipt_writes(memory: Memory, receipts: Sequence[Receipt]) -> list[float]:
    """Measure the time to store a receipt, by storing each one again."""
    wall_ms = []
    for number, receipt in enumerate(receipts):
        copy = replace(receipt, id=f"{receipt.id}-{number}")
        started = time.perf_counter()
        store_of(memory.application).receipts.add(copy)
        wall_ms.append((time.perf_counter() - started) * 1000)
    return wall_ms
