"""What any chat model must do; every adapter and the fake run it."""

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
from recollect.ports.chat_model import ChatModel, Turn
from recollect.testing import faults
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.model_server import ModelServer

ASKED = [
    Turn(role="system", content="You are Katherine."),
    Turn(role="user", content="Sou vegetariano"),
    Turn(role="assistant", content="Que bom!"),
    Turn(role="user", content="O que janto hoje?"),
]
SCHEMA = {"type": "object", "properties": {"c": {"type": "string"}}, "required": ["c"]}
TEXTS = {
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
class Plug:
    model: ChatModel
    answer: Callable[[str], None]
    be_busy: Callable[[], None]  #: the next call fails, but a later one works
    be_wrong: Callable[[], None]  #: the next call fails for good


@contextmanager
def openai() -> Iterator[Plug]:
    with ModelServer() as server:
        model = OpenAIChatModel(server.base_url, "echo", "sk-test")
        yield served(model, server)
        model.close()


@contextmanager
def anthropic() -> Iterator[Plug]:
    with ModelServer() as server:
        model = AnthropicChatModel(server.origin, "echo", "sk-test")
        yield served(model, server)
        model.close()


def served(model: ChatModel, server: ModelServer) -> Plug:
    return Plug(
        model=model,
        answer=server.answer,
        be_busy=lambda: server.fail_next(faults.RATE_LIMITED),
        be_wrong=lambda: server.fail_next(faults.BAD_KEY),
    )


@contextmanager
def scripted() -> Iterator[Plug]:
    model = ScriptedChatModel(model_id="echo")
    yield Plug(
        model=model,
        answer=model.answer,
        be_busy=lambda: model.fail_next(ProviderBusy(retry_after=7.0)),
        be_wrong=lambda: model.fail_next(ProviderError()),
    )


PLUGS: dict[str, Callable[[], AbstractContextManager[Plug]]] = {
    "openai": openai,
    "anthropic": anthropic,
    "scripted": scripted,
}


@pytest.fixture(scope="module", params=PLUGS)
def plug(request: pytest.FixtureRequest) -> Iterator[Plug]:
    with PLUGS[request.param]() as plug:
        yield plug


def test_the_model_id_is_known_before_anything_is_asked(plug: Plug) -> None:
    assert plug.model.model_id == "echo"


@pytest.mark.spec("D11")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_an_answer_comes_back_as_it_was_said_whole_and_in_pieces(plug: Plug, text: str) -> None:
    plug.answer(text)
    whole = plug.model.complete(ASKED, max_tokens=5000)
    pieces = list(plug.model.stream(ASKED, max_tokens=5000))

    assert (whole.text, whole.cut, "".join(pieces)) == (text, False, text)
    assert all(pieces)


@settings(max_examples=20, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_comes_back_as_it_was_said(plug: Plug, text: str) -> None:
    plug.answer(text)

    assert plug.model.complete(ASKED, max_tokens=5000).text == text
    assert "".join(plug.model.stream(ASKED, max_tokens=5000)) == text


def test_the_tokens_and_the_model_are_told_as_the_provider_counts_them(plug: Plug) -> None:
    plug.answer("three little words")
    found = plug.model.complete([Turn(role="user", content="one two")], max_tokens=50)

    assert (found.model, found.prompt_tokens, found.completion_tokens) == ("echo", 2, 3)


def test_an_answer_that_ran_into_the_limit_says_so(plug: Plug) -> None:
    plug.answer("one two three four")
    found = plug.model.complete(ASKED, max_tokens=2)

    assert (found.text.strip(), found.cut) == ("one two", True)
    assert "".join(plug.model.stream(ASKED, max_tokens=2)).strip() == "one two"


def test_a_schema_is_welcome(plug: Plug) -> None:
    plug.answer('{"c": "tea"}')

    assert plug.model.complete(ASKED, max_tokens=50, schema=SCHEMA).text == '{"c": "tea"}'


def test_a_prompt_with_halves_of_characters_is_asked_like_any_other(plug: Plug) -> None:
    plug.answer("fine")

    assert plug.model.complete([Turn(role="user", content="a\ud800b\x00")], max_tokens=50).text == "fine"


def test_a_stream_that_nobody_reads_to_the_end_leaves_the_model_usable(plug: Plug) -> None:
    plug.answer("one two three four")
    stream = plug.model.stream(ASKED, max_tokens=50)
    first = next(stream)
    stream.close()  # type: ignore[attr-defined]

    assert first.strip() == "one"
    assert plug.model.complete(ASKED, max_tokens=50).text == "one two three four"


def test_four_threads_get_the_same_answers_as_one(plug: Plug) -> None:
    plug.answer("the same for all")
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(
                lambda _: (
                    plug.model.complete(ASKED, max_tokens=50).text,
                    "".join(plug.model.stream(ASKED, max_tokens=50)),
                ),
                range(8),
            )
        )

    assert found == [("the same for all", "the same for all")] * 8


def test_a_busy_model_says_when_to_ask_again_and_then_answers(plug: Plug) -> None:
    plug.answer("here I am")
    plug.be_busy()

    with pytest.raises(ProviderBusy) as caught:
        plug.model.complete(ASKED, max_tokens=50)
    assert caught.value.retry_after == 7.0
    assert plug.model.complete(ASKED, max_tokens=50).text == "here I am"


def test_a_busy_model_is_busy_in_a_stream_as_well(plug: Plug) -> None:
    plug.be_busy()

    with pytest.raises(ProviderBusy):
        list(plug.model.stream(ASKED, max_tokens=50))


def test_what_waiting_does_not_mend_is_not_called_busy(plug: Plug) -> None:
    plug.be_wrong()

    with pytest.raises(ProviderError) as caught:
        plug.model.complete(ASKED, max_tokens=50)
    assert not isinstance(caught.value, ProviderBusy)
