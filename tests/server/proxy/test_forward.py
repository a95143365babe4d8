import json
import re
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.server.proxy.live_proxy import (
    ANA,
    DOG_FACT,
    DOG_QUESTION,
    OWN_KEY,
    SERVER_KEY,
    LiveProxy,
    chat_request,
    run_proxy,
    wait_until,
)

from recollect.domain.scope import Scope
from recollect.testing import faults
from recollect.testing.faults import ChunkedReply, Reply
from recollect.testing.inspection import store_of
from recollect.testing.model_server import ModelServer

CHAT_PATH, RESPONSES_PATH, MESSAGES_PATH = "/v1/chat/completions", "/v1/responses", "/v1/messages"
#: Unknown keys and unusual whitespace, which must be preserved.
ODD_REQUEST = (
    '{ "messages":[ {"role" : "developer","content":"Be terse."},{"role":"user","name":"ana","content":'
    '"What is my \\u0064og called?","x_new":[1.50,1E400,{}]}],"model":"echo","n":2,"logprobs":true,'
    '"response_format":{"type":"json_object"},"audio":{"voice":"é"},"seed":12345678901234567890,"seed":7 }'
).encode()
UNKNOWN_EVENTS = (
    b': keep-alive\n\nevent: new.kind\ndata: {"type":"new.kind","x":1.50}\n\n',
    b'data: {"choices":[],"vendor":{"cost":0.10}}\n\ndata: not json at all\n\nretry: 7\n\n',
    b"data: [DONE]\n\n",
)


@pytest.fixture
def local(proxy: LiveProxy) -> Iterator[httpx2.Client]:
    """A local client without a token."""
    with proxy.provider_client() as client:
        yield client


def post(
    client: httpx2.Client,
    content: bytes = ODD_REQUEST,
    path: str = CHAT_PATH,
    *,
    headers: Mapping[str, str] | None = None,
) -> httpx2.Response:
    return client.post(path, content=content, headers={"Content-Type": "application/json", **(headers or {})})


def test_a_request_without_context_is_forwarded_unchanged(proxy: LiveProxy, local: httpx2.Client) -> None:
    post(local)

    assert proxy.last_request().raw == ODD_REQUEST


def test_a_request_with_memory_off_is_forwarded_unchanged(proxy: LiveProxy, local: httpx2.Client) -> None:
    proxy.add_memory()
    answer = post(local, headers={"X-Memory": "off"})

    assert proxy.last_request().raw == ODD_REQUEST
    assert [answer.headers.get(f"x-memory-{name}") for name in ("mode", "used", "receipt")] == [
        "off",
        None,
        None,
    ]


def test_injection_changes_no_other_byte(proxy: LiveProxy, local: httpx2.Client) -> None:
    proxy.add_memory()
    post(local)
    sent = proxy.last_request().raw.decode()
    block = json.loads(sent)["messages"][1]["content"].removeprefix(DOG_QUESTION)

    assert "Bolt" in block
    assert sent.replace(json.dumps(block)[1:-1], "").encode() == ODD_REQUEST


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("path", "request_body", "headers"),
    [
        (CHAT_PATH, chat_request(DOG_QUESTION), {}),
        (RESPONSES_PATH, {"model": "echo", "input": DOG_QUESTION, "max_output_tokens": 60}, {}),
        (MESSAGES_PATH, chat_request(DOG_QUESTION, max_tokens=60), {"anthropic-version": "2023-06-01"}),
    ],
)
def test_the_response_is_relayed_byte_for_byte(
    proxy: LiveProxy,
    local: httpx2.Client,
    path: str,
    request_body: dict[str, object],
    headers: dict[str, str],
    stream: bool,
) -> None:
    proxy.upstream.answer("Bolt, of course. Não é?")
    request_body = {**request_body, "stream": stream}
    direct = httpx2.post(f"{proxy.upstream.origin}{path}", json=request_body, headers=headers)
    passed = local.post(path, json=request_body, headers=headers)

    assert _without_id(passed.content) == _without_id(direct.content)
    assert passed.headers["content-type"] == direct.headers["content-type"]


def _without_id(answer: bytes) -> bytes:
    """Mask the id, which differs in each response."""
    return re.sub(rb"resp_\d+", b"resp", answer)


def test_unknown_events_are_relayed(proxy: LiveProxy, local: httpx2.Client) -> None:
    proxy.upstream.fail_next(ChunkedReply(chunks=UNKNOWN_EVENTS))

    assert post(local).content == b"".join(UNKNOWN_EVENTS)


def test_chunks_are_relayed_as_they_arrive(proxy: LiveProxy, local: httpx2.Client) -> None:
    proxy.upstream.fail_next(ChunkedReply(chunks=UNKNOWN_EVENTS[:1], ending="silent"))
    with local.stream("POST", CHAT_PATH, json=chat_request(DOG_QUESTION, stream=True)) as answer:
        assert next(answer.iter_raw()) == UNKNOWN_EVENTS[0]


@pytest.mark.parametrize("fault", [faults.SILENT_MIDWAY, faults.TIMEOUT], ids=["midway", "before"])
def test_a_client_disconnect_cancels_the_upstream_request(proxy: LiveProxy, fault: faults.Fault) -> None:
    proxy.upstream.fail_next(fault)
    place = urlsplit(proxy.url)
    content = json.dumps(chat_request(DOG_FACT, stream=True)).encode()
    head = (
        f"POST {CHAT_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    )
    with socket.create_connection((str(place.hostname), int(place.port or 0))) as line:
        line.sendall(f"{head}{len(content)}\r\n\r\n".encode() + content)
        wait_until(lambda: bool(proxy.upstream.requests))

    wait_until(lambda: proxy.upstream.abandoned_paths == [CHAT_PATH])
    assert proxy.wait_for_messages(1)[0] == ("user", DOG_FACT)


@pytest.mark.parametrize(
    "fault",
    [
        faults.RATE_LIMITED,
        faults.SERVER_ERROR,
        faults.OVERLOADED,
        faults.BAD_KEY,
        faults.REDIRECT,
        faults.HTML_PAGE,
        faults.EMPTY_BODY,
    ],
)
def test_upstream_errors_are_relayed(proxy: LiveProxy, local: httpx2.Client, fault: Reply) -> None:
    proxy.upstream.fail_next(fault)
    answer = post(local)

    assert (answer.status_code, answer.content) == (fault.status, fault.body)
    assert {name: answer.headers[name] for name in fault.headers} == dict(fault.headers)
    assert len(proxy.upstream.requests) == 1


def test_response_headers_about_the_origin_are_dropped(proxy: LiveProxy, local: httpx2.Client) -> None:
    service_headers = {
        "Content-Type": "application/json",
        "X-Request-Id": "req_1",
        "x-ratelimit-remaining-tokens": "17",
        "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:00Z",
        "openai-processing-ms": "3",
        "Connection": "keep-alive, X-Only-Here",
        "X-Only-Here": "1",
        "Access-Control-Allow-Origin": "*",
        "Set-Cookie": "recollect_session=stolen",
        "Strict-Transport-Security": "max-age=1",
        "X-Memory-Used": "99",
    }
    proxy.upstream.fail_next(Reply(headers=service_headers, body=b"{}"))
    headers = post(local).headers

    assert {name for name in service_headers if name in headers} == {
        "Content-Type",
        "X-Request-Id",
        "x-ratelimit-remaining-tokens",
        "anthropic-ratelimit-requests-reset",
        "openai-processing-ms",
        "X-Memory-Used",
    }
    assert (headers["x-request-id"], headers["x-memory-used"]) == ("req_1", "0")


def test_an_interrupted_response_is_interrupted_for_the_client(
    proxy: LiveProxy, local: httpx2.Client
) -> None:
    proxy.upstream.answer("one two three four")
    proxy.upstream.fail_next(faults.BROKEN_MIDWAY)

    with pytest.raises(httpx2.RemoteProtocolError):
        post(local, json.dumps(chat_request(DOG_QUESTION, stream=True)).encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"messages": 7}',
        b'{"messages": [7, {"role": 7}, {"role": "user"}, {"role": "user", "content": {"a": 1}}]}',
        b'{"messages": [{"role": "user", "content": "' + b"a" * 100 + b'\\ud800"}]}',
        b'{"messages": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    ],
)
@pytest.mark.parametrize("path", [CHAT_PATH, RESPONSES_PATH, MESSAGES_PATH])
def test_unparsable_requests_are_forwarded(
    proxy: LiveProxy, local: httpx2.Client, path: str, content: bytes
) -> None:
    answer = post(local, content, path, headers={"anthropic-version": "2023-06-01"})

    assert proxy.last_request().raw == content
    assert answer.status_code < 500


def test_other_paths_are_forwarded_with_their_query(proxy: LiveProxy, local: httpx2.Client) -> None:
    models = local.get("/v1/models")
    vectors = local.post("/v1/embeddings", json={"model": "letters", "input": ["a"]})
    local.get("/v1/models/org%2Fecho", params={"a": "b c"})
    counted = local.post(
        "/v1/messages/count_tokens", json=chat_request(DOG_QUESTION), params={"beta": "true"}
    )

    assert [model["id"] for model in models.json()["data"]] == ["letters", "echo"]
    assert len(vectors.json()["data"]) == 1
    assert counted.status_code == 404
    assert [request.path for request in proxy.upstream.requests] == [
        "/v1/models",
        "/v1/embeddings",
        "/v1/models/org%2Fecho?a=b+c",
        "/v1/messages/count_tokens?beta=true",
    ]
    assert proxy.stored_messages() == []


@pytest.mark.parametrize("path", ["/v1/models/..%2f..%2fadmin", "/v1/models/%2e%2e/%2e%2e/admin"])
def test_path_traversal_is_refused(proxy: LiveProxy, local: httpx2.Client, path: str) -> None:
    assert local.get(path).status_code == 404
    assert proxy.upstream.requests == []


def test_a_verbose_client_gets_the_recall_summary_in_the_body(proxy: LiveProxy, local: httpx2.Client) -> None:
    proxy.add_memory()
    answer = post(local, json.dumps(chat_request(DOG_QUESTION)).encode(), headers={"X-Memory-Verbose": "1"})
    summary = answer.json()["memory"]

    assert (summary["mode"], summary["used"]) == ("on", 1)
    assert summary["receipt"] == answer.headers["x-memory-receipt"]
    assert answer.json()["choices"][0]["finish_reason"] == "stop"
    receipt = store_of(proxy.application).receipts.get(Scope(ANA), summary["receipt"])
    assert receipt.text in proxy.last_request().body["messages"][0]["content"]  # type: ignore[index]


def test_a_stream_has_no_recall_summary(proxy: LiveProxy, local: httpx2.Client) -> None:
    answer = post(
        local, json.dumps(chat_request(DOG_QUESTION, stream=True)).encode(), headers={"X-Memory-Verbose": "1"}
    )

    assert b"memory" not in answer.content


class TestKeys:
    def test_a_key_of_the_client_goes_on_as_it_came(self, proxy: LiveProxy, local: httpx2.Client) -> None:
        post(local)

        assert proxy.last_request().headers["authorization"] == f"Bearer {OWN_KEY}"

    def test_in_place_of_our_token_goes_the_configured_key(self, proxy: LiveProxy) -> None:
        with proxy.client() as client:
            post(client)

        assert proxy.last_request().headers["authorization"] == f"Bearer {SERVER_KEY}"
        assert proxy.access.owner_token() not in json.dumps(dict(proxy.last_request().headers))

    def test_our_token_in_anthropics_header_is_replaced_too(self, proxy: LiveProxy) -> None:
        sent = {"x-api-key": proxy.access.owner_token(), "anthropic-version": "2023-06-01"}
        answer = httpx2.post(
            f"{proxy.url}{MESSAGES_PATH}", json=chat_request(DOG_QUESTION, max_tokens=9), headers=sent
        )

        assert answer.status_code == 200
        assert proxy.last_request().headers["x-api-key"] == SERVER_KEY
        assert "authorization" not in proxy.last_request().headers

    def test_cookies_and_words_to_memory_stay_here(self, proxy: LiveProxy, local: httpx2.Client) -> None:
        post(
            local,
            headers={"Cookie": "recollect_session=s", "X-Memory-Budget": "100", "X-Stainless-Lang": "py"},
        )
        names = set(proxy.last_request().headers)

        assert names & {"cookie", "x-memory-budget", "x-stainless-lang"} == {"x-stainless-lang"}

    def test_the_models_key_is_not_sent_to_another_address(self, tmp_path: Path) -> None:
        model = {"model_url": "http://127.0.0.2:9/v1", "model_key": "sk-of-the-model", "proxy_key": ""}
        with run_proxy(tmp_path, settings=model) as proxy, proxy.client() as client:
            post(client)

            assert "authorization" not in proxy.last_request().headers

    def test_the_models_key_is_sent_to_its_own_address(self, tmp_path: Path) -> None:
        with ModelServer() as other:
            model = {"model_url": other.base_url, "model_key": "sk-of-the-model"}
            with run_proxy(tmp_path, has_upstream=False, settings=model) as proxy, proxy.client() as client:
                post(client)

            assert other.requests[0].headers["authorization"] == "Bearer sk-of-the-model"


class TestWithoutAService:
    @pytest.fixture
    def unconfigured_proxy(self, tmp_path: Path) -> Iterator[LiveProxy]:
        with run_proxy(tmp_path, has_upstream=False) as proxy:
            yield proxy

    @pytest.mark.parametrize("path", [CHAT_PATH, RESPONSES_PATH, MESSAGES_PATH, "/v1/embeddings"])
    def test_nothing_is_sent_anywhere(self, unconfigured_proxy: LiveProxy, path: str) -> None:
        with unconfigured_proxy.provider_client() as client:
            answer = client.post(path, json=chat_request(DOG_QUESTION))

        assert (answer.status_code, answer.json()["code"]) == (501, "no_upstream")
        assert "proxy_upstream" in answer.json()["error"]["message"]


def test_an_unreachable_upstream_is_named(tmp_path: Path) -> None:
    nowhere = {"proxy_upstream": "http://127.0.0.1:9/v1"}
    with run_proxy(tmp_path, settings=nowhere) as proxy, proxy.provider_client() as client:
        answer = post(client)

        assert (answer.status_code, answer.json()["code"]) == (502, "upstream_unreachable")
        assert answer.headers["content-type"] == "application/problem+json"


def test_a_proxy_loop_is_detected(tmp_path: Path) -> None:
    environ: dict[str, str] = {}
    with run_proxy(tmp_path, has_upstream=False, environ=environ) as proxy, proxy.provider_client() as client:
        environ["RECOLLECT_PROXY_UPSTREAM"] = proxy.base_url
        answer = post(client)

        assert (answer.status_code, answer.json()["code"]) == (508, "loop")


def test_a_large_request_is_forwarded(proxy: LiveProxy, local: httpx2.Client) -> None:
    proxy.add_memory()
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 5_000_000}}
    request_body = chat_request(
        {"role": "user", "content": [picture, {"type": "text", "text": DOG_QUESTION}]}
    )
    answer = local.post(CHAT_PATH, json=request_body)

    assert answer.status_code == 200
    assert b"Bolt" in proxy.last_request().raw
    assert len(proxy.last_request().raw) > 5_000_000


def test_shutdown_stores_messages_of_active_requests(tmp_path: Path) -> None:
    with run_proxy(tmp_path) as proxy:
        proxy.upstream.answer("one two three four five six seven eight")
        proxy.upstream.fail_next(faults.SILENT_MIDWAY)
        client = proxy.provider_client()
        answer = client.send(
            client.build_request("POST", CHAT_PATH, json=chat_request(DOG_FACT, stream=True)), stream=True
        )
        next(answer.iter_raw())
    answer.close()
    client.close()

    with run_proxy(tmp_path) as proxy:
        assert proxy.stored_texts()[0] == ("user", DOG_FACT)
        assert proxy.stored_texts()[1][1].startswith("one two")
