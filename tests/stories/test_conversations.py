"""Whole conversations, told plainly, through the public door."""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.contract.stores import OpenStore
from tests.stories.environment import isolate_settings

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.context.labels import NOTICES
from recollect.domain.job import JobKind
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import ProviderError
from recollect.ports.chat_model import ChatModel
from recollect.ports.embedder import Embedder
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import FailingEmbedder
from recollect.testing.inspection import store_of
from recollect.text.tokens import estimate_tokens

DAY = timedelta(days=1)
OpenMemory = Callable[..., Memory]


@pytest.fixture(autouse=True)
def _isolated_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of whoever runs the tests is seen."""
    isolate_settings(monkeypatch, tmp_path / "home")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def clock() -> FrozenClock:
    """It is Monday."""
    return FrozenClock()


@pytest.fixture
def open_memory(open_store: OpenStore, clock: FrozenClock) -> Iterator[OpenMemory]:
    """Opens the one memory of the story; opened twice, it is the same file."""
    memories: list[Memory] = []

    def open_it(
        embedder: Embedder | None = None, chat_model: ChatModel | None = None, **settings: object
    ) -> Memory:
        named = {name.replace("__", "."): value for name, value in settings.items()}
        memories.append(
            Memory(
                store=open_store(),
                embedder=embedder or HashingEmbedder(),
                chat_model=chat_model,
                clock=clock,
                settings={"worker": False, **named},
            )
        )
        return memories[-1]

    yield open_it
    for memory in memories:
        memory.close()


@pytest.fixture(scope="module")
def real_embedder() -> OnnxEmbedder:
    """The real model, loaded once."""
    return OnnxEmbedder()


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory()


def add_user_messages(memory: Memory, *texts: str, chat: str = "kitchen", user: str | None = None) -> None:
    """The user says something, and what there is to learn is learned."""
    messages = [{"role": "user", "content": text} for text in texts]
    memory.add(messages, chat_id=chat, user_id=user, sync=True)


def context_text(
    memory: Memory,
    query: str,
    chat: str = "another day",
    user: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> str:
    return memory.context(query, chat_id=chat, user_id=user, settings=settings).text


def search_texts(memory: Memory, query: str, **arguments: Any) -> list[str]:  # noqa: ANN401
    return [row.text for row in memory.search(query, **arguments)]


# She is vegetarian


def test_she_says_she_is_vegetarian_on_monday_and_asks_for_dinner_on_friday(
    memory: Memory, clock: FrozenClock
) -> None:
    add_user_messages(memory, "Hi!", "I'm vegetarian and I hate cilantro.", "thanks", chat="monday")
    clock.advance(4 * DAY)
    block = context_text(memory, "What should I cook for dinner tonight?", chat="friday")

    assert "vegetarian" in block
    assert "cilantro" in block
    assert "thanks" not in block


def test_what_she_takes_back_is_said_no_more(memory: Memory) -> None:
    add_user_messages(memory, "I'm vegetarian and I hate cilantro.")
    for fact in memory.get_all():
        memory.delete(fact.id)

    assert context_text(memory, "What can a vegetarian eat?") == ""


def test_in_the_same_chat_the_last_messages_are_shown_as_they_are_and_not_twice(memory: Memory) -> None:
    add_user_messages(memory, "Please write a haiku about rain.", chat="poems")
    memory.add({"role": "assistant", "content": "Rain on the tin roof"}, chat_id="poems")
    block = context_text(memory, "Rewrite this about rain and snow", chat="poems")

    assert block.count("Rain on the tin roof") == 1
    assert block.endswith("- User: Please write a haiku about rain.\n- Assistant: Rain on the tin roof")


@pytest.mark.parametrize(
    ("told", "asked", "remembered"),
    [
        ("Sou vegetariano e odeio coentro.", "O que um vegetariano pode jantar?", "vegetariano"),
        ("Tomei a decisão de usar Postgres no projeto.", "Quais foram as decisões?", "Postgres"),
        ("Minha irmã mora em São Paulo.", "onde moram minhas irmas?", "São Paulo"),
    ],
)
def test_a_question_in_portuguese_finds_what_was_said_in_portuguese(
    memory: Memory, told: str, asked: str, remembered: str
) -> None:
    add_user_messages(memory, told, "Bom dia!", "O tempo está bom hoje.")

    assert remembered in context_text(memory, asked, settings={"recall.small_store_size": 0})


# She writes code


@pytest.mark.spec("Y15", "K4")
def test_the_name_of_a_function_finds_its_code_first(memory: Memory) -> None:
    code = "function calculateTotal(items) { return items.reduce((a, b) => a + b, 0); }"
    add_user_messages(
        memory,
        "How do I calculate the total? I want to calculate the total of everything, in total.",
        code,
        "function calculateTax(items) { return 0; }",
        "The total is wrong again.",
    )

    assert search_texts(memory, "calculateTotal")[0] == code
    assert search_texts(memory, "Why does calculateTotal start at zero?")[0] == code


#: Twenty names of which no two are far apart, each told in the same words as the others.
IDENTIFIERS = (
    "getUsrCtx setUsrCtx usrCtxOf mkTokBuf rdTokBuf ERR_4012 ERR_4021 ERR_4102 xq_load_v2 xq_load_v3 fooBarBaz"
    " fooBazBar parseRowA parseRowB tmp_conn_01 tmp_conn_10 calculateTotal calcTotals totalCalc sumOfTotals"
).split()
FILLER_SENTENCES = (
    "In the morning the build failed on the second machine and we looked through the logs for an hour.",
    "Somebody had changed the order of two calls, and the tests did not notice since they mock the clock.",
    "We wrote it down so that nobody would fall into the same hole again, and went for lunch.",
)


@pytest.mark.spec("Y11")
def test_words_find_a_fifth_more_code_identifiers_than_meaning_alone(
    open_memory: OpenMemory, real_embedder: OnnxEmbedder
) -> None:
    memory = open_memory(real_embedder)
    for place, name in enumerate(IDENTIFIERS):
        one, two, three = FILLER_SENTENCES[place % 3 :] + FILLER_SENTENCES[: place % 3]
        add_user_messages(memory, f"{one} {two} The culprit was {name} after all. {three}")

    def found_first(**settings: object) -> int:
        best = (
            search_texts(memory, f"What was wrong with {name}?", limit=1, settings=settings)
            for name in IDENTIFIERS
        )
        return sum(f" {name} " in "".join(texts) for name, texts in zip(IDENTIFIERS, best, strict=True))

    dense = found_first(**{"recall.hybrid": False, "recall.ranker": "cosine"})
    assert found_first() > 1.2 * dense > 0


def a_long_message(number: int) -> tuple[str, str]:
    """Two thousand tokens of talk with one function in the middle, and its name."""
    name = f"targetFunction{number}"
    talk = "\n\n".join(
        f"Paragraph {part} of letter {number} talks at length about the weather, the garden, the neighbours"
        " and their boat, and about nothing that anybody would ever want to look up again in a letter."
        for part in range(36)
    )
    code = f"```js\nfunction {name}(order) {{\n  return order.lines.length;\n}}\n```"
    return f"{talk}\n\n{code}\n\n{talk}", name


@pytest.mark.spec("Y12", "X9", "Y15", "J4")
def test_chunking_brings_the_function_in_a_long_message_into_the_prompt_and_nothing_else_does(
    open_memory: OpenMemory,
) -> None:
    letters = [a_long_message(number) for number in range(5)]
    reached = {}
    for chunking in (False, True):
        user = f"chunking {chunking}"
        memory = open_memory(user=user, chunking__enabled=chunking)
        add_user_messages(memory, *(text for text, _ in letters))
        memory.flush()
        blocks = {name: context_text(memory, f"what does {name} do?") for _, name in letters}
        reached[chunking] = sum(f"function {name}(order)" in block for name, block in blocks.items())
        assert all(estimate_tokens(block) <= 1000 for block in blocks.values())

    assert all(estimate_tokens(text) >= 2000 for text, _ in letters)
    assert reached == {False: 0, True: len(letters)}


@pytest.mark.spec("J4")
def test_chunks_and_whole_messages_both_have_a_vector(memory: Memory) -> None:
    letter, _ = a_long_message(1)
    add_user_messages(memory, letter)
    stats = memory.maintenance.stats()

    assert isinstance(stats.chunks, int)
    assert stats.chunks > 1
    assert stats.vectors == stats.chunks + 1


@pytest.mark.spec("J4")
def test_without_chunking_the_whole_message_is_found(open_memory: OpenMemory) -> None:
    memory = open_memory(chunking__enabled=False)
    letter, name = a_long_message(1)
    add_user_messages(memory, letter)

    assert memory.maintenance.stats().chunks == 0
    assert search_texts(memory, f"what does {name} do?") == [letter]


@pytest.mark.spec("A10")
@pytest.mark.parametrize(
    "question",
    ["How should I design the new database table?", "The database is slow, which rules did we set?"],
)
def test_talk_about_the_database_fetches_sql_memories_and_not_css_that_weighs_as_much(
    open_memory: OpenMemory, real_embedder: OnnxEmbedder, question: str
) -> None:
    memory = open_memory(real_embedder, recall__limit=3)
    sql = [
        "Use PostgreSQL 16 with one schema per tenant",
        "SQL migrations run before every deployment",
        "Every SQL table needs a created_at column and an index on the foreign key",
    ]
    css = [
        "Use Tailwind for all CSS, never inline styles",
        "The CSS primary colour is #0a7 with rounded corners",
        "Dark mode is done with a CSS class on the body element",
    ]
    for text in (*css, *sql):
        memory.add(text, kind="decision", chat_id="decisions")
    memory.flush()
    lines = [line for line in context_text(memory, question).splitlines() if line.startswith("- ")]

    assert sorted(text for text in sql if any(text in line for line in lines)) == sorted(sql)
    assert len(lines) == len(sql)
    assert {row.weight for row in memory.get_all()} == {1.0}


# Who is who


@pytest.mark.spec("X1", "M8")
def test_a_new_user_gets_nothing_and_no_error(memory: Memory) -> None:
    add_user_messages(memory, "I'm vegetarian.")
    answer = memory.context("What should I cook?", user_id="newcomer", chat_id="first chat")
    receipt = answer.receipt

    assert (answer.text, answer.tokens) == ("", 0)
    assert (receipt.items, receipt.degradations) == ((), ())
    assert memory.search("dinner", user_id="newcomer").results == ()
    assert memory.get_all(user_id="newcomer") == []
    assert memory.maintenance.stats(user_id="newcomer").messages == 0


@pytest.mark.spec("A9", "C-22")
@pytest.mark.parametrize("preset", ["default", "smart", "companion", "dev", "facts", "agent"])
def test_another_users_facts_never_appear_whatever_the_preset(memory: Memory, preset: str) -> None:
    add_user_messages(memory, "I'm vegetarian and I live in Lisbon.", user="ana")
    add_user_messages(memory, "I love steak and I live in Berlin.", user="bruno")
    settings = {"preset": preset, "recall.enabled": True, "collect.store_raw": "full"}
    hers = context_text(memory, "vegetarian steak in Lisbon or Berlin?", user="ana", settings=settings)
    his = context_text(memory, "vegetarian steak in Lisbon or Berlin?", user="bruno", settings=settings)

    assert "Lisbon" in hers
    assert "Berlin" in his
    assert not {"steak", "Berlin"} & set(hers.replace(".", " ").split())
    assert not {"vegetarian", "Lisbon"} & set(his.replace(".", " ").split())


# When something is off, or broken


@pytest.mark.spec("Y1", "A8")
def test_with_every_flag_off_dense_recall_of_the_messages_still_works(open_memory: OpenMemory) -> None:
    memory = open_memory(
        recall__hybrid=False,
        chunking__enabled=False,
        triage__enabled=False,
        extraction__mode="off",
        summaries__every_answers=0,
        recall__ranker="cosine",
        recall__sources="messages",
    )
    add_user_messages(memory, "We will grill aubergines on Saturday.", "The printer is out of paper again.")
    answer = memory.context("grilled aubergines", chat_id="another day")
    receipt = answer.receipt

    assert memory.get_all() == []
    assert "aubergines on Saturday" in answer.text
    assert "printer" not in answer.text
    assert receipt.sources["lexical"] == 0
    assert receipt.degradations == ()


@pytest.mark.spec("C-19")
@pytest.mark.parametrize("open_store", ["sqlite"], indirect=True)
def test_a_memory_that_is_broken_all_over_does_not_fail_the_chat_and_says_so(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    embedder = FailingEmbedder(ProviderError("out of order"))
    memory = open_memory(embedder)
    add_user_messages(memory, "I'm vegetarian.", chat="monday")
    vandal = apsw.Connection(str(tmp_path / "memory.db"))
    vandal.execute("DROP TABLE passages_fts")
    vandal.close()
    answer = memory.context("What should I cook?", chat_id="monday", settings={"recall.small_store_size": 0})
    degraded = answer.receipt.degradations

    assert answer.text == f"{NOTICES['en']}\n\n## Recent messages\n- User: I'm vegetarian."
    assert [reason.code for reason in degraded] == [
        ReasonCode.DENSE_SEARCH_FAILED,
        ReasonCode.LEXICAL_SEARCH_FAILED,
    ]


@pytest.mark.spec("Y17", "B4")
def test_trivial_messages_are_never_judged_and_cost_no_tokens(open_memory: OpenMemory) -> None:
    model = ScriptedChatModel("[]")
    memory = open_memory(chat_model=model)
    trivial = ["Hi", "Good morning!", "ok thanks", "What is photosynthesis?", "Bom dia", "kkkk", "👍"]
    answer = memory.add([{"role": "user", "content": text} for text in trivial], chat_id="small talk")
    waiting = store_of(memory.application).jobs.count_by_state(Scope("default"))
    memory.flush()

    assert [row.is_queued for row in answer.messages] == [False] * len(trivial)
    assert JobKind.EXTRACT not in {kind for kind, _ in waiting}
    assert (model.calls, memory.get_all()) == ([], [])


@pytest.mark.spec("B6", "TR-21")
def test_a_question_about_her_own_project_is_judged_all_the_same(open_memory: OpenMemory) -> None:
    model = ScriptedChatModel("[]")
    memory = open_memory(chat_model=model)
    text = "What is the best way to deploy my project?"
    answer = memory.add({"role": "user", "content": text}, chat_id="work")
    waiting = store_of(memory.application).jobs.count_by_state(Scope("default"))

    assert [row.reason for row in answer.messages] == [
        Reason(ReasonCode.KEEP_PHRASE, {"phrase": "my project"})
    ]
    assert JobKind.EXTRACT in {kind for kind, _ in waiting}
    memory.flush()
    assert len(model.calls) == 1


# Six ways to say it


@pytest.mark.spec("C-25", "M3", "M4", "M7", "M9", "M11")
def test_each_preset_prints_its_own_format_from_the_same_store(memory: Memory, clock: FrozenClock) -> None:
    memory.add("vegetarian", kind="preference", chat_id="monday")
    clock.advance(timedelta(hours=1))
    memory.add("hates cilantro", kind="preference", chat_id="monday")
    add_user_messages(memory, "We cook together on Sundays.", chat="today")
    memory.flush()

    def block(preset: str) -> str:
        settings = {"preset": preset, "recall.enabled": True}
        return context_text(memory, "cook vegetarian, hates cilantro", chat="today", settings=settings)

    assert block("default") == (
        f"{NOTICES['en']}\n\n## Relevant memory\n- User hates cilantro (2026-03-02)\n"
        "- User (2026-03-02): vegetarian\n\n"
        "## Recent messages\n- User: We cook together on Sundays."
    )
    assert block("facts") == "## Relevant memory\n- hates cilantro\n- vegetarian"
    assert block("smart") == (
        "### CONTEXTO DE OUTROS CHATS RECENTES (MEMÓRIA):\n"
        "- [Importância 100] hates cilantro\n- [Importância 100] vegetarian\n\n"
        "### MENSAGENS RECENTES:\n- Usuário: We cook together on Sundays."
    )
    heading, facts, *_ = block("companion").splitlines()
    assert heading == "[MEMÓRIA]"
    assert facts in {"- Hates cilantro; vegetarian.", "- Vegetarian; hates cilantro."}
    assert block("dev") == "hates cilantro\n\n---\n\nvegetarian\n\n---\n\nWe cook together on Sundays."
    add_user_messages(memory, "Cilantro grows on the balcony.", chat="monday")
    memory.flush()
    assert block("agent") == (
        "Relevant Facts (Global Context):\n• hates cilantro\n• vegetarian\n\n"
        "Related Conversation History (Semantic Context):\n• User: Cilantro grows on the balcony.\n\n"
        "Current Conversation (Recent History):\n• User: We cook together on Sundays."
    )
