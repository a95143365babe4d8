"""What recall did is counted from the first day on."""

from pathlib import Path

import pytest
from tests.stories.results import rows

from recollect import Memory
from recollect.testing.embedders import LetterEmbedder


@pytest.mark.spec("R1", "R2", "R7", "K14")
def test_every_recall_is_a_line_of_metrics(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        memory.add({"role": "user", "content": "I live in Lisbon."}, chat_id="c", sync=True)
        memory.search("Lisbon", chat_id="c")
        memory.context("where do I live?", chat_id="c")
        answer = memory.metrics()
        [_, line] = rows(answer)

    assert (answer["recalls"], answer["hitRate"]) == (2, 1.0)
    assert set(line) == {
        "query",
        "timestamp",
        "conversationId",
        "sources",
        "latency",
        "topSimilarities",
        "flags",
    }
    assert set(line["sources"]) == {"conversationDense", "globalDense", "summaries", "profile", "ftsLexical"}
    assert set(line["latency"]) == {"totalMs", "denseMs", "ftsMs", "rerankMs"}
    assert line["sources"]["conversationDense"] == 1
    assert line["sources"]["ftsLexical"] >= 1
    assert 1 <= len(line["topSimilarities"]) <= 3
    assert line["flags"] == {"hybrid": True, "chunking": True, "tokenBudget": 1000}


@pytest.mark.spec("R1", "R7")
def test_the_top_similarity_is_how_near_the_best_came_and_not_its_share_of_itself(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        memory.add({"role": "user", "content": "I live in Lisbon."}, chat_id="c", sync=True)
        near = rows(memory.search("I live in Lisbon now", chat_id="c"))
        nearer = rows(memory.search("live in Lisbon", chat_id="c"))
        newest, before = rows(memory.metrics())

    assert newest["topSimilarities"] == sorted((item["cosine"] for item in nearer), reverse=True)
    assert 1 > max(newest["topSimilarities"]) > max(before["topSimilarities"])
    assert {max(item["parts"]["dense"] for item in found) for found in (nearer, near)} == {1}
