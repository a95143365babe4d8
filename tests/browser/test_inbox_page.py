"""The inbox: contradictions, doubts and twins are decided with one key each, and every decision can be taken back."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.states import LOST, expect_failure, expect_no_sideways_scroll, failing, silent, waiting
from tests.server.live_server import ANA, LiveServer

from recollect.domain.memory import Kind, Memory, MemoryStatus
from recollect.domain.scope import Scope
from recollect.testing.builders import a_memory

NOW = datetime.now(UTC)
COIMBRA = a_memory("was born in Coimbra", user=ANA, kind=Kind.BIO, attribute="born_in", seen_at=NOW)
BRAGA = a_memory(
    "was born in Braga",
    user=ANA,
    kind=Kind.BIO,
    attribute="born_in",
    seen_at=NOW,
    standing=MemoryStatus.CONTESTED,
    reason="contradicts 'was born in Coimbra'",
)
BOAT = a_memory(
    "owns a sailing boat",
    user=ANA,
    seen_at=NOW,
    standing=MemoryStatus.QUARANTINED,
    reason="not in the message: boat, sailing",
)
COFFEE = a_memory("likes to drink strong coffee in the morning", user=ANA, kind=Kind.PREF, seen_at=NOW)
MORNING = a_memory("in the morning likes to drink coffee, strong", user=ANA, kind=Kind.PREF, seen_at=NOW)


@pytest.fixture
def inbox(server: LiveServer, owner: Page) -> Iterator[Page]:
    """The page with a contradiction and a doubt; whatever breaks in it fails the test."""
    broken: list[str] = []
    owner.on("pageerror", lambda error: broken.append(str(error)))
    keep(server, COIMBRA, BRAGA, BOAT)
    owner.goto(f"{server.url}/inbox")
    expect(cards(owner)).to_have_count(2)
    yield owner
    assert broken == []


def keep(server: LiveServer, *memories: Memory) -> None:
    for memory in memories:
        server.application.store.memories.add(memory)
    server.drain_jobs()


def cards(page: Page) -> Locator:
    return page.get_by_role("list", name="What waits for you").get_by_role("article")


def standing(server: LiveServer, memory: Memory) -> str:
    return server.application.store.memories.get(Scope(ANA), memory.id).standing.value


def undo(page: Page) -> None:
    page.get_by_role("region", name="Notices").get_by_role("button", name="Undo").last.click()
    expect(page.get_by_role("region", name="Notices").get_by_text("Taken back.")).to_be_visible()


def test_both_sides_of_a_contradiction_are_shown_and_the_new_one_is_kept_with_a_key(
    server: LiveServer, inbox: Page
) -> None:
    first = cards(inbox).first
    expect(first).to_contain_text("Until now")
    expect(first.get_by_text(COIMBRA.text)).to_be_visible()
    expect(first.get_by_text(BRAGA.text)).to_be_visible()
    expect(inbox.get_by_role("link", name="Inbox")).to_contain_text("2 wait for you")
    inbox.keyboard.press("a")
    expect(inbox.get_by_text("The new one holds. The old one stays in history.")).to_be_visible()
    expect(cards(inbox)).to_have_count(1)
    assert (standing(server, BRAGA), standing(server, COIMBRA)) == ("active", "superseded")
    expect(inbox.get_by_role("link", name="Inbox")).to_contain_text("1 waits for you")

    undo(inbox)
    expect(cards(inbox)).to_have_count(2)
    assert (standing(server, BRAGA), standing(server, COIMBRA)) == ("contested", "active")


def test_keys_move_edit_and_reject(server: LiveServer, inbox: Page) -> None:
    inbox.keyboard.press("j")
    expect(cards(inbox).nth(1)).to_be_focused()
    expect(cards(inbox).nth(1)).to_contain_text("These words are not in the message: boat, sailing")
    inbox.keyboard.press("k")
    expect(cards(inbox).first).to_be_focused()
    inbox.keyboard.press("r")
    expect(inbox.get_by_text("What was known stays.")).to_be_visible()
    expect(cards(inbox)).to_have_count(1)
    assert (standing(server, BRAGA), standing(server, COIMBRA)) == ("forgotten", "active")
    inbox.keyboard.press("e")
    field = inbox.get_by_label("What it should say")
    expect(field).to_be_focused()
    field.press("Escape")
    expect(field).to_have_count(0)
    inbox.keyboard.press("e")
    field.fill("owns a rowing boat")
    field.press("Control+Enter")
    expect(inbox.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    accepted = server.application.store.memories.get(Scope(ANA), BOAT.id)
    assert (accepted.text, accepted.standing) == ("owns a rowing boat", MemoryStatus.ACTIVE)

    undo(inbox)
    expect(cards(inbox)).to_have_count(1)
    back = server.application.store.memories.get(Scope(ANA), BOAT.id)
    assert (back.text, back.standing) == (BOAT.text, MemoryStatus.QUARANTINED)


def test_twins_are_merged_or_kept_apart(server: LiveServer, owner: Page) -> None:
    for text in (COFFEE.text, MORNING.text):
        with server.client() as client:
            client.post("/api/memory", json={"content": text, "kind": "pref"})
    server.drain_jobs()
    owner.goto(f"{server.url}/inbox")
    expect(cards(owner)).to_have_count(1)
    expect(cards(owner)).to_contain_text(COFFEE.text)
    expect(cards(owner)).to_contain_text(MORNING.text)
    owner.keyboard.press("a")
    expect(owner.get_by_text("Merged into one.")).to_be_visible()
    assert len(server.application.store.memories.list(Scope(ANA))) == 1
    undo(owner)
    expect(cards(owner)).to_have_count(1)
    assert len(server.application.store.memories.list(Scope(ANA))) == 2
    owner.keyboard.press("r")
    expect(owner.get_by_role("heading", name="Nothing waits for you")).to_be_visible()

    owner.reload()
    expect(owner.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    assert len(server.application.store.memories.list(Scope(ANA))) == 2


def test_somebody_who_decided_elsewhere_is_heeded(server: LiveServer, inbox: Page) -> None:
    server.application.engine.update_memory(
        Scope(ANA), BRAGA.id, "was born in Faro", server.application.policy(ANA)
    )
    inbox.keyboard.press("r")

    expect(inbox.get_by_role("region", name="Notices")).to_contain_text("changed elsewhere meanwhile")
    expect(cards(inbox).first).to_contain_text("was born in Faro")


def test_an_empty_inbox_says_what_comes_here(server: LiveServer, owner: Page) -> None:
    owner.goto(f"{server.url}/inbox")
    expect(owner.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    owner.get_by_role("link", name="Go to the chat").click()

    expect(owner).to_have_url(f"{server.url}/chat")


def test_loading_failing_partial_and_offline_are_shown(inbox: Page) -> None:
    with waiting(inbox, "**/api/memory/inbox**"):
        inbox.reload()
        expect(inbox.get_by_role("main").get_by_text("Loading")).to_be_visible()
    expect(cards(inbox)).to_have_count(2)
    with failing(inbox, "**/api/memory/duplicates**"):
        inbox.reload()
        expect_failure(inbox)
        expect(cards(inbox)).to_have_count(2)
    with failing(inbox, "**/api/memory/inbox**"):
        inbox.reload()
        expect_failure(inbox)
    inbox.get_by_role("button", name="Try again").click()
    expect(cards(inbox)).to_have_count(2)
    with silent(inbox):
        inbox.keyboard.press("a")
        expect(inbox.get_by_text(LOST)).to_be_visible()
    expect(inbox.get_by_text(LOST)).to_be_hidden()
    expect(cards(inbox)).to_have_count(2)


def test_it_fits_a_phone_and_twice_the_size(inbox: Page) -> None:
    inbox.keyboard.press("e")
    expect(inbox.get_by_label("What it should say")).to_be_focused()
    expect_no_sideways_scroll(inbox)
