"""Fills a memory file through the public library, and says how long that took."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import Corpus
from recollect import Memory
from recollect.ports.embedder import Embedder

USER = "ana"
OTHERS = ("bruno", "carla", "davi", "elisa", "fabio")
OTHERS_HAVE = 200
#: Rules and their jobs are measured by themselves; here they would only make the wait longer.
QUIET = {"worker": False, "extract.mode": "off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    messages: int
    stored_in: float  #: seconds until all was on disk and found by its words
    embedded_in: float  #: seconds until all was found by its meaning too


def fill(path: Path, size: int, embedder: Embedder) -> Filled:
    with Memory(path, user_id=USER, embedder=embedder, settings=QUIET) as memory:
        for place, user in enumerate(OTHERS, start=1):
            _observe(memory, user, Corpus(size=OTHERS_HAVE, seed=100 + place))
        begun = time.perf_counter()
        _observe(memory, USER, Corpus(size=size), told=True)
        stored = time.perf_counter()
        said("embedding")
        memory.flush(seconds=24 * 3600)
        embedded = time.perf_counter()
        # As a worker does once a day.
        memory.runtime.store.upkeep.tidy()
    return Filled(messages=size, stored_in=stored - begun, embedded_in=embedded - stored)


def _observe(memory: Memory, user: str, corpus: Corpus, *, told: bool = False) -> None:
    for count, batch in enumerate(corpus.batches(), start=1):
        memory.add(batch.messages, user_id=user, chat_id=batch.chat)
        if told and count % 100 == 0:
            said(f"{count * len(batch.messages):,} messages stored")


def said(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
