"""A real Chromium, and a server for it to talk to."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from tests.server.live_server import LiveServer, run_server

#: This name is our own machine to the browser, and somebody else's site to the server.
EVIL = "evil.example"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    f"--host-resolver-rules=MAP {EVIL} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    # Browsers ask before a site may reach this machine; a server must not count on that.
    "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWarn",
)


def _chromium() -> str:
    found = shutil.which("chromium")
    assert found, "These tests need Chromium. `scripts/setup --dev` installs it."
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """
    One for all tests of a file. Not for the whole run: while it is open, asyncio believes that a loop runs in this
    thread, and tests elsewhere start loops of their own.
    """
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=_chromium(), args=list(ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page in a profile of its own, without cookies."""
    context = browser.new_context()
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    """A server on a free port, over an empty memory in a folder of its own."""
    with run_server(tmp_path) as running:
        yield running


@pytest.fixture
def login_link(server: LiveServer) -> str:
    """It works once; whoever follows it is the owner."""
    return f"{server.url}/login?code={server.sessions.create_login_code(server.token_store.owner)}"


@pytest.fixture
def owner(page: Page, login_link: str) -> Page:
    """A page of somebody who has logged in."""
    page.goto(login_link)
    return page
