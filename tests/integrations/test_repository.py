from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.outcomes import New, Reinforced
from recollect.errors import ConfigError, InvalidInput, ProviderError
from recollect.integrations.repository import Repository
from recollect.testing.clock import FrozenClock

TEST_SETTINGS = {"worker": False, "preset": "agent"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(
        tmp_path / "m.db", embedder=HashingEmbedder(), clock=FrozenClock(), settings=TEST_SETTINGS
    ) as opened:
        yield opened


@pytest.mark.spec("E19", "K13")
def test_facts_come_before_messages_and_nothing_is_said_twice(memory: Memory) -> None:
    repository = Repository(memory)
    repository.save_fact("The server is called tusk.")
    memory.add({"role": "assistant", "content": "I call the server tusk as well."}, chat_id="c")
    memory.flush()
    vector = HashingEmbedder().embed_query("server called tusk")
    items = repository.search_context(vector, limit_knowledge=3, limit_history=2)

    assert [(item.type, item.content, item.role) for item in items] == [
        ("knowledge", "The server is called tusk.", None),
        ("history", "I call the server tusk as well.", "assistant"),
    ]
    assert all(0 < item.score <= 1 for item in items)


@pytest.mark.spec("E19")
def test_of_each_there_are_no_more_than_asked_for(memory: Memory) -> None:
    repository = Repository(memory)
    for number in range(6):
        repository.save_fact(f"Server {number} is called tusk {number}.")
        memory.add({"role": "user", "content": f"Is server {number} up?"}, chat_id="c")
    memory.flush()
    vector = HashingEmbedder().embed_query("server tusk")

    for knowledge, history in ((3, 2), (1, 4), (6, 1)):
        types = [item.type for item in repository.search_context(vector, knowledge, history)]
        assert types == ["knowledge"] * knowledge + ["history"] * history


@pytest.mark.spec("E19", "F4")
def test_a_fact_that_is_known_is_confirmed(memory: Memory) -> None:
    repository = Repository(memory)

    assert [type(repository.save_fact("tusk is up")) for _ in range(2)] == [New, Reinforced]
    with pytest.raises(InvalidInput, match="kind"):
        repository.save_fact("tusk is down", category="rumour")


@pytest.mark.spec("E19")
def test_one_user_sees_nothing_of_another(memory: Memory) -> None:
    ana, bruno = Repository(memory, user_id="ana"), Repository(memory, user_id="bruno")
    ana.save_fact("The server is called tusk.")
    memory.add({"role": "user", "content": "Is tusk up?"}, user_id="ana", chat_id="c")
    memory.application.worker.drain(seconds=5)
    vector = HashingEmbedder().embed_query("server tusk")

    assert bruno.get_unextracted_messages() == []
    assert bruno.search_context(vector) == []
    assert len(ana.search_context(vector)) == 2


@pytest.mark.spec("E19", "T6")
def test_marked_messages_are_not_extracted_again(memory: Memory) -> None:
    repository = Repository(memory)
    memory.add({"role": "user", "content": "I live in Lisbon."}, chat_id="c")
    [unread] = repository.get_unextracted_messages()
    repository.mark_messages_extracted([unread.id])
    memory.flush()

    assert memory.get_all() == []


def test_a_vector_of_another_model_is_refused(memory: Memory) -> None:
    with pytest.raises(ProviderError, match="256"):
        Repository(memory).search_context([1.0, 0.0])


def test_without_an_embedder_there_is_nothing_to_compare(tmp_path: Path) -> None:
    with (
        Memory(tmp_path / "m.db", settings={**TEST_SETTINGS, "embedder": "none"}) as memory,
        pytest.raises(ConfigError, match="embedder"),
    ):
        Repository(memory).search_context([1.0])
