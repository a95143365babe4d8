"""All six presets on a LoCoMo conversation, each with its own extraction and retrieval."""

from collections.abc import Mapping
from pathlib import Path
from statistics import median

from evals import locomo
from evals.embeddings import CachedEmbedder
from evals.harness import open_harness
from evals.measures import Figures, average_metrics, recall_metrics
from evals.progress import progress
from recollect.domain.policy import PRESETS

RECALL_CUTOFFS = (5, 10)


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    conversation = locomo.read_conversations(data)[0]
    return {name: _run_preset(name, conversation, embedder, settings) for name in PRESETS}


def _run_preset(
    name: str, conversation: locomo.Conversation, embedder: CachedEmbedder, settings: Mapping[str, object]
) -> Figures:
    with open_harness(embedder, {"preset": name, **settings}, extract=True) as harness:
        harness.clock.current = conversation.ends_at
        turn_ids = locomo.add_conversation(harness, conversation)
        harness.flush()
        metrics, tokens = [], []
        for question in progress(conversation.questions, name):
            results = harness.search(question.text, limit=max(RECALL_CUTOFFS), at=conversation.ends_at)
            turns = [turn_ids[each.message] for each in results if each.message in turn_ids]
            metrics.append(recall_metrics("turn_", turns, question.turns, cutoffs=RECALL_CUTOFFS))
            tokens.append(harness.memory.context(question.text).tokens)
        return {
            **average_metrics(metrics),
            "context_tokens": median(tokens),
            "memories": len(harness.sources),
            "recall_ms_p50": round(median(harness.milliseconds), 1),
        }
