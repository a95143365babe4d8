"""Helpers that open pages and check their states."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect
from tests.browser.page_states import (
    OFFLINE_TEXT,
    expect_failure,
    expect_no_horizontal_scroll,
    failing_requests,
    offline,
    pending_requests,
)
from tests.server.live_server import LiveServer

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
expect.set_options(timeout=30_000)  # slow machines must not fail tests


@contextmanager
def assert_no_external_requests(page: Page, server: LiveServer) -> Iterator[Page]:
    """Fail on requests to other hosts and on uncaught script errors."""
    requested_urls: list[str] = []
    script_errors: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url))
    page.on("pageerror", lambda error: script_errors.append(str(error)))
    yield page
    assert [url for url in requested_urls if not url.startswith((server.url, "blob:", "data:"))] == []
    assert script_errors == []


def log_in(page: Page, server: LiveServer) -> Page:
    page.goto(f"{server.url}/login?code={server.access.create_login_code(server.access.owner)}")
    return page


def switch_to_portuguese(page: Page) -> None:
    page.evaluate("localStorage.setItem('recollect.language', 'pt')")
    page.reload()


def expect_states(page: Page, path: str, *urls: str) -> None:
    """Check the loading, error, retry and offline states of a page."""
    with pending_requests(page, urls[0]):
        page.goto(path)
        expect(page.get_by_role("status").filter(has_text="Loading").first).to_be_attached()
    with failing_requests(page, *urls):
        page.goto(path)
        expect_failure(page)
    again = page.get_by_role("button", name="Try again")
    while left := again.count():
        again.first.click()
        expect(again).not_to_have_count(left)
    expect(page.get_by_text("It is busy.")).to_have_count(0)
    with offline(page):
        page.reload()
        expect(page.get_by_text(OFFLINE_TEXT).first).to_be_visible()


def expect_to_fit(page: Page, path: str) -> None:
    """Check small screens and 200 % zoom, in light and dark mode."""
    page.goto(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect_no_horizontal_scroll(page)


def press_tab_until(page: Page, name: str, *, most: int = 200) -> None:
    """Press Tab until the control with this name has the focus."""
    spoken = "e => e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || ''"
    for _ in range(most):
        page.keyboard.press("Tab")
        # The body has the focus while the page loads, and contains all text afterwards.
        control = page.evaluate_handle("() => document.activeElement.closest('body *')").as_element()
        if control and name in str(control.evaluate(spoken)):
            return
    raise AssertionError(f"{name} cannot be reached with Tab")


def find_barriers(page: Page) -> list[str]:
    """Return what axe finds on the page."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [f"{each['id']}: {node['html'][:120]}" for each in found["violations"] for node in each["nodes"]]
