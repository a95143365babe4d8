"""Two servers on one database know the same tokens, sessions, idempotency keys and request counts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.live_server import LiveServer, run_server


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[LiveServer, LiveServer]]:
    with run_server(tmp_path) as one, run_server(tmp_path, worker=False) as other:
        yield one, other


def test_a_token_of_one_server_is_valid_on_the_other_until_it_is_revoked(
    servers: tuple[LiveServer, LiveServer],
) -> None:
    one, other = servers
    with one.client() as owner, other.client(one.access.owner_token()) as same_owner:
        token = owner.post("/api/tokens", json={"name": "phone", "user_id": "bruno"}).json()["token"]
        with other.client(token) as phone:
            before = phone.get("/api/memory").status_code
            same_owner.delete("/api/tokens/phone")
            after = phone.get("/api/memory").status_code

    assert (before, after) == (200, 401)


def test_a_login_on_one_server_is_a_session_on_the_other(servers: tuple[LiveServer, LiveServer]) -> None:
    one, other = servers
    code = one.access.create_login_code(one.access.owner)
    with other.anonymous_client() as browser:
        login = browser.get("/login", params={"code": code})
        cookie = login.cookies["recollect_session"]
    with one.anonymous_client(Cookie=f"recollect_session={cookie}") as browser:
        session = browser.get("/session")
        again = browser.get("/login", params={"code": code})

    assert login.status_code == 303
    assert session.json()["user"] == "ana"
    assert again.status_code == 401


def test_a_repeated_request_is_not_run_by_the_other_server(servers: tuple[LiveServer, LiveServer]) -> None:
    one, other = servers
    request = {"json": {"content": "I am vegetarian."}, "headers": {"Idempotency-Key": "k1"}}
    with one.client() as first, other.client() as second:
        created = first.post("/api/memory", **request)  # type: ignore[arg-type]
        repeated = second.post("/api/memory", **request)  # type: ignore[arg-type]
        different = second.post(
            "/api/memory", json={"content": "I am vegan."}, headers={"Idempotency-Key": "k1"}
        )
        [memory] = first.get("/api/memory").json()["results"]

    assert created.status_code == 201
    assert (repeated.status_code, repeated.json()["code"]) == (409, "request_done")
    assert (different.status_code, different.json()["code"]) == (409, "key_used")
    assert memory["times_stated"] == 1


def test_a_failed_request_can_be_repeated_on_the_other_server(servers: tuple[LiveServer, LiveServer]) -> None:
    one, other = servers
    request = {"json": {"content": ""}, "headers": {"Idempotency-Key": "k2"}}
    with one.client() as first, other.client() as second:
        answers = [client.post("/api/memory", **request) for client in (first, second)]  # type: ignore[arg-type]

    assert [answer.status_code for answer in answers] == [422, 422]


def test_requests_to_both_servers_count_towards_the_limit(tmp_path: Path) -> None:
    limit = {"max_requests_per_minute": 6}
    with (
        run_server(tmp_path, auth_overrides=limit) as one,
        run_server(tmp_path, worker=False, auth_overrides=limit) as other,
        one.client() as first,
        other.client() as second,
    ):
        for _ in range(5):
            first.get("/chats")
        counted = one.access.count_requests(one.access.owner, minute=0, requests=0)
        answers = [second.get("/chats").status_code for _ in range(7)]

    assert counted.this_minute == 0
    assert answers[0] == 200
    assert answers[-1] == 429
