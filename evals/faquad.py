"""FaQuAD: Portuguese questions, and the paragraph that answers each."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.embeddings import CachedEmbedder
from evals.harness import Turn, bench
from evals.measures import Figures, figures, marks
from evals.progress import progress

AT = (1, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    articles: Mapping[str, tuple[str, ...]]
    questions: tuple[tuple[str, str], ...]  #: each with its passage


def read(path: Path) -> Passages:
    data = json.loads(path.read_text(encoding="utf-8"))["data"]
    return Passages(
        articles={
            f"{place} {article.get('title', '')}".strip(): tuple(p["context"] for p in article["paragraphs"])
            for place, article in enumerate(data)
        },
        questions=tuple(
            (asked["question"], paragraph["context"])
            for article in data
            for paragraph in article["paragraphs"]
            for asked in paragraph["qas"]
        ),
    )


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    passages = read(data)
    with bench(embedder, settings) as told:
        texts: dict[str, str] = {}
        for title, paragraphs in passages.articles.items():
            ids = told.tell(title, [Turn(text=text) for text in paragraphs])
            texts |= {id_: text for id_, text in zip(ids, paragraphs, strict=True) if id_ is not None}
        told.settle()
        said = []
        for question, passage in progress(passages.questions, "FaQuAD questions"):
            found = told.ask(question, limit=2 * max(AT))
            ranked = [texts.get(each.message, "") for each in found]
            said.append(marks("", ranked, {passage}, at=AT, ndcg_at=(5,)))
    return figures(said)
