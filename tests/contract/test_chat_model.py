"""Contract of chat models; every adapter and the fake run it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.adapters.llms.anthropic import AnthropicChatModel
from recollect.adapters.llms.openai_compatible import OpenAIChatModel
from recollect.errors import ProviderBusy, ProviderError
from recollect.ports.chat_model import ChatModel, ModelMessage
from recollect.testing import faults
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.model_server import ModelServer

REQUEST_MESSAGES = [
    ModelMessage(role="system", content="You are Katherine."),
    ModelMessage(role="user", content="Sou vegetariano"),
    ModelMessage(role="assistant", content="Que bom!"),
    ModelMessage(role="user", content="O que janto hoje?"),
]
REPLY_SCHEMA = {"type": "object", "properties": {"c": {"type": "string"}}, "required": ["c"]}
REPLY_TEXTS = {
    "one word": "NOTHING",
    "json": '[{"t":"pref","c":"odeia coentro","w":0.8}]',
    "lines": "first\n\n  second\tthird \n",
    "accents": "Amanhã compro pão e limões no armazém.",
    "emoji": "👩‍👩‍👧‍👦 🇵🇹 é família",
    "chinese": "我喜欢在山里散步。",
    "what streams are made of": "data: [DONE]\n\ndata: {}\nevent: error\r\n: comment",
    "long": "walking in the mountains " * 400,
}


@dataclass(frozen=True)
class ModelUnderTest:
    model: ChatModel
    set_reply: Callable[[str], None]
    fail_temporarily: Callable[[], None]  #: the next call fails, but a later one works
    fail_permanently: Callable[[], None]  #: the next call fails for good


@contextmanager
def openai_model() -> Iterator[ModelUnderTest]:
    with ModelServer() as server:
        model = OpenAIChatModel(server.base_url, "echo", "sk-test")
        yield model_behind_server(model, server)
        model.close()


@contextmanager
def anthropic_model() -> Iterator[ModelUnderTest]:
    with ModelServer() as server:
        model = AnthropicChatModel(server.origin, "echo", "sk-test")
        yield model_behind_server(model, server)
        model.close()


def model_behind_server(model: ChatModel, server: ModelServer) -> ModelUnderTest:
    return ModelUnderTest(
        model=model,
        set_reply=server.answer,
        fail_temporarily=lambda: server.fail_next(faults.RATE_LIMITED),
        fail_permanently=lambda: server.fail_next(faults.BAD_KEY),
    )


@contextmanager
def scripted_model() -> Iterator[ModelUnderTest]:
    model = ScriptedChatModel(model_id="echo")
    yield ModelUnderTest(
        model=model,
        set_reply=model.answer,
        fail_temporarily=lambda: model.fail_next(ProviderBusy(retry_after=7.0)),
        fail_permanently=lambda: model.fail_next(ProviderError()),
    )


MODEL_FACTORIES: dict[str, Callable[[], AbstractContextManager[ModelUnderTest]]] = {
    "openai": openai_model,
    "anthropic": anthropic_model,
    "scripted": scripted_model,
}


@pytest.fixture(scope="module", params=MODEL_FACTORIES)
def under_test(request: pytest.FixtureRequest) -> Iterator[ModelUnderTest]:
    with MODEL_FACTORIES[request.param]() as under_test:
        yield under_test


def test_the_model_id_is_known_before_the_first_request(under_test: ModelUnderTest) -> None:
    assert under_test.model.model_id == "echo"


@pytest.mark.spec("D11")
@pytest.mark.parametrize("text", REPLY_TEXTS.values(), ids=REPLY_TEXTS.keys())
def test_a_reply_is_returned_unchanged_complete_and_streamed(under_test: ModelUnderTest, text: str) -> None:
    under_test.set_reply(text)
    whole = under_test.model.complete(REQUEST_MESSAGES, max_tokens=5000)
    pieces = list(under_test.model.stream(REQUEST_MESSAGES, max_tokens=5000))

    assert (whole.text, whole.is_truncated, "".join(pieces)) == (text, False, text)
    assert all(pieces)


@settings(max_examples=20, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_reply_text_is_returned_unchanged(under_test: ModelUnderTest, text: str) -> None:
    under_test.set_reply(text)

    assert under_test.model.complete(REQUEST_MESSAGES, max_tokens=5000).text == text
    assert "".join(under_test.model.stream(REQUEST_MESSAGES, max_tokens=5000)) == text


def test_the_completion_has_the_token_counts_and_model_of_the_provider(under_test: ModelUnderTest) -> None:
    under_test.set_reply("three little words")
    result = under_test.model.complete([ModelMessage(role="user", content="one two")], max_tokens=50)

    assert (result.model, result.prompt_tokens, result.completion_tokens) == ("echo", 2, 3)


def test_a_truncated_reply_is_marked(under_test: ModelUnderTest) -> None:
    under_test.set_reply("one two three four")
    result = under_test.model.complete(REQUEST_MESSAGES, max_tokens=2)

    assert (result.text.strip(), result.is_truncated) == ("one two", True)
    assert "".join(under_test.model.stream(REQUEST_MESSAGES, max_tokens=2)).strip() == "one two"


def test_a_schema_is_accepted(under_test: ModelUnderTest) -> None:
    under_test.set_reply('{"c": "tea"}')

    assert (
        under_test.model.complete(REQUEST_MESSAGES, max_tokens=50, schema=REPLY_SCHEMA).text == '{"c": "tea"}'
    )


def test_a_prompt_with_lone_surrogates_is_accepted(under_test: ModelUnderTest) -> None:
    under_test.set_reply("fine")

    assert (
        under_test.model.complete([ModelMessage(role="user", content="a\ud800b\x00")], max_tokens=50).text
        == "fine"
    )


def test_an_abandoned_stream_leaves_the_model_usable(under_test: ModelUnderTest) -> None:
    under_test.set_reply("one two three four")
    stream = under_test.model.stream(REQUEST_MESSAGES, max_tokens=50)
    first = next(stream)
    stream.close()  # type: ignore[attr-defined]

    assert first.strip() == "one"
    assert under_test.model.complete(REQUEST_MESSAGES, max_tokens=50).text == "one two three four"


def test_four_threads_get_the_same_answers_as_one(under_test: ModelUnderTest) -> None:
    under_test.set_reply("the same for all")
    with ThreadPoolExecutor(4) as pool:
        result = list(
            pool.map(
                lambda _: (
                    under_test.model.complete(REQUEST_MESSAGES, max_tokens=50).text,
                    "".join(under_test.model.stream(REQUEST_MESSAGES, max_tokens=50)),
                ),
                range(8),
            )
        )

    assert result == [("the same for all", "the same for all")] * 8


def test_a_busy_model_says_when_to_retry_and_then_answers(under_test: ModelUnderTest) -> None:
    under_test.set_reply("here I am")
    under_test.fail_temporarily()

    with pytest.raises(ProviderBusy) as caught:
        under_test.model.complete(REQUEST_MESSAGES, max_tokens=50)
    assert caught.value.retry_after == 7.0
    assert under_test.model.complete(REQUEST_MESSAGES, max_tokens=50).text == "here I am"


def test_a_busy_model_is_busy_in_a_stream_as_well(under_test: ModelUnderTest) -> None:
    under_test.fail_temporarily()

    with pytest.raises(ProviderBusy):
        list(under_test.model.stream(REQUEST_MESSAGES, max_tokens=50))


def test_a_permanent_failure_is_not_busy(under_test: ModelUnderTest) -> None:
    under_test.fail_permanently()

    with pytest.raises(ProviderError) as caught:
        under_test.model.complete(REQUEST_MESSAGES, max_tokens=50)
    assert not isinstance(caught.value, ProviderBusy)
