"""Receipt page."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

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

from recollect.domain.memory import Kind
from recollect.domain.scope import Scope
from recollect.testing.builders import a_memory, a_receipt
from recollect.testing.inspection import store_of

QUESTION = "What can I cook as a vegetarian?"
#: What is said of something that has nothing to do with the question.
NOT_NEAR = re.compile(
    r"Cosine .* is below|Relevance .* is below|Not among the top|of the best score|Rank \d+ is beyond"
)


@pytest.fixture
def receipt(server: LiveServer, owner: Page) -> Iterator[Page]:
    """Receipt of a query that used one memory, without consent for feelings."""
    script_errors: list[str] = []
    owner.on("pageerror", lambda error: script_errors.append(str(error)))
    with server.client() as client:
        client.post("/api/memory", json={"content": "I am vegetarian."})
        client.post("/api/memory/consent", json={"category": "emotion", "granted": False})
        client.post("/chats/kitchen/messages", json={"content": QUESTION, "stream": False})
    owner.goto(f"{server.url}/receipt/last")
    expect(used(owner)).to_have_count(1)
    yield owner
    assert script_errors == []


def used(page: Page) -> Locator:
    return page.locator("li.item:not(.out)")


def memory(server: LiveServer, text: str) -> dict[str, Any]:
    with server.client() as client:
        for status in ("active", "forgotten"):
            listed = client.get("/api/memory", params={"status": status}).json()["results"]
            found = [each for each in listed if each["memory"] == text]
            if found:
                shape: dict[str, Any] = found[0]
                return shape
    raise AssertionError(text)


def test_a_receipt_shows_used_memories_and_score_parts(receipt: Page) -> None:
    item = used(receipt)

    expect(item.get_by_text("I am vegetarian.")).to_be_visible()
    expect(item.locator("mark")).to_have_text("vegetarian")
    expect(item.get_by_role("img", name="Score")).to_be_visible()
    expect(item.get_by_text("Semantic similarity")).to_be_visible()
    expect(receipt.get_by_text("No consent for feelings")).to_be_visible()
    expect(item.get_by_role("link", name="Source message")).to_have_count(1)
    expect(receipt.get_by_role("link", name="Open chat")).to_have_attribute("href", "/chat/kitchen")


def test_the_exact_text_and_the_timings_are_shown(server: LiveServer, receipt: Page) -> None:
    with server.client() as client:
        stored = client.get("/api/memory/receipts/last").json()
    receipt.get_by_role("tab", name="Exact text").click()
    assert receipt.locator("pre").inner_text() == stored["text"]
    receipt.get_by_role("tab", name="Timings").click()

    expect(receipt.get_by_role("row", name="Keyword search")).to_be_visible()
    expect(receipt.get_by_role("row").last).to_contain_text("Total")


def test_a_memory_is_edited_pinned_forgotten_and_each_is_undone(server: LiveServer, receipt: Page) -> None:
    item = used(receipt)
    item.get_by_role("button", name="Edit").click()
    receipt.get_by_label("Memory text").fill("I am vegan.")
    item.get_by_role("button", name="Save").click()
    expect(item.get_by_text("Memory updated.")).to_be_visible()
    assert memory(server, "I am vegan.")["version"] == 2
    item.get_by_role("button", name="Undo").click()
    expect(item.get_by_text("Change undone.")).to_be_visible()
    assert memory(server, "I am vegetarian.")["version"] == 3
    item.get_by_role("button", name="Pin").click()
    expect(item.get_by_text("Memory pinned. It does not decay.")).to_be_visible()
    assert memory(server, "I am vegetarian.")["pinned"] is True
    item.get_by_role("button", name="Forget").click()
    expect(item.get_by_text("Memory forgotten. It will not be used again.")).to_be_visible()
    assert memory(server, "I am vegetarian.")["status"] == "forgotten"
    item.get_by_role("button", name="Undo").click()

    expect(item.get_by_role("button", name="Forget")).to_be_visible()
    assert memory(server, "I am vegetarian.")["status"] == "active"


def test_changing_an_outdated_version_is_rejected(server: LiveServer, receipt: Page) -> None:
    item = used(receipt)
    expect(item.get_by_role("button", name="Forget")).to_be_visible()
    with server.client() as client:
        known = memory(server, "I am vegetarian.")
        client.patch(f"/api/memory/{known['id']}", json={"content": "I am vegan."})
    item.get_by_role("button", name="Forget").click()

    expect(receipt.get_by_role("alert")).to_contain_text("changed elsewhere")
    assert memory(server, "I am vegan.")["status"] == "active"


def test_a_passage_is_marked_as_not_relevant(server: LiveServer, receipt: Page) -> None:
    used(receipt).get_by_role("button", name="Not relevant").click()
    expect(receipt.get_by_text("Marked as not relevant to this query.")).to_be_visible()
    [opinion] = store_of(server.application).feedback.list(Scope(ANA))

    assert opinion.relevant is False


def test_a_missing_memory_is_explained(server: LiveServer, receipt: Page) -> None:
    with server.client() as client:
        for number in range(30):
            client.post("/api/memory", json={"content": f"Shelf {number} holds vegetarian recipe {number}."})
        client.post("/api/memory", json={"content": "My saxophone is in the cellar."})
    server.drain_jobs()
    receipt.get_by_label("Expected memory").fill("saxophone")
    row = receipt.get_by_role("listitem").filter(has_text="My saxophone is in the cellar.")
    row.get_by_role("button", name="Why not this one?").click()
    answer = receipt.get_by_role("status").filter(has_text="My saxophone is in the cellar.")

    expect(answer.locator("strong")).to_have_text(NOT_NEAR)


def test_degraded_stages_and_left_out_passages_are_shown(server: LiveServer, owner: Page) -> None:
    known = a_memory("is vegetarian", user=ANA, id=a_receipt("x", user=ANA).items[0].id, kind=Kind.PREFERENCE)
    store_of(server.application).memories.add(known)
    store_of(server.application).receipts.add(replace(a_receipt("What do I eat?", user=ANA), id="r1"))
    owner.goto(f"{server.url}/receipt/r1")
    expect(owner.get_by_text("Keyword search only: no embedder is configured")).to_be_visible()
    expect(owner.get_by_text("No consent for the profile")).to_be_visible()
    owner.get_by_role("button", name="Show 1 left-out passage").click()

    expect(owner.locator("li.item.out")).to_have_count(1)
    expect(owner.locator("li.item.out").get_by_text("Rank 2 is beyond the limit of 1")).to_be_visible()


def test_an_empty_receipt_says_so(server: LiveServer, owner: Page) -> None:
    with server.client() as client:
        client.post("/api/memory/context", json={"query": "Anything?"})
    owner.goto(f"{server.url}/receipt/last")

    expect(owner.get_by_role("heading", name="Nothing was sent to the model")).to_be_visible()


def test_loading_failed_missing_and_offline_states_are_shown(server: LiveServer, receipt: Page) -> None:
    with pending_requests(receipt, "**/api/memory/receipts/last"):
        receipt.reload()
        expect(receipt.get_by_role("main").get_by_text("Loading")).to_be_visible()
    expect(used(receipt)).to_have_count(1)
    with failing_requests(receipt, "**/api/memory/receipts/last"):
        receipt.reload()
        expect_failure(receipt)
    receipt.get_by_role("button", name="Try again").click()
    expect(used(receipt)).to_have_count(1)
    receipt.goto(f"{server.url}/receipt/nothing")
    expect(receipt.get_by_role("alert")).to_contain_text("nothing")
    receipt.goto(f"{server.url}/receipt/last")
    expect(used(receipt).get_by_role("button", name="Forget")).to_be_visible()
    with offline(receipt):
        used(receipt).get_by_role("button", name="Forget").click()
        expect(receipt.get_by_text(OFFLINE_TEXT)).to_be_visible()
    expect(receipt.get_by_text(OFFLINE_TEXT)).to_be_hidden()


def test_it_fits_small_screens(receipt: Page) -> None:
    expect_no_horizontal_scroll(receipt)
    receipt.get_by_role("tab", name="Exact text").click()
    expect_no_horizontal_scroll(receipt)
