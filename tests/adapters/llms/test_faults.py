"""Provider failures in both APIs: each gives the right error, and the next call works."""

import traceback
from collections.abc import Callable, Iterator

import pytest

from recollect.adapters.llms.anthropic import AnthropicChatModel
from recollect.adapters.llms.openai_compatible import OpenAIChatModel
from recollect.errors import ProviderBusy, ProviderError
from recollect.ports.chat_model import ModelMessage
from recollect.testing import faults
from recollect.testing.faults import Fault, Flood, Reply
from recollect.testing.model_server import ModelServer

API_KEY = "sk-very-secret-0123456789"
REQUEST_MESSAGES = [ModelMessage(role="user", content="I am vegetarian")]
REPLY_TEXT = "Vegetariano, não come pão 👩‍👩‍👧‍👦"

AnyChatModel = OpenAIChatModel | AnthropicChatModel
JSON_HEADERS = {"Content-Type": "application/json"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.answer(REPLY_TEXT)
        yield server


@pytest.fixture(params=[OpenAIChatModel, AnthropicChatModel])
def make(request: pytest.FixtureRequest, server: ModelServer) -> Callable[..., AnyChatModel]:
    def make_model(**options: float) -> AnyChatModel:
        chat_model: AnyChatModel = request.param(server.base_url, "echo", API_KEY, **options)
        return chat_model

    return make_model


@pytest.fixture
def model(make: Callable[..., AnyChatModel]) -> Iterator[AnyChatModel]:
    model = make()
    yield model
    model.close()


def complete_text(model: AnyChatModel) -> str:
    return model.complete(REQUEST_MESSAGES, max_tokens=50).text


def stream_text(model: AnyChatModel) -> str:
    return "".join(model.stream(REQUEST_MESSAGES, max_tokens=50))


CALL_STYLES: dict[str, Callable[[AnyChatModel], str]] = {"whole": complete_text, "in pieces": stream_text}
FAILING_FAULTS: list[tuple[Fault, type[ProviderError], str]] = [
    (faults.CONNECTION_RESET, ProviderBusy, "cannot be reached"),
    (faults.RATE_LIMITED, ProviderBusy, r"429 \(rate_limit_exceeded\).*try again in 7 s"),
    (faults.RATE_LIMITED_UNTIL, ProviderBusy, "try again in 86400 s"),
    (faults.RATE_LIMITED_SINCE, ProviderBusy, "try again later"),
    (faults.RATE_LIMITED_ABSURDLY, ProviderBusy, "try again later"),
    (faults.SERVER_ERROR, ProviderBusy, "500"),
    (faults.UNAVAILABLE, ProviderBusy, "503"),
    (faults.OVERLOADED, ProviderBusy, "529"),
    (faults.BROKEN_MIDWAY, ProviderBusy, "broke off"),
    (faults.ERROR_IN_A_GOOD_REPLY, ProviderBusy, r"broke off with an error \(overloaded\)"),
    (faults.BAD_REQUEST, ProviderError, "400"),
    (faults.BAD_KEY, ProviderError, "does not accept the key"),
    (faults.UNKNOWN_MODEL, ProviderError, "the model echo exists"),
    (faults.REDIRECT, ProviderError, "Redirects are not followed"),
    (faults.HTML_PAGE, ProviderError, "text/html"),
    (faults.WRONG_CONTENT_TYPE, ProviderError, "text/html"),
    (faults.MALFORMED_JSON, ProviderError, "not JSON|the stream is empty"),
    (faults.EMPTY_BODY, ProviderError, "not JSON|the stream is empty"),
    (faults.HUGE_BODY, ProviderError, "more than 16,777,216 bytes"),
    (faults.EMPTY_CHOICES, ProviderError, "gave no answer"),
    (faults.NULL_CONTENT, ProviderError, "gave no answer"),
    (faults.REFUSAL, ProviderError, "it declined"),
    (faults.CONTENT_FILTER, ProviderError, "gave no answer"),
    (faults.TOOL_CALL, ProviderError, "gave no answer"),
    (Reply(headers=JSON_HEADERS, body=b"[1]"), ProviderError, "gave no answer"),
    (Reply(headers=JSON_HEADERS, body=b"{}"), ProviderError, "gave no answer"),
    (Reply(headers=JSON_HEADERS, body=b'{"choices": [7], "content": 7}'), ProviderError, "gave no answer"),
    (
        Reply(headers=JSON_HEADERS, body=b'{"choices": ' + b"[" * 100_000),
        ProviderError,
        "not JSON|stream is empty",
    ),
    (
        Reply(headers={**JSON_HEADERS, "Content-Encoding": "gzip"}, body=b"no gzip"),
        ProviderError,
        "cannot be read",
    ),
]
HARMLESS_FAULTS: list[Fault] = [
    faults.SPLIT_UTF8,
    faults.NO_DONE,
    faults.CRLF,
    faults.COMMENTS,
    faults.NO_LAST_LINE_END,
]


@pytest.mark.parametrize("ask", CALL_STYLES.values(), ids=CALL_STYLES.keys())
@pytest.mark.parametrize(("fault", "error", "says"), FAILING_FAULTS)
def test_each_fault_is_the_right_error_and_the_next_call_works(
    server: ModelServer,
    model: AnyChatModel,
    ask: Callable[[AnyChatModel], str],
    fault: Fault,
    error: type[ProviderError],
    says: str,
) -> None:
    server.fail_next(fault)

    with pytest.raises(ProviderError, match=f"(?s){says}") as caught:
        ask(model)
    assert caught.type is error
    assert API_KEY not in "".join(traceback.format_exception(caught.value))
    assert len(server.requests) == 1
    assert ask(model) == REPLY_TEXT


@pytest.mark.parametrize("fault", HARMLESS_FAULTS)
def test_unusual_but_valid_responses_are_accepted(
    server: ModelServer, model: AnyChatModel, fault: Fault
) -> None:
    server.fail_next(fault)

    assert stream_text(model) == REPLY_TEXT


def test_a_lone_surrogate_at_the_end_does_not_affect_the_rest(
    server: ModelServer, model: AnyChatModel
) -> None:
    server.fail_next(faults.LONE_SURROGATE, faults.LONE_SURROGATE)

    assert complete_text(model) == stream_text(model) == f"{REPLY_TEXT}\ufffd"


def test_an_empty_text_is_a_valid_reply(server: ModelServer, model: AnyChatModel) -> None:
    server.fail_next(faults.EMPTY_TEXT, faults.EMPTY_TEXT)

    assert (complete_text(model), stream_text(model)) == ("", "")


@pytest.mark.parametrize("ask", CALL_STYLES.values(), ids=CALL_STYLES.keys())
@pytest.mark.parametrize("fault", [faults.TIMEOUT, faults.SILENT_MIDWAY, faults.SLOW_DRIP])
def test_a_server_that_takes_too_long_is_busy(
    server: ModelServer, make: Callable[..., AnyChatModel], ask: Callable[[AnyChatModel], str], fault: Fault
) -> None:
    model = make(timeout=0.3)
    server.fail_next(fault)

    with pytest.raises(ProviderBusy, match=r"did not (answer|finish) within 0\.3 s"):
        ask(model)
    model.close()


def test_a_call_may_have_a_shorter_timeout(server: ModelServer, model: AnyChatModel) -> None:
    server.fail_next(faults.TIMEOUT, faults.TIMEOUT)

    with pytest.raises(ProviderBusy, match=r"within 0\.2 s"):
        model.complete(REQUEST_MESSAGES, max_tokens=50, timeout=0.2)
    with pytest.raises(ProviderBusy, match=r"within 0\.2 s"):
        list(model.stream(REQUEST_MESSAGES, max_tokens=50, timeout=0.2))


@pytest.mark.parametrize("ask", CALL_STYLES.values(), ids=CALL_STYLES.keys())
@pytest.mark.parametrize("fault", [faults.HUGE_OUTPUT, Flood(chunk_count=10, chunk_bytes=10_000)])
def test_a_response_above_the_size_limit_is_not_read_to_its_end(
    server: ModelServer, make: Callable[..., AnyChatModel], ask: Callable[[AnyChatModel], str], fault: Fault
) -> None:
    model = make(max_bytes=5000)
    server.fail_next(fault)

    with pytest.raises(ProviderError, match="more than 5,000 bytes"):
        ask(model)
    model.close()


@pytest.mark.parametrize("ask", CALL_STYLES.values(), ids=CALL_STYLES.keys())
def test_a_key_is_never_sent_to_another_origin(
    server: ModelServer, model: AnyChatModel, ask: Callable[[AnyChatModel], str]
) -> None:
    with ModelServer() as elsewhere:
        server.fail_next(Reply(status=307, headers={"Location": f"{elsewhere.base_url}/chat/completions"}))

        with pytest.raises(ProviderError, match="Redirects are not followed"):
            ask(model)
        assert elsewhere.requests == []


@pytest.mark.parametrize(
    "body",
    [
        f'{{"error": {{"message": "Incorrect API key provided: {API_KEY}", "code": "{API_KEY}"}}}}',
        f'{{"error": "{API_KEY}"}}',
        f'{{"error": {{"type": "no such key {API_KEY}"}}}}',
        API_KEY,
    ],
)
def test_a_key_repeated_by_the_server_is_not_in_the_error_message(
    server: ModelServer, model: AnyChatModel, body: str
) -> None:
    server.fail_next(Reply(status=401, body=body.encode()), Reply(status=400, body=body.encode()))

    for _ in range(2):
        with pytest.raises(ProviderError) as caught:
            complete_text(model)
        assert API_KEY not in "".join(traceback.format_exception(caught.value))


def test_an_unreachable_server_is_busy(make: Callable[..., AnyChatModel], server: ModelServer) -> None:
    with ModelServer() as gone:
        address = gone.base_url
    model = OpenAIChatModel(address, "echo", timeout=0.5)

    with pytest.raises(ProviderBusy, match="cannot be reached"):
        complete_text(model)
    model.close()
