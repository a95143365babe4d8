import json
from collections.abc import Iterator

import pytest

from recollect.adapters.llms.openai_compatible import OpenAIChatModel
from recollect.errors import ConfigError, ProviderError
from recollect.ports.chat_model import ModelMessage
from recollect.testing.faults import Reply, error_reply
from recollect.testing.model_server import ModelServer

API_KEY = "sk-very-secret-0123456789"
REQUEST_MESSAGES = [
    ModelMessage(role="system", content="Be brief."),
    ModelMessage(role="user", content="Hello"),
]
REPLY_SCHEMA = {"type": "object", "properties": {}}
RESPONSE_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "answer", "strict": True, "schema": REPLY_SCHEMA},
}
JSON_HEADERS = {"Content-Type": "application/json"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def model(server: ModelServer) -> Iterator[OpenAIChatModel]:
    model = OpenAIChatModel(server.base_url, "echo", API_KEY)
    yield model
    model.close()


def test_a_request_has_the_expected_format_and_the_key(server: ModelServer, model: OpenAIChatModel) -> None:
    model.complete(REQUEST_MESSAGES, max_tokens=50)
    [request] = server.requests

    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {API_KEY}"
    assert request.body == {
        "model": "echo",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "max_tokens": 50,
    }


def test_without_a_key_none_is_sent(server: ModelServer) -> None:
    model = OpenAIChatModel(f"{server.base_url}/", "echo")
    model.complete(REQUEST_MESSAGES, max_tokens=50)
    model.close()

    assert "authorization" not in server.requests[0].headers


def test_a_schema_is_sent_as_a_response_format(server: ModelServer, model: OpenAIChatModel) -> None:
    model.complete(REQUEST_MESSAGES, max_tokens=50, schema=REPLY_SCHEMA)

    assert server.requests[0].body["response_format"] == RESPONSE_FORMAT


@pytest.mark.parametrize(
    "complaint",
    [
        error_reply(400, "'response_format' of type 'json_schema' is not supported with this model"),
        error_reply(400, "json_schema is not available"),
        error_reply(422, "Extra inputs are not permitted: response_format"),
    ],
)
def test_a_rejected_schema_is_omitted_in_a_retry_and_in_later_requests(
    server: ModelServer, model: OpenAIChatModel, complaint: Reply
) -> None:
    server.answer("[]")
    server.fail_next(complaint)
    texts = [model.complete(REQUEST_MESSAGES, max_tokens=50, schema=REPLY_SCHEMA).text for _ in range(2)]

    assert texts == ["[]", "[]"]
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]


def test_max_completion_tokens_is_sent_if_the_model_requires_it(
    server: ModelServer, model: OpenAIChatModel
) -> None:
    server.fail_next(
        error_reply(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        error_reply(400, "response_format is not supported"),
    )
    model.complete(REQUEST_MESSAGES, max_tokens=50, schema=REPLY_SCHEMA)
    last = server.requests[-1].body

    assert len(server.requests) == 3
    assert (last.get("max_completion_tokens"), last.get("max_tokens"), last.get("response_format")) == (
        50,
        None,
        None,
    )


def test_a_rejection_for_another_reason_is_an_error_immediately(
    server: ModelServer, model: OpenAIChatModel
) -> None:
    server.fail_next(error_reply(400, "the context is too long"))

    with pytest.raises(ProviderError, match=r"400 \(invalid_request_error\)"):
        model.complete(REQUEST_MESSAGES, max_tokens=50, schema=REPLY_SCHEMA)
    assert len(server.requests) == 1


def test_a_repeated_rejection_is_an_error_after_one_retry(
    server: ModelServer, model: OpenAIChatModel
) -> None:
    server.fail_next(*[error_reply(400, "response_format is not supported")] * 3)

    with pytest.raises(ProviderError, match="400"):
        model.complete(REQUEST_MESSAGES, max_tokens=50, schema=REPLY_SCHEMA)
    assert len(server.requests) == 2


def test_a_stream_request_asks_for_a_stream(server: ModelServer, model: OpenAIChatModel) -> None:
    list(model.stream(REQUEST_MESSAGES, max_tokens=50))

    assert server.requests[0].body["stream"] is True


def test_a_complete_response_to_a_stream_request_is_accepted(
    server: ModelServer, model: OpenAIChatModel
) -> None:
    whole = {"choices": [{"message": {"content": "all at once"}, "finish_reason": "stop"}]}
    server.fail_next(Reply(headers=JSON_HEADERS, body=json.dumps(whole).encode()))

    assert list(model.stream(REQUEST_MESSAGES, max_tokens=50)) == ["all at once"]


def test_the_text_parts_of_a_reply_are_joined(server: ModelServer, model: OpenAIChatModel) -> None:
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}, {"type": "image"}]
    answer = {"choices": [{"message": {"content": parts}}], "usage": {"prompt_tokens": "many"}}
    server.fail_next(Reply(headers=JSON_HEADERS, body=json.dumps(answer).encode()))
    completion = model.complete(REQUEST_MESSAGES, max_tokens=50)

    assert (completion.text, completion.model, completion.prompt_tokens) == ("one two", "echo", 0)


def test_the_models_of_an_endpoint_are_listed(model: OpenAIChatModel) -> None:
    assert model.models() == ["letters", "echo"]


def test_the_query_string_of_the_base_url_is_kept(server: ModelServer) -> None:
    model = OpenAIChatModel(f"{server.base_url}?api-version=7", "echo")

    with pytest.raises(ProviderError, match="404"):
        model.complete(REQUEST_MESSAGES, max_tokens=50)
    assert server.requests[0].path == "/v1/chat/completions?api-version=7"
    model.close()


@pytest.mark.parametrize(
    "address", ["", "localhost:11434", "ftp://models.example", "http://", "http://a\x00b"]
)
def test_an_invalid_base_url_is_refused_immediately(address: str) -> None:
    with pytest.raises(ConfigError, match="not a web address"):
        OpenAIChatModel(address, "echo")


@pytest.mark.parametrize("key", ["sk-\nsecret", "sk-sécret", "sk secret", "sk-\x00secret"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        OpenAIChatModel("http://127.0.0.1:1/v1", "echo", key)
    assert "secret" not in str(caught.value)
