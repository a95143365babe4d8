"""Asks questions of a filled memory: how long each part of the answer takes, and whether it is found."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.corpus import Corpus, Fact
from benchmarks.embedders import Watched
from benchmarks.figures import Figure, percentiles
from benchmarks.fill import QUIET, USER, said
from recollect import Memory
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope

#: The machine has other things to do as well: of so many ways to ask the same, the fastest answer counts.
ROUNDS = 4
WANTED = 10
READERS = 8
PARTS = ("embed", "dense", "lexical", "rank")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question: milliseconds from call to return, the receipt that tells its parts, and whether it was found."""

    spent: float
    processor: float  #: milliseconds of processor time besides the embedding, of all threads
    receipt: Receipt
    found: bool

    @property
    def besides(self) -> float:
        return self.spent - self.part("embed")

    @property
    def total(self) -> float:
        return self.receipt.timings["total_ms"]

    @property
    def other(self) -> float:
        return self.total - sum(self.part(name) for name in PARTS)

    def part(self, name: str) -> float:
        return self.receipt.timings.get(f"{name}_ms", 0.0)


def cold(path: Path, embedder: Watched) -> Figure:
    """Open the file and ask one thing: what was kept in memory has to be read again."""
    embedder.embed_query("the model is loaded by now")
    begun = time.perf_counter()
    with Memory(path, user_id=USER, embedder=embedder, settings=QUIET) as memory:
        memory.search("where did I put the telescope?")
        spent = (time.perf_counter() - begun) * 1000
    return Figure(name="open and recall for the first time, model loaded", value=spent, unit="ms")


def recall(
    memory: Memory,
    embedder: Watched,
    facts: Sequence[Fact],
    *,
    most: float | None,
    besides_most: float | None,
) -> list[Figure]:
    rounds = [_round(memory, embedder, facts, turn, memory.search) for turn in range(ROUNDS)]
    best = [min(answers, key=lambda answer: answer.spent) for answers in zip(*rounds, strict=True)]
    besides = [min(a.besides for a in answers) for answers in zip(*rounds, strict=True)]
    processor = [min(a.processor for a in answers) for answers in zip(*rounds, strict=True)]
    figures = [
        *percentiles("recall, end to end", [a.spent for a in best], p95=most),
        *percentiles("recall, besides the embedding", besides, p95=besides_most),
        *percentiles("recall, besides the embedding, processor time", processor)[:2],
    ]
    for part in PARTS:
        figures += percentiles(f"· {part}", [a.part(part) for a in best])[:2]
    figures += percentiles("· load and other", [a.other for a in best])[:2]
    figures += percentiles("· settings, receipt and shape", [a.spent - a.total for a in best])[:2]
    figures += percentiles("· receipt alone", _writing(memory, [a.receipt for a in best]))[:2]
    hits = sum(a.found for answers in rounds for a in answers) / sum(map(len, rounds))
    return [*figures, Figure(name=f"fact found among {WANTED}", value=hits, unit="share")]


def together(memory: Memory, facts: Sequence[Fact]) -> list[Figure]:
    """Several threads ask at once."""
    said(f"asking from {READERS} threads")
    spent: list[float] = []

    def ask(fact: Fact) -> None:
        begun = time.perf_counter()
        memory.search(fact.asked(ROUNDS), limit=WANTED)
        spent.append((time.perf_counter() - begun) * 1000)

    begun, worked = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(READERS) as pool:
        list(pool.map(ask, facts))
    rate = len(facts) / (time.perf_counter() - begun)
    worked = (time.process_time() - worked) * 1000 / len(facts)
    return [
        Figure(name=f"recalls with {READERS} readers", value=rate, unit="/s"),
        Figure(name=f"· each of the {READERS} readers, processor time", value=worked, unit="ms"),
        *percentiles(f"· each of the {READERS} readers", spent)[:2],
    ]


def context(memory: Memory, embedder: Watched, facts: Sequence[Fact]) -> list[Figure]:
    """The same inside a chat, down to the block for the prompt."""

    def ask(question: str, *, limit: int) -> object:
        return memory.context(question, chat_id="chat-007", settings={"recall.limit": limit})

    answers = _round(memory, embedder, facts, ROUNDS, ask)
    return percentiles("context in a chat, besides the embedding", [a.besides for a in answers])[:2]


def questions(size: int, count: int) -> list[Fact]:
    """Facts spread over the whole corpus."""
    facts = Corpus(size=size).facts
    return facts[:: max(len(facts) // count, 1)][:count]


def _round(
    memory: Memory, embedder: Watched, facts: Sequence[Fact], turn: int, ask: Callable[..., object]
) -> list[Answer]:
    said(f"asking {len(facts)} questions, turn {turn + 1}")
    answers = []
    for fact in facts:
        begun, worked = time.perf_counter(), time.process_time()
        ask(fact.asked(turn), limit=WANTED)
        spent, processor = time.perf_counter() - begun, time.process_time() - worked
        receipt = memory.runtime.store.receipts.get(Scope(USER), "last")
        answers.append(
            Answer(
                spent=spent * 1000,
                processor=processor * 1000 - embedder.spent,
                receipt=receipt,
                found=any(fact.answer in item.text for item in receipt.items[:WANTED]),
            )
        )
    return answers


def _writing(memory: Memory, receipts: Sequence[Receipt]) -> list[float]:
    """What it takes to keep a receipt, by keeping each once more."""
    spent = []
    for number, receipt in enumerate(receipts):
        copy = replace(receipt, id=f"{receipt.id}-{number}")
        begun = time.perf_counter()
        memory.runtime.store.receipts.add(copy)
        spent.append((time.perf_counter() - begun) * 1000)
    return spent
