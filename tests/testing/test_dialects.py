import socket
from collections.abc import Iterator

import httpx2
import pytest

from recollect.testing import faults
from recollect.testing.model_server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def test_parts_with_words_are_heard_and_others_are_not(server: ModelServer) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    content = [{"type": "text", "text": "Hello"}, image]
    request = {"model": "echo", "messages": [{"role": "user", "content": content}]}
    answer = httpx2.post(f"{server.base_url}/chat/completions", json=request).json()

    assert answer["choices"][0]["message"]["content"] == "You said: Hello"


@pytest.mark.parametrize("given", ["Hello", [{"role": "user", "content": "Hello"}]])
def test_it_speaks_responses(server: ModelServer, given: object) -> None:
    answer = httpx2.post(f"{server.base_url}/responses", json={"model": "echo", "input": given}).json()
    streamed = httpx2.post(
        f"{server.base_url}/responses", json={"model": "echo", "input": given, "stream": True}
    ).text

    assert answer["output"][0]["content"][0]["text"] == "You said: Hello"
    assert streamed.count("event: response.output_text.delta") == 3
    assert streamed.index("event: response.created") < streamed.index("event: response.completed")


def test_it_speaks_ollamas_own_dialect(server: ModelServer) -> None:
    request = {"model": "echo", "messages": [{"role": "user", "content": "Hello"}]}
    lines = httpx2.post(f"{server.origin}/api/chat", json=request).text.splitlines()
    at_once = httpx2.post(f"{server.origin}/api/chat", json={**request, "stream": False}).json()

    assert len(lines) == 4
    assert at_once["message"]["content"] == "You said: Hello"


@pytest.mark.parametrize("path", ["/v1/responses", "/api/chat", "/v1/chat/completions"])
@pytest.mark.parametrize("body", [b"{", b"[]", b'{"messages": 7, "input": 7}', b"\xff"])
def test_a_request_in_no_dialect_is_rejected(server: ModelServer, path: str, body: bytes) -> None:
    answer = httpx2.post(f"{server.origin}{path}", content=body)

    assert answer.status_code == 400
    assert server.requests[0].raw == body


def test_it_records_clients_that_disconnect(server: ModelServer) -> None:
    server.fail_next(faults.TIMEOUT)
    with socket.create_connection(("127.0.0.1", int(server.origin.rpartition(":")[2]))) as line:
        line.sendall(b"POST /v1/responses HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
        while not server.requests:
            continue

    while not server.abandoned_paths:
        continue
    assert server.abandoned_paths == ["/v1/responses"]
