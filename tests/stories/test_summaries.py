"""What a conversation came to: every few answers, on demand, by a model or without one."""

import pytest
from tests.contract.stores import OpenStore

from recollect import Memory
from recollect.domain.scope import Scope
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of
from recollect.text.tokens import estimate_tokens

SUMMARY_TEXT = "- Decision: PostgreSQL for the shop"


def add_exchange(memory: Memory, number: int, chat: str = "c") -> None:
    memory.add(
        [
            {"role": "user", "content": f"I want to migrate the shop to PostgreSQL, part {number}."},
            {"role": "assistant", "content": f"Then we decided to use version {number}."},
        ],
        chat_id=chat,
    )
    memory.flush()


def summary_kinds(memory: Memory) -> list[str]:
    return [each.kind for each in memory.chats.summaries(chat_id="c")]


@pytest.mark.spec("H3", "H5", "Y3", "T2", "C-14")
def test_summaries_come_as_often_as_they_should(memory: Memory) -> None:
    seen = []
    for number in range(1, 11):
        add_exchange(memory, number)
        seen.append(summary_kinds(memory).count("conversation"))

    assert seen == [0, 0, 0, 0, 1, 1, 1, 1, 1, 2]
    assert summary_kinds(memory).count("working") == 1


@pytest.mark.spec("H5", "Q4")
def test_none_come_when_they_are_off(open_store: OpenStore) -> None:
    off = {"worker": False, "summaries.every_answers": 0, "summaries.working_every_exchanges": 0}
    with Memory(store=open_store(), embedder=LetterEmbedder(), settings=off) as memory:
        for number in range(12):
            add_exchange(memory, number)

        assert summary_kinds(memory) == []


@pytest.mark.spec("H2", "N8")
def test_the_session_summary_is_short_and_stands_in_the_prompt(memory: Memory) -> None:
    for number in range(4):
        add_exchange(memory, number)
    [working] = [each for each in memory.chats.summaries(chat_id="c") if each.kind == "working"]
    shown = memory.context("what now?", chat_id="c")

    assert "migrate the shop" in working.text
    assert estimate_tokens(working.text) <= 80
    assert working.text in shown.text
    assert shown.receipt.sources["working"] == 1


@pytest.mark.spec("H9", "UI-6")
def test_a_chat_is_summarised_now_and_not_twice(memory: Memory) -> None:
    add_exchange(memory, 1)
    first = memory.chats.summarize("c")
    again = memory.chats.summarize("c")

    assert sorted(each.kind for each in first) == ["conversation", "working"]
    assert again == []


@pytest.mark.spec("H10", "C-6")
def test_a_summary_is_recalled_in_its_chat_only_unless_told_otherwise(memory: Memory) -> None:
    for number in range(5):
        add_exchange(memory, number)

    def sources(chat: str, scope: str) -> set[str]:
        found = memory.search("decided version", chat_id=chat, settings={"summaries.scope": scope})
        return {each.source for each in found}

    assert "summary" in sources("c", "conversation")
    assert "summary" not in sources("d", "conversation")
    assert "summary" in sources("d", "global")


@pytest.mark.spec("H4", "H6", "H7")
def test_a_model_is_asked_in_the_words_of_the_seeds_and_never_shown_system_text(
    open_store: OpenStore,
) -> None:
    model = ScriptedChatModel(SUMMARY_TEXT)
    settings = {"worker": False, "extraction.mode": "off"}
    with Memory(store=open_store(), chat_model=model, embedder=LetterEmbedder(), settings=settings) as memory:
        memory.add({"role": "system", "content": "You are a pirate."}, chat_id="c")
        for number in range(5):
            add_exchange(memory, number)
        prompts = ["\n".join(turn.content for turn in call.messages) for call in model.calls]
        texts = {each.text for each in memory.chats.summaries(chat_id="c")}

    assert texts == {SUMMARY_TEXT}
    assert any("Summarize the last 10 messages" in prompt for prompt in prompts)
    assert any("1 dense sentence" in prompt for prompt in prompts)
    assert not any("pirate" in prompt for prompt in prompts)


@pytest.mark.spec("C-13")
def test_a_model_that_is_not_brief_is_cut_at_a_sentence(open_store: OpenStore) -> None:
    model = ScriptedChatModel("The shop moves to PostgreSQL. " * 60)
    with Memory(
        store=open_store(),
        chat_model=model,
        embedder=LetterEmbedder(),
        settings={"worker": False, "extraction.mode": "off"},
    ) as memory:
        add_exchange(memory, 1)
        made = memory.chats.summarize("c")

    assert all(estimate_tokens(each.text) <= 200 for each in made)
    assert all(each.text.endswith("PostgreSQL.") for each in made)


@pytest.mark.spec("H1")
def test_every_judged_message_has_its_sentence(memory: Memory) -> None:
    memory.add({"role": "user", "content": "I decided that we use Clean Architecture here."}, sync=True)
    [message] = store_of(memory.application).messages.list(Scope("default"))

    assert message.summary
    assert message.importance is not None
    assert message.importance > 70
