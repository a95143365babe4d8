"""Tokens at the proxy: a token that is sent must be valid, and only a local client needs none."""

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.server.proxy.live_proxy import (
    DOG_FACT,
    DOG_QUESTION,
    OWN_KEY,
    SERVER_KEY,
    LiveProxy,
    chat_request,
    run_proxy,
)

from recollect.server.app import create_app
from recollect.server.run import create_auth_config

CHAT_PATH = "/v1/chat/completions"
PROBLEM_TYPE = "application/problem+json"


@pytest.fixture
def revoked(proxy: LiveProxy) -> str:
    """A revoked token of another user."""
    token = proxy.access.add_token("phone", user="eva")
    proxy.access.revoke_token("phone")
    return token


@pytest.fixture
def anonymous(proxy: LiveProxy) -> Iterator[httpx2.Client]:
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
    proxy: LiveProxy, anonymous: httpx2.Client, revoked: str, headers: dict[str, str]
) -> None:
    proxy.add_memory()
    before = proxy.stored_texts()
    sent = {name: value.format(token=revoked) for name, value in headers.items()}
    answer = anonymous.post(CHAT_PATH, json=chat_request(DOG_QUESTION), headers=sent)

    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_token")
    assert answer.headers["content-type"] == PROBLEM_TYPE
    assert proxy.upstream.requests == []
    assert proxy.stored_texts() == before


@pytest.mark.parametrize("path", [CHAT_PATH, "/v1/responses", "/v1/messages", "/v1/models", "/v1/embeddings"])
def test_a_mistyped_token_is_refused_on_every_path_of_the_proxy(
    proxy: LiveProxy, anonymous: httpx2.Client, path: str
) -> None:
    token = proxy.access.owner_token()
    for mistyped in (f"{token}x", token[:-1], token.swapcase(), f'"{token}"'):
        answer = anonymous.post(
            path, json=chat_request(DOG_FACT), headers={"Authorization": f"Bearer {mistyped}"}
        )

        assert (answer.status_code, answer.json()["code"]) == (401, "invalid_token")
    assert proxy.upstream.requests == []


def test_a_valid_token_beside_a_provider_key_selects_the_user(
    proxy: LiveProxy, anonymous: httpx2.Client
) -> None:
    proxy.add_memory()
    token = proxy.access.add_token("phone", user="eva")
    anonymous.post(
        CHAT_PATH,
        json=chat_request(DOG_QUESTION),
        headers={"Authorization": f"Bearer {OWN_KEY}", "x-api-key": token},
    )

    assert proxy.last_request().body == chat_request(DOG_QUESTION)
    assert proxy.last_request().headers["authorization"] == f"Bearer {OWN_KEY}"
    assert "x-api-key" not in proxy.last_request().headers
    assert proxy.wait_for_messages(2, user="eva")[0] == ("user", DOG_QUESTION)


def test_a_token_in_the_azure_header_is_not_forwarded(proxy: LiveProxy, anonymous: httpx2.Client) -> None:
    anonymous.post(CHAT_PATH, json=chat_request(DOG_FACT), headers={"api-key": proxy.access.owner_token()})

    assert proxy.access.owner_token() not in str(proxy.last_request().headers)
    assert proxy.last_request().headers["authorization"] == f"Bearer {SERVER_KEY}"


@pytest.mark.parametrize("key", [OWN_KEY, "sk-ant-api03-x", "ollama", "x"])
@pytest.mark.parametrize("header", ["Authorization", "x-api-key"])
def test_a_provider_key_of_a_local_client_is_not_a_token(
    proxy: LiveProxy, anonymous: httpx2.Client, header: str, key: str
) -> None:
    sent = f"Bearer {key}" if header == "Authorization" else key
    answer = anonymous.post(CHAT_PATH, json=chat_request(DOG_FACT), headers={header: sent})

    assert answer.status_code == 200
    assert proxy.wait_for_messages(2)[0] == ("user", DOG_FACT)


def test_basic_authentication_is_not_a_token(anonymous: httpx2.Client) -> None:
    basic = base64.b64encode(b"ana:secret").decode()
    answer = anonymous.post(
        CHAT_PATH, json=chat_request(DOG_FACT), headers={"Authorization": f"Basic {basic}"}
    )

    assert answer.status_code == 200


PUBLIC_NAME = "memory.example.org"


@pytest.mark.parametrize("host", [PUBLIC_NAME, f"{PUBLIC_NAME}:443", "127.0.0.1", "localhost:8765"])
@pytest.mark.parametrize("key", [{}, {"Authorization": f"Bearer {OWN_KEY}"}])
def test_a_server_with_a_public_name_needs_a_token_of_every_client(
    tmp_path: Path, host: str, key: dict[str, str]
) -> None:
    with run_proxy(tmp_path, names=[PUBLIC_NAME]) as proxy:
        refused = httpx2.post(
            f"{proxy.url}{CHAT_PATH}", json=chat_request(DOG_FACT), headers={"Host": host, **key}
        )
        with proxy.client(Host=host) as client:
            accepted = client.post(CHAT_PATH, json=chat_request(DOG_FACT))

        assert (refused.status_code, refused.json()["code"]) == (401, "no_token")
        assert accepted.status_code == 200
        assert len(proxy.upstream.requests) == 1


def test_a_public_server_on_loopback_needs_a_token(tmp_path: Path) -> None:
    with run_proxy(tmp_path, public=True) as proxy, proxy.provider_client() as client:
        assert client.post(CHAT_PATH, json=chat_request(DOG_FACT)).status_code == 401


def test_loopback_names_passed_as_names_need_no_token(tmp_path: Path) -> None:
    with run_proxy(tmp_path, names=["localhost", "127.0.0.1"]) as proxy, proxy.provider_client() as client:
        assert client.post(CHAT_PATH, json=chat_request(DOG_FACT)).status_code == 200


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
def test_a_forwarded_request_needs_a_token(proxy: LiveProxy, header: str, value: str) -> None:
    with proxy.provider_client(**{header: value}) as forwarded, proxy.client(**{header: value}) as owner:
        refused = forwarded.post(CHAT_PATH, json=chat_request(DOG_FACT))
        accepted = owner.post(CHAT_PATH, json=chat_request(DOG_FACT))

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
def test_only_a_peer_on_this_machine_needs_no_token(proxy: LiveProxy, peer: str, status: int) -> None:
    house = create_auth_config(proxy.application, host="127.0.0.1")
    app = create_app(proxy.application, auth_config=house, worker=False)

    async def post() -> int:
        # The proxy's own connections belong to the application's lifespan.
        async with app.router.lifespan_context(app):
            transport = httpx2.ASGITransport(app=app, client=(peer, 50_000))
            async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return (await client.post(CHAT_PATH, json=chat_request(DOG_FACT))).status_code

    assert asyncio.run(post()) == status
