"""A receipt as a page: what was used, what was left out and why, what was not asked, and what one expected instead."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.states import LOST, expect_failure, expect_no_sideways_scroll, failing, silent, waiting
from tests.server.live_server import ANA, LiveServer

from recollect.domain.memory import Kind
from recollect.domain.scope import Scope
from recollect.testing.builders import a_memory, a_receipt

QUESTION = "What can I cook as a vegetarian?"
#: What is said of something that has nothing to do with the question.
NOT_NEAR = re.compile(
    "Too far from the question|Neither by meaning nor by words|Scored less than|Came in at place"
)


@pytest.fixture
def receipt(server: LiveServer, owner: Page) -> Iterator[Page]:
    """The receipt of a question for which one memory was used, and feelings were not asked."""
    broken: list[str] = []
    owner.on("pageerror", lambda error: broken.append(str(error)))
    with server.client() as client:
        client.post("/api/memory", json={"content": "I am vegetarian."})
        client.post("/api/memory/consent", json={"category": "emo", "granted": False})
        client.post("/chats/kitchen/messages", json={"content": QUESTION, "stream": False})
    owner.goto(f"{server.url}/receipt/last")
    expect(used(owner)).to_have_count(1)
    yield owner
    assert broken == []


def used(page: Page) -> Locator:
    return page.locator("li.item:not(.out)")


def memory(server: LiveServer, text: str) -> dict[str, Any]:
    with server.client() as client:
        for standing in ("active", "forgotten"):
            listed = client.get("/api/memory", params={"standing": standing}).json()["results"]
            found = [each for each in listed if each["memory"] == text]
            if found:
                shape: dict[str, Any] = found[0]
                return shape
    raise AssertionError(text)


def test_a_receipt_tells_what_was_used_and_what_it_is_made_of(receipt: Page) -> None:
    item = used(receipt)

    expect(item.get_by_text("I am vegetarian.")).to_be_visible()
    expect(item.locator("mark")).to_have_text("vegetarian")
    expect(item.get_by_role("img", name="Score")).to_be_visible()
    expect(item.get_by_text("meaning")).to_be_visible()
    expect(receipt.get_by_text("Feeling: you did not agree to it.")).to_be_visible()
    expect(item.get_by_role("link", name="Source message")).to_have_count(1)
    expect(receipt.get_by_role("link", name="Open the chat")).to_have_attribute("href", "/chat/kitchen")


def test_the_exact_text_and_the_time_of_each_part_are_there(server: LiveServer, receipt: Page) -> None:
    with server.client() as client:
        kept = client.get("/api/memory/receipts/last").json()
    receipt.get_by_role("tab", name="Exact text").click()
    assert receipt.locator("pre").inner_text() == kept["text"]
    receipt.get_by_role("tab", name="Timings").click()

    expect(receipt.get_by_role("row", name="Search by words")).to_be_visible()
    expect(receipt.get_by_role("row").last).to_contain_text("All together")


def test_a_memory_is_corrected_pinned_and_forgotten_and_each_is_taken_back(
    server: LiveServer, receipt: Page
) -> None:
    item = used(receipt)
    item.get_by_role("button", name="Correct").click()
    receipt.get_by_label("What it should say").fill("I am vegan.")
    item.get_by_role("button", name="Save").click()
    expect(item.get_by_text("Corrected.")).to_be_visible()
    assert memory(server, "I am vegan.")["version"] == 2
    item.get_by_role("button", name="Undo").click()
    expect(item.get_by_text("Taken back.")).to_be_visible()
    assert memory(server, "I am vegetarian.")["version"] == 3
    item.get_by_role("button", name="Pin").click()
    expect(item.get_by_text("Pinned: it does not fade.")).to_be_visible()
    assert memory(server, "I am vegetarian.")["pinned"] is True
    item.get_by_role("button", name="Forget").click()
    expect(item.get_by_text("Forgotten. It will not be recalled.")).to_be_visible()
    assert memory(server, "I am vegetarian.")["standing"] == "forgotten"
    item.get_by_role("button", name="Undo").click()

    expect(item.get_by_role("button", name="Forget")).to_be_visible()
    assert memory(server, "I am vegetarian.")["standing"] == "active"


def test_a_change_of_something_newer_is_refused_and_told(server: LiveServer, receipt: Page) -> None:
    item = used(receipt)
    expect(item.get_by_role("button", name="Forget")).to_be_visible()
    with server.client() as client:
        known = memory(server, "I am vegetarian.")
        client.patch(f"/api/memory/{known['id']}", json={"content": "I am vegan."})
    item.get_by_role("button", name="Forget").click()

    expect(receipt.get_by_role("alert")).to_contain_text("changed elsewhere meanwhile")
    assert memory(server, "I am vegan.")["standing"] == "active"


def test_what_did_not_bear_on_the_question_is_noted(server: LiveServer, receipt: Page) -> None:
    used(receipt).get_by_role("button", name="Not relevant").click()
    expect(receipt.get_by_text("Noted: not relevant here.")).to_be_visible()
    [opinion] = server.application.store.feedback.list(Scope(ANA))

    assert opinion.relevant is False


def test_what_was_expected_instead_is_found_and_explained(server: LiveServer, receipt: Page) -> None:
    with server.client() as client:
        for number in range(30):
            client.post("/api/memory", json={"content": f"Shelf {number} holds vegetarian recipe {number}."})
        client.post("/api/memory", json={"content": "My saxophone is in the cellar."})
    server.drain_jobs()
    receipt.get_by_label("What did you expect?").fill("saxophone")
    row = receipt.get_by_role("listitem").filter(has_text="My saxophone is in the cellar.")
    row.get_by_role("button", name="Why not this?").click()
    answer = receipt.get_by_role("status").filter(has_text="My saxophone is in the cellar.")

    expect(answer.locator("strong")).to_have_text(NOT_NEAR)


def test_what_did_not_work_and_what_was_left_out_is_told(server: LiveServer, owner: Page) -> None:
    known = a_memory("is vegetarian", user=ANA, id=a_receipt("x", user=ANA).items[0].id, kind=Kind.PREF)
    server.application.store.memories.add(known)
    server.application.store.receipts.add(replace(a_receipt("What do I eat?", user=ANA), id="r1"))
    owner.goto(f"{server.url}/receipt/r1")
    expect(owner.get_by_text("Searched by words only: no embedder is configured")).to_be_visible()
    expect(owner.get_by_text("Profile: you did not agree to it.")).to_be_visible()
    owner.get_by_role("button", name="Show 1 that was left out").click()

    expect(owner.locator("li.item.out")).to_have_count(1)
    expect(owner.locator("li.item.out").get_by_text("only 1 is handed on")).to_be_visible()


def test_nothing_used_teaches_one_thing(server: LiveServer, owner: Page) -> None:
    with server.client() as client:
        client.post("/api/memory/context", json={"query": "Anything?"})
    owner.goto(f"{server.url}/receipt/last")

    expect(owner.get_by_role("heading", name="Nothing was put before the model")).to_be_visible()


def test_loading_failing_missing_and_offline_are_shown(server: LiveServer, receipt: Page) -> None:
    with waiting(receipt, "**/api/memory/receipts/last"):
        receipt.reload()
        expect(receipt.get_by_role("main").get_by_text("Loading")).to_be_visible()
    expect(used(receipt)).to_have_count(1)
    with failing(receipt, "**/api/memory/receipts/last"):
        receipt.reload()
        expect_failure(receipt)
    receipt.get_by_role("button", name="Try again").click()
    expect(used(receipt)).to_have_count(1)
    receipt.goto(f"{server.url}/receipt/nothing")
    expect(receipt.get_by_role("alert")).to_contain_text("nothing")
    receipt.goto(f"{server.url}/receipt/last")
    expect(used(receipt).get_by_role("button", name="Forget")).to_be_visible()
    with silent(receipt):
        used(receipt).get_by_role("button", name="Forget").click()
        expect(receipt.get_by_text(LOST)).to_be_visible()
    expect(receipt.get_by_text(LOST)).to_be_hidden()


def test_it_fits_a_phone_and_twice_the_size(receipt: Page) -> None:
    expect_no_sideways_scroll(receipt)
    receipt.get_by_role("tab", name="Exact text").click()
    expect_no_sideways_scroll(receipt)
