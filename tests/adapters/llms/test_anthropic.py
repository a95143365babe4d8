import json
from collections.abc import Iterator, Mapping

import pytest

from recollect.adapters.llms.anthropic import AnthropicChatModel
from recollect.errors import ProviderBusy, ProviderError
from recollect.ports.chat_model import Turn
from recollect.testing.faults import Pieces, Reply, refused
from recollect.testing.model_server import ModelServer

KEY = "sk-ant-secret-0123456789"
ASKED = [
    Turn(role="system", content="Be brief."),
    Turn(role="user", content="Hello"),
    Turn(role="system", content="Be kind."),
]
SCHEMA = {"type": "object", "properties": {}}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def model(server: ModelServer) -> Iterator[AnthropicChatModel]:
    model = AnthropicChatModel(server.origin, "echo", KEY)
    yield model
    model.close()


def events(*data: Mapping[str, object]) -> Pieces:
    return Pieces(pieces=tuple(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in data))


def test_a_request_is_in_the_dialect_with_the_system_text_apart(
    server: ModelServer, model: AnthropicChatModel
) -> None:
    model.complete(ASKED, max_tokens=50)
    [request] = server.requests

    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in request.headers
    assert request.body == {
        "model": "echo",
        "max_tokens": 50,
        "system": "Be brief.\n\nBe kind.",
        "messages": [{"role": "user", "content": "Hello"}],
    }


def test_an_address_that_ends_in_v1_is_the_same_address(server: ModelServer) -> None:
    model = AnthropicChatModel(f"{server.base_url}/", "echo")
    model.complete(ASKED, max_tokens=50)
    model.close()

    assert dict(server.counts) == {"/v1/messages": 1}


def test_a_schema_is_sent_as_an_output_format(server: ModelServer, model: AnthropicChatModel) -> None:
    model.complete(ASKED, max_tokens=50, schema=SCHEMA)

    assert server.requests[0].body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}


def test_an_endpoint_without_schemas_is_asked_again_without_and_that_is_remembered(
    server: ModelServer, model: AnthropicChatModel
) -> None:
    server.fail_next(refused(400, "output_config: Extra inputs are not permitted"))
    for _ in range(2):
        model.complete(ASKED, max_tokens=50, schema=SCHEMA)

    assert ["output_config" in request.body for request in server.requests] == [True, False, False]


def test_an_overload_in_the_middle_of_a_stream_is_busy(
    server: ModelServer, model: AnthropicChatModel
) -> None:
    begun = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "I was "}}
    server.fail_next(events(begun, {"type": "error", "error": {"type": "overloaded_error", "message": KEY}}))
    stream = model.stream(ASKED, max_tokens=50)

    assert next(stream) == "I was "
    with pytest.raises(ProviderBusy, match=r"broke off with an error \(overloaded_error\)"):
        next(stream)


def test_an_error_that_waiting_does_not_mend_is_not_busy(
    server: ModelServer, model: AnthropicChatModel
) -> None:
    server.fail_next(events({"type": "error", "error": {"type": "invalid_request_error"}}))

    with pytest.raises(ProviderError, match="invalid_request_error") as caught:
        list(model.stream(ASKED, max_tokens=50))
    assert not isinstance(caught.value, ProviderBusy)


def test_a_server_that_streams_nothing_but_a_whole_answer_is_understood(
    server: ModelServer, model: AnthropicChatModel
) -> None:
    whole = {
        "type": "message",
        "content": [{"type": "text", "text": "all at once"}],
        "stop_reason": "end_turn",
    }
    server.fail_next(Reply(headers={"Content-Type": "application/json"}, body=json.dumps(whole).encode()))

    assert list(model.stream(ASKED, max_tokens=50)) == ["all at once"]


def test_thinking_is_no_part_of_the_answer(server: ModelServer, model: AnthropicChatModel) -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hello"}]
    whole = {"type": "message", "content": blocks, "stop_reason": "end_turn"}
    server.fail_next(
        Reply(headers={"Content-Type": "application/json"}, body=json.dumps(whole).encode()),
        events(
            {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hello"}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        ),
    )

    assert model.complete(ASKED, max_tokens=50).text == "Hello"
    assert list(model.stream(ASKED, max_tokens=50)) == ["Hello"]


def test_the_models_of_an_endpoint_are_listed(model: AnthropicChatModel) -> None:
    assert model.models() == ["letters", "echo"]
