import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.message import Role
from recollect.server.proxy.dialects.anthropic import ANTHROPIC
from recollect.server.proxy.dialects.chat_completions import CHAT
from recollect.server.proxy.dialects.content_parts import Dialect
from recollect.server.proxy.dialects.ollama import OLLAMA
from recollect.server.proxy.dialects.responses import RESPONSES
from recollect.server.proxy.request_view import Said
from recollect.server.proxy.tee import MOST, Listener
from recollect.testing import dialects, ollama, responses
from recollect.testing.answers import Saying

ANSWER = "Olá! Your dog is called Bolt 🐕."
SAYING = Saying(prompt="", text=ANSWER)
TOOL = Saying(prompt="", text=None, ending="tool")
SPOKEN = (Said(role=Role.ASSISTANT, text=ANSWER),)
EVENTS, LINES, WHOLE = "text/event-stream; charset=utf-8", "application/x-ndjson", "application/json"

STREAMS = [
    (CHAT, EVENTS, dialects.openai_stream(SAYING, "m")),
    (RESPONSES, EVENTS, responses.responses_stream(SAYING, "m")),
    (ANTHROPIC, EVENTS, dialects.anthropic_stream(SAYING, "m")),
    (OLLAMA, LINES, ollama.ollama_stream(SAYING, "m")),
]
AT_ONCE = [
    (CHAT, WHOLE, json.dumps(dialects.openai_answer(SAYING, "m")).encode()),
    (RESPONSES, WHOLE, json.dumps(responses.responses_answer(SAYING, "m")).encode()),
    (ANTHROPIC, WHOLE, json.dumps(dialects.anthropic_answer(SAYING, "m")).encode()),
    (OLLAMA, WHOLE, json.dumps(ollama.ollama_answer(SAYING, "m")).encode()),
]
CALLS = [
    (CHAT, EVENTS, dialects.openai_stream(TOOL, "m"), "call_1"),
    (CHAT, WHOLE, json.dumps(dialects.openai_answer(TOOL, "m")).encode(), "call_1"),
    (RESPONSES, EVENTS, responses.responses_stream(TOOL, "m"), "call_1"),
    (RESPONSES, WHOLE, json.dumps(responses.responses_answer(TOOL, "m")).encode(), "call_1"),
    (ANTHROPIC, EVENTS, dialects.anthropic_stream(TOOL, "m"), "toolu_1"),
    (ANTHROPIC, WHOLE, json.dumps(dialects.anthropic_answer(TOOL, "m")).encode(), "toolu_1"),
]


def heard(dialect: Dialect, kind: str, *pieces: bytes) -> tuple[Said, ...]:
    listener = Listener(dialect.fold(), kind, "")
    for piece in pieces:
        listener.hear(piece)
    return listener.said()


@pytest.mark.parametrize(("dialect", "kind", "answer"), [*STREAMS, *AT_ONCE])
@given(cuts=st.lists(st.integers(0, 4000), max_size=12))
def test_an_answer_is_heard_however_it_is_cut(
    dialect: Dialect, kind: str, answer: bytes, cuts: list[int]
) -> None:
    places = [0, *sorted(cuts), len(answer)]
    pieces = [answer[a:b] for a, b in pairwise(places)]

    assert heard(dialect, kind, *pieces) == SPOKEN


@pytest.mark.parametrize(("dialect", "kind", "answer"), STREAMS)
def test_an_answer_that_breaks_off_is_heard_as_far_as_it_came(
    dialect: Dialect, kind: str, answer: bytes
) -> None:
    at = answer.index(b"called") + 7
    [said] = heard(dialect, kind, answer[:at])

    assert ANSWER.startswith(said.text)
    assert said.text.startswith("Olá! Your dog")


@pytest.mark.parametrize(("dialect", "kind", "answer", "call"), CALLS)
def test_calls_of_tools_are_heard(dialect: Dialect, kind: str, answer: bytes, call: str) -> None:
    [said] = heard(dialect, kind, answer)

    assert (said.role, said.text, said.call_ids) == (Role.ASSISTANT, "", (call,))
    assert [each["type"] for each in json.loads(said.tool_calls or "")] != []


def test_the_arguments_of_a_call_come_bit_by_bit() -> None:
    first = {"index": 0, "id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q":'}}
    deltas = [
        first,
        {"index": 0, "function": {"arguments": ' "dog'}},
        {"index": 0, "function": {"arguments": 's"}'}},
    ]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in deltas]
    [said] = heard(CHAT, EVENTS, *(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks))

    [call] = json.loads(said.tool_calls or "")
    assert call["function"] == {"name": "look", "arguments": '{"q": "dogs"}'}


def test_of_several_answers_the_first_is_heard() -> None:
    choices = [{"index": n, "delta": {"content": f"answer {n}"}} for n in (1, 0)]
    [said] = heard(CHAT, EVENTS, b"data: %b\n\n" % json.dumps({"choices": choices}).encode())

    assert said.text == "answer 0"


@pytest.mark.parametrize(
    "pieces",
    [
        (b"",),
        (b"data: [DONE]\n\n",),
        (b": comment\nid: 3\nretry: 9\n\n",),
        (b"data: {\n\n", b"data: 3\n\n", b'data: {"choices": 3}\n\n'),
        (b'data: {"choices": [{"delta": null}, 7]}\n\n',),
        (b"\xff\xfe\x00\n\n",),
        (b"data: " + b"[" * 100_000 + b"\n\n",),
        (
            b"data: " + b"x" * (MOST + 1),
            b'\n\ndata: {"choices": [{"index": 0, "delta": {"content": "hi"}}]}\n\n',
        ),
    ],
)
def test_whatever_is_no_answer_is_passed_over(pieces: tuple[bytes, ...]) -> None:
    assert heard(CHAT, EVENTS, *pieces) == ()


def test_a_compressed_answer_is_not_unpacked() -> None:
    listener = Listener(CHAT.fold(), WHOLE, "gzip")
    listener.hear(AT_ONCE[0][2])

    assert listener.said() == ()


def test_an_answer_that_can_be_gone_on_from_says_its_name() -> None:
    listener = Listener(RESPONSES.fold(), WHOLE, "")
    listener.hear(b'{"id": "resp_7", "output": []}')
    listener.said()

    assert listener.response_id == "resp_7"
