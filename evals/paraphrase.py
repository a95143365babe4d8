"""Facts asked for in other words, in the same language or the other one, among a thousand everyday remarks."""

from collections.abc import Mapping
from pathlib import Path

from evals.embeddings import CachedEmbedder
from evals.harness import bench
from evals.measures import Figures, by_group, marks
from evals.progress import progress
from evals.sets import DISTRACTORS, rows

AT = (1, 5)
LANGUAGES = ("en", "pt")


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    """`hit@5` of each direction: `pt→en` is a Portuguese question about an English memory."""
    figures: Figures = {}
    for stored in LANGUAGES:
        figures |= _asked_about(stored, data, embedder, settings)
    return figures


def _asked_about(
    stored: str, data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]
) -> Figures:
    facts = list(rows(data))
    with bench(embedder, settings) as told:
        for row in rows(DISTRACTORS):
            told.memory.add(row["text"])
        ids = {row["id"]: told.remember(row["memory"][stored]) for row in facts}
        told.settle()
        figures: Figures = {}
        for asked in LANGUAGES:
            said = []
            for row in progress(facts, f"questions {asked}→{stored}"):
                found = told.ask(row["question"][asked], limit=2 * max(AT))
                wanted = {told.sources.get(ids[row["id"]], ids[row["id"]])}
                seen = marks("", [each.message for each in found], wanted, at=AT)
                said.append((row["split"], {f"hit@{k}": seen[f"recall@{k}"] for k in AT}))
            figures[f"{asked}→{stored}"] = by_group(said, "by_split")
    return figures
