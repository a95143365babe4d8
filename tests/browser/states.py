"""Makes the server fail in the ways a page has to show."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect

BUSY = '{"title": "x", "status": 503, "code": "store_busy", "detail": "It is busy. Somebody writes. Wait a moment."}'
#: A busy machine is no failure.
expect.set_options(timeout=30_000)
LOST = "Start it with “recollect up”; this page goes on by itself."


@contextmanager
def failing(page: Page, *addresses: str) -> Iterator[None]:
    """Whatever is asked for there fails."""
    for address in addresses:
        page.route(
            address,
            lambda route: route.fulfill(status=503, content_type="application/problem+json", body=BUSY),
        )
    yield
    for address in addresses:
        page.unroute(address)


@contextmanager
def silent(page: Page) -> Iterator[None]:
    """Nobody answers any more; the page itself is here."""
    for address in ("**/api/**", "**/chats**", "**/session"):
        page.route(address, lambda route: route.abort())
    yield
    page.unroute_all()


@contextmanager
def waiting(page: Page, address: str) -> Iterator[None]:
    """The answer is on its way, and comes when this ends."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(address, hold)
    yield
    for route in held:
        route.continue_()
    page.unroute(address)


def expect_failure(page: Page) -> None:
    alert = page.get_by_role("alert").first
    for sentence in ("It is busy.", "Somebody writes.", "Wait a moment."):
        expect(alert).to_contain_text(sentence)


def expect_no_sideways_scroll(page: Page) -> None:
    for width, height in ((320, 640), (640, 360)):
        page.set_viewport_size({"width": width, "height": height})
        widths = page.evaluate(
            "[document.documentElement, document.querySelector('main')].map(e => e.scrollWidth - e.clientWidth)"
        )
        assert widths == [0, 0], f"at {width} pixels"
