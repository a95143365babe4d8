"""Checks for all pages: XSS safety and accessibility."""

from collections.abc import Iterator, Sequence
from typing import Literal

import pytest
from playwright.sync_api import Page, expect
from tests.browser.navigation import assert_no_external_requests, find_barriers, log_in
from tests.browser.payloads import PAYLOADS
from tests.browser.tab_order import walk_tab_order
from tests.server.live_server import ANA, LiveServer

from recollect import Memory
from recollect.domain.memory import MemoryStatus
from recollect.domain.scope import Scope
from recollect.testing.builders import a_memory
from recollect.testing.inspection import store_of

PAGES = (
    "chat",
    "memory",
    "inbox",
    "timeline",
    "profile",
    "analytics",
    "lab",
    "settings",
    "connect",
    "status",
)
CHAT = "kitchen"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def tell(server: LiveServer, notes: str, stored_messages: Sequence[str], chat: str) -> None:
    """A profile, and messages in a chat."""
    services, policy = server.application.services, server.application.policy(ANA)
    services.privacy.set_consent(Scope(ANA), "profile", granted=True)
    services.profile.set_profile(Scope(ANA), {"freeformNotes": notes}, policy)
    Memory.from_application(server.application).add(
        [{"role": "user", "content": each} for each in stored_messages], user_id=ANA, chat_id=chat
    )


@pytest.fixture
def populated_page(page: Page, server: LiveServer) -> Iterator[Page]:
    """Somebody's app after a while: a chat, memories, one of them doubted, a profile, a receipt."""
    tell(server, "Keep it short.", ["I'm vegetarian and I hate cilantro.", "Where shall we eat?"], CHAT)
    Memory.from_application(server.application).context("What can I cook?", user_id=ANA, chat_id=CHAT)
    store_of(server.application).memories.add(
        a_memory("owns a boat", user=ANA, status=MemoryStatus.QUARANTINED)
    )
    server.drain_jobs()
    with assert_no_external_requests(log_in(page, server), server):
        yield page


@pytest.mark.parametrize("path", [*PAGES, f"chat/{CHAT}"])
def test_a_page_has_no_barrier_in_either_theme_or_language(
    server: LiveServer, populated_page: Page, path: str
) -> None:
    for language in ("en", "pt"):
        populated_page.evaluate(f"localStorage.setItem('recollect.language', '{language}')")
        for scheme in SCHEMES:
            populated_page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            populated_page.goto(f"{server.url}/{path}")
            expect(populated_page.get_by_role("heading", level=1)).to_be_visible()
            populated_page.wait_for_load_state("networkidle")
            assert find_barriers(populated_page) == [], (language, scheme)


@pytest.mark.parametrize("path", [*PAGES, f"chat/{CHAT}"])
def test_tab_reaches_every_control_of_a_page_and_shows_where_it_is(
    server: LiveServer, populated_page: Page, path: str
) -> None:
    populated_page.emulate_media(reduced_motion="reduce")
    populated_page.goto(f"{server.url}/{path}")
    expect(populated_page.get_by_role("heading", level=1)).to_be_visible()
    populated_page.wait_for_load_state("networkidle")

    walk = walk_tab_order(populated_page)

    assert walk.end == "round", walk.last
    assert walk.missed == []
    assert walk.without_focus_ring == []


def test_a_walk_finds_what_is_wrong(page: Page) -> None:
    """The control: one page that keeps the focus, and one with a control that hands it on and one that hides it."""
    page.set_content("<button>First</button><button onkeydown='event.preventDefault()'>Trap</button>")
    trapped = walk_tab_order(page)
    page.set_content(
        "<button>First</button><button onfocus='last.focus()'>Never</button>"
        "<button id=last style='outline: none'>Last</button>"
    )
    hidden = walk_tab_order(page)

    assert (trapped.end, "Trap" in trapped.last, trapped.missed) == ("stuck", True, [])
    assert ["Never" in each for each in hidden.missed] == [True]
    assert ["Last" in each for each in hidden.without_focus_ring] == [True]


@pytest.fixture
def page_with_payloads(page: Page, server: LiveServer) -> Iterator[Page]:
    """Everything that can be said, said by somebody who means harm."""
    tell(server, "\n".join(PAYLOADS), PAYLOADS, CHAT)
    for number, payload in enumerate(PAYLOADS):
        store_of(server.application).memories.add(
            a_memory(payload, user=ANA, tags=(payload,), id=f"m{number}")
        )
    Memory.from_application(server.application).search(PAYLOADS[1], user_id=ANA)
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    with assert_no_external_requests(log_in(page, server), server):
        yield page


def test_a_page_opened_while_the_server_is_away_opens_when_it_is_back(page: Page, server: LiveServer) -> None:
    log_in(page, server)
    page.wait_for_load_state("networkidle")

    page.context.set_offline(True)
    page.get_by_role("link", name="Timeline").click()
    expect(page.get_by_text("This page opens as soon as the server is back.")).to_be_visible()
    page.context.set_offline(False)

    expect(page.get_by_role("heading", level=1, name="Timeline")).to_be_visible()


def test_there_are_a_hundred_ways_to_mean_harm() -> None:
    assert len(set(PAYLOADS)) >= 100


def test_nothing_that_was_said_runs_as_a_script(server: LiveServer, page_with_payloads: Page) -> None:
    for path in (*PAGES, "memory/m0", "memory/m36", "memory/m90"):
        page_with_payloads.goto(f"{server.url}/{path}")
        expect(page_with_payloads.get_by_role("heading", level=1)).to_be_visible()
        page_with_payloads.wait_for_load_state("networkidle")

        assert page_with_payloads.evaluate("window.hit") is None, path
    page_with_payloads.goto(f"{server.url}/chat/{CHAT}")
    expect(page_with_payloads.get_by_text("window.hit").nth(20)).to_be_attached()
    page_with_payloads.wait_for_load_state("networkidle")

    assert page_with_payloads.evaluate("window.hit") is None


def test_the_payloads_would_run_where_nobody_escapes(page: Page) -> None:
    """Control: the same payloads run when they are not escaped."""
    page.set_content("<div id=here></div>")
    for payload in PAYLOADS[:15]:
        page.set_content(payload)

    assert page.evaluate("window.hit") == 1
