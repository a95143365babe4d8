"""Who the proxy takes a client for: a token that is sent must be valid, and only a local client needs none."""

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.server.proxy.live_proxy import FACT, OWN_KEY, QUESTION, SERVER_KEY, Bench, bench, body

from recollect.server.app import create_app
from recollect.server.run import make_house

CHAT = "/v1/chat/completions"
PROBLEM = "application/problem+json"


@pytest.fixture
def revoked(proxy: Bench) -> str:
    """A token of another user that was valid once."""
    token = proxy.keys.add("phone", user="eva")
    proxy.keys.revoke("phone")
    return token


@pytest.fixture
def anonymous(proxy: Bench) -> Iterator[httpx2.Client]:
    """A local client that sends no credential unless a test adds one."""
    with httpx2.Client(base_url=proxy.url, timeout=30) as client:
        yield client


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer {token}"},
        {"Authorization": "bearer   {token}"},
        {"Authorization": "Token {token}"},
        {"Authorization": "{token}"},
        {"x-api-key": "{token}"},
        {"api-key": "{token}"},
        {"Authorization": f"Bearer {OWN_KEY}", "x-api-key": "{token}"},
        {"Authorization": "Bearer {token}", "x-api-key": OWN_KEY},
    ],
)
def test_a_revoked_token_is_refused_and_reaches_no_memory(
    proxy: Bench, anonymous: httpx2.Client, revoked: str, headers: dict[str, str]
) -> None:
    proxy.remember()
    before = proxy.said()
    sent = {name: value.format(token=revoked) for name, value in headers.items()}
    answer = anonymous.post(CHAT, json=body(QUESTION), headers=sent)

    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_token")
    assert answer.headers["content-type"] == PROBLEM
    assert proxy.upstream.requests == []
    assert proxy.said() == before


@pytest.mark.parametrize("path", [CHAT, "/v1/responses", "/v1/messages", "/v1/models", "/v1/embeddings"])
def test_a_mistyped_token_is_refused_on_every_path_of_the_proxy(
    proxy: Bench, anonymous: httpx2.Client, path: str
) -> None:
    token = proxy.keys.own_token
    for mistyped in (f"{token}x", token[:-1], token.swapcase(), f'"{token}"'):
        answer = anonymous.post(path, json=body(FACT), headers={"Authorization": f"Bearer {mistyped}"})

        assert (answer.status_code, answer.json()["code"]) == (401, "invalid_token")
    assert proxy.upstream.requests == []


def test_a_valid_token_beside_a_providers_key_decides_whose_memory_it_is(
    proxy: Bench, anonymous: httpx2.Client
) -> None:
    proxy.remember()
    token = proxy.keys.add("phone", user="eva")
    anonymous.post(
        CHAT, json=body(QUESTION), headers={"Authorization": f"Bearer {OWN_KEY}", "x-api-key": token}
    )

    assert proxy.asked().body == body(QUESTION)
    assert proxy.asked().headers["authorization"] == f"Bearer {OWN_KEY}"
    assert "x-api-key" not in proxy.asked().headers
    assert proxy.heard(2, user="eva")[0] == ("user", QUESTION)


def test_a_token_in_the_header_of_azures_clients_does_not_reach_the_provider(
    proxy: Bench, anonymous: httpx2.Client
) -> None:
    anonymous.post(CHAT, json=body(FACT), headers={"api-key": proxy.keys.own_token})

    assert proxy.keys.own_token not in str(proxy.asked().headers)
    assert proxy.asked().headers["authorization"] == f"Bearer {SERVER_KEY}"


@pytest.mark.parametrize("key", [OWN_KEY, "sk-ant-api03-x", "ollama", "x"])
@pytest.mark.parametrize("header", ["Authorization", "x-api-key"])
def test_a_providers_key_of_a_local_client_is_no_token(
    proxy: Bench, anonymous: httpx2.Client, header: str, key: str
) -> None:
    sent = f"Bearer {key}" if header == "Authorization" else key
    answer = anonymous.post(CHAT, json=body(FACT), headers={header: sent})

    assert answer.status_code == 200
    assert proxy.heard(2)[0] == ("user", FACT)


def test_basic_authentication_is_no_token(anonymous: httpx2.Client) -> None:
    basic = base64.b64encode(b"ana:secret").decode()
    answer = anonymous.post(CHAT, json=body(FACT), headers={"Authorization": f"Basic {basic}"})

    assert answer.status_code == 200


NAME = "memory.example.org"


@pytest.mark.parametrize("host", [NAME, f"{NAME}:443", "127.0.0.1", "localhost:8765"])
@pytest.mark.parametrize("key", [{}, {"Authorization": f"Bearer {OWN_KEY}"}])
def test_a_server_with_a_public_name_needs_a_token_of_every_client(
    tmp_path: Path, host: str, key: dict[str, str]
) -> None:
    with bench(tmp_path, names=[NAME]) as proxy:
        refused = httpx2.post(f"{proxy.url}{CHAT}", json=body(FACT), headers={"Host": host, **key})
        with proxy.client(Host=host) as client:
            accepted = client.post(CHAT, json=body(FACT))

        assert (refused.status_code, refused.json()["code"]) == (401, "no_token")
        assert accepted.status_code == 200
        assert len(proxy.upstream.requests) == 1


def test_a_public_server_needs_a_token_though_it_listens_at_loopback(tmp_path: Path) -> None:
    with bench(tmp_path, public=True) as proxy, proxy.stranger() as client:
        assert client.post(CHAT, json=body(FACT)).status_code == 401


def test_the_names_of_loopback_given_as_names_change_nothing(tmp_path: Path) -> None:
    with bench(tmp_path, names=["localhost", "127.0.0.1"]) as proxy, proxy.stranger() as client:
        assert client.post(CHAT, json=body(FACT)).status_code == 200


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Forwarded", "for=127.0.0.1"),
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Forwarded-Host", "localhost"),
        ("X-Forwarded-Proto", "https"),
        ("x-forwarded-server", "proxy"),
        ("Via", "1.1 proxy"),
        ("X-Real-IP", "127.0.0.1"),
        ("X-Client-IP", "127.0.0.1"),
        ("True-Client-IP", "127.0.0.1"),
        ("CF-Connecting-IP", "127.0.0.1"),
        ("X-Forwarded-For", ""),
    ],
)
def test_a_forwarded_request_needs_a_token(proxy: Bench, header: str, value: str) -> None:
    with proxy.stranger(**{header: value}) as forwarded, proxy.client(**{header: value}) as owner:
        refused = forwarded.post(CHAT, json=body(FACT))
        accepted = owner.post(CHAT, json=body(FACT))

    assert (refused.status_code, refused.json()["code"]) == (401, "no_token")
    assert accepted.status_code == 200


@pytest.mark.parametrize(
    ("peer", "status"),
    [
        ("127.0.0.1", 200),
        ("127.8.8.8", 200),
        ("::1", 200),
        ("::ffff:127.0.0.1", 200),
        ("192.0.2.7", 401),
        ("::ffff:192.0.2.7", 401),
        ("", 401),
    ],
)
def test_only_a_peer_on_this_machine_needs_no_token(proxy: Bench, peer: str, status: int) -> None:
    house = make_house(proxy.runtime, host="127.0.0.1")
    app = create_app(proxy.runtime, house=house, worker=False)

    async def post() -> int:
        # The proxy's own connections belong to the application's lifespan.
        async with app.router.lifespan_context(app):
            transport = httpx2.ASGITransport(app=app, client=(peer, 50_000))
            async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return (await client.post(CHAT, json=body(FACT))).status_code

    assert asyncio.run(post()) == status
