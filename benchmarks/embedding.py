"""Latency of the real embedder."""

import time
from collections.abc import Callable, Iterable
from itertools import islice

from benchmarks.corpus import Corpus
from benchmarks.figures import Figure, percentiles
from benchmarks.fill import print_progress
from recollect.ports.embedder import Embedder

TEXT_COUNT = 40


def measure_embedding(embedder: Embedder) -> list[Figure]:
    print_progress("embedding one by one")
    corpus = Corpus(size=TEXT_COUNT * 50, seed=5)
    texts = [str(message["content"]) for batch in corpus.batches() for message in batch.messages]
    short = [text[:100] for text in texts[TEXT_COUNT:]]
    embedder.embed_query("load the model")
    return [
        *percentiles(
            "embed a question", _measure_times(embedder.embed_query, (f.query for f in corpus.facts))
        )[:2],
        *percentiles(
            "embed a message of 100 characters", _measure_times(lambda t: embedder.embed([t]), short), p95=25
        )[:2],
        *percentiles("embed a message of 1 KB", _measure_times(lambda t: embedder.embed([t]), texts))[:2],
    ]


def _measure_times(embed: Callable[[str], object], texts: Iterable[str]) -> list[float]:
    wall_ms = []
    for text in islice(texts, TEXT_COUNT):
        wall_start = time.perf_counter()
        embed(text)
        wall_ms.append((time.perf_counter() - wall_start) * 1000)
    return wall_ms
