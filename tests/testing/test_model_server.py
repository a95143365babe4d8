from collections.abc import Iterator

import pytest

from recollect.adapters.llms.anthropic import AnthropicChatModel
from recollect.adapters.llms.openai_compatible import OpenAIChatModel
from recollect.domain.extraction import Extraction
from recollect.domain.message import Message, Role
from recollect.domain.policy import Policy
from recollect.errors import AnswerUnreadable, ProviderBusy, ProviderError
from recollect.ports.chat_model import ModelMessage
from recollect.services.extractor import Extractor
from recollect.testing import faults
from recollect.testing.clock import MONDAY
from recollect.testing.model_server import ModelServer

REQUEST_MESSAGES = [ModelMessage(role="user", content="Hello")]
FACT_REPLY = '[{"t":"pref","c":"vegetarian","w":0.8}]'
UNTIDY_FAULTS = {
    "prose": faults.PROSE_AROUND,
    "fence": faults.FENCED,
    "commas": faults.TRAILING_COMMAS,
    "one object": faults.ONE_OBJECT,
    "nan": faults.NAN_WEIGHT,
    "key twice": faults.DUPLICATE_KEYS,
    "half a character": faults.LONE_SURROGATE,
}
FATAL_FAULTS = {
    "echo": faults.ECHO,
    "wrong language": faults.WRONG_LANGUAGE,
    "cut": faults.TRUNCATED,
    "empty": faults.EMPTY_TEXT,
    "huge": faults.HUGE_OUTPUT,
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def model(server: ModelServer) -> Iterator[OpenAIChatModel]:
    model = OpenAIChatModel(server.base_url, "echo", timeout=2.0)
    yield model
    model.close()


def make_message(text: str) -> Message:
    return Message(id="m", user="u", chat="c", role=Role.USER, content=text, created_at=MONDAY, tokens=8)


def test_without_a_script_it_echoes_the_last_message(model: OpenAIChatModel) -> None:
    assert model.complete(REQUEST_MESSAGES, max_tokens=50).text == "You said: Hello"


def test_it_returns_the_scripted_answer(server: ModelServer, model: OpenAIChatModel) -> None:
    def shout(turns: object) -> str:
        assert isinstance(turns, list)
        return str(turns[-1].content).upper()

    server.answer(shout)
    server.answer(["one", "two"])

    assert [model.complete(REQUEST_MESSAGES, max_tokens=50).text for _ in range(3)] == ["one", "two", "HELLO"]


def test_requests_are_counted_by_path(server: ModelServer, model: OpenAIChatModel) -> None:
    claude = AnthropicChatModel(server.base_url, "echo")
    model.complete(REQUEST_MESSAGES, max_tokens=5)
    model.models()
    claude.complete(REQUEST_MESSAGES, max_tokens=5)
    claude.complete(REQUEST_MESSAGES, max_tokens=5)
    claude.close()

    assert dict(server.counts) == {"/v1/chat/completions": 1, "/v1/models": 1, "/v1/messages": 2}


def test_the_same_seed_fails_the_same_calls_until_it_is_healed(
    server: ModelServer, model: OpenAIChatModel
) -> None:
    def outcomes() -> list[bool]:
        server.fail_at(0.5, faults.TRANSIENT_FAULTS, seed=7)
        return [_call_succeeds(model) for _ in range(20)]

    first, second = outcomes(), outcomes()
    server.heal()

    assert first == second
    assert {True, False} == set(first)
    assert all(_call_succeeds(model) for _ in range(5))


def _call_succeeds(model: OpenAIChatModel) -> bool:
    try:
        model.complete(REQUEST_MESSAGES, max_tokens=50)
    except ProviderBusy:
        return False
    return True


@pytest.mark.parametrize("fault", UNTIDY_FAULTS.values(), ids=UNTIDY_FAULTS.keys())
def test_an_untidy_answer_is_understood_at_once(
    server: ModelServer, model: OpenAIChatModel, fault: faults.Fault
) -> None:
    server.answer(FACT_REPLY)
    server.fail_next(fault)
    [judged] = Extractor(model=model)([make_message("I am vegetarian")], policy=Policy())

    assert [fact.text for fact in judged.facts] == ["vegetarian"]
    assert judged.usage.calls == 1


@pytest.mark.parametrize("fault", FATAL_FAULTS.values(), ids=FATAL_FAULTS.keys())
def test_a_hopeless_answer_is_asked_for_again_and_then_given_up(
    server: ModelServer, model: OpenAIChatModel, fault: faults.Fault
) -> None:
    server.answer(FACT_REPLY)
    server.fail_next(fault)
    [judged] = Extractor(model=model)([make_message("I am vegetarian")], policy=Policy())
    server.fail_next(fault, fault)

    assert judged.usage.calls == 2
    with pytest.raises(AnswerUnreadable):
        Extractor(model=model)([make_message("I am vegetarian")], policy=Policy())


@pytest.mark.spec("TR-13")
def test_with_seventy_percent_faults_every_message_is_extracted_eventually(
    server: ModelServer, model: OpenAIChatModel
) -> None:
    server.answer(FACT_REPLY)
    server.fail_at(
        0.7,
        [
            *faults.TRANSIENT_FAULTS,
            *UNTIDY_FAULTS.values(),
            faults.ECHO,
            faults.REFUSAL,
            faults.EMPTY_CHOICES,
        ],
        seed=1,
    )
    step = Extractor(model=model)
    found = [_extract_with_retries(step, f"I am vegetarian, says number {n}") for n in range(40)]

    assert [[fact.text for fact in judged.facts] for judged in found] == [["vegetarian"]] * 40


def _extract_with_retries(step: Extractor, text: str) -> Extraction:
    for _ in range(50):
        try:
            [judged] = step([make_message(text)], policy=Policy())
        except ProviderError:
            continue
        return judged
    pytest.fail("it never came to an end")
