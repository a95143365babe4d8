"""
Questions with identifiers (functions, files, flags, error codes, versions): dense search against hybrid search.

A long history has nearly the same messages about similar identifiers. So each question is measured twice: with the
original messages, and with additional copies about sibling identifiers.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import EvalHarness, Turn, open_harness
from evals.identifier_siblings import make_siblings
from evals.measures import Figures, RecallMetrics, average_by_group, recall_metrics
from evals.progress import progress
from evals.sets import read_rows

RECALL_CUTOFFS = (1, 5)
DENSE_SETTINGS: Mapping[str, object] = {"recall.hybrid": False, "recall.ranker": "cosine"}
#: Messages per chat.
MESSAGES_PER_CHAT = 20
#: Copies with a sibling identifier per queried message.
SIBLINGS_PER_MESSAGE = 20


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    records = list(read_rows(data))
    return {
        **_compare_channels([*records, *_make_sibling_records(records)], embedder, settings),
        "as_written": _compare_channels(records, embedder, settings),
    }


def _make_sibling_records(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    known_messages = {row["message"] for row in records}
    sibling_messages = (
        sibling
        for row in records
        if row["questions"]
        for sibling in make_siblings(row["message"], row["questions"], SIBLINGS_PER_MESSAGE)
    )
    return [
        {"message": sibling, "questions": []}
        for sibling in dict.fromkeys(sibling_messages)
        if sibling not in known_messages
    ]


def _compare_channels(
    records: list[dict[str, Any]], embedder: CachedEmbedder, settings: Mapping[str, object]
) -> Figures:
    with open_harness(embedder, settings) as harness:
        ids = add_messages(harness, records)
        harness.flush()
        hybrid = _measure(harness, records, ids, {})
        dense = _measure(harness, records, ids, DENSE_SETTINGS)
    gain = 100 * (_to_float(hybrid["recall@5"]) / _to_float(dense["recall@5"]) - 1)
    gain_1 = 100 * (_to_float(hybrid["recall@1"]) / _to_float(dense["recall@1"]) - 1)
    return {
        **hybrid,
        "messages": len(records),
        "dense_only": dense,
        "gain_over_dense@1": round(gain_1, 1),
        "gain_over_dense@5": round(gain, 1),
    }


def add_messages(harness: EvalHarness, records: list[dict[str, Any]]) -> dict[str, str]:
    """
    Ingest the messages in shuffled order, so that related ones are not adjacent; return the message id of each row.
    """
    ids: dict[str, str] = {}
    shuffled = sorted(enumerate(records), key=lambda each: (each[0] * 7919) % 10_007)
    for start in range(0, len(shuffled), MESSAGES_PER_CHAT):
        chat_records = [row for _, row in shuffled[start : start + MESSAGES_PER_CHAT]]
        for row, id_ in zip(
            chat_records,
            harness.add_turns(f"chat {start}", [Turn(text=r["message"]) for r in chat_records]),
            strict=True,
        ):
            if id_ is not None:
                ids[row["message"]] = id_
    return ids


def _measure(
    harness: EvalHarness,
    records: list[dict[str, Any]],
    ids: Mapping[str, str],
    settings: Mapping[str, object],
) -> Figures:
    grouped_metrics: list[tuple[str, RecallMetrics]] = []
    questions = [(row, question) for row in records for question in row["questions"]]
    for row, question in progress(questions, "questions with identifiers"):
        results = harness.search(question, limit=2 * max(RECALL_CUTOFFS), settings=settings)
        relevant = {ids[row["message"]]}
        grouped_metrics.append(
            (
                row["split"],
                recall_metrics(
                    "",
                    [each.message for each in results],
                    relevant,
                    cutoffs=RECALL_CUTOFFS,
                    ndcg_cutoffs=(5,),
                ),
            )
        )
    return average_by_group(grouped_metrics, "by_split")


def _to_float(value: object) -> float:
    return float(str(value))
