"""Flags that a host already has: set in the environment, a file or by the user, and heard with the next call."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli
from tests.stories.presets import context_receipt, user_messages
from tests.stories.results import rows

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.settings import SETTING_ALIASES
from recollect.testing.clock import FrozenClock
from recollect.testing.model_server import ModelServer

LONG_TEXT = "\n\n".join(
    f"Paragraph {number} of a letter about bridges and rivers. " * 6 for number in range(12)
)


@pytest.fixture(autouse=True)
def _isolated_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in os.environ if name.startswith(("RECOLLECT_", "RAG_")) or name in SETTING_ALIASES
    ]:
        monkeypatch.delenv(name)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def open_memory(path: Path, **settings: object) -> Memory:
    return Memory(
        path, embedder=HashingEmbedder(), clock=FrozenClock(), settings={"worker": False, **settings}
    )


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Some talk about bridges. Nobody asked for anything by argument, so the environment is heard."""
    with open_memory(tmp_path / "memory.db") as memory:
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
        told = context_receipt(memory, "Which bridge crosses the river?")
        lexical.append((told["flags"]["hybrid"], told["sources"]["lexical"] > 0))

    assert lexical == [(True, True), (False, False), (True, True)]


@pytest.mark.spec("Q2", "J6", "Q17")
def test_chunking_is_turned_off_and_on_by_its_flag(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = []
    for number, flag in enumerate(("false", "true")):
        monkeypatch.setenv("RAG_CHUNKING", flag)
        memory.add(user_messages(f"{LONG_TEXT} {number}"), chat_id="letters")
        chunks.append(int(str(memory.stats()["chunks"])) > 0)

    assert chunks == [False, True]


@pytest.mark.spec("Q3", "N1", "Q17")
def test_the_budget_is_the_one_of_the_flag_or_a_thousand(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = context_receipt(memory, "Which bridge crosses the river?")
    monkeypatch.setenv("RAG_TOKEN_BUDGET", "40")
    tight = context_receipt(memory, "Which bridge crosses the river?")

    assert (usual["budget"], tight["budget"]) == (1000, 40)
    assert 0 < tight["tokens"] <= 40 < usual["tokens"]


@pytest.mark.spec("Q5", "K3", "Q17")
def test_the_shares_of_the_score_are_those_of_the_flags(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = {"query": "the river is wide", "settings": {"recall.ranker": "sum"}}

    def first() -> dict[str, float]:
        found = rows(memory.search(**question))[0]  # type: ignore[arg-type]
        return {"score": found["score"], **found["parts"]}

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
        found = rows(memory.search("The river is wide", limit=50, settings=dense))
        assert all(each["score"] >= float(threshold) for each in found)
        counts.append(len(found))

    assert counts == [9, 1, 1]


@pytest.mark.spec("Q10", "D4", "Z4")
@pytest.mark.parametrize("where", ["environment", "file"])
def test_the_model_that_extracts_is_the_one_named_as_memory_extractor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
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
        with open_memory(tmp_path / "memory.db") as memory:
            memory.add(user_messages("I live in Lisbon."), chat_id="monday", sync=True)
            learned = [(each["memory"], each["origin"]) for each in rows(memory.get_all())]
        asked = {str(request.body["model"]) for request in server.requests if "model" in request.body}

    assert learned == [("lives in Lisbon", "model")]
    assert asked == {wanted}


@pytest.mark.spec("E2", "Q14", "Q16", "C-7")
def test_the_toggle_for_other_chats_is_kept_with_the_memories_and_wins_over_the_preset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    cli = InProcessCli(tmp_path)

    def recalls() -> bool:
        with open_memory(cli.db, preset="smart") as memory:
            memory.add(
                user_messages("I decided that our project uses PostgreSQL."), chat_id="monday", sync=True
            )
            return "PostgreSQL" in str(context_receipt(memory, "Which database?")["text"])

    at_first = recalls()
    told = cli("settings", "set", "enable_smart_rag", "true")
    on = recalls()
    cli("settings", "set", "enable_smart_rag", "false")
    off = recalls()
    cli("settings", "unset", "recall.enabled")
    taken_back = recalls()

    assert told.stdout == "recall.enabled is now yes for default.\n"
    assert [at_first, on, off, taken_back] == [False, True, False, False]
