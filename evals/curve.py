"""Recall against latency: LoCoMo questions with different numbers of candidates, rankers and reranking."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import process_time

from evals import locomo
from evals.embeddings import CachedEmbedder
from evals.harness import open_harness
from evals.measures import Figures, RecallMetrics, average_metrics, recall_metrics
from evals.progress import progress
from recollect.domain.policy import OptionValue

RECALL_CUTOFFS = (5, 10)
#: Every fourth question is used, since reranking is slow.
QUESTION_STRIDE = 4
SETTINGS_BY_POINT: Mapping[str, Mapping[str, OptionValue]] = {
    "cosine": {"recall.ranker": "cosine", "recall.hybrid": False},
    "sum": {"recall.ranker": "sum"},
    "blend": {"recall.ranker": "blend"},
    "evidence": {},
    "evidence, 50 a channel": {"recall.candidates_per_channel": 50, "recall.neighbour_candidates": 20},
    "evidence, 200 a channel": {"recall.candidates_per_channel": 200, "recall.neighbour_candidates": 50},
    "evidence, 3 reread": {"recall.rerank_count": 3, "recall.rerank_deadline_ms": 10_000},
    "evidence, 10 reread": {"recall.rerank_count": 10, "recall.rerank_deadline_ms": 10_000},
}


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    metrics_by_point: dict[str, list[RecallMetrics]] = {name: [] for name in SETTINGS_BY_POINT}
    cpu_ms_by_point: dict[str, list[float]] = {name: [] for name in SETTINGS_BY_POINT}
    for conversation in locomo.read_conversations(data):
        _measure_conversation(conversation, embedder, settings, metrics_by_point, cpu_ms_by_point)
    return {
        name: {**average_metrics(metrics_by_point[name]), **_percentiles_ms(cpu_ms_by_point[name])}
        for name in SETTINGS_BY_POINT
    }


def _measure_conversation(
    conversation: locomo.Conversation,
    embedder: CachedEmbedder,
    settings: Mapping[str, object],
    metrics_by_point: Mapping[str, list[RecallMetrics]],
    cpu_ms_by_point: Mapping[str, list[float]],
) -> None:
    with open_harness(embedder, settings) as harness:
        turn_ids = locomo.add_conversation(harness, conversation)
        harness.flush()
        for question in progress(conversation.questions[::QUESTION_STRIDE], "LoCoMo questions"):
            # Fill the caches before the measurement.
            harness.search(question.text, limit=max(RECALL_CUTOFFS), at=conversation.ends_at)
            for name, values in SETTINGS_BY_POINT.items():
                started = process_time()
                results = harness.search(
                    question.text, limit=max(RECALL_CUTOFFS), settings={**settings, **values}
                )
                cpu_ms_by_point[name].append((process_time() - started) * 1000)
                turns = [turn_ids[each.message] for each in results if each.message in turn_ids]
                metrics_by_point[name].append(
                    recall_metrics("turn_", turns, question.turns, cutoffs=RECALL_CUTOFFS)
                )


def _percentiles_ms(cpu_ms: Sequence[float]) -> Figures:
    """Return percentiles of CPU time without embedding, which is cached here."""
    ordered = sorted(cpu_ms)
    return {
        f"ms_p{share}": round(ordered[min(len(ordered) * share // 100, len(ordered) - 1)], 2)
        for share in (50, 95)
    }
