"""Asks questions of a filled memory: how long each part of the answer takes, and whether it is found."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.corpus import Corpus, Fact
from benchmarks.figures import Figure, percentiles
from benchmarks.filling import QUIET, USER, said
from recollect import Memory
from recollect.model.receipt import Receipt
from recollect.model.scope import Scope
from recollect.ports.embedder import Embedder

#: The machine has other things to do as well: the best of so many rounds counts.
ROUNDS = 3
WANTED = 10
PARTS = ("embed", "dense", "lexical", "rank")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question: milliseconds from call to return, the receipt that tells its parts, and whether it was found."""

    spent: float
    receipt: Receipt
    found: bool

    def part(self, name: str) -> float:
        return self.receipt.timings.get(f"{name}_ms", 0.0)

    @property
    def embedding(self) -> float:
        return self.part("embed")


def cold(path: Path, embedder: Embedder) -> Figure:
    """Open the file and ask one thing: what was kept in memory has to be read again."""
    embedder.embed_query("the model is loaded by now")
    begun = time.perf_counter()
    with Memory(path, user_id=USER, embedder=embedder, settings=QUIET) as memory:
        memory.search("where did I put the telescope?")
        spent = (time.perf_counter() - begun) * 1000
    return Figure(name="open and recall for the first time, model loaded", value=spent, unit="ms")


def recall(memory: Memory, facts: Sequence[Fact], *, most: float | None) -> list[Figure]:
    rounds = [_round(memory, facts, turn, memory.search) for turn in range(ROUNDS)]
    best = min(rounds, key=lambda answers: float(np.percentile([a.spent for a in answers], 95)))
    writing = _writing(memory, [answer.receipt for answer in best])
    besides = [a.spent - a.embedding for a in best]
    other = [a.receipt.timings["total_ms"] - sum(a.part(part) for part in PARTS) for a in best]
    figures = [
        *percentiles("recall, end to end", [a.spent for a in best], p95=most),
        *percentiles("recall, besides the embedding", besides, p95=5),
    ]
    for part in PARTS:
        figures += percentiles(f"  {part}", [a.part(part) for a in best])[:2]
    figures += percentiles("  load and other", other)[:2]
    figures += percentiles("  receipt", writing)[:2]
    outside = [a.spent - a.receipt.timings["total_ms"] for a in best]
    figures += percentiles("  settings, receipt and shape", outside)[:2]
    hits = sum(a.found for answers in rounds for a in answers) / sum(map(len, rounds))
    return [*figures, Figure(name=f"fact found among {WANTED}", value=hits, unit="share")]


def context(memory: Memory, facts: Sequence[Fact]) -> list[Figure]:
    """The same inside a chat, down to the block for the prompt."""

    def ask(question: str, *, limit: int) -> object:
        return memory.context(question, chat_id="chat-007", settings={"recall.limit": limit})

    answers = _round(memory, facts, ROUNDS, ask)
    besides = [a.spent - a.embedding for a in answers]
    return percentiles("context in a chat, besides the embedding", besides)[:2]


def _round(memory: Memory, facts: Sequence[Fact], turn: int, ask: Callable[..., object]) -> list[Answer]:
    said(f"asking {len(facts)} questions, turn {turn + 1}")
    answers = []
    for fact in facts:
        begun = time.perf_counter()
        ask(fact.asked(turn), limit=WANTED)
        spent = (time.perf_counter() - begun) * 1000
        receipt = memory.runtime.store.receipts.get(Scope(USER), "last")
        found = any(fact.answer in item.text for item in receipt.items[:WANTED])
        answers.append(Answer(spent=spent, receipt=receipt, found=found))
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


def questions(size: int, count: int) -> list[Fact]:
    """Facts spread over the whole corpus."""
    facts = Corpus(size=size).facts
    return facts[:: max(len(facts) // count, 1)][:count]
