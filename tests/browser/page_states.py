"""Context managers that simulate server failures."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect

BUSY_PROBLEM = (
    '{"title": "x", "status": 503, "code": "store_busy",'
    ' "detail": "It is busy. Somebody writes. Wait a moment."}'
)
#: Slow machines must not fail tests.
expect.set_options(timeout=30_000)
OFFLINE_TEXT = "Start it with “recollect up”; this page reconnects automatically."


@contextmanager
def failing_requests(page: Page, *addresses: str) -> Iterator[None]:
    """Requests to these URLs fail with 503."""
    for address in addresses:
        page.route(
            address,
            lambda route: route.fulfill(
                status=503, content_type="application/problem+json", body=BUSY_PROBLEM
            ),
        )
    yield
    for address in addresses:
        page.unroute(address)


@contextmanager
def offline(page: Page) -> Iterator[None]:
    """All API requests fail as if the server was down."""
    for address in ("**/api/**", "**/chats**", "**/session"):
        page.route(address, lambda route: route.abort())
    yield
    page.unroute_all()


@contextmanager
def pending_requests(page: Page, address: str) -> Iterator[None]:
    """Requests to this URL stay pending until the context ends."""
    pending_routes: list[Route] = []

    def hold(route: Route) -> None:
        pending_routes.append(route)

    page.route(address, hold)
    yield
    for route in pending_routes:
        route.continue_()
    page.unroute(address)


def expect_failure(page: Page) -> None:
    alert = page.get_by_role("alert").first
    for sentence in ("It is busy.", "Somebody writes.", "Wait a moment."):
        expect(alert).to_contain_text(sentence)


def expect_no_horizontal_scroll(page: Page) -> None:
    for width, height in ((320, 640), (640, 360)):
        page.set_viewport_size({"width": width, "height": height})
        widths = page.evaluate(
            "[document.documentElement, document.querySelector('main')].map(e => e.scrollWidth - e.clientWidth)"
        )
        assert widths == [0, 0], f"at {width} pixels"
