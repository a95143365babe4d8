"""How long it takes until a message is safe, alone and among many writers."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from benchmarks.corpus import Corpus
from benchmarks.figures import Figure, percentiles
from benchmarks.filling import said
from recollect import Memory

GUEST = "guest"
SINGLES = 200
WRITERS = 64
EACH_WRITES = 10
JUDGED = {"extract.mode": "per_message"}


def acknowledged(memory: Memory) -> list[Figure]:
    """Add messages one by one to the file as it is; each is on disk when the call returns."""
    said("adding messages one by one")
    spent = []
    for message in _messages(SINGLES):
        begun = time.perf_counter()
        memory.add(message, user_id=GUEST, chat_id="singles")
        spent.append((time.perf_counter() - begun) * 1000)
    return percentiles("acknowledge one message", spent, p95=10)


def written_together(memory: Memory) -> Figure:
    said(f"adding messages from {WRITERS} threads")
    messages = list(_messages(WRITERS * EACH_WRITES))

    def write(writer: int) -> None:
        for message in messages[writer::WRITERS]:
            memory.add(message, user_id=GUEST, chat_id=f"writer-{writer}")

    begun = time.perf_counter()
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    rate = len(messages) / (time.perf_counter() - begun)
    return Figure(name=f"messages acknowledged with {WRITERS} writers", value=rate, unit="/s", least=1000)


def judged(memory: Memory) -> Figure:
    """The night shift without a language model: rules decide what is worth keeping, and keep it."""
    said("judging messages")
    memory.flush(seconds=600)
    for message in _messages(SINGLES):
        memory.add(message, user_id=GUEST, chat_id="judged", settings=JUDGED)
    begun = time.perf_counter()
    memory.flush(seconds=600)
    rate = SINGLES / (time.perf_counter() - begun)
    return Figure(name="messages judged and embedded in the background", value=rate, unit="/s")


def _messages(count: int) -> Iterator[dict[str, object]]:
    for batch in Corpus(size=count, seed=3).batches():
        for message in batch.messages:
            yield {"role": "user", "content": message["content"]}
