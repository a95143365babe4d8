"""Paraphrased questions about facts, in the same or the other language, among a thousand distractors."""

from collections.abc import Mapping
from pathlib import Path

from evals.embeddings import CachedEmbedder
from evals.harness import open_harness
from evals.measures import Figures, average_by_group, recall_metrics
from evals.progress import progress
from evals.sets import DISTRACTORS_FILE, read_rows

RECALL_CUTOFFS = (1, 5)
LANGUAGE_CODES = ("en", "pt")


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    """Return `hit@k` of each direction; `pt→en` is a Portuguese question about an English memory."""
    figures: Figures = {}
    for memory_language in LANGUAGE_CODES:
        figures |= _measure_language(memory_language, data, embedder, settings)
    return figures


def _measure_language(
    memory_language: str, data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]
) -> Figures:
    facts = list(read_rows(data))
    with open_harness(embedder, settings) as harness:
        for row in read_rows(DISTRACTORS_FILE):
            harness.memory.add(row["text"])
        ids = {row["id"]: harness.add_memory(row["memory"][memory_language]) for row in facts}
        harness.flush()
        figures: Figures = {}
        for query_language in LANGUAGE_CODES:
            grouped_metrics = []
            for row in progress(facts, f"questions {query_language}→{memory_language}"):
                results = harness.search(row["question"][query_language], limit=2 * max(RECALL_CUTOFFS))
                relevant = {harness.sources.get(ids[row["id"]], ids[row["id"]])}
                metrics = recall_metrics(
                    "", [each.message for each in results], relevant, cutoffs=RECALL_CUTOFFS
                )
                grouped_metrics.append(
                    (row["split"], {f"hit@{k}": metrics[f"recall@{k}"] for k in RECALL_CUTOFFS})
                )
            figures[f"{query_language}→{memory_language}"] = average_by_group(grouped_metrics, "by_split")
    return figures
