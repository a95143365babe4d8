"""Fixtures: Chromium and a Recollect server."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from tests.server.live_server import LiveServer, run_server

#: Resolves to this machine in the browser, but is a foreign site for the server.
EVIL = "evil.example"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    f"--host-resolver-rules=MAP {EVIL} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    # Browsers ask before a site may access local addresses; the server must not rely on it.
    "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWarn",
)


def _chromium_path() -> str:
    path = shutil.which("chromium")
    assert path, "These tests need Chromium. `scripts/setup --dev` installs it."
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """
    One browser per file. Not per session: while it is open, asyncio sees a running loop in this thread, and other
    tests start their own loops.
    """
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=_chromium_path(), args=list(ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A blank page in its own browser context."""
    context = browser.new_context()
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    """A server on a free port with an empty database."""
    with run_server(tmp_path) as running:
        yield running


@pytest.fixture
def login_link(server: LiveServer) -> str:
    """A one-time sign-in link of the owner."""
    return f"{server.url}/login?code={server.access.create_login_code(server.access.owner)}"


@pytest.fixture
def owner(page: Page, login_link: str) -> Page:
    """A page signed in as the owner."""
    page.goto(login_link)
    return page
