"""All six presets on the same work: a LoCoMo conversation, learned from and asked about as each of them does."""

from collections.abc import Mapping
from pathlib import Path
from statistics import median

from evals import locomo
from evals.embeddings import CachedEmbedder
from evals.harness import bench
from evals.measures import Figures, figures, marks
from evals.progress import progress
from recollect.domain.policy import PRESETS

AT = (5, 10)


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    conversation = locomo.read(data)[0]
    return {name: _run(name, conversation, embedder, settings) for name in PRESETS}


def _run(
    name: str, conversation: locomo.Conversation, embedder: CachedEmbedder, settings: Mapping[str, object]
) -> Figures:
    with bench(embedder, {"preset": name, **settings}, learn=True) as told:
        told.clock.time = conversation.ends_at
        names = locomo.tell(told, conversation)
        told.settle()
        said, tokens = [], []
        for question in progress(conversation.questions, name):
            found = told.ask(question.text, limit=max(AT), at=conversation.ends_at)
            turns = [names[each.message] for each in found if each.message in names]
            said.append(marks("turn_", turns, question.turns, at=AT))
            tokens.append(int(str(told.memory.context(question.text)["tokens"])))
        return {
            **figures(said),
            "context_tokens": median(tokens),
            "memories": len(told.sources),
            "recall_ms_p50": round(median(told.milliseconds), 1),
        }
