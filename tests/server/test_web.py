"""Static files of the web app: public, with security headers, and separate from API paths."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.server.live_server import run_server

from recollect.server import web
from recollect.server.rest import ROUTERS

ROUTES_FILE = Path(__file__).parents[2] / "web" / "src" / "app" / "routes.ts"
INDEX_HTML = "<!doctype html><title>Recollect</title>"
SCRIPT_TEXT = "export const answer = 42;"


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[httpx2.Client]:
    """A client without a token, of a server with a small app in place of the real one."""
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    for name, text in {
        "index.html": INDEX_HTML,
        "theme.js": SCRIPT_TEXT,
        "assets/index-3fa9.js": SCRIPT_TEXT,
    }.items():
        (static / name).write_text(text, "utf-8")
        (static / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    (static / "sources.sha256").write_text("secret", "utf-8")
    with (
        run_server(tmp_path, auth_overrides={"static_dir": static}) as running,
        running.anonymous_client() as client,
    ):
        yield client


@pytest.mark.parametrize(
    "path", ["/", *(f"/{page}" for page in web.APP_PATHS), "/chat/a%2Fb", "/memory/01k9?q=x"]
)
def test_every_page_serves_the_app_without_a_token(stranger: httpx2.Client, path: str) -> None:
    answer = stranger.get(path)

    assert (answer.status_code, answer.text) == (200, INDEX_HTML)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


def test_the_content_security_policy_allows_own_files_only(stranger: httpx2.Client) -> None:
    headers = stranger.get("/").headers
    rules = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))

    assert (
        rules["default-src"] == rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    )
    assert rules["frame-ancestors"] == rules["object-src"] == rules["base-uri"] == "'none'"
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_assets_are_immutable_and_sent_compressed(stranger: httpx2.Client) -> None:
    packed = stranger.get("/assets/index-3fa9.js", headers={"Accept-Encoding": "gzip"})
    plain = stranger.get("/assets/index-3fa9.js", headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text == SCRIPT_TEXT
    assert "immutable" in packed.headers["cache-control"]
    assert packed.headers["content-type"] == "text/javascript; charset=utf-8"
    assert stranger.get("/theme.js").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/none.js",
        "/assets/..%2fsources.sha256",
        "/assets/..%2f..%2fmemory.db",
        "/assets/%2e%2e/index.html",
    ],
)
def test_other_files_are_not_served(stranger: httpx2.Client, path: str) -> None:
    answer = stranger.get(path)

    assert answer.status_code in {401, 404}
    assert answer.headers["content-type"] == "application/problem+json"


def test_without_a_build_the_page_says_how_to_build_the_app(tmp_path: Path) -> None:
    with (
        run_server(tmp_path, auth_overrides={"static_dir": tmp_path / "none"}) as running,
        running.anonymous_client() as stranger,
    ):
        answer = stranger.get("/")

    assert answer.status_code == 200
    assert "python web/build.py" in answer.text
    assert "content-security-policy" in answer.headers


def test_app_pages_do_not_shadow_api_paths(client: httpx2.Client) -> None:
    api_segments = {route.path.split("/")[1] for router in ROUTERS for route in router.routes}  # type: ignore[attr-defined]

    assert not api_segments & set(web.APP_PATHS)
    assert client.get("/memories").json() == {"results": []}
    assert (client.get("/api/nothing").status_code, client.post("/memory").status_code) == (404, 405)


def test_the_app_and_the_server_have_the_same_pages() -> None:
    paths = re.findall(r'path: "/([a-z]+)', ROUTES_FILE.read_text("utf-8"))

    assert sorted(paths) == sorted(web.APP_PATHS)
