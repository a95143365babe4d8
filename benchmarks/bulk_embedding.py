"""
`python -m benchmarks.bulk_embedding`: texts embedded per second, on one core and on all, alone and in padded batches.

Batches are not used, although the code can: a dynamically quantized model has one scale for a whole batch, so a vector
would depend on its neighbours. The last figures say by how much.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.figures import Figure, format_table
from benchmarks.fill import print_progress
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.adapters.onnx.parallel import count_cores
from recollect.ports.embedder import Vector

TEXT_COUNT = 96
LENGTHS = (250, 1_000)
BATCH_TOKENS = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How fast texts were embedded, and their vectors."""

    per_second: float
    processor_ms: float  #: of a text, on all cores together; does not depend on what else the machine does
    vectors: list[Vector]


def measure_bulk_embedding() -> list[Figure]:
    texts = [
        str(message["content"])
        for batch in Corpus(size=TEXT_COUNT, seed=5).batches()
        for message in batch.messages
    ]
    batched, threaded = OnnxEmbedder(batch_tokens=BATCH_TOKENS), OnnxEmbedder(threads=count_cores())
    figures: list[Figure] = []
    for length in LENGTHS:
        print_progress(f"texts of {length:,} characters")
        cut = [text[:length] for text in texts]
        reference = _measure(_embed_each(OnnxEmbedder()), cut)
        rates = {
            "one core": reference,
            "all cores, a text on each": _measure(OnnxEmbedder().embed, cut),
            "all cores, padded batches": _measure(batched.embed, cut),
            "all cores on one text": _measure(_embed_each(threaded), cut),
        }
        for name, rate in rates.items():
            cosine = _lowest_cosine(reference.vectors, rate.vectors)
            figures += [
                Figure(name=f"{length:,} characters, {name}", value=rate.per_second, unit="/s"),
                Figure(name=f"{length:,} characters, {name}: processor", value=rate.processor_ms, unit="ms"),
                Figure(name=f"{length:,} characters, {name}: lowest cosine", value=cosine, unit=""),
            ]
    return figures


def _embed_each(embedder: OnnxEmbedder) -> Callable[[Sequence[str]], list[Vector]]:
    return lambda texts: [embedder.embed([text])[0] for text in texts]


def _measure(embed: Callable[[Sequence[str]], list[Vector]], texts: Sequence[str]) -> Rate:
    embed(texts[:2])
    started, processor = time.perf_counter(), time.process_time()
    vectors = embed(texts)
    seconds, processor_seconds = time.perf_counter() - started, time.process_time() - processor
    return Rate(
        per_second=len(texts) / seconds, processor_ms=processor_seconds * 1000 / len(texts), vectors=vectors
    )


def _lowest_cosine(left: Sequence[Vector], right: Sequence[Vector]) -> float:
    return float(np.min(np.einsum("ij,ij->i", np.array(left), np.array(right))))


if __name__ == "__main__":
    print(format_table({"result": measure_bulk_embedding()}))
