"""FaQuAD: Portuguese questions with the paragraph that answers each."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.embeddings import CachedEmbedder
from evals.harness import Turn, open_harness
from evals.measures import Figures, average_metrics, recall_metrics
from evals.progress import progress

RECALL_CUTOFFS = (1, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaquadDataset:
    articles: Mapping[str, tuple[str, ...]]
    questions: tuple[tuple[str, str], ...]  #: pairs of question and passage id


def read_dataset(path: Path) -> FaquadDataset:
    data = json.loads(path.read_text(encoding="utf-8"))["data"]
    return FaquadDataset(
        articles={
            f"{place} {article.get('title', '')}".strip(): tuple(p["context"] for p in article["paragraphs"])
            for place, article in enumerate(data)
        },
        questions=tuple(
            (question["question"], paragraph["context"])
            for article in data
            for paragraph in article["paragraphs"]
            for question in paragraph["qas"]
        ),
    )


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    dataset = read_dataset(data)
    with open_harness(embedder, settings) as harness:
        texts: dict[str, str] = {}
        for title, paragraphs in dataset.articles.items():
            ids = harness.add_turns(title, [Turn(text=text) for text in paragraphs])
            texts |= {id_: text for id_, text in zip(ids, paragraphs, strict=True) if id_ is not None}
        harness.flush()
        metrics = []
        for question, passage in progress(dataset.questions, "FaQuAD questions"):
            results = harness.search(question, limit=2 * max(RECALL_CUTOFFS))
            ranking = [texts.get(each.message, "") for each in results]
            metrics.append(recall_metrics("", ranking, {passage}, cutoffs=RECALL_CUTOFFS, ndcg_cutoffs=(5,)))
    return average_metrics(metrics)
