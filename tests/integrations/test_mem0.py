"""mem0's interface: its arguments, and the shapes of its results."""

import asyncio
import inspect
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory as RecollectMemory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.errors import ConfigError, InvalidInput, NotFound
from recollect.integrations.mem0 import AsyncMemory, Memory, convert_config
from recollect.testing.clock import FrozenClock

ANA, BRUNO = "ana", "bruno"
VEGETARIAN = {"role": "user", "content": "I'm vegetarian."}
MEMORY_KEYS = {"id", "memory", "hash", "metadata", "created_at", "updated_at", "user_id"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with RecollectMemory(
        tmp_path / "m.db", embedder=HashingEmbedder(), clock=FrozenClock(), settings={"worker": False}
    ) as opened:
        yield Memory(opened)


def texts(result: dict[str, Any]) -> list[str]:
    return sorted(row["memory"] for row in result["results"])


def add_text(memory: Memory, text: str, **arguments: Any) -> str:  # noqa: ANN401
    [row] = memory.add(text, infer=False, **arguments)["results"]
    return str(row["id"])


def test_facts_of_messages_are_returned_with_their_event(memory: Memory) -> None:
    added = memory.add([VEGETARIAN, {"role": "assistant", "content": "Noted."}], user_id=ANA)
    again = memory.add([VEGETARIAN], user_id=ANA)

    [row] = added["results"]
    assert row.keys() == {"id", "memory", "event"}
    assert (row["event"], added["relations"]) == ("ADD", [])
    assert again["results"] == [{**row, "event": "NONE"}]


def test_a_text_is_a_message_of_the_user_unless_it_is_not_inferred(memory: Memory) -> None:
    memory.add("I'm vegetarian and I live in Lisbon.", user_id=ANA)
    memory.add("The printer is out of paper", user_id=ANA, infer=False)

    assert "The printer is out of paper" in texts(memory.get_all(user_id=ANA))
    assert len(texts(memory.get_all(user_id=ANA))) == 3


def test_what_replaces_a_memory_deletes_it(memory: Memory) -> None:
    [lisbon] = memory.add("I live in Lisbon.", user_id=ANA)["results"]
    moved = memory.add("I moved to Porto.", user_id=ANA)["results"]
    listed = texts(memory.get_all(user_id=ANA))

    assert [row["event"] for row in moved] == ["ADD"]
    assert lisbon["memory"] not in listed
    assert memory.history(lisbon["id"])[-1]["event"] == "DELETE"


def test_a_search_returns_memories_in_the_shape_of_mem0(memory: Memory) -> None:
    memory_id = add_text(memory, "likes lentil soup", user_id=ANA, metadata={"topic": "food", "stars": 5})
    memory.memory.flush()
    found = memory.search("soup", user_id=ANA)

    [row] = found["results"]
    assert row.keys() == {*MEMORY_KEYS, "score"}
    assert (row["id"], row["memory"], row["user_id"]) == (memory_id, "likes lentil soup", ANA)
    assert row["metadata"] == {"topic": "food", "stars": 5}
    assert 0 < row["score"] <= 1
    assert found["relations"] == []


@pytest.mark.parametrize("argument", ["limit", "top_k"])
def test_a_search_is_limited(memory: Memory, argument: str) -> None:
    for number in range(4):
        add_text(memory, f"soup number {number}", user_id=ANA)
    limit: dict[str, Any] = {argument: 2}

    assert len(memory.search("soup", user_id=ANA, **limit)["results"]) == 2
    assert len(memory.get_all(user_id=ANA, **limit)["results"]) == 2
    assert len(memory.search("soup", user_id=ANA)["results"]) == 4


def test_a_threshold_drops_lower_scores(memory: Memory) -> None:
    add_text(memory, "likes soup", user_id=ANA)
    [row] = memory.search("soup", user_id=ANA)["results"]

    assert texts(memory.search("soup", user_id=ANA, threshold=row["score"])) == ["likes soup"]
    assert texts(memory.search("soup", user_id=ANA, threshold=row["score"] + 0.1)) == []


def test_users_agents_and_runs_are_separate(memory: Memory) -> None:
    add_text(memory, "soup of ana", user_id=ANA)
    add_text(memory, "soup of the chef", user_id=ANA, agent_id="chef")
    add_text(memory, "soup of monday", user_id=ANA, agent_id="chef", run_id="monday")
    add_text(memory, "soup of bruno", user_id=BRUNO)

    assert texts(memory.get_all(user_id=BRUNO)) == texts(memory.search("soup", user_id=BRUNO))
    assert texts(memory.search("soup", user_id=ANA, agent_id="chef")) == [
        "soup of monday",
        "soup of the chef",
    ]
    assert texts(memory.get_all(user_id=ANA, run_id="monday")) == ["soup of monday"]
    assert texts(memory.search("soup", filters={"user_id": ANA, "run_id": "monday"})) == ["soup of monday"]
    assert texts(memory.search("soup", user_id=ANA, run_id="tuesday")) == []
    [row] = memory.get_all(user_id=ANA, run_id="monday")["results"]
    assert (row["agent_id"], row["run_id"], row["metadata"]) == ("chef", "monday", None)


def test_a_run_is_a_chat(memory: Memory) -> None:
    memory.add(VEGETARIAN, user_id=ANA, run_id="monday")

    assert [each.content for each in memory.memory.chats.messages("monday", user_id=ANA)] == [
        "I'm vegetarian."
    ]


def test_a_fact_stated_to_two_agents_belongs_to_both(memory: Memory) -> None:
    memory.add(VEGETARIAN, user_id=ANA, agent_id="chef")
    memory.add(VEGETARIAN, user_id=ANA, agent_id="waiter")

    assert texts(memory.get_all(user_id=ANA, agent_id="chef")) == texts(
        memory.get_all(user_id=ANA, agent_id="waiter")
    )
    assert len(texts(memory.get_all(user_id=ANA))) == 1


def test_filters_compare_with_the_metadata(memory: Memory) -> None:
    add_text(memory, "red soup", user_id=ANA, metadata={"colour": "red", "stars": 5})
    add_text(memory, "green soup", user_id=ANA, metadata={"colour": "green", "stars": 5})

    assert texts(memory.search("soup", user_id=ANA, filters={"colour": "red"})) == ["red soup"]
    assert texts(memory.get_all(user_id=ANA, filters={"colour": "green", "stars": 5})) == ["green soup"]
    assert texts(memory.get_all(user_id=ANA, filters={"stars": 4})) == []
    both = {"AND": [{"user_id": ANA}, {"colour": {"eq": "red"}}, {"stars": 5}]}
    assert texts(memory.get_all(filters=both)) == ["red soup"]


@pytest.mark.parametrize("filters", [{"colour": {"in": ["red"]}}, {"OR": [{"colour": "red"}]}])
def test_other_filters_are_refused(memory: Memory, filters: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"colour|OR"):
        memory.search("soup", user_id=ANA, filters=filters)


def test_metadata_of_messages_is_that_of_their_facts(memory: Memory) -> None:
    memory.add(VEGETARIAN, user_id=ANA, metadata={"source": "chat"})

    [row] = memory.get_all(user_id=ANA)["results"]
    assert row["metadata"] == {"source": "chat"}


def test_a_memory_is_read_changed_and_forgotten_by_its_id_alone(memory: Memory, tmp_path: Path) -> None:
    memory_id = add_text(memory, "lives in Lisbon", user_id=BRUNO)
    other = Memory(memory.memory)  # has seen no result with this id
    updated = other.update(memory_id, "lives in Porto")
    read = other.get(memory_id)
    deleted = memory.delete(memory_id)
    history = other.history(memory_id)

    assert read is not None
    assert read.keys() == MEMORY_KEYS
    assert (read["memory"], read["user_id"]) == ("lives in Porto", BRUNO)
    assert (updated, deleted) == (
        {"message": "Memory updated successfully!"},
        {"message": "Memory deleted successfully!"},
    )
    assert [(row["event"], row["old_memory"], row["new_memory"]) for row in history] == [
        ("ADD", None, "lives in Lisbon"),
        ("UPDATE", "lives in Lisbon", "lives in Porto"),
        ("DELETE", None, None),
    ]
    assert history[-1]["is_deleted"] is True


def test_values_of_the_metadata_are_changed_and_those_of_the_scope_stay(memory: Memory) -> None:
    known = {"colour": "red", "stars": 5}
    memory_id = add_text(memory, "red soup", user_id=ANA, agent_id="chef", metadata=known)
    memory.update(memory_id, metadata={"stars": 4, "agent_id": "waiter"})
    memory.update(memory_id, data="red hot soup")

    row = memory.get(memory_id)
    assert row is not None
    assert (row["memory"], row["agent_id"]) == ("red hot soup", "chef")
    assert row["metadata"] == {"colour": "red", "stars": 4}
    with pytest.raises(InvalidInput):
        memory.update(memory_id)


def test_an_unknown_id_is_none_to_read_and_an_error_to_change(memory: Memory) -> None:
    memory_id = add_text(memory, "lives in Lisbon", user_id=ANA)

    assert memory.get("nobody") is None
    assert memory.get(memory_id[:-2]) is None
    for change in (memory.delete, memory.history):
        with pytest.raises(NotFound):
            change("nobody")


def test_delete_all_forgets_within_its_scope(memory: Memory) -> None:
    add_text(memory, "soup of ana", user_id=ANA)
    add_text(memory, "soup of the chef", user_id=ANA, agent_id="chef")
    add_text(memory, "soup of bruno", user_id=BRUNO)
    answer = memory.delete_all(user_id=ANA, agent_id="chef")
    left = texts(memory.get_all(user_id=ANA))
    memory.delete_all(user_id=ANA)

    assert answer == {"message": "Memories deleted successfully!"}
    assert left == ["soup of ana"]
    assert texts(memory.get_all(user_id=ANA)) == []
    assert texts(memory.get_all(user_id=BRUNO)) == ["soup of bruno"]


def test_a_call_without_any_id_is_refused(memory: Memory) -> None:
    for call in (lambda: memory.add("x"), lambda: memory.search("x"), memory.get_all, memory.delete_all):
        with pytest.raises(InvalidInput, match="user_id, agent_id and run_id"):
            call()


def test_reset_erases_everybody(memory: Memory) -> None:
    add_text(memory, "soup of ana", user_id=ANA)
    add_text(memory, "soup of bruno", user_id=BRUNO)
    memory.reset()

    assert texts(memory.get_all(user_id=ANA)) == texts(memory.get_all(user_id=BRUNO)) == []
    assert memory.memory.application.services.maintenance.users() == []


def test_memory_that_is_off_stays_off(memory: Memory) -> None:
    add_text(memory, "likes soup", user_id=ANA)
    memory.memory.settings.set("memory.mode", "off", user_id=ANA)

    assert texts(memory.search("soup", user_id=ANA)) == []


def test_the_configuration_of_mem0_is_understood() -> None:
    settings = convert_config(
        {
            "llm": {
                "provider": "openai",
                "config": {
                    "model": "gpt-4.1-nano",
                    "api_key": "k",
                    "openai_base_url": "http://127.0.0.1:1/v1",
                },
            },
            "embedder": {
                "provider": "ollama",
                "config": {"model": "e", "ollama_base_url": "http://127.0.0.1:2"},
            },
            "history_db_path": "memory.db",
            "recollect": {"preset": "facts"},
        }
    )

    assert settings == {
        "model": "gpt-4.1-nano",
        "model_key": "k",
        "model_url": "http://127.0.0.1:1/v1",
        "model_provider": "openai",
        "embedder": "openai",
        "embedder_model": "e",
        "embedder_url": "http://127.0.0.1:2/v1",
        "db": "memory.db",
        "preset": "facts",
    }


def test_what_has_no_meaning_here_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        settings = convert_config({"vector_store": {"provider": "qdrant"}})

    assert settings == {}
    assert "vector_store" in caplog.text


@pytest.mark.parametrize("part", ["llm", "embedder"])
def test_an_unknown_provider_is_an_error(part: str) -> None:
    with pytest.raises(ConfigError, match="'telepathy'"):
        convert_config({part: {"provider": "telepathy", "config": {}}})


def test_a_memory_is_opened_from_a_configuration(tmp_path: Path) -> None:
    memory = Memory.from_config(
        {"history_db_path": str(tmp_path / "m.db"), "recollect": {"embedder": "hashing", "worker": False}}
    )
    add_text(memory, "likes soup", user_id=ANA)
    memory.close()

    assert (tmp_path / "m.db").exists()


def test_the_asynchronous_interface_has_the_same_methods(tmp_path: Path) -> None:
    def methods(owner: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(owner, inspect.isfunction) if not name.startswith("_")}

    async def story() -> dict[str, Any]:
        config = {"db": str(tmp_path / "m.db"), "embedder": "hashing", "worker": False}
        memory = await AsyncMemory.from_config({"recollect": config})
        await memory.add("likes soup", user_id=ANA, infer=False)
        found = await memory.search("soup", user_id=ANA)
        await memory.close()
        return found

    assert texts(asyncio.run(story())) == ["likes soup"]
    assert methods(Memory) == methods(AsyncMemory)
