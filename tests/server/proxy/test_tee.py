import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.message import Role
from recollect.server.proxy.dialects.anthropic import ANTHROPIC_DIALECT
from recollect.server.proxy.dialects.chat_completions import CHAT_COMPLETIONS_DIALECT
from recollect.server.proxy.dialects.content_parts import Dialect
from recollect.server.proxy.dialects.ollama import OLLAMA_DIALECT
from recollect.server.proxy.dialects.responses import RESPONSES_DIALECT
from recollect.server.proxy.request_view import ProxyMessage
from recollect.server.proxy.tee import MAX_BUFFERED_BYTES, ResponseTee
from recollect.testing import dialects, ollama, responses
from recollect.testing.answers import ScriptedReply

ANSWER_TEXT = "Olá! Your dog is called Bolt 🐕."
TEXT_REPLY = ScriptedReply(prompt="", text=ANSWER_TEXT)
TOOL_REPLY = ScriptedReply(prompt="", text=None, finish_reason="tool")
EXPECTED_MESSAGES = (ProxyMessage(role=Role.ASSISTANT, text=ANSWER_TEXT),)
SSE_TYPE, NDJSON_TYPE, JSON_TYPE = (
    "text/event-stream; charset=utf-8",
    "application/x-ndjson",
    "application/json",
)

STREAM_CASES = [
    (CHAT_COMPLETIONS_DIALECT, SSE_TYPE, dialects.openai_stream(TEXT_REPLY, "m")),
    (RESPONSES_DIALECT, SSE_TYPE, responses.responses_stream(TEXT_REPLY, "m")),
    (ANTHROPIC_DIALECT, SSE_TYPE, dialects.anthropic_stream(TEXT_REPLY, "m")),
    (OLLAMA_DIALECT, NDJSON_TYPE, ollama.ollama_stream(TEXT_REPLY, "m")),
]
WHOLE_REPLY_CASES = [
    (CHAT_COMPLETIONS_DIALECT, JSON_TYPE, json.dumps(dialects.openai_response(TEXT_REPLY, "m")).encode()),
    (RESPONSES_DIALECT, JSON_TYPE, json.dumps(responses.responses_response(TEXT_REPLY, "m")).encode()),
    (ANTHROPIC_DIALECT, JSON_TYPE, json.dumps(dialects.anthropic_response(TEXT_REPLY, "m")).encode()),
    (OLLAMA_DIALECT, JSON_TYPE, json.dumps(ollama.ollama_response(TEXT_REPLY, "m")).encode()),
]
TOOL_CALL_CASES = [
    (CHAT_COMPLETIONS_DIALECT, SSE_TYPE, dialects.openai_stream(TOOL_REPLY, "m"), "call_1"),
    (
        CHAT_COMPLETIONS_DIALECT,
        JSON_TYPE,
        json.dumps(dialects.openai_response(TOOL_REPLY, "m")).encode(),
        "call_1",
    ),
    (RESPONSES_DIALECT, SSE_TYPE, responses.responses_stream(TOOL_REPLY, "m"), "call_1"),
    (
        RESPONSES_DIALECT,
        JSON_TYPE,
        json.dumps(responses.responses_response(TOOL_REPLY, "m")).encode(),
        "call_1",
    ),
    (ANTHROPIC_DIALECT, SSE_TYPE, dialects.anthropic_stream(TOOL_REPLY, "m"), "toolu_1"),
    (
        ANTHROPIC_DIALECT,
        JSON_TYPE,
        json.dumps(dialects.anthropic_response(TOOL_REPLY, "m")).encode(),
        "toolu_1",
    ),
]


def collect_messages(dialect: Dialect, kind: str, *pieces: bytes) -> tuple[ProxyMessage, ...]:
    listener = ResponseTee(dialect.create_accumulator(), kind, "")
    for piece in pieces:
        listener.feed(piece)
    return listener.messages()


@pytest.mark.parametrize(("dialect", "kind", "answer"), [*STREAM_CASES, *WHOLE_REPLY_CASES])
@given(cuts=st.lists(st.integers(0, 4000), max_size=12))
def test_a_response_is_parsed_in_any_chunking(
    dialect: Dialect, kind: str, answer: bytes, cuts: list[int]
) -> None:
    places = [0, *sorted(cuts), len(answer)]
    pieces = [answer[a:b] for a, b in pairwise(places)]

    assert collect_messages(dialect, kind, *pieces) == EXPECTED_MESSAGES


@pytest.mark.parametrize(("dialect", "kind", "answer"), STREAM_CASES)
def test_an_interrupted_response_is_parsed_up_to_that_point(
    dialect: Dialect, kind: str, answer: bytes
) -> None:
    at = answer.index(b"called") + 7
    [message] = collect_messages(dialect, kind, answer[:at])

    assert ANSWER_TEXT.startswith(message.text)
    assert message.text.startswith("Olá! Your dog")


@pytest.mark.parametrize(("dialect", "kind", "answer", "call"), TOOL_CALL_CASES)
def test_tool_calls_are_parsed(dialect: Dialect, kind: str, answer: bytes, call: str) -> None:
    [message] = collect_messages(dialect, kind, answer)

    assert (message.role, message.text, message.call_ids) == (Role.ASSISTANT, "", (call,))
    assert [each["type"] for each in json.loads(message.tool_calls or "")] != []


def test_streamed_arguments_of_a_tool_call_are_joined() -> None:
    first = {"index": 0, "id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q":'}}
    deltas = [
        first,
        {"index": 0, "function": {"arguments": ' "dog'}},
        {"index": 0, "function": {"arguments": 's"}'}},
    ]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in deltas]
    [message] = collect_messages(
        CHAT_COMPLETIONS_DIALECT,
        SSE_TYPE,
        *(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks),
    )

    [call] = json.loads(message.tool_calls or "")
    assert call["function"] == {"name": "look", "arguments": '{"q": "dogs"}'}


def test_the_first_of_several_choices_is_used() -> None:
    choices = [{"index": n, "delta": {"content": f"answer {n}"}} for n in (1, 0)]
    [message] = collect_messages(
        CHAT_COMPLETIONS_DIALECT, SSE_TYPE, b"data: %b\n\n" % json.dumps({"choices": choices}).encode()
    )

    assert message.text == "answer 0"


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
            b"data: " + b"x" * (MAX_BUFFERED_BYTES + 1),
            b'\n\ndata: {"choices": [{"index": 0, "delta": {"content": "hi"}}]}\n\n',
        ),
    ],
)
def test_unparsable_responses_are_ignored(pieces: tuple[bytes, ...]) -> None:
    assert collect_messages(CHAT_COMPLETIONS_DIALECT, SSE_TYPE, *pieces) == ()


def test_a_compressed_response_is_not_parsed() -> None:
    listener = ResponseTee(CHAT_COMPLETIONS_DIALECT.create_accumulator(), JSON_TYPE, "gzip")
    listener.feed(WHOLE_REPLY_CASES[0][2])

    assert listener.messages() == ()


def test_a_response_has_its_response_id() -> None:
    listener = ResponseTee(RESPONSES_DIALECT.create_accumulator(), JSON_TYPE, "")
    listener.feed(b'{"id": "resp_7", "output": []}')
    listener.messages()

    assert listener.response_id == "resp_7"
