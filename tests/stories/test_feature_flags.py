"""Flags that a host already has: set in the environment, a file or by the user, and heard with the next call."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli
from tests.contract.stores import OpenStore
from tests.stories.environment import isolate_settings
from tests.stories.presets import context_receipt, user_messages

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.adapters.sqlite.store import SqliteStore
from recollect.ports.store import Store
from recollect.settings import SETTING_ALIASES
from recollect.testing.clock import FrozenClock
from recollect.testing.model_server import ModelServer

LONG_TEXT = "\n\n".join(
    f"Paragraph {number} of a letter about bridges and rivers. " * 6 for number in range(12)
)


@pytest.fixture(autouse=True)
def _isolated_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate_settings(monkeypatch, tmp_path / "home")
    for name in SETTING_ALIASES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def open_memory(store: Store, **settings: object) -> Memory:
    return Memory(
        store=store, embedder=HashingEmbedder(), clock=FrozenClock(), settings={"worker": False, **settings}
    )


@pytest.fixture
def memory(open_store: OpenStore) -> Iterator[Memory]:
    """Some talk about bridges. Nobody asked for anything by argument, so the environment is heard."""
    with open_memory(open_store()) as memory:
        memory.add(
            user_messages(*(f"Bridge number {n} crosses the river." for n in range(8))), chat_id="monday"
        )
        memory.add(user_messages("The river is wide.", "We had soup."), chat_id="monday")
        memory.flush()
        yield memory


@pytest.mark.spec("Q1", "K15", "Q17")
def test_hybrid_search_is_turned_off_and_on_by_its_flag(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    lexical = []
    for flag in ("true", "false", "true"):
        monkeypatch.setenv("RAG_HYBRID", flag)
        receipt = context_receipt(memory, "Which bridge crosses the river?")
        lexical.append((receipt.hybrid, receipt.sources["lexical"] > 0))

    assert lexical == [(True, True), (False, False), (True, True)]


@pytest.mark.spec("Q2", "J6", "Q17")
def test_chunking_is_turned_off_and_on_by_its_flag(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = []
    for number, flag in enumerate(("false", "true")):
        monkeypatch.setenv("RAG_CHUNKING", flag)
        memory.add(user_messages(f"{LONG_TEXT} {number}"), chat_id="letters")
        chunks.append(memory.maintenance.stats().chunks > 0)

    assert chunks == [False, True]


@pytest.mark.spec("Q3", "N1", "Q17")
def test_the_budget_is_the_one_of_the_flag_or_a_thousand(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = context_receipt(memory, "Which bridge crosses the river?")
    monkeypatch.setenv("RAG_TOKEN_BUDGET", "40")
    tight = context_receipt(memory, "Which bridge crosses the river?")

    assert (usual.budget, tight.budget) == (1000, 40)
    assert 0 < tight.tokens <= 40 < usual.tokens


@pytest.mark.spec("Q5", "K3", "Q17")
def test_the_shares_of_the_score_are_those_of_the_flags(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:

    def first() -> dict[str, float]:
        best = memory.search("the river is wide", settings={"recall.ranker": "sum"}).results[0]
        return {"score": best.score, **best.parts}

    usual = first()
    for name, share in (("ALPHA", "0"), ("BETA", "1"), ("GAMMA", "0")):
        monkeypatch.setenv(f"RAG_RERANK_{name}", share)
    words_alone = first()

    assert usual["score"] == pytest.approx(
        0.6 * usual["dense"] + 0.3 * usual["lexical"] + 0.1 * usual["identifier"], abs=0.001
    )
    assert words_alone["score"] == pytest.approx(words_alone["lexical"], abs=0.001)


@pytest.mark.spec("Q8", "K10", "Q17")
def test_the_similarity_threshold_of_the_flag_drops_what_lies_below_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    dense = {"recall.hybrid": False, "recall.ranker": "cosine", "recall.sources": "messages"}
    counts = []
    for threshold in ("0.1", "0.5", "0.99"):
        monkeypatch.setenv("RAG_SIMILARITY_THRESHOLD", threshold)
        found = memory.search("The river is wide", limit=50, settings=dense)
        assert all(each.score >= float(threshold) for each in found)
        counts.append(len(found))

    assert counts == [9, 1, 1]


@pytest.mark.spec("Q10", "D4", "Z4")
@pytest.mark.parametrize("where", ["environment", "file"])
def test_the_model_that_extracts_is_the_one_named_as_memory_extractor(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    wanted = "google/gemini-3-flash-preview"
    with ModelServer() as server:
        server.answer('[{"t":"bio","c":"lives in Lisbon","w":0.9}]')
        monkeypatch.setenv("RECOLLECT_MODEL_URL", server.base_url)
        if where == "environment":
            monkeypatch.setenv("memory_extractor", wanted)
        else:
            Path("mine.toml").write_text(f'memory_extractor = "{wanted}"\n', "utf-8")
            monkeypatch.setenv("RECOLLECT_CONFIG", "mine.toml")
        with open_memory(open_store()) as memory:
            memory.add(user_messages("I live in Lisbon."), chat_id="monday", sync=True)
            learned = [(each.text, each.origin) for each in memory.get_all()]
        models = {str(request.body["model"]) for request in server.requests if "model" in request.body}

    assert learned == [("lives in Lisbon", "model")]
    assert models == {wanted}


@pytest.mark.spec("E2", "Q14", "Q16", "C-7")
def test_the_toggle_for_other_chats_is_kept_with_the_memories_and_wins_over_the_preset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    cli = InProcessCli(tmp_path)

    def recalls() -> bool:
        with open_memory(SqliteStore(cli.db), preset="smart") as memory:
            memory.add(
                user_messages("I decided that our project uses PostgreSQL."), chat_id="monday", sync=True
            )
            return "PostgreSQL" in str(context_receipt(memory, "Which database?").text)

    at_first = recalls()
    result = cli("settings", "set", "enable_smart_rag", "true")
    on = recalls()
    cli("settings", "set", "enable_smart_rag", "false")
    off = recalls()
    cli("settings", "unset", "recall.enabled")
    taken_back = recalls()

    assert result.stdout == "recall.enabled is now yes for default.\n"
    assert [at_first, on, off, taken_back] == [False, True, False, False]
