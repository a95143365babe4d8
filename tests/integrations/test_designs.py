"""The functions of the five designs, under their names."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.integrations import designs
from recollect.testing.clock import FrozenClock

CHAT = "kitchen"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(
        tmp_path / "m.db", embedder=HashingEmbedder(), clock=FrozenClock(), settings={"worker": False}
    ) as opened:
        yield opened


@pytest.mark.spec("D3")
def test_an_exchange_is_extracted_without_context_files(memory: Memory) -> None:
    added = designs.extract_and_store("I'm vegetarian.", "Noted.", memory, context_ids=None)

    assert [each.text for each in added.memories] == [each.text for each in memory.get_all()] != []


@pytest.mark.spec("M10")
def test_a_system_message_without_context_files_begins_with_the_hosts_own(memory: Memory) -> None:
    memory.add("likes lentil soup")
    message = designs.build_system_message(
        context_ids=None,
        rag_query="lentil soup",
        app=memory,
        system="Be kind.",
        rules_for_request="Be short.",
    )

    assert message.startswith("Be kind.\n\n")
    assert "likes lentil soup" in message
    assert message.endswith("\n\nBe short.")


def test_messages_are_saved_retrieved_and_assembled(memory: Memory) -> None:
    saved = designs.saveMessage(memory, CHAT, "user", "The calculateTotal function adds the tax twice.")
    memory.flush()
    found = designs.retrieveMemory(memory, "calculateTotal", limit=1)
    block = designs.assembleMemoryContext(memory, "Where is the tax added?", CHAT, budget=200)

    assert saved.is_stored
    assert [each.id for each in found] == [saved.id]
    assert "calculateTotal" in block.text
    assert block.tokens <= 200


def test_a_conversation_is_summarized(memory: Memory) -> None:
    designs.saveMessage(memory, CHAT, "user", "We decided to use PostgreSQL for the shop.")
    summaries = designs.generateConversationSummary(memory, CHAT)

    assert any("PostgreSQL" in each.text for each in summaries)


def test_revoking_consent_erases_the_profile(memory: Memory) -> None:
    memory.privacy.consent("profile", granted=True)
    memory.profile.set({"freeformNotes": "I answer on Mondays."})
    change = designs.revokeMemoryConsent(memory)

    assert (change.granted, change.erased) == (False, {"profile": 1})
    assert memory.profile.get() is None
