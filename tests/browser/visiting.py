"""Goes to a page as its owner would, and looks whether it stayed at home and whole."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect
from tests.browser.states import (
    LOST,
    expect_failure,
    expect_no_sideways_scroll,
    failing,
    silent,
    waiting,
)
from tests.server.live_server import LiveServer

expect.set_options(timeout=30_000)  # a busy machine is no failure


@contextmanager
def at_home(page: Page, server: LiveServer) -> Iterator[Page]:
    """Nothing is asked of any other host, and no script of the page breaks."""
    asked: list[str] = []
    broken: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: broken.append(str(error)))
    yield page
    assert [url for url in asked if not url.startswith((server.url, "blob:", "data:"))] == []
    assert broken == []


def log_in(page: Page, server: LiveServer) -> Page:
    page.goto(f"{server.url}/login?code={server.sessions.create_login_code(server.token_store.owner)}")
    return page


def in_portuguese(page: Page) -> None:
    page.evaluate("localStorage.setItem('recollect.language', 'pt')")
    page.reload()


def expect_states(page: Page, path: str, *asked: str) -> None:
    """On its way, failed, tried again, and nobody there: what a panel says when it has nothing to show yet."""
    with waiting(page, asked[0]):
        page.goto(path)
        expect(page.get_by_role("status").filter(has_text="Loading").first).to_be_attached()
    with failing(page, *asked):
        page.goto(path)
        expect_failure(page)
    again = page.get_by_role("button", name="Try again")
    while left := again.count():
        again.first.click()
        expect(again).not_to_have_count(left)
    expect(page.get_by_text("It is busy.")).to_have_count(0)
    with silent(page):
        page.reload()
        expect(page.get_by_text(LOST).first).to_be_visible()


def expect_to_fit(page: Page, path: str) -> None:
    """On a phone and at twice the size, in the light and in the dark."""
    page.goto(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect_no_sideways_scroll(page)


def tabbed_to(page: Page, name: str, *, most: int = 200) -> None:
    """Press Tab until the control with this name has the focus."""
    spoken = "e => e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || ''"
    for _ in range(most):
        page.keyboard.press("Tab")
        # A body has the focus while the page is still empty, and holds every word once it is not.
        control = page.evaluate_handle("() => document.activeElement.closest('body *')").as_element()
        if control and name in str(control.evaluate(spoken)):
            return
    raise AssertionError(f"{name} cannot be reached with Tab")
