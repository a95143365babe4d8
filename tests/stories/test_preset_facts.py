"""LLM-managed memory: one fact per exchange, found by cosine above a floor, the recent ones as a fallback."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.contract.stores import OpenStore
from tests.stories.presets import (
    context_receipt,
    context_text,
    exchange_messages,
    open_memory,
    scripted_model,
)
from tests.stories.results import texts

from recollect import Memory
from recollect.adapters.llms.openai_compatible import OpenAIChatModel
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.domain.job import JobKind, JobState
from recollect.domain.outcomes import New
from recollect.errors import ProviderBusy, ProviderError
from recollect.integrations.designs import build_system_message, extract_and_store
from recollect.ports.store import Store
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import MONDAY, FrozenClock
from recollect.testing.embedders import FailingEmbedder, LetterEmbedder
from recollect.testing.model_server import ModelServer

HEIGHT_FACT = "User is 180 cm tall."
#: What the user says, and the line the model replies with.
FACTS_BY_MESSAGE = {
    "I am 180 cm tall and need a new desk.": HEIGHT_FACT,
    "I have a dog named Rex.": "User has a dog named Rex.",
    "I work as a nurse in Porto.": "User works as a nurse in Porto.",
    "I play the violin on Sundays.": "User plays the violin on Sundays.",
    "I am allergic to peanuts.": "User is allergic to peanuts.",
    "My sister Joana lives in Faro.": "User has a sister Joana who lives in Faro.",
    "I drive a red Fiat to work.": "User drives a red Fiat to work.",
}
REFUSAL = "I'm sorry, but I can't help with that."
FINAL_LINE = "Reply with exactly one line: NOTHING or the single fact. No explanation."


@pytest.fixture(scope="module")
def real_embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def model() -> ScriptedChatModel:
    return scripted_model(FACTS_BY_MESSAGE, "NOTHING")


@pytest.fixture
def memory(
    open_store: OpenStore, model: ScriptedChatModel, clock: FrozenClock, real_embedder: OnnxEmbedder
) -> Iterator[Memory]:
    with open_memory(open_store(), "facts", model=model, embedder=real_embedder, clock=clock) as memory:
        yield memory


def add_exchanges(memory: Memory, clock: FrozenClock, *texts: str) -> None:
    for text in texts:
        clock.advance(timedelta(minutes=1))
        extract_and_store(text, "I see.", memory)


@pytest.mark.spec("M9", "K11", "C-25", "D3", "X5")
def test_the_block_of_a_few_memories_is_all_of_them_under_the_heading(
    memory: Memory, clock: FrozenClock
) -> None:
    add_exchanges(memory, clock, *list(FACTS_BY_MESSAGE)[:3])

    assert context_text(memory, "Good evening, what shall we do?") == (
        f"## Relevant memory\n- {HEIGHT_FACT}\n- User has a dog named Rex.\n- User works as a nurse in Porto."
    )


@pytest.mark.spec("L1", "L2", "Y19", "K10", "C-8", "Q8", "Q13")
def test_how_tall_am_i_finds_the_height_among_many(memory: Memory, clock: FrozenClock) -> None:
    add_exchanges(memory, clock, *FACTS_BY_MESSAGE)
    receipt = context_receipt(memory, "How tall am I?")
    injected = [item for item in receipt.items if item.disposition == "injected"]

    assert receipt.text.startswith(f"## Relevant memory\n- {HEIGHT_FACT}\n")
    assert len(injected) <= 5
    assert all(item.score >= 0.5 for item in injected)


@pytest.mark.spec("D3", "D7", "D9", "D10", "D15", "Q13")
def test_the_model_is_asked_once_per_exchange_as_its_document_asks(
    memory: Memory, clock: FrozenClock, model: ScriptedChatModel
) -> None:
    add_exchanges(memory, clock, *FACTS_BY_MESSAGE)
    [filled, last] = model.calls[-1].messages

    assert len(model.calls) == len(FACTS_BY_MESSAGE)
    assert (filled.role, last.role, last.content) == ("system", "user", FINAL_LINE)
    assert (
        "## The user said\nI drive a red Fiat to work.\n\n## The assistant replied\nI see." in filled.content
    )
    assert all(f"- {fact}" in filled.content for fact in list(FACTS_BY_MESSAGE.values())[:-1])


@pytest.mark.spec("D3", "D23", "E13", "E14")
@pytest.mark.parametrize("open_store", ["sqlite"], indirect=True)
def test_an_exchange_is_persisted_with_its_index_in_one_file(
    tmp_path: Path, open_store: OpenStore, model: ScriptedChatModel, clock: FrozenClock
) -> None:
    broken = FailingEmbedder(ProviderBusy("out of order"))
    with open_memory(open_store(), "facts", model=model, embedder=broken, clock=clock) as memory:
        answer = extract_and_store("I have a dog named Rex.", "A good boy.", memory, chat_id="chat")
        without_vector = texts(memory.search("dog named Rex", settings={"recall.small_store_size": 0}))
        waiting = memory.maintenance.stats().pending_vectors
    with open_memory(open_store(), "facts", model=model, embedder=LetterEmbedder(), clock=clock) as memory:
        clock.advance(timedelta(hours=1))
        memory.flush()
        [kept] = memory.get_all()
        stats = memory.maintenance.stats()

    assert answer.results == (New(memory=answer.memories[0]),)
    assert [(each.text, each.tags) for each in answer.memories] == [("User has a dog named Rex.", ())]
    assert without_vector == ["User has a dog named Rex."]
    assert waiting == 3
    assert (kept.text, kept.created_at) == (
        "User has a dog named Rex.",
        MONDAY,
    )
    assert (stats.pending_vectors, stats.vectors) == (0, 3)
    assert (tmp_path / "memory.db").read_bytes().startswith(b"SQLite format 3\0")


@pytest.mark.spec("D12", "D13", "D14", "TR-11")
@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("NOTHING", []),
        ("nothing.", []),
        ("", []),
        ("Tea lover", []),
        ("Yes", []),
        ("No", []),
        ("Does the user drink coffee?", []),
        ("User drinks coffee.", ["User drinks coffee."]),
    ],
)
def test_a_reply_that_is_no_fact_is_discarded(
    open_store: OpenStore, clock: FrozenClock, reply: str, kept: list[str]
) -> None:
    model = ScriptedChatModel(reply)
    with open_memory(open_store(), "facts", model=model, clock=clock) as memory:
        extract_and_store("I am a tea lover, but nothing beats coffee, so I drink coffee.", "Sure.", memory)

        assert texts(memory.get_all()) == kept


@pytest.mark.spec("D11", "D12")
def test_the_reply_is_streamed_and_trimmed(open_store: OpenStore, clock: FrozenClock) -> None:
    model = ScriptedChatModel(f"\n  {HEIGHT_FACT}\n\n")
    with open_memory(open_store(), "facts", model=model, clock=clock) as memory:
        add_exchanges(memory, clock, "I am 180 cm tall and need a new desk.")

        assert texts(memory.get_all()) == [HEIGHT_FACT]
    assert [call.is_streaming for call in model.calls] == [True]


@pytest.mark.spec("D11")
def test_an_endpoint_is_asked_for_a_stream(open_store: OpenStore, clock: FrozenClock) -> None:
    with ModelServer() as server, closing(OpenAIChatModel(server.base_url, "echo")) as model:
        server.answer(HEIGHT_FACT)
        with open_memory(open_store(), "facts", model=model, clock=clock) as memory:
            add_exchanges(memory, clock, "I am 180 cm tall and need a new desk.")
            memories = texts(memory.get_all())
        requests = list(server.requests)

    assert memories == [HEIGHT_FACT]
    assert [request.body["stream"] for request in requests] == [True]


@pytest.mark.spec("D11", "D12")
@pytest.mark.parametrize(
    "reply",
    [
        f"{HEIGHT_FACT}\nUser needs a new desk.",
        f"```\n{HEIGHT_FACT}\nUser needs a new desk.\n```",
        f"{HEIGHT_FACT}\nUser needs a new desk.\n\nNote: both facts are from the first sentence.",
        f"Here are the facts:\n- {HEIGHT_FACT}\n- User needs a new desk.",
    ],
    ids=["two lines", "fenced", "trailing remark", "introduction"],
)
def test_each_line_of_a_short_reply_is_a_fact(open_store: OpenStore, clock: FrozenClock, reply: str) -> None:
    model = ScriptedChatModel(reply)
    with open_memory(open_store(), "facts", model=model, clock=clock) as memory:
        add_exchanges(memory, clock, "I am 180 cm tall and need a new desk.")

        assert sorted(texts(memory.get_all())) == [HEIGHT_FACT, "User needs a new desk."]
        assert memory.maintenance.jobs() == []
    assert len(model.calls) == 1


@pytest.mark.spec("D16", "TR-13")
def test_an_unreadable_reply_is_retried_once_with_its_problem(
    open_store: OpenStore, clock: FrozenClock
) -> None:
    model = ScriptedChatModel(REFUSAL, HEIGHT_FACT)
    with open_memory(open_store(), "facts", model=model, clock=clock) as memory:
        add_exchanges(memory, clock, "I am 180 cm tall and need a new desk.")

        assert texts(memory.get_all()) == [HEIGHT_FACT]
    first, second = (call.messages for call in model.calls)
    assert second[: len(first)] == first
    assert second[len(first)].content == REFUSAL
    assert "it declines to answer" in second[-1].content


@pytest.mark.spec("D16", "TR-13")
def test_a_reply_that_stays_unreadable_is_kept_with_the_failed_job(
    open_store: OpenStore, clock: FrozenClock
) -> None:
    model = ScriptedChatModel(REFUSAL)
    with open_memory(open_store(), "facts", model=model, clock=clock) as memory:
        add_exchanges(memory, clock, "I am 180 cm tall and need a new desk.")
        [job] = memory.maintenance.jobs()
        calls = len(model.calls)
        model.answer(HEIGHT_FACT)
        memory.maintenance.retry_jobs()
        memory.flush()
        memories = texts(memory.get_all())

    assert (job.kind, job.state, calls) == (JobKind.EXTRACT, JobState.DEAD, 2)
    assert job.reason is not None
    assert job.reason.params["error"] == "AnswerUnreadable"
    assert "it declines to answer" in str(job.reason.params["detail"])
    assert REFUSAL in str(job.reason.params["detail"])
    assert memories == [HEIGHT_FACT]


@pytest.mark.spec("D1", "B4")
@pytest.mark.parametrize("answer", ["OK.", "Noted!", "👍"])
@pytest.mark.parametrize("triage", [False, True])
def test_an_exchange_is_extracted_however_trivial_the_answer(
    open_store: OpenStore, clock: FrozenClock, answer: str, *, triage: bool
) -> None:
    model = ScriptedChatModel(HEIGHT_FACT)
    with open_memory(open_store(), "facts", model=model, clock=clock, triage__enabled=triage) as memory:
        memory.add(exchange_messages("I am 180 cm tall and need a new desk.", answer), chat_id="c")
        memory.flush()

        assert texts(memory.get_all()) == [HEIGHT_FACT]
    assert len(model.calls) == 1


@pytest.mark.spec("D13", "TR-11")
def test_a_fact_with_the_word_nothing_in_it_is_kept_though_its_document_would_drop_it(
    open_store: OpenStore, clock: FrozenClock
) -> None:
    model = ScriptedChatModel("User says nothing beats coffee.")
    with open_memory(open_store(), "facts", model=model, clock=clock) as memory:
        extract_and_store("Nothing beats coffee.", "Sure.", memory)

        assert texts(memory.get_all()) == ["User says nothing beats coffee."]


VIOLIN_FACT = "User plays the violin."
LONGER_VIOLIN_FACT = "User plays the violin in an orchestra."


def facts_after_two_exchanges(
    store: Store, first: str, second: str, embedder: OnnxEmbedder, **settings: object
) -> list[tuple[str, int]]:
    """What is left when two exchanges give two facts, and how often each was seen."""
    model = scripted_model({"First I say": first, "Then I say": second}, "NOTHING")
    clock = FrozenClock()
    with open_memory(store, "facts", model=model, embedder=embedder, clock=clock, **settings) as memory:
        extract_and_store(f"First I say: {first}", "I see.", memory)
        clock.advance(timedelta(days=1))
        extract_and_store(f"Then I say: {second}", "I see.", memory)
        return sorted((each.text, each.times_stated) for each in memory.get_all())


@pytest.mark.spec("F2", "Q12", "Y18", "C-17")
def test_a_duplicate_is_not_stored_but_confirms_what_is_known(
    open_store: OpenStore, real_embedder: OnnxEmbedder
) -> None:
    same = facts_after_two_exchanges(open_store("a"), VIOLIN_FACT, VIOLIN_FACT, real_embedder)
    dressed = facts_after_two_exchanges(
        open_store("b"), VIOLIN_FACT, "The user plays the violin", real_embedder
    )

    assert (same, dressed) == ([(VIOLIN_FACT, 2)], [(VIOLIN_FACT, 2)])


@pytest.mark.spec("F2", "Q12")
def test_a_fact_within_nine_tenths_of_a_known_one_that_only_adds_to_it_is_the_same(
    open_store: OpenStore, real_embedder: OnnxEmbedder
) -> None:
    near = facts_after_two_exchanges(open_store("a"), VIOLIN_FACT, LONGER_VIOLIN_FACT, real_embedder)
    stricter = facts_after_two_exchanges(
        open_store("b"),
        VIOLIN_FACT,
        LONGER_VIOLIN_FACT,
        real_embedder,
        consolidation__duplicate_cosine=0.999,
    )

    assert [times_stated for _, times_stated in near] == [2]
    assert [times_stated for _, times_stated in stricter] == [1, 1]


@pytest.mark.spec("F2", "TR-20")
def test_near_vectors_alone_do_not_make_a_duplicate_since_mondays_lie_nearer_to_tuesdays_than_the_limit(
    open_store: OpenStore, real_embedder: OnnxEmbedder
) -> None:
    monday, tuesday = "User has a meeting every Monday.", "User has a meeting every Tuesday."
    one, other = real_embedder.embed([monday, tuesday])

    assert sum(a * b for a, b in zip(one, other, strict=True)) > 0.9
    assert facts_after_two_exchanges(open_store("a"), monday, tuesday, real_embedder) == [
        (monday, 1),
        (tuesday, 1),
    ]


@pytest.mark.spec("K12", "C-9", "X4")
def test_when_nothing_is_found_the_ten_most_recent_stand_in(open_store: OpenStore) -> None:
    clock = FrozenClock()
    with open_memory(open_store(), "facts", clock=clock) as memory:
        for number in range(12):
            clock.advance(timedelta(minutes=1))
            memory.add(f"User owns book number {number}.")
        memory.flush()
        shown = context_text(memory, "zyx qwv?")

    assert shown.splitlines() == [
        "## Relevant memory",
        *(f"- User owns book number {number}." for number in range(11, 1, -1)),
    ]


@pytest.mark.spec("X4", "X6", "V4")
def test_when_the_embedder_is_out_of_order_recent_memories_stand_in(open_store: OpenStore) -> None:
    broken = FailingEmbedder(ProviderError("out of order"))
    clock = FrozenClock()
    with open_memory(open_store(), "facts", clock=clock, embedder=broken) as memory:
        for number in range(8):
            clock.advance(timedelta(minutes=1))
            memory.add(f"User owns book number {number}.")
        shown = context_text(memory, "zyx qwv?")

    assert shown.startswith("## Relevant memory\n- User owns book number 7.\n- User owns book number 6.\n")


@pytest.mark.spec("D8", "F3", "M13")
def test_what_stands_in_a_context_file_is_shown_to_the_model_and_not_stored_again(
    memory: Memory, model: ScriptedChatModel
) -> None:
    attached = memory.profile.add_context_file(
        "about me", "The user has a dog whose name is Rex. He is brown."
    )
    memory.profile.add_context_file("elsewhere", "User plays the violin on Sundays.", chat_id="another chat")
    extract_and_store(
        "I have a dog named Rex.", "A good boy.", memory, context_ids=[attached.id], chat_id="c"
    )
    extract_and_store("I play the violin on Sundays.", "Bravo.", memory, chat_id="c")
    extract_and_store("I am allergic to peanuts.", "Noted.", memory, chat_id="c")

    assert "## Existing context\nThe user has a dog whose name is Rex." in model.calls[0].messages[0].content
    assert texts(memory.get_all()) == ["User is allergic to peanuts."]
    assert context_text(memory, "Good evening", chat="c") == (
        "## Context: about me\nThe user has a dog whose name is Rex. He is brown.\n\n"
        "## Relevant memory\n- User is allergic to peanuts."
    )


@pytest.mark.spec("D2", "T5")
def test_after_regenerating_the_fact_of_the_old_reply_is_gone(memory: Memory, clock: FrozenClock) -> None:
    memory.add(exchange_messages("I have a dog named Rex.", "A good boy."), chat_id="c", sync=True)
    before = texts(memory.get_all())
    memory.chats.regenerate("c", "What breed is he?")
    memory.flush()

    assert before == texts(memory.get_all()) == ["User has a dog named Rex."]


@pytest.mark.spec("M10", "M9", "M6")
def test_the_system_message_is_built_as_its_document_builds_it(memory: Memory, clock: FrozenClock) -> None:
    file = memory.profile.add_context_file("style", "We write tests first.")
    alone = build_system_message(
        app=memory, rag_query="What do I drive?", fallback_memories=["User likes tea."]
    )
    add_exchanges(memory, clock, "I drive a red Fiat to work.")
    whole = build_system_message(
        app=memory,
        context_ids=[file.id],
        rag_query="What do I drive?",
        fallback_memories=["User likes tea."],
        rules_for_request="Answer in one line.",
    )
    own = build_system_message(app=memory, rag_query="What do I drive?", system="You are a mechanic.")
    system, _, block_of_alone = alone.partition("\n\n## ")

    assert '"Relevant memory"' in system
    assert block_of_alone == "Relevant memory\n- User likes tea."
    assert whole == (
        f"{system}\n\n## Context: style\nWe write tests first.\n\n"
        "## Relevant memory\n- User drives a red Fiat to work.\n\nAnswer in one line."
    )
    assert own == "You are a mechanic.\n\n## Relevant memory\n- User drives a red Fiat to work."


@pytest.mark.spec("P9")
def test_a_memory_made_by_hand_is_found_like_any_other(memory: Memory, clock: FrozenClock) -> None:
    add_exchanges(memory, clock, "I have a dog named Rex.")
    memory.add("User is called Ana.", tags=["name"])

    assert sorted(context_text(memory, "Hello").splitlines()) == [
        "## Relevant memory",
        "- User has a dog named Rex.",
        "- User is called Ana.",
    ]
    assert texts(memory.get_all(tag="name")) == ["User is called Ana."]
