"""Fill a store through the public library, and measure the time."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import Corpus
from recollect import Memory
from recollect.ports.embedder import Embedder

USER_ID = "ana"
OTHER_USER_IDS = ("bruno", "carla", "davi", "elisa", "fabio")
MESSAGES_PER_OTHER_USER = 200
#: Extraction and its jobs are measured separately.
QUIET_SETTINGS = {"worker": False, "extraction.mode": "off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FillResult:
    messages: int
    stored_in: float  #: seconds until all messages were on disk and in the full-text index
    embedded_in: float  #: seconds until all messages had vectors


def fill_memory(db: Path | str, size: int, embedder: Embedder) -> FillResult:
    with Memory(db, user_id=USER_ID, embedder=embedder, settings=QUIET_SETTINGS) as memory:
        for position, user in enumerate(OTHER_USER_IDS, start=1):
            _add_messages(memory, user, Corpus(size=MESSAGES_PER_OTHER_USER, seed=100 + position))
        started = time.perf_counter()
        _add_messages(memory, USER_ID, Corpus(size=size), show_progress=True)
        stored = time.perf_counter()
        print_progress("embedding")
        memory.flush(seconds=24 * 3600)
        embedded = time.perf_counter()
        # A worker does this once a day.
        memory.application.services.maintenance.optimize_indexes()
    return FillResult(messages=size, stored_in=stored - started, embedded_in=embedded - stored)


def _add_messages(memory: Memory, user: str, corpus: Corpus, *, show_progress: bool = False) -> None:
    for count, batch in enumerate(corpus.batches(), start=1):
        memory.add(batch.messages, user_id=user, chat_id=batch.chat)
        if show_progress and count % 100 == 0:
            print_progress(f"{count * len(batch.messages):,} messages stored")


def print_progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
