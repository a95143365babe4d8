"""What holds on every page: nobody's text runs as a script, and everybody can use it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect
from tests.browser.payloads import PAYLOADS
from tests.browser.visiting import at_home, log_in
from tests.browser.walking import walked
from tests.server.live_server import ANA, LiveServer

from recollect import Memory
from recollect.domain.memory import MemoryStatus
from recollect.domain.scope import Scope
from recollect.testing.builders import a_memory

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
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


def tell(server: LiveServer, notes: str, said: Sequence[str], chat: str) -> None:
    """A profile, and messages in a chat."""
    engine, policy = server.application.engine, server.application.policy(ANA)
    engine.set_consent(Scope(ANA), "profile", granted=True)
    engine.set_profile(Scope(ANA), {"freeformNotes": notes}, policy)
    Memory.from_application(server.application).add(
        [{"role": "user", "content": each} for each in said], user_id=ANA, chat_id=chat
    )


@pytest.fixture
def lived_in(page: Page, server: LiveServer) -> Iterator[Page]:
    """Somebody's app after a while: a chat, memories, one of them doubted, a profile, a receipt."""
    tell(server, "Keep it short.", ["I'm vegetarian and I hate cilantro.", "Where shall we eat?"], CHAT)
    Memory.from_application(server.application).context("What can I cook?", user_id=ANA, chat_id=CHAT)
    server.application.store.memories.add(
        a_memory("owns a boat", user=ANA, standing=MemoryStatus.QUARANTINED)
    )
    server.drain_jobs()
    with at_home(log_in(page, server), server):
        yield page


@pytest.mark.parametrize("path", [*PAGES, f"chat/{CHAT}"])
def test_a_page_has_no_barrier_in_either_theme_or_language(
    server: LiveServer, lived_in: Page, path: str
) -> None:
    for language in ("en", "pt"):
        lived_in.evaluate(f"localStorage.setItem('recollect.language', '{language}')")
        for scheme in SCHEMES:
            lived_in.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            lived_in.goto(f"{server.url}/{path}")
            expect(lived_in.get_by_role("heading", level=1)).to_be_visible()
            lived_in.wait_for_load_state("networkidle")
            assert _barriers(lived_in) == [], (language, scheme)


@pytest.mark.parametrize("path", [*PAGES, f"chat/{CHAT}"])
def test_tab_reaches_every_control_of_a_page_and_shows_where_it_is(
    server: LiveServer, lived_in: Page, path: str
) -> None:
    lived_in.emulate_media(reduced_motion="reduce")
    lived_in.goto(f"{server.url}/{path}")
    expect(lived_in.get_by_role("heading", level=1)).to_be_visible()
    lived_in.wait_for_load_state("networkidle")

    walk = walked(lived_in)

    assert walk.end == "round", walk.last
    assert walk.missed == []
    assert walk.unseen == []


def test_a_walk_finds_what_is_wrong(page: Page) -> None:
    """The control: one page that keeps the focus, and one with a control that hands it on and one that hides it."""
    page.set_content("<button>First</button><button onkeydown='event.preventDefault()'>Trap</button>")
    kept = walked(page)
    page.set_content(
        "<button>First</button><button onfocus='last.focus()'>Never</button>"
        "<button id=last style='outline: none'>Last</button>"
    )
    hidden = walked(page)

    assert (kept.end, "Trap" in kept.last, kept.missed) == ("stuck", True, [])
    assert ["Never" in each for each in hidden.missed] == [True]
    assert ["Last" in each for each in hidden.unseen] == [True]


@pytest.fixture
def attacked(page: Page, server: LiveServer) -> Iterator[Page]:
    """Everything that can be said, said by somebody who means harm."""
    tell(server, "\n".join(PAYLOADS), PAYLOADS, CHAT)
    for number, payload in enumerate(PAYLOADS):
        server.application.store.memories.add(a_memory(payload, user=ANA, tags=(payload,), id=f"m{number}"))
    Memory.from_application(server.application).search(PAYLOADS[1], user_id=ANA)
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    with at_home(log_in(page, server), server):
        yield page


def test_there_are_a_hundred_ways_to_mean_harm() -> None:
    assert len(set(PAYLOADS)) >= 100


def test_nothing_that_was_said_runs_as_a_script(server: LiveServer, attacked: Page) -> None:
    for path in (*PAGES, "memory/m0", "memory/m36", "memory/m90"):
        attacked.goto(f"{server.url}/{path}")
        expect(attacked.get_by_role("heading", level=1)).to_be_visible()
        attacked.wait_for_load_state("networkidle")

        assert attacked.evaluate("window.hit") is None, path
    attacked.goto(f"{server.url}/chat/{CHAT}")
    expect(attacked.get_by_text("window.hit").nth(20)).to_be_attached()
    attacked.wait_for_load_state("networkidle")

    assert attacked.evaluate("window.hit") is None


def test_the_payloads_would_run_where_nobody_escapes(page: Page) -> None:
    """The control: the same texts, put into a page as they are."""
    page.set_content("<div id=here></div>")
    for payload in PAYLOADS[:15]:
        page.set_content(payload)

    assert page.evaluate("window.hit") == 1


def _barriers(page: Page) -> list[str]:
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [f"{each['id']}: {node['html'][:120]}" for each in found["violations"] for node in each["nodes"]]
