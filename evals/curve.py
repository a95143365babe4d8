"""Recall against what it takes: the same LoCoMo questions with more and fewer candidates, rankers and rereading."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import process_time

from evals import locomo
from evals.embeddings import CachedEmbedder
from evals.harness import bench
from evals.measures import Figures, Marks, figures, marks
from evals.progress import progress
from recollect.domain.policy import Value

AT = (5, 10)
#: Every so many questions: reading again takes long.
EVERY = 4
POINTS: Mapping[str, Mapping[str, Value]] = {
    "cosine": {"recall.ranker": "cosine", "recall.hybrid": False},
    "sum": {"recall.ranker": "sum"},
    "blend": {"recall.ranker": "blend"},
    "evidence": {},
    "evidence, 50 a channel": {"recall.fetch": 50, "recall.around": 20},
    "evidence, 200 a channel": {"recall.fetch": 200, "recall.around": 50},
    "evidence, 3 reread": {"recall.rerank": 3, "recall.rerank_ms": 10_000},
    "evidence, 10 reread": {"recall.rerank": 10, "recall.rerank_ms": 10_000},
}


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    told: dict[str, list[Marks]] = {name: [] for name in POINTS}
    spent: dict[str, list[float]] = {name: [] for name in POINTS}
    for conversation in locomo.read(data):
        _ask(conversation, embedder, settings, told, spent)
    return {name: {**figures(told[name]), **_milliseconds(spent[name])} for name in POINTS}


def _ask(
    conversation: locomo.Conversation,
    embedder: CachedEmbedder,
    settings: Mapping[str, object],
    told: Mapping[str, list[Marks]],
    spent: Mapping[str, list[float]],
) -> None:
    with bench(embedder, settings) as memory:
        names = locomo.tell(memory, conversation)
        memory.settle()
        for question in progress(conversation.questions[::EVERY], "LoCoMo questions"):
            # What is read from the file for the first time is no point's burden.
            memory.ask(question.text, limit=max(AT), at=conversation.ends_at)
            for name, values in POINTS.items():
                begun = process_time()
                found = memory.ask(question.text, limit=max(AT), settings={**settings, **values})
                spent[name].append((process_time() - begun) * 1000)
                turns = [names[each.message] for each in found if each.message in names]
                told[name].append(marks("turn_", turns, question.turns, at=AT))


def _milliseconds(spent: Sequence[float]) -> Figures:
    """Of processor time besides the embedding, which is remembered here."""
    ordered = sorted(spent)
    return {
        f"ms_p{share}": round(ordered[min(len(ordered) * share // 100, len(ordered) - 1)], 2)
        for share in (50, 95)
    }
