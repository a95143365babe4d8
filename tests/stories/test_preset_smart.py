"""Smart Memory: a funnel, a strict judge, three tiers, and other chats only when asked for."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.contract.stores import OpenStore
from tests.stories.presets import context_text, open_memory, scripted_model, user_messages

from recollect import Memory
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.domain.reason import Reason, ReasonCode
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock

CONTEXT_HEADER = "### CONTEXTO DE OUTROS CHATS RECENTES (MEMÓRIA):"
POSTGRES_MESSAGE = "I decided that our project uses PostgreSQL."
CLEAN_MESSAGE = "The architecture pattern must follow Clean Architecture."
REACT_MESSAGE = "My project is an app that uses React."
LUNCH_MESSAGE = "Let me quickly check what there is for lunch in the canteen."
JOKE_MESSAGE = "Tell me a really good joke about seven penguins."
TRIVIAL_MESSAGES = ("Hi", "Good morning", "What is photosynthesis?", "Translate hello to French", "ok thanks")


def extraction_reply(importance: int, summary: str, message_type: str = "decision") -> str:
    return json.dumps(
        {"importance": importance, "message_type": message_type, "summary": summary, "facts": []}
    )


REPLIES_BY_MESSAGE = {
    POSTGRES_MESSAGE: extraction_reply(95, "User defined that the project uses PostgreSQL."),
    CLEAN_MESSAGE: extraction_reply(80, "Architecture pattern must follow Clean Architecture."),
    REACT_MESSAGE: extraction_reply(50, "User's app uses React.", "chat"),
    LUNCH_MESSAGE: extraction_reply(20, "User looked for lunch.", "chat"),
    JOKE_MESSAGE: extraction_reply(0, "", "chat"),
}


@pytest.fixture
def model() -> ScriptedChatModel:
    return scripted_model(REPLIES_BY_MESSAGE, extraction_reply(0, "", "chat"))


@pytest.fixture
def memory(open_store: OpenStore, model: ScriptedChatModel) -> Iterator[Memory]:
    with open_memory(open_store(), "smart", model=model) as memory:
        yield memory


@pytest.mark.spec("M3", "C-25", "K9", "C7", "E1", "C-2")
def test_the_block_is_the_one_its_document_prints(open_store: OpenStore, model: ScriptedChatModel) -> None:
    with open_memory(open_store(), "smart", model=model, embedder=OnnxEmbedder()) as memory:
        memory.add(user_messages(POSTGRES_MESSAGE), chat_id="monday")
        memory.add(user_messages(CLEAN_MESSAGE), chat_id="tuesday")
        memory.flush()
        shown = context_text(
            memory, "What did I decide for the architecture of our project?", recall__enabled=True
        )
        [message] = memory.chats.messages("monday")

    assert shown == (
        f"{CONTEXT_HEADER}\n"
        "- [Importância 95] User defined that the project uses PostgreSQL.\n"
        "- [Importância 80] Architecture pattern must follow Clean Architecture."
    )
    assert (message.summary, message.importance, message.message_type) == (
        "User defined that the project uses PostgreSQL.",
        95,
        "decision",
    )


@pytest.mark.spec("A3", "B4", "B6", "C2", "C6", "Y17", "B12")
def test_of_three_layers_only_the_essential_reaches_the_prompt(
    memory: Memory, model: ScriptedChatModel
) -> None:
    observed = memory.add(
        user_messages(*TRIVIAL_MESSAGES, POSTGRES_MESSAGE, JOKE_MESSAGE), chat_id="monday"
    ).messages
    memory.flush()
    shown = context_text(memory, "Which database do we use?", recall__enabled=True)

    assert [each.is_queued for each in observed] == [False] * len(TRIVIAL_MESSAGES) + [True, True]
    assert observed[-2].reason == Reason(ReasonCode.KEEP_PHRASE, {"phrase": "i decided"})
    assert len(model.calls) == 2
    assert shown == f"{CONTEXT_HEADER}\n- [Importância 95] User defined that the project uses PostgreSQL."


@pytest.mark.spec("C2", "C6", "C-4")
def test_what_is_worth_nothing_is_discarded_once_it_has_left_the_buffer(memory: Memory) -> None:
    memory.add(
        user_messages(JOKE_MESSAGE, "Hi", POSTGRES_MESSAGE, REACT_MESSAGE, CLEAN_MESSAGE, LUNCH_MESSAGE),
        chat_id="monday",
    )
    memory.flush()

    assert [each.content for each in memory.chats.messages("monday")] == [
        POSTGRES_MESSAGE,
        REACT_MESSAGE,
        CLEAN_MESSAGE,
        LUNCH_MESSAGE,
    ]


@pytest.mark.spec("A1", "A2", "C-7", "Q14")
def test_the_toggle_is_off_at_first_and_learning_goes_on_all_the_same(memory: Memory) -> None:
    memory.add(user_messages(POSTGRES_MESSAGE), chat_id="monday")
    memory.flush()
    off = context_text(memory, "Which database do we use?")

    assert off == ""
    assert [each.importance for each in memory.chats.messages("monday")] == [95]
    assert CONTEXT_HEADER in context_text(memory, "Which database do we use?", recall__enabled=True)


@pytest.mark.spec("M1", "M2", "H11", "A3")
def test_the_three_tiers_stand_below_each_other(memory: Memory) -> None:
    memory.add(user_messages(POSTGRES_MESSAGE), chat_id="monday")
    memory.add(user_messages(CLEAN_MESSAGE, REACT_MESSAGE, LUNCH_MESSAGE, JOKE_MESSAGE), chat_id="today")
    memory.add(
        [*user_messages("Rewrite this in blue."), {"role": "assistant", "content": "Here is it in blue."}],
        chat_id="today",
    )
    memory.flush()

    assert context_text(memory, "change the color", recall__enabled=True) == (
        "### ANTES NESTE CHAT (RESUMOS):\n"
        "- Architecture pattern must follow Clean Architecture.\n"
        "- User's app uses React.\n\n"
        f"{CONTEXT_HEADER}\n"
        "- [Importância 95] User defined that the project uses PostgreSQL.\n\n"
        "### MENSAGENS RECENTES:\n"
        f"- Usuário: {LUNCH_MESSAGE}\n"
        f"- Usuário: {JOKE_MESSAGE}\n"
        "- Usuário: Rewrite this in blue.\n"
        "- Assistente: Here is it in blue."
    )


@pytest.mark.spec("K9", "C-8")
def test_the_six_most_important_of_the_last_fifty_chats_are_taken(open_store: OpenStore) -> None:
    clock = FrozenClock()
    said = {
        f"I decided on rule number {n} for our project.": extraction_reply(40 + n, f"Rule {n}.")
        for n in range(52)
    }
    with open_memory(open_store(), "smart", model=scripted_model(said, "{}"), clock=clock) as memory:
        # The weightiest come first, so that the two oldest chats would win if they were looked at.
        for number in reversed(range(52)):
            clock.advance(timedelta(hours=1))
            memory.add(
                user_messages(f"I decided on rule number {number} for our project."), chat_id=f"chat {number}"
            )
        memory.flush()
        shown = context_text(memory, "What did I decide?", recall__enabled=True)

    assert shown.splitlines() == [
        CONTEXT_HEADER,
        *(f"- [Importância {40 + n}] Rule {n}." for n in range(49, 43, -1)),
    ]


@pytest.mark.spec("C9", "C-21")
def test_without_a_model_the_rules_judge_so_the_words_are_theirs_and_the_form_is_the_same(
    open_store: OpenStore,
) -> None:
    with open_memory(open_store(), "smart") as memory:
        memory.add(user_messages(POSTGRES_MESSAGE, "Thanks!"), chat_id="monday")
        memory.flush()
        header, *lines = context_text(memory, "Which database?", recall__enabled=True).splitlines()

    assert header == CONTEXT_HEADER
    assert lines
    assert all(line.startswith("- [Importância ") and "PostgreSQL" in line for line in lines)


@pytest.mark.spec("A10", "K9")
def test_asked_about_a_database_decisions_about_style_stay_out(open_store: OpenStore) -> None:
    decisions = (
        "We decided to use PostgreSQL for the shop.",
        "We decided to write all CSS with Tailwind.",
        "We decided that the button colours come from the brand guide.",
    )
    with open_memory(open_store(), "smart", embedder=OnnxEmbedder()) as memory:
        for number, decision in enumerate(decisions):
            memory.add(user_messages(decision), chat_id=f"chat {number}")
        memory.flush()
        about_database = context_text(memory, "Which database do we use?", recall__enabled=True)
        about_style = context_text(memory, "How do I style the button?", recall__enabled=True)

    assert "PostgreSQL" in about_database
    assert "CSS" not in about_database
    assert "CSS" in about_style
    assert "PostgreSQL" not in about_style


@pytest.mark.spec("C-2", "C2")
@pytest.mark.parametrize(
    ("statement", "low", "high"),
    [
        ("My app uses React.", 31, 70),
        ("Use Clean Architecture.", 71, 100),
        ("Never use third-party libraries.", 71, 100),
        ("The architecture is hexagonal.", 31, 100),
    ],
)
def test_the_importance_of_a_statement_is_in_the_band_of_its_document(
    open_store: OpenStore, statement: str, low: int, high: int
) -> None:
    with open_memory(open_store(), "smart") as memory:
        memory.add(user_messages(statement), chat_id="monday")
        memory.flush()
        [line] = context_text(
            memory, "What did I tell you about my project?", recall__enabled=True
        ).splitlines()[1:]

    assert low <= int(line.split("Importância ")[1].split("]")[0]) <= high


@pytest.mark.spec("C2", "C6")
@pytest.mark.parametrize(
    "talk", ["It has been raining here the whole week.", "Choveu muito hoje, que tempo horrível por aqui."]
)
def test_idle_talk_about_the_weather_has_no_importance(open_store: OpenStore, talk: str) -> None:
    with open_memory(open_store(), "smart") as memory:
        memory.add(user_messages(talk), chat_id="monday")
        memory.flush()

        assert [each.importance for each in memory.chats.messages("monday")] == [0]


@pytest.mark.spec("K9", "C7")
def test_a_memory_and_the_summary_of_its_message_take_one_place(open_store: OpenStore) -> None:
    with open_memory(open_store(), "smart") as memory:
        memory.add(user_messages("We decided to use PostgreSQL for the orders service."), chat_id="monday")
        memory.flush()
        learned = memory.get_all()
        _, *lines = context_text(
            memory, "Which database does the orders service use?", recall__enabled=True
        ).splitlines()

    assert learned
    assert len([line for line in lines if "PostgreSQL" in line]) == 1
