"""Authentication, origin checks, limits, and responses to invalid requests."""

import json
import re
import socket
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import httpx2
import pytest
from tests.server.live_server import ANA, LiveServer, run_server

PROBLEM_TYPE = "application/problem+json"
EVIL_ORIGIN = "https://evil.example"


def test_requests_without_a_token_are_refused(server: LiveServer) -> None:
    with (
        server.anonymous_client() as stranger,
        server.anonymous_client(Authorization="Bearer rk-wrong") as liar,
    ):
        answers = [
            client.request(method, path)
            for client in (stranger, liar)
            for method, path in (
                ("GET", "/api/memory"),
                ("POST", "/search"),
                ("GET", "/metrics"),
                ("GET", "/docs"),
            )
        ]

        assert {answer.status_code for answer in answers} == {401}
        assert {answer.headers["content-type"] for answer in answers} == {PROBLEM_TYPE}
        assert all("recollect tokens own" in answer.json()["detail"] for answer in answers)
        assert stranger.get("/health").json() == {"status": "ok"}
        assert stranger.get("/version").status_code == 200


def test_tokens_are_in_the_memory_file_and_of_others_than_the_owner_only_as_hashes(
    server: LiveServer, tmp_path: Path
) -> None:
    owner_token, phone_token = server.access.owner_token(), server.access.add_token("phone", user="bruno")
    files = [path.read_bytes() for path in tmp_path.glob("memory.db*")]

    assert sorted(path.name for path in tmp_path.glob("*token*")) == []
    assert any(owner_token.encode() in content for content in files)
    assert not any(phone_token.encode() in content for content in files)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "", "[::2]", "0.0.0.0"]
)
def test_an_unknown_host_name_is_refused(server: LiveServer, host: str) -> None:
    with server.client(Host=host) as client:
        answer = client.get("/api/memory")

    # A request without a Host header is malformed.
    assert (answer.status_code, answer.headers["content-type"]) in {
        (421, PROBLEM_TYPE),
        (400, "text/plain; charset=utf-8"),
    }


def test_loopback_host_names_are_accepted(server: LiveServer) -> None:
    port = server.port
    for host in (f"localhost:{port}", "127.0.0.1", "LOCALHOST"):
        with server.client(Host=host) as client:
            assert client.get("/api/memory").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": EVIL_ORIGIN},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_cross_site_requests_are_refused_even_with_a_token(
    server: LiveServer, headers: dict[str, str], method: str
) -> None:
    with server.client(**headers) as client:
        answer = client.request(method, "/api/memory")

    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_origin")


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "TEXT/PLAIN;a=b"],
)
def test_content_types_without_a_preflight_cannot_write(server: LiveServer, kind: str) -> None:
    with server.client(**{"Content-Type": kind}) as client:
        answer = client.post("/api/memory", content=b'{"content": "I trust evil.example."}')
        listing = client.get("/api/memory").json()["results"]

    assert (answer.status_code, answer.json()["code"]) == (415, "wrong_content_type")
    assert listing == []


@pytest.fixture
def browser(server: LiveServer) -> Iterator[httpx2.Client]:
    """A browser client with a session, started by a login link."""
    with server.anonymous_client(Origin=server.url) as client:
        answer = client.get("/login", params={"code": server.access.create_login_code(server.access.owner)})
        assert answer.status_code == 303
        yield client


def test_a_login_link_works_once_and_sets_a_strict_cookie(server: LiveServer) -> None:
    code = server.access.create_login_code(server.access.owner)
    with server.anonymous_client() as client:
        first = client.get("/login", params={"code": code})
        client.cookies.clear()
        again = client.get("/login", params={"code": code})

    cookie = first.headers["set-cookie"].lower()
    assert (first.status_code, first.headers["location"]) == (303, "/")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert (again.status_code, again.json()["code"]) == (401, "link_used")


def test_a_session_needs_its_csrf_token_for_writes_only(browser: httpx2.Client) -> None:
    session = browser.get("/session").json()
    without = browser.post("/api/memory", json={"content": "I like tea."})
    wrong = browser.post("/api/memory", json={"content": "I like tea."}, headers={"X-CSRF-Token": "x"})
    right = browser.post(
        "/api/memory", json={"content": "I like tea."}, headers={"X-CSRF-Token": session["csrf"]}
    )

    assert session["user"] == ANA
    assert browser.get("/api/memory").status_code == 200
    assert [without.status_code, wrong.status_code, right.status_code] == [403, 403, 201]
    assert without.json()["code"] == "no_csrf_token"


def test_users_see_only_their_own_data(server: LiveServer) -> None:
    token = server.access.add_token("phone", user="bruno")
    with server.client() as ana, server.client(token) as bruno:
        memory = ana.post("/api/memory", json={"content": "I like tea."}).json()["id"]
        ana.post("/chats/secret/listen", json={"messages": [{"role": "user", "content": "I fear cats."}]})
        [message] = ana.get("/chats/secret/messages").json()["results"]
        receipt = ana.post("/api/memory/search", json={"query": "tea"}).json()["receipt"]
        file = ana.post("/api/contexts", json={"name": "plan", "content": "We ship."}).json()["id"]
        paths = [
            ("GET", f"/api/memory/{memory}", None),
            ("PATCH", f"/api/memory/{memory}", {"content": "I hate tea."}),
            ("DELETE", f"/api/memory/{memory}", None),
            ("GET", f"/api/memory/{memory}/history", None),
            ("POST", f"/api/memory/{memory}/archive", None),
            ("GET", f"/memories/{memory}", None),
            ("GET", f"/api/memory/receipts/{receipt}", None),
            ("GET", "/chats/secret", None),
            ("GET", "/chats/secret/messages", None),
            ("PATCH", f"/chats/secret/messages/{message['id']}", {"content": "I love cats."}),
            ("DELETE", f"/chats/secret/messages/{message['id']}", None),
            ("DELETE", "/chats/secret", None),
            ("GET", f"/api/contexts/{file}", None),
            ("DELETE", f"/api/contexts/{file}", None),
            ("POST", "/api/memory/erase", {"memory_id": memory}),
            ("POST", "/api/memory/erase", {"chat_id": "secret"}),
            ("POST", "/api/memory/summaries", {"chat_id": "secret"}),
            ("POST", "/chats/secret/messages/regenerate", {}),
        ]
        for method, path, body in paths:
            theirs = bruno.request(method, path, json=body)
            missing = bruno.request(method, path.replace(memory, "nope"), json=body)
            assert theirs.status_code == 404, path
            assert missing.json()["code"] == theirs.json()["code"] == "not_found"
        assert bruno.get("/api/memory").json()["results"] == []
        assert bruno.get("/chats").json()["results"] == []
        assert ana.get(f"/api/memory/{memory}").json()["memory"] == "I like tea."


def test_only_an_admin_can_name_another_user(server: LiveServer) -> None:
    token = server.access.add_token("phone", user="bruno")
    with server.client() as owner, server.client(token) as bruno:
        for params in ({"params": {"user_id": "ana"}}, {"headers": {"X-Memory-User": "ana"}}):
            assert bruno.get("/api/memory", **params).status_code == 403  # type: ignore[arg-type]
        assert bruno.post("/search", json={"query": "tea", "user_id": "ana"}).status_code == 403
        assert bruno.post("/memories", json={"messages": "x", "user_id": "ana"}).status_code == 403
        assert bruno.get("/api/settings/db").status_code == 403
        assert owner.get("/api/memory", params={"user_id": "bruno"}).status_code == 200
        assert owner.get("/api/settings/db").status_code == 200


def test_a_revoked_token_is_refused(server: LiveServer) -> None:
    token = server.access.add_token("phone", user="bruno")
    with server.client(token) as bruno:
        assert bruno.get("/api/memory").status_code == 200
        server.access.revoke_token("phone")
        assert bruno.get("/api/memory").status_code == 401


@pytest.mark.parametrize("path", ["/health", "/version", "/login", "/", "/api/memory", "/session", "/docs"])
@pytest.mark.parametrize("header", ["Authorization", "x-api-key"])
def test_an_invalid_token_is_refused_on_every_path_also_inside_a_session(
    server: LiveServer, browser: httpx2.Client, path: str, header: str
) -> None:
    token = server.access.add_token("phone", user="bruno")
    server.access.revoke_token("phone")
    answer = browser.get(path, headers={header: f"Bearer {token}" if header == "Authorization" else token})

    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_token")
    assert answer.headers["content-type"] == PROBLEM_TYPE
    assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'


def test_a_body_above_the_limit_is_refused(tmp_path: Path) -> None:
    with run_server(tmp_path, auth_overrides={"max_body_bytes": 1000}) as server, server.client() as client:
        declared = client.post("/api/memory", json={"content": "x" * 2000})
        pieces = client.post(
            "/api/memory", content=iter([b"x" * 600] * 2), headers={"Content-Type": "application/json"}
        )

    assert [declared.status_code, pieces.status_code] == [413, 413]
    assert {answer.json()["code"] for answer in (declared, pieces)} == {"body_too_large"}


def test_requests_above_the_rate_limit_are_refused(tmp_path: Path) -> None:
    with (
        run_server(tmp_path, auth_overrides={"max_requests_per_minute": 5}) as server,
        server.client() as client,
    ):
        answers = [client.get("/chats") for _ in range(7)]

    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
    assert answers[-1].headers["retry-after"] == "60"


MALFORMED_BODIES = [
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"{",
    b"\xff\xfe\xfa",
    b'{"content": "\xff"}',
    b'{"content": NaN}',
    b'{"content": 1}',
    b'{"content": null}',
    b'{"content": ["I"]}',
    b'{"content": ""}',
    b'{"content": "   "}',
    b'{"content": "x", "tags": "x"}',
    b'{"content": "x", "tags": [1]}',
    b'{"content": "x", "tags": [""]}',
    b'{"content": "x", "tags": ["\\ud800"]}',
    b'{"content": "x", "kind": "nonsense"}',
    b'{"content": "x", "chat_id": "\\u0000"}',
    b'{"content": "x", "unknown": 1}',
    b'{"query": "x", "limit": 0}',
    b'{"query": "x", "limit": 1e400}',
    b'{"query": "x", "limit": ' + b"9" * 400 + b"}",
    b'{"query": "x", "limit": ' + b"9" * 5000 + b"}",
    b'{"query": "x", "as_of": "never"}',
    b'{"query": "x", "as_of": "9999-12-31T23:59:59-23:59"}',
    b'{"query": "x", "settings": {"recall.limit": NaN}}',
    b'{"query": "x", "settings": {"nonsense": 1}}',
    b'{"query": "x", "settings": {"recall.limit": ' + b"9" * 100 + b"}}",
    b'{"query": "x", "mode": "sometimes"}',
    b'{"messages": []}',
    b'{"messages": [1]}',
    b'{"messages": [{}]}',
    b'{"messages": [{"role": "nobody", "content": "x"}]}',
    b'{"messages": [{"role": "user", "content": {"a": 1}}]}',
    b'{"messages": [{"role": "user", "content": "x", "created_at": 1e300}]}',
    b'{"messages": [{"role": "user", "content": "x", "tool_calls": "\\ud800", "id": "\\ud800"}]}',
    b"[" * 100_000,
    b'{"content": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001,
    b'{"content": "\\ud800"}',
    b'{"query": "\\ud800 \\udfff"}',
]
BODY_PATHS = [
    ("POST", "/api/memory"),
    ("PATCH", "/api/memory/none"),
    ("POST", "/api/memory/search"),
    ("POST", "/api/memory/context"),
    ("POST", "/api/memory/why-not"),
    ("POST", "/api/memory/feedback"),
    ("POST", "/api/memory/merge"),
    ("POST", "/api/memory/undo"),
    ("POST", "/api/memory/consent"),
    ("PUT", "/api/memory/profile"),
    ("POST", "/api/memory/erase"),
    ("POST", "/api/memory/garden"),
    ("POST", "/api/contexts"),
    ("PUT", "/api/settings/recall.limit"),
    ("POST", "/chats/c/messages"),
    ("POST", "/chats/c/messages/regenerate"),
    ("POST", "/chats/c/listen"),
    ("POST", "/chats/c/branch"),
    ("PATCH", "/chats/c"),
    ("POST", "/api/llm"),
    ("POST", "/memories"),
    ("POST", "/search"),
    ("POST", "/api/import"),
]


def test_invalid_requests_get_a_problem_and_never_a_server_error(client: httpx2.Client) -> None:
    for method, path in BODY_PATHS:
        for body in MALFORMED_BODIES:
            headers = {"Content-Type": "application/json"}
            answer = client.request(method, path, content=body, headers=headers)
            assert answer.status_code < 500, (method, path, body[:80], answer.text)
            if answer.status_code >= 400:
                assert answer.headers["content-type"] == PROBLEM_TYPE, (method, path, body[:80])
                assert {"type", "title", "status", "code", "detail"} <= set(answer.json())
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/api/memory?limit=0",
        "/api/memory?limit=-1",
        f"/api/memory?limit={'9' * 100}",
        "/api/memory?limit=nan",
        "/api/memory?offset=99999999999999999999",
        "/api/memory?kind=nonsense",
        "/api/memory?chat_id=%00",
        "/api/memory?user_id=%00",
        "/api/memory?user_id=",
        "/api/memory?tag=%ED%A0%80",
        "/api/memory/%00",
        "/api/memory/%ED%A0%80",
        "/api/memory/..%2f..%2fetc",
        "/chats/%00",
        "/chats/%ff/messages",
        "/chats/" + "x" * 300,
        "/api/jobs/99999999999999999999/retry",
        "/api/settings/__class__",
        "/api/memory/consent/nonsense",
        "/api/memory/garden/forecast?weeks=99999999",
        "/api/memory/debug/retrieval",
        "/api/memory/debug/retrieval?q=%ED%A0%80",
        "/nothing/here",
    ],
)
def test_an_invalid_path_is_not_a_server_error(client: httpx2.Client, path: str) -> None:
    answer = client.get(path)

    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == PROBLEM_TYPE


def test_invalid_headers_are_not_a_server_error(server: LiveServer) -> None:
    for name, value in (
        ("Content-Length", "-5"),
        ("If-Match", "\xff"),
        ("Cookie", "recollect_session=\x80; ="),
        ("X-Memory-User", "\x80"),
        ("Idempotency-Key", "x" * 300),
        ("Origin", "http://["),
    ):
        connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.putrequest("PATCH", "/api/memory/none")
        connection.putheader("Authorization", f"Bearer {server.access.owner_token()}")
        connection.putheader("Content-Type", "application/json")
        if name != "Content-Length":
            connection.putheader("Content-Length", "2")
        connection.putheader(name, value.encode("latin-1"))
        connection.endheaders(b"{}")
        status = connection.getresponse().status
        connection.close()

        assert 400 <= status < 500, name


def test_an_unsupported_method_lists_the_supported_ones(client: httpx2.Client) -> None:
    answer = client.put("/api/memory", json={})

    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "DELETE, GET, POST"


def test_every_response_has_a_request_id_and_errors_say_what_to_do(client: httpx2.Client) -> None:
    answer = client.get("/api/memory/none")

    assert re.fullmatch(r"\w{10,}", answer.headers["x-request-id"])
    assert json.loads(answer.content) == {
        "type": "about:blank#not_found",
        "title": "Not found",
        "status": 404,
        "code": "not_found",
        "detail": answer.json()["detail"],
    }


@pytest.mark.parametrize(
    "sent",
    [
        b"hello\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Memory-User: a\x01b\r\n\r\n",
        b"POST /api/memory HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
    ids=["words", "control character", "length", "tls"],
)
def test_malformed_http_gets_a_problem(server: LiveServer, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(sent)
        answer = HTTPResponse(connection)
        answer.begin()
        body = json.loads(answer.read())
        rest = connection.recv(1)

    assert (answer.status, answer.headers["Content-Type"]) == (400, "application/problem+json")
    assert body["code"] == "unreadable_request"
    assert rest == b""


def test_a_body_that_does_not_arrive_in_time_is_refused(tmp_path: Path) -> None:
    with run_server(tmp_path, auth_overrides={"body_timeout_seconds": 0.2}) as server:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.putrequest("POST", "/api/memory")
        for name, value in {
            "Authorization": f"Bearer {server.access.owner_token()}",
            "Content-Type": "application/json",
            "Content-Length": "100",
        }.items():
            connection.putheader(name, value)
        connection.endheaders(b'{"content": ')
        answer = connection.getresponse()
        body = json.loads(answer.read())
        connection.close()

    assert (answer.status, body["code"]) == (408, "too_slow")


def test_a_rate_limit_of_zero_means_unlimited(tmp_path: Path) -> None:
    with (
        run_server(tmp_path, auth_overrides={"max_requests_per_minute": 0}) as server,
        server.client() as client,
    ):
        assert {client.get("/health").status_code for _ in range(5)} == {200}
        assert client.get("/api/memory").status_code == 200


def test_users_cannot_change_cost_caps(server: LiveServer) -> None:
    token = server.access.add_token("phone", user="bruno")
    cap, call = {"value": 1_000}, {"query": "tea", "settings": {"spending.max_tokens_per_day": 10**9}}
    with server.client() as ana, server.client(token) as bruno:
        attempts = [
            bruno.put("/api/settings/spending.max_tokens_per_day", json=cap),
            bruno.delete("/api/settings/spending.max_tokens_per_day"),
            bruno.post("/api/memory/search", json=call),
        ]
        set_for_him = ana.put(
            "/api/settings/spending.max_tokens_per_day", params={"user_id": "bruno"}, json=cap
        )
        setting = bruno.get("/api/settings/spending.max_tokens_per_day").json()
        pack = ana.get("/api/export", params={"user_id": "bruno"}).text
        ndjson = {"Content-Type": "application/x-ndjson"}
        import_report = ana.post(
            "/api/import", params={"user_id": "carla"}, content=pack, headers=ndjson
        ).json()

    assert [answer.status_code for answer in attempts] == [403, 403, 422]
    assert attempts[2].json()["detail"] == (
        "body.settings: spending.max_tokens_per_day is a cost cap and cannot be set per call."
    )
    assert set_for_him.status_code == 200
    assert setting["value"] == 1_000
    assert [each["position"] for each in import_report["damaged"]] == ["spending.max_tokens_per_day"]
