"""What recall did is counted from the first day on."""

from typing import Any

import pytest
from tests.contract.stores import OpenStore

from recollect import Memory
from recollect.domain.metrics import top_similarities
from recollect.serialization.serializers import serialize_recall_metrics
from recollect.testing.embedders import LetterEmbedder


@pytest.mark.spec("R1", "R2", "R7", "K14")
def test_every_recall_is_a_line_of_metrics(open_store: OpenStore) -> None:
    with Memory(store=open_store(), embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        memory.add({"role": "user", "content": "I live in Lisbon."}, chat_id="c", sync=True)
        memory.search("Lisbon", chat_id="c")
        memory.context("where do I live?", chat_id="c")
        report = memory.maintenance.metrics()
    [_, line] = [serialize_recall_metrics(each) for each in report.receipts]
    sources: Any = line["sources"]
    latency: Any = line["latency"]
    similarities: Any = line["topSimilarities"]

    assert (report.metrics.recall_count, report.metrics.hit_rate) == (2, 1.0)
    assert set(line) == {
        "query",
        "timestamp",
        "conversationId",
        "sources",
        "latency",
        "topSimilarities",
        "flags",
    }
    assert set(sources) == {"conversationDense", "globalDense", "summaries", "profile", "ftsLexical"}
    assert set(latency) == {"totalMs", "denseMs", "ftsMs", "rerankMs"}
    assert sources["conversationDense"] == 1
    assert sources["ftsLexical"] >= 1
    assert 1 <= len(similarities) <= 3
    assert line["flags"] == {"hybrid": True, "chunking": True, "tokenBudget": 1000}


@pytest.mark.spec("R1", "R7")
def test_the_top_similarity_is_how_near_the_best_came_and_not_its_share_of_itself(
    open_store: OpenStore,
) -> None:
    with Memory(store=open_store(), embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        memory.add({"role": "user", "content": "I live in Lisbon."}, chat_id="c", sync=True)
        near = memory.search("I live in Lisbon now", chat_id="c")
        nearer = memory.search("live in Lisbon", chat_id="c")
        newest, before = (top_similarities(each.items) for each in memory.maintenance.metrics().receipts)

    # Stored scores have four decimals.
    assert newest == pytest.approx(sorted((item.cosine or 0 for item in nearer), reverse=True), abs=1e-4)
    assert 1 > max(newest) > max(before)
    assert {max(item.parts["dense"] for item in found) for found in (nearer, near)} == {1}
