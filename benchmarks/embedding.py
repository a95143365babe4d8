"""How long the real embedder takes for a text."""

import time
from collections.abc import Callable, Iterable
from itertools import islice

from benchmarks.corpus import Corpus
from benchmarks.figures import Figure, percentiles
from benchmarks.fill import said
from recollect.ports.embedder import Embedder

TEXTS = 40


def embedding(embedder: Embedder) -> list[Figure]:
    said("embedding one by one")
    corpus = Corpus(size=TEXTS * 50, seed=5)
    texts = [str(message["content"]) for batch in corpus.batches() for message in batch.messages]
    short = [text[:100] for text in texts[TEXTS:]]
    embedder.embed_query("the model is loaded by now")
    return [
        *percentiles("embed a question", _times(embedder.embed_query, (f.question for f in corpus.facts)))[
            :2
        ],
        *percentiles("embed a message of 100 letters", _times(lambda t: embedder.embed([t]), short), p95=25)[
            :2
        ],
        *percentiles("embed a message of 1 KB", _times(lambda t: embedder.embed([t]), texts))[:2],
    ]


def _times(embed: Callable[[str], object], texts: Iterable[str]) -> list[float]:
    spent = []
    for text in islice(texts, TEXTS):
        begun = time.perf_counter()
        embed(text)
        spent.append((time.perf_counter() - begun) * 1000)
    return spent
