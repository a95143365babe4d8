import json
from collections.abc import Iterator, Mapping

import pytest

from recollect.adapters.llms.anthropic import AnthropicChatModel
from recollect.errors import ProviderBusy, ProviderError
from recollect.ports.chat_model import ModelMessage
from recollect.testing.faults import ChunkedReply, Reply, error_reply
from recollect.testing.model_server import ModelServer

API_KEY = "sk-ant-secret-0123456789"
REQUEST_MESSAGES = [
    ModelMessage(role="system", content="Be brief."),
    ModelMessage(role="user", content="Hello"),
    ModelMessage(role="system", content="Be kind."),
]
REPLY_SCHEMA = {"type": "object", "properties": {}}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def model(server: ModelServer) -> Iterator[AnthropicChatModel]:
    model = AnthropicChatModel(server.origin, "echo", API_KEY)
    yield model
    model.close()


def event_stream(*data: Mapping[str, object]) -> ChunkedReply:
    return ChunkedReply(chunks=tuple(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in data))


def test_a_request_has_the_expected_format_with_a_separate_system_text(
    server: ModelServer, model: AnthropicChatModel
) -> None:
    model.complete(REQUEST_MESSAGES, max_tokens=50)
    [request] = server.requests

    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == API_KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in request.headers
    assert request.body == {
        "model": "echo",
        "max_tokens": 50,
        "system": "Be brief.\n\nBe kind.",
        "messages": [{"role": "user", "content": "Hello"}],
    }


def test_a_base_url_that_ends_in_v1_is_equivalent(server: ModelServer) -> None:
    model = AnthropicChatModel(f"{server.base_url}/", "echo")
    model.complete(REQUEST_MESSAGES, max_tokens=50)
    model.close()

    assert dict(server.counts) == {"/v1/messages": 1}


def test_a_schema_is_sent_as_an_output_format(server: ModelServer, model: AnthropicChatModel) -> None:
    model.complete(REQUEST_MESSAGES, max_tokens=50, schema=REPLY_SCHEMA)

    assert server.requests[0].body["output_config"] == {
        "format": {"type": "json_schema", "schema": REPLY_SCHEMA}
    }


def test_a_rejected_schema_is_omitted_in_a_retry_and_in_later_requests(
    server: ModelServer, model: AnthropicChatModel
) -> None:
    server.fail_next(error_reply(400, "output_config: Extra inputs are not permitted"))
    for _ in range(2):
        model.complete(REQUEST_MESSAGES, max_tokens=50, schema=REPLY_SCHEMA)

    assert ["output_config" in request.body for request in server.requests] == [True, False, False]


def test_an_overload_in_the_middle_of_a_stream_is_busy(
    server: ModelServer, model: AnthropicChatModel
) -> None:
    first_delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "I was "}}
    server.fail_next(
        event_stream(
            first_delta, {"type": "error", "error": {"type": "overloaded_error", "message": API_KEY}}
        )
    )
    stream = model.stream(REQUEST_MESSAGES, max_tokens=50)

    assert next(stream) == "I was "
    with pytest.raises(ProviderBusy, match=r"broke off with an error \(overloaded_error\)"):
        next(stream)


def test_a_permanent_error_is_not_busy(server: ModelServer, model: AnthropicChatModel) -> None:
    server.fail_next(event_stream({"type": "error", "error": {"type": "invalid_request_error"}}))

    with pytest.raises(ProviderError, match="invalid_request_error") as caught:
        list(model.stream(REQUEST_MESSAGES, max_tokens=50))
    assert not isinstance(caught.value, ProviderBusy)


def test_a_complete_response_to_a_stream_request_is_accepted(
    server: ModelServer, model: AnthropicChatModel
) -> None:
    whole = {
        "type": "message",
        "content": [{"type": "text", "text": "all at once"}],
        "stop_reason": "end_turn",
    }
    server.fail_next(Reply(headers={"Content-Type": "application/json"}, body=json.dumps(whole).encode()))

    assert list(model.stream(REQUEST_MESSAGES, max_tokens=50)) == ["all at once"]


def test_thinking_is_not_part_of_the_reply(server: ModelServer, model: AnthropicChatModel) -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hello"}]
    whole = {"type": "message", "content": blocks, "stop_reason": "end_turn"}
    server.fail_next(
        Reply(headers={"Content-Type": "application/json"}, body=json.dumps(whole).encode()),
        event_stream(
            {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hello"}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        ),
    )

    assert model.complete(REQUEST_MESSAGES, max_tokens=50).text == "Hello"
    assert list(model.stream(REQUEST_MESSAGES, max_tokens=50)) == ["Hello"]


def test_the_models_of_an_endpoint_are_listed(model: AnthropicChatModel) -> None:
    assert model.models() == ["letters", "echo"]
