"""Review queue page."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.page_states import (
    OFFLINE_TEXT,
    expect_failure,
    expect_no_horizontal_scroll,
    failing_requests,
    offline,
    pending_requests,
)
from tests.server.live_server import ANA, LiveServer

from recollect.domain.memory import Kind, Memory, MemoryStatus
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.testing.builders import a_memory
from recollect.testing.inspection import store_of

NOW = datetime.now(UTC)
COIMBRA = a_memory(
    "was born in Coimbra", user=ANA, kind=Kind.BIOGRAPHY, attribute="born_in", last_stated_at=NOW
)
BRAGA = a_memory(
    "was born in Braga",
    user=ANA,
    kind=Kind.BIOGRAPHY,
    attribute="born_in",
    last_stated_at=NOW,
    status=MemoryStatus.CONTESTED,
    reason=Reason(ReasonCode.CONTRADICTS, {"text": "was born in Coimbra"}),
)
BOAT = a_memory(
    "owns a sailing boat",
    user=ANA,
    last_stated_at=NOW,
    status=MemoryStatus.QUARANTINED,
    reason=Reason(ReasonCode.NOT_IN_MESSAGE, {"words": "boat, sailing"}),
)
COFFEE = a_memory(
    "likes to drink strong coffee in the morning", user=ANA, kind=Kind.PREFERENCE, last_stated_at=NOW
)
MORNING = a_memory(
    "in the morning likes to drink coffee, strong", user=ANA, kind=Kind.PREFERENCE, last_stated_at=NOW
)


@pytest.fixture
def review(server: LiveServer, owner: Page) -> Iterator[Page]:
    """The page with a contradiction and an uncertain memory; script errors fail the test."""
    script_errors: list[str] = []
    owner.on("pageerror", lambda error: script_errors.append(str(error)))
    store_memories(server, COIMBRA, BRAGA, BOAT)
    owner.goto(f"{server.url}/inbox")
    expect(cards(owner)).to_have_count(2)
    yield owner
    assert script_errors == []


def store_memories(server: LiveServer, *memories: Memory) -> None:
    for memory in memories:
        store_of(server.application).memories.add(memory)
    server.drain_jobs()


def cards(page: Page) -> Locator:
    return page.get_by_role("list", name="Pending decisions").get_by_role("article")


def status(server: LiveServer, memory: Memory) -> str:
    return store_of(server.application).memories.get(Scope(ANA), memory.id).status.value


def undo(page: Page) -> None:
    page.get_by_role("region", name="Notifications").get_by_role("button", name="Undo").last.click()
    expect(page.get_by_role("region", name="Notifications").get_by_text("Change undone.")).to_be_visible()


def test_a_contradiction_shows_both_sides_and_is_resolved_by_key(server: LiveServer, review: Page) -> None:
    first = cards(review).first
    expect(first).to_contain_text("Current")
    expect(first.get_by_text(COIMBRA.text)).to_be_visible()
    expect(first.get_by_text(BRAGA.text)).to_be_visible()
    expect(review.get_by_role("link", name="Review queue")).to_contain_text("2 to review")
    review.keyboard.press("a")
    expect(review.get_by_text("New memory accepted. The old one stays in the history.")).to_be_visible()
    expect(cards(review)).to_have_count(1)
    assert (status(server, BRAGA), status(server, COIMBRA)) == ("active", "superseded")
    expect(review.get_by_role("link", name="Review queue")).to_contain_text("1 to review")

    undo(review)
    expect(cards(review)).to_have_count(2)
    assert (status(server, BRAGA), status(server, COIMBRA)) == ("contested", "active")


def test_shortcuts_move_edit_and_reject(server: LiveServer, review: Page) -> None:
    review.keyboard.press("j")
    expect(cards(review).nth(1)).to_be_focused()
    expect(cards(review).nth(1)).to_contain_text("Not in the message: boat, sailing")
    review.keyboard.press("k")
    expect(cards(review).first).to_be_focused()
    review.keyboard.press("r")
    expect(review.get_by_text("Current memory kept.")).to_be_visible()
    expect(cards(review)).to_have_count(1)
    assert (status(server, BRAGA), status(server, COIMBRA)) == ("forgotten", "active")
    review.keyboard.press("e")
    field = review.get_by_label("Memory text")
    expect(field).to_be_focused()
    field.press("Escape")
    expect(field).to_have_count(0)
    review.keyboard.press("e")
    field.fill("owns a rowing boat")
    field.press("Control+Enter")
    expect(review.get_by_role("heading", name="Nothing to review")).to_be_visible()
    accepted = store_of(server.application).memories.get(Scope(ANA), BOAT.id)
    assert (accepted.text, accepted.status) == ("owns a rowing boat", MemoryStatus.ACTIVE)

    undo(review)
    expect(cards(review)).to_have_count(1)
    back = store_of(server.application).memories.get(Scope(ANA), BOAT.id)
    assert (back.text, back.status) == (BOAT.text, MemoryStatus.QUARANTINED)


def test_duplicates_are_merged_or_kept(server: LiveServer, owner: Page) -> None:
    for text in (COFFEE.text, MORNING.text):
        with server.client() as client:
            client.post("/api/memory", json={"content": text, "kind": "preference"})
    server.drain_jobs()
    owner.goto(f"{server.url}/inbox")
    expect(cards(owner)).to_have_count(1)
    expect(cards(owner)).to_contain_text(COFFEE.text)
    expect(cards(owner)).to_contain_text(MORNING.text)
    owner.keyboard.press("a")
    expect(owner.get_by_text("Memories merged.")).to_be_visible()
    assert len(store_of(server.application).memories.list(Scope(ANA))) == 1
    undo(owner)
    expect(cards(owner)).to_have_count(1)
    assert len(store_of(server.application).memories.list(Scope(ANA))) == 2
    owner.keyboard.press("r")
    expect(owner.get_by_role("heading", name="Nothing to review")).to_be_visible()

    owner.reload()
    expect(owner.get_by_role("heading", name="Nothing to review")).to_be_visible()
    assert len(store_of(server.application).memories.list(Scope(ANA))) == 2


def test_a_conflicting_decision_is_rejected(server: LiveServer, review: Page) -> None:
    server.application.services.memories.update_memory(
        Scope(ANA), BRAGA.id, "was born in Faro", server.application.policy(ANA)
    )
    review.keyboard.press("r")

    expect(review.get_by_role("region", name="Notifications")).to_contain_text("changed elsewhere")
    expect(cards(review).first).to_contain_text("was born in Faro")


def test_an_empty_queue_says_what_appears_here(server: LiveServer, owner: Page) -> None:
    owner.goto(f"{server.url}/inbox")
    expect(owner.get_by_role("heading", name="Nothing to review")).to_be_visible()
    owner.get_by_role("link", name="Go to chat").click()

    expect(owner).to_have_url(f"{server.url}/chat")


def test_loading_failed_partial_and_offline_states_are_shown(review: Page) -> None:
    with pending_requests(review, "**/api/memory/inbox**"):
        review.reload()
        expect(review.get_by_role("main").get_by_text("Loading")).to_be_visible()
    expect(cards(review)).to_have_count(2)
    with failing_requests(review, "**/api/memory/duplicates**"):
        review.reload()
        expect_failure(review)
        expect(cards(review)).to_have_count(2)
    with failing_requests(review, "**/api/memory/inbox**"):
        review.reload()
        expect_failure(review)
    review.get_by_role("button", name="Try again").click()
    expect(cards(review)).to_have_count(2)
    with offline(review):
        review.keyboard.press("a")
        expect(review.get_by_text(OFFLINE_TEXT)).to_be_visible()
    expect(review.get_by_text(OFFLINE_TEXT)).to_be_hidden()
    expect(cards(review)).to_have_count(2)


def test_it_fits_small_screens(review: Page) -> None:
    review.keyboard.press("e")
    expect(review.get_by_label("Memory text")).to_be_focused()
    expect_no_horizontal_scroll(review)
