"""A whole turn of a chat: heard, recalled, answered, learned from; memory never stands in its way."""

from collections.abc import Iterator

import pytest
from tests.contract.stores import OpenStore
from tests.stories.results import texts

from recollect import Memory
from recollect.domain.chat_turn import AnswerDelta, AnswerFinished, ContextReady, TurnEvent
from recollect.domain.scope import Scope
from recollect.errors import CapReached, InvalidInput, ProviderBusy
from recollect.ports.chat_model import ChatModel, ModelMessage
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of

CHAT_SCOPE = Scope("default", "c")


@pytest.fixture
def memory(open_store: OpenStore) -> Iterator[Memory]:
    with Memory(
        store=open_store(), embedder=LetterEmbedder(), clock=FrozenClock(), settings={"worker": False}
    ) as opened:
        opened.add({"role": "user", "content": "I'm vegetarian."}, chat_id="before", sync=True)
        yield opened


def run_turn(
    memory: Memory, text: str, model: ChatModel | None = None, history: tuple[ModelMessage, ...] = ()
) -> list[TurnEvent]:
    policy = memory.application.policy("default", chat="c")
    services = memory.application.services
    happened = list(
        services.turns.stream_turn(
            CHAT_SCOPE, text, policy, model=model, history=history, system="You are a cook."
        )
    )
    memory.flush()
    return happened


def test_a_turn_is_recalled_answered_in_pieces_and_learned_from(memory: Memory) -> None:
    model = ScriptedChatModel("Try a risotto.")
    happened = run_turn(memory, "I live in Lisbon. What can I cook as a vegetarian?", model)
    recalled, answered = happened[0], happened[-1]

    assert isinstance(recalled, ContextReady)
    assert "vegetarian" in recalled.receipt.text
    assert [each.text for each in happened if isinstance(each, AnswerDelta)] == ["Try ", "a ", "risotto."]
    assert isinstance(answered, AnswerFinished)
    assert answered.text == "Try a risotto."
    assert any("Lisbon" in text for text in texts(memory.get_all()))
    assert texts(memory.chats.messages("c")) == [
        "I live in Lisbon. What can I cook as a vegetarian?",
        "Try a risotto.",
    ]


@pytest.mark.spec("M6")
def test_the_hosts_prompt_is_first_and_untouched_and_memory_stands_behind_the_question(
    memory: Memory,
) -> None:
    model = ScriptedChatModel("ok")
    past = (ModelMessage(role="user", content="hello"), ModelMessage(role="assistant", content="hi"))
    [recalled, *_] = run_turn(memory, "What can I cook as a vegetarian?", model, past)
    [asked] = model.calls

    assert isinstance(recalled, ContextReady)
    assert asked.messages[0] == ModelMessage(role="system", content="You are a cook.")
    assert asked.messages[1:3] == past
    assert asked.messages[3].content == recalled.prompt
    assert recalled.prompt == f"What can I cook as a vegetarian?\n\n{recalled.receipt.text}"


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("What do I eat as a vegetarian?", "(no language model: quoting memory)"),
        ("O que eu como, sendo vegetariano?", "(sem modelo de linguagem: citando a memória)"),
    ],
)
def test_without_a_model_memory_is_quoted_and_labelled(memory: Memory, question: str, label: str) -> None:
    answered = run_turn(memory, question)[-1]

    assert isinstance(answered, AnswerFinished)
    assert answered.text.startswith(label)
    assert "vegetarian" in answered.text


def test_nothing_remembered_is_said_plainly(open_store: OpenStore) -> None:
    with Memory(store=open_store(), embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        answered = run_turn(memory, "Where did I leave my keys?")[-1]

    assert isinstance(answered, AnswerFinished)
    assert "I remember nothing about that yet." in answered.text


def test_a_model_that_fails_is_an_error_and_the_question_is_kept(memory: Memory) -> None:
    model = ScriptedChatModel("never said")
    model.fail_next(ProviderBusy("not now"))

    with pytest.raises(ProviderBusy):
        run_turn(memory, "What can I cook?", model)
    assert texts(memory.chats.messages("c")) == ["What can I cook?"]


def test_an_answer_that_is_stopped_is_kept_as_far_as_it_came(memory: Memory) -> None:
    policy = memory.application.policy("default")
    turn = memory.application.services.turns.stream_turn(
        CHAT_SCOPE, "What can I cook?", policy, model=ScriptedChatModel("Try a risotto.")
    )
    [next(turn), next(turn)]
    turn.close()

    assert texts(memory.chats.messages("c")) == ["Try ", "What can I cook?"]


def test_a_chat_has_its_cap_too(memory: Memory) -> None:
    policy = memory.application.policy("default", {"spending.max_tokens_per_chat": 10})

    with pytest.raises(CapReached):
        list(
            memory.application.services.turns.stream_turn(
                CHAT_SCOPE, "Hello?", policy, model=ScriptedChatModel("hi")
            )
        )


def test_an_answer_quoted_from_memory_teaches_nothing(memory: Memory) -> None:
    before = texts(memory.get_all())
    for _ in range(3):
        run_turn(memory, "What do I eat as a vegetarian?")

    assert texts(memory.get_all()) == before


def send_turn(memory: Memory, text: str, model: ScriptedChatModel, **options: str) -> ContextReady:
    """A turn that goes on from what is stored."""
    services, policy = memory.application.services, memory.application.policy("default", chat="c")
    [recalled, *_] = services.turns.stream_turn(
        CHAT_SCOPE, text, policy, model=model, history=services.turns.history(CHAT_SCOPE), **options
    )
    assert isinstance(recalled, ContextReady)
    return recalled


def test_what_was_sent_before_is_sent_again_and_what_it_shows_is_not_said_twice(memory: Memory) -> None:
    model = ScriptedChatModel("Try a risotto.")
    first = send_turn(memory, "What can I cook as a vegetarian?", model)
    second = send_turn(memory, "And as a vegetarian tomorrow?", model)
    before, after = model.calls[0].messages, model.calls[1].messages

    assert after[: len(before)] == before
    assert after[-1].content == second.prompt
    shown = {item.id for item in first.receipt.injected_items}
    assert shown
    assert shown.isdisjoint(item.id for item in second.receipt.injected_items)


def test_a_file_and_a_profile_are_shown_once_in_a_conversation(memory: Memory) -> None:
    memory.privacy.consent("profile", granted=True)
    memory.profile.set({"freeformNotes": "Short answers."})
    memory.profile.add_context_file("plan", "We ship on Fridays.", chat_id="c")
    model = ScriptedChatModel("ok")
    for question in ("When do we ship?", "Really?"):
        send_turn(memory, question, model)
    sent = "\n".join(turn.content for turn in model.calls[-1].messages)

    assert (sent.count("We ship on Fridays."), sent.count("Short answers.")) == (1, 1)


def test_a_branch_goes_on_with_what_was_sent(memory: Memory) -> None:
    send_turn(memory, "What can I cook as a vegetarian?", ScriptedChatModel("Try a risotto."))
    [_, answer] = store_of(memory.application).messages.list(CHAT_SCOPE)
    memory.chats.branch(answer.id, "d")
    services = memory.application.services

    assert (
        services.turns.history(Scope("default", "d")).messages == services.turns.history(CHAT_SCOPE).messages
    )
    assert (
        services.turns.history(Scope("default", "d")).shown_keys
        == services.turns.history(CHAT_SCOPE).shown_keys
    )


def test_a_long_conversation_is_cut_at_a_place_that_stays_for_many_turns(memory: Memory) -> None:
    services, firsts = memory.application.services, []
    for number in range(60):
        text = f"Message {number}: " + "word " * 1000
        memory.add({"role": "user", "content": text}, chat_id="c", settings={"extraction.mode": "off"})
        firsts.append(services.turns.history(CHAT_SCOPE).messages[0].content[:12])
    sizes = sum(len(turn.content.split()) for turn in services.turns.history(CHAT_SCOPE).messages)

    assert len(set(firsts)) <= 6
    assert firsts[0] == firsts[15] == "Message 0: w"
    assert 10_000 < sizes < 30_000


def test_a_question_with_a_known_id_is_not_asked_again(memory: Memory) -> None:
    model = ScriptedChatModel("Try a risotto.")
    for _ in range(2):
        send_turn(memory, "What can I cook?", model, client_id="mine")

    assert len(model.calls) == 1
    assert texts(memory.chats.messages("c")) == ["Try a risotto.", "What can I cook?"]


def test_the_last_question_is_answered_anew_in_the_place_of_its_answer(memory: Memory) -> None:
    model = ScriptedChatModel("Try a risotto.")
    send_turn(memory, "What can I cook?", model)
    model.answer("A soup.")
    services, policy = memory.application.services, memory.application.policy("default", chat="c")
    [*_, answered] = services.turns.regenerate_answer(CHAT_SCOPE, policy, model=model)

    assert isinstance(answered, AnswerFinished)
    assert answered.text == "A soup."
    assert texts(memory.chats.messages("c")) == ["A soup.", "What can I cook?"]
    with pytest.raises(InvalidInput, match="has no question to answer"):
        list(services.turns.regenerate_answer(Scope("default", "elsewhere"), policy, model=model))
