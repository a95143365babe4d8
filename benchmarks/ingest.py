"""Latency and throughput of durable writes, with one and with many writers."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from benchmarks.corpus import Corpus
from benchmarks.figures import Figure, percentiles
from benchmarks.fill import print_progress
from recollect import Memory

GUEST_USER_ID = "guest"
SINGLE_MESSAGES = 200
WRITER_THREADS = 64
MESSAGES_PER_WRITER = 20
#: A message of a line or two.
SHORT_MESSAGE_CHARS = 200
EXTRACTION_SETTINGS = {"extraction.mode": "per_message"}


def measure_single_writes(memory: Memory) -> list[Figure]:
    """Add messages one by one; each is on disk when the call returns."""
    print_progress("adding messages one by one")
    wall_ms, cpu_ms = [], []
    for message in _generate_messages(SINGLE_MESSAGES):
        wall_start, cpu_start = time.perf_counter(), time.thread_time()
        memory.add(message, user_id=GUEST_USER_ID, chat_id="singles")
        wall_ms.append((time.perf_counter() - wall_start) * 1000)
        cpu_ms.append((time.thread_time() - cpu_start) * 1000)
    return [
        *percentiles("acknowledge one message", wall_ms, p95=10),
        *percentiles("acknowledge one message, CPU time", cpu_ms)[:2],
    ]


def measure_concurrent_writes(memory: Memory) -> list[Figure]:
    """Add messages from many threads; measure the latency of each write and the total throughput."""
    figures = []
    for kind, max_chars in (
        (f"messages of {SHORT_MESSAGE_CHARS} characters", SHORT_MESSAGE_CHARS),
        ("messages of 1 KB", None),
    ):
        messages = [
            {**message, "content": str(message["content"])[:max_chars]}
            for message in _generate_messages(WRITER_THREADS * MESSAGES_PER_WRITER)
        ]
        cpu_ms = time.process_time()
        rate, wall_ms = _write_concurrently(memory, messages, kind)
        cpu_ms = (time.process_time() - cpu_ms) * 1000 / len(messages)
        name = f"{kind} acknowledged with {WRITER_THREADS} writers"
        figures += [
            Figure(name=name, value=rate, unit="/s", least=1000),
            Figure(name=f"· each of the {kind}, CPU time", value=cpu_ms, unit="ms"),
            *percentiles(f"· each of the {kind}", wall_ms)[:2],
        ]
    return figures


def _write_concurrently(
    memory: Memory, messages: list[dict[str, object]], kind: str
) -> tuple[float, list[float]]:
    print_progress(f"adding {kind} from {WRITER_THREADS} threads")
    wall_ms: list[float] = []

    def write(writer: int) -> None:
        for message in messages[writer::WRITER_THREADS]:
            started_at = time.perf_counter()
            memory.add(message, user_id=GUEST_USER_ID, chat_id=f"writer-{writer}")
            wall_ms.append((time.perf_counter() - started_at) * 1000)

    started_at = time.perf_counter()
    with ThreadPoolExecutor(WRITER_THREADS) as pool:
        list(pool.map(write, range(WRITER_THREADS)))
    return len(messages) / (time.perf_counter() - started_at), wall_ms


def measure_extraction(memory: Memory) -> Figure:
    """Measure background processing with the rule-based extractor."""
    print_progress("judging messages")
    memory.flush(seconds=600)
    for message in _generate_messages(SINGLE_MESSAGES):
        memory.add(message, user_id=GUEST_USER_ID, chat_id="judged", settings=EXTRACTION_SETTINGS)
    started = time.perf_counter()
    memory.flush(seconds=600)
    rate = SINGLE_MESSAGES / (time.perf_counter() - started)
    return Figure(name="messages extracted and embedded in the background", value=rate, unit="/s")


def _generate_messages(count: int) -> Iterator[dict[str, object]]:
    for batch in Corpus(size=count, seed=3).batches():
        for message in batch.messages:
            yield {"role": "user", "content": message["content"]}
