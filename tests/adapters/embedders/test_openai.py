import traceback
from collections.abc import Iterator

import pytest

from recollect.adapters.embedders.openai import OpenAIEmbedder
from recollect.errors import ConfigError, ProviderBusy, ProviderError
from recollect.testing import model_server
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.model_server import Fault, ModelServer, Reply

API_KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def embedder(server: ModelServer) -> Iterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder(server.base_url, "letters", API_KEY)
    yield embedder
    embedder.close()


def test_a_request_has_the_expected_format_and_the_key(server: ModelServer, embedder: OpenAIEmbedder) -> None:
    vectors = embedder.embed(["one", "two"])
    [request] = server.requests

    assert vectors == LetterEmbedder().embed(["one", "two"])
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {API_KEY}"
    assert request.body == {"model": "letters", "input": ["one", "two"], "encoding_format": "float"}


def test_without_a_key_none_is_sent(server: ModelServer) -> None:
    embedder = OpenAIEmbedder(f"{server.base_url}/", "letters")
    embedder.embed(["one"])
    embedder.close()

    assert "authorization" not in server.requests[0].headers


def test_long_lists_are_sent_in_batches(server: ModelServer) -> None:
    embedder = OpenAIEmbedder(server.base_url, "letters", batch_size=2)
    vectors = embedder.embed(["a", "b", "c"])
    embedder.close()

    assert vectors == LetterEmbedder().embed(["a", "b", "c"])
    assert [request.body["input"] for request in server.requests] == [["a", "b"], ["c"]]


@pytest.mark.spec("L4")
def test_the_same_query_is_sent_once(server: ModelServer, embedder: OpenAIEmbedder) -> None:
    embedder.embed_query("What is my dog called?")
    embedder.embed_query("What is my dog called?")

    assert len(server.requests) == 1


@pytest.mark.spec("C-16")
def test_the_dimension_is_measured_once_and_then_enforced(
    server: ModelServer, embedder: OpenAIEmbedder
) -> None:
    assert (embedder.dimension, embedder.dimension) == (26, 26)
    assert [request.body["input"] for request in server.requests] == [["dimension"]]

    server.fail_next(model_server.WRONG_DIMENSION)
    with pytest.raises(ProviderError, match="25 dimensions instead of 26"):
        embedder.embed(["one"])


@pytest.mark.spec("TR-20")
def test_the_floor_is_measured_once(server: ModelServer, embedder: OpenAIEmbedder) -> None:
    assert embedder.cosine_floor == embedder.cosine_floor > 0.5
    assert len(server.requests) == 1


def test_a_configured_dimension_and_floor_need_no_request(server: ModelServer) -> None:
    embedder = OpenAIEmbedder(server.base_url, "letters", dimension=26, cosine_floor=0.2)

    assert (embedder.dimension, embedder.cosine_floor) == (26, 0.2)
    assert server.requests == []


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        (model_server.CONNECTION_RESET, ProviderBusy, "cannot be reached"),
        (model_server.RATE_LIMITED, ProviderBusy, r"429 \(rate_limit_exceeded\).*try again in 7 s"),
        (model_server.SERVER_ERROR, ProviderBusy, r"500 \(server_error\).*try again later"),
        (model_server.UNAVAILABLE, ProviderBusy, "503"),
        (model_server.BAD_REQUEST, ProviderError, "400"),
        (model_server.BAD_KEY, ProviderError, "does not accept the key"),
        (model_server.UNKNOWN_MODEL, ProviderError, "the model letters exists"),
        (model_server.REDIRECT, ProviderError, "Redirects are not followed"),
        (model_server.MALFORMED_JSON, ProviderError, "not a list of vectors"),
        (model_server.HTML_PAGE, ProviderError, "not a list of vectors"),
        (model_server.HUGE_BODY, ProviderError, "more than 32 MB"),
        (model_server.SHORT_LIST, ProviderError, "not a list of vectors"),
        (model_server.NOT_A_NUMBER, ProviderError, "not finite"),
        (model_server.ZERO_VECTOR, ProviderError, "zero"),
        (model_server.WRONG_DIMENSION, ProviderError, "2 sizes"),
        (Reply(body=b'{"data": []}'), ProviderError, "0 vectors"),
        (Reply(body=b'{"data": [{"embedding": null}]}'), ProviderError, "not a list of vectors"),
        (Reply(body=b'{"data": [7]}'), ProviderError, "not a list of vectors"),
        (Reply(body=b'{"data": ' + b"[" * 100_000), ProviderError, "not a list of vectors"),
        (Reply(body=b'{"data": [{"embedding": [1' + b"0" * 400 + b"]}]}"), ProviderError, "not a list"),
        (Reply(body=b"\xff\xfe"), ProviderError, "not a list of vectors"),
        (Reply(headers={"Content-Encoding": "gzip"}, body=b"no gzip"), ProviderError, "cannot be read"),
    ],
)
def test_each_fault_is_the_right_error_and_the_next_call_works(
    server: ModelServer, embedder: OpenAIEmbedder, fault: Fault, error: type[ProviderError], says: str
) -> None:
    server.fail_next(fault)

    with pytest.raises(ProviderError, match=f"(?s){says}") as caught:
        embedder.embed(["one", "two"])
    assert caught.type is error
    assert API_KEY not in "".join(traceback.format_exception(caught.value))
    assert len(server.requests) == 1
    assert embedder.embed(["one"]) == LetterEmbedder().embed(["one"])


@pytest.mark.parametrize(
    ("fault", "says"),
    [(model_server.TIMEOUT, "did not answer"), (model_server.DRIPPING_BODY, "did not finish")],
)
def test_a_server_that_takes_too_long_is_busy(server: ModelServer, fault: Fault, says: str) -> None:
    embedder = OpenAIEmbedder(server.base_url, "letters", timeout=0.2)
    server.fail_next(fault)

    with pytest.raises(ProviderBusy, match=f"{says} within 0.2 s"):
        embedder.embed(["one"])
    embedder.close()


@pytest.mark.parametrize(
    "body",
    [
        f'{{"error": {{"message": "Incorrect API key provided: {API_KEY}", "code": "{API_KEY}"}}}}',
        f'{{"error": "{API_KEY}"}}',
        f'{{"error": {{"code": "no such key {API_KEY}"}}}}',
        API_KEY,
    ],
)
def test_a_key_repeated_by_the_server_is_not_in_the_error_message(
    server: ModelServer, embedder: OpenAIEmbedder, body: str
) -> None:
    server.fail_next(Reply(status=401, body=body.encode()))

    with pytest.raises(ProviderError) as caught:
        embedder.embed(["one"])
    assert API_KEY not in str(caught.value)


def test_an_unreachable_server_is_busy() -> None:
    with ModelServer() as server:
        address = server.base_url
    embedder = OpenAIEmbedder(address, "letters", timeout=0.5)

    with pytest.raises(ProviderBusy, match="cannot be reached"):
        embedder.embed(["one"])
    embedder.close()


@pytest.mark.parametrize(
    "address", ["", "localhost:11434", "ftp://models.example", "http://", "http://a\x00b"]
)
def test_an_invalid_base_url_is_refused_immediately(address: str) -> None:
    with pytest.raises(ConfigError, match="not a web address"):
        OpenAIEmbedder(address, "letters")


@pytest.mark.parametrize("key", ["sk-\nsecret", "sk-sécret", "sk secret", "sk-\x00secret"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        OpenAIEmbedder("http://127.0.0.1:1/v1", "letters", key)
    assert "secret" not in str(caught.value)


def test_the_query_string_of_the_base_url_is_kept(server: ModelServer) -> None:
    embedder = OpenAIEmbedder(f"{server.base_url}?api-version=7", "letters")

    with pytest.raises(ProviderError, match="404"):
        embedder.embed(["one"])
    assert server.requests[0].path == "/v1/embeddings?api-version=7"
    embedder.close()
