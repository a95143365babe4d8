"""How long it takes until a message is safe, alone and among many writers."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from benchmarks.corpus import Corpus
from benchmarks.figures import Figure, percentiles
from benchmarks.fill import said
from recollect import Memory

GUEST = "guest"
SINGLES = 200
WRITERS = 64
EACH_WRITES = 20
#: As much as people write in a line or two.
SHORT = 200
JUDGED = {"extract.mode": "per_message"}


def acknowledged(memory: Memory) -> list[Figure]:
    """Add messages one by one to the file as it is; each is on disk when the call returns."""
    said("adding messages one by one")
    spent, worked = [], []
    for message in _messages(SINGLES):
        begun, working = time.perf_counter(), time.thread_time()
        memory.add(message, user_id=GUEST, chat_id="singles")
        spent.append((time.perf_counter() - begun) * 1000)
        worked.append((time.thread_time() - working) * 1000)
    return [
        *percentiles("acknowledge one message", spent, p95=10),
        *percentiles("acknowledge one message, processor time", worked)[:2],
    ]


def written_together(memory: Memory) -> list[Figure]:
    """Many threads at once; what each waits until its message is safe, and how many are in a second."""
    figures = []
    for kind, letters in ((f"messages of {SHORT} letters", SHORT), ("messages of 1 KB", None)):
        messages = [
            {**message, "content": str(message["content"])[:letters]}
            for message in _messages(WRITERS * EACH_WRITES)
        ]
        worked = time.process_time()
        rate, spent = _together(memory, messages, kind)
        worked = (time.process_time() - worked) * 1000 / len(messages)
        name = f"{kind} acknowledged with {WRITERS} writers"
        figures += [
            Figure(name=name, value=rate, unit="/s", least=1000),
            Figure(name=f"· each of the {kind}, processor time", value=worked, unit="ms"),
            *percentiles(f"· each of the {kind}", spent)[:2],
        ]
    return figures


def _together(memory: Memory, messages: list[dict[str, object]], kind: str) -> tuple[float, list[float]]:
    said(f"adding {kind} from {WRITERS} threads")
    spent: list[float] = []

    def write(writer: int) -> None:
        for message in messages[writer::WRITERS]:
            begun = time.perf_counter()
            memory.add(message, user_id=GUEST, chat_id=f"writer-{writer}")
            spent.append((time.perf_counter() - begun) * 1000)

    begun = time.perf_counter()
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    return len(messages) / (time.perf_counter() - begun), spent


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
