"""Recall tuning page."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.navigation import (
    assert_no_external_requests,
    expect_states,
    expect_to_fit,
    press_tab_until,
    switch_to_portuguese,
)
from tests.server.live_server import LiveServer

from recollect.domain.reason import Reason, ReasonCode
from recollect.serialization.reasons import serialize_reason

TEAS = ("green", "black", "white", "red", "yellow", "cold", "sweet", "strong", "iced", "herbal")


@pytest.fixture
def tuning(server: LiveServer, owner: Page) -> Iterator[Page]:
    with server.client() as client:
        for tea in TEAS:
            client.post("/api/memory", json={"content": f"I drink {tea} tea on {tea} days."})
    server.drain_jobs()
    with assert_no_external_requests(owner, server):
        owner.goto(f"{server.url}/lab?q=iced+tea")
        expect(passages(owner).first).to_contain_text("iced tea")
        yield owner


def passages(page: Page) -> Locator:
    return (
        page.get_by_role("region", name="Results").get_by_role("listitem").filter(has=page.locator("strong"))
    )


def set_slider(page: Page, name: str, value: float) -> None:
    page.get_by_role("slider", name=name, exact=True).fill(str(value))


def open_group(page: Page, group: str) -> None:
    page.locator("summary", has_text=group).click()


def test_moving_a_slider_reranks_and_stores_nothing(server: LiveServer, tuning: Page) -> None:
    before = passages(tuning).count()
    open_group(tuning, "Limits")
    set_slider(tuning, "limit", 2)

    expect(passages(tuning)).to_have_count(2)
    assert before > 2
    expect(tuning.get_by_role("heading", name="No longer included")).to_be_visible()
    expect(tuning.get_by_text("1 changed")).to_be_visible()
    with server.client() as client:
        assert client.get("/api/memory/receipts").json()["results"] == []
        assert client.get("/api/settings/recall.limit").json()["source"] == "default"


def test_rank_changes_are_marked(tuning: Page) -> None:
    set_slider(tuning, "alpha", 0)
    set_slider(tuning, "beta", 0)
    set_slider(tuning, "gamma", 1)
    open_group(tuning, "Evidence")
    for name in ("lexical_lead_weight", "chat_weight", "personal_weight"):
        set_slider(tuning, name, 0)
    set_slider(tuning, "freshness_weight", 2)
    set_slider(tuning, "relative_cutoff", 0)

    expect(tuning.get_by_text(re.compile(r"^(up|down) \d+$|^new$")).first).to_be_attached()


def test_every_recall_parameter_has_a_slider_with_range_and_help(server: LiveServer, tuning: Page) -> None:
    with server.client() as client:
        settings = client.get("/api/settings").json()["results"]
    numbers = [
        each
        for each in settings
        if each["name"].startswith("recall.")
        and each["kind"].endswith("number")
        and each["name"] != "recall.deadline_ms"
    ]
    for group in ("Limits", "Evidence", "Other"):
        open_group(tuning, group)
    alpha = next(each for each in numbers if each["name"] == "recall.alpha")

    expect(tuning.get_by_role("slider")).to_have_count(len(numbers))
    expect(tuning.get_by_role("slider", name="alpha")).to_have_attribute("max", str(alpha["high"]))
    expect(tuning.get_by_text(alpha["doc"])).to_be_visible()


def test_parameters_are_saved_under_a_name_and_undone(server: LiveServer, tuning: Page) -> None:
    open_group(tuning, "Limits")
    set_slider(tuning, "limit", 3)
    tuning.get_by_role("button", name="Apply parameters").click()
    dialog = tuning.get_by_role("dialog")
    dialog.get_by_label("Name").fill("short")
    dialog.get_by_role("button", name="Apply parameters").click()
    expect(tuning.get_by_text("Saved as short and applied.")).to_be_visible()
    with server.client() as client:
        assert client.get("/api/settings/recall.limit").json()["value"] == 3
        expect(tuning.get_by_label("Start from")).to_contain_text("Saved: short")
        tuning.get_by_role("button", name="Undo").click()
        expect(tuning.get_by_text("Change undone.")).to_be_visible()
        assert client.get("/api/settings/recall.limit").json()["value"] == 8


def test_two_presets_are_compared_and_the_choice_is_in_the_url(tuning: Page) -> None:
    tuning.get_by_role("tab", name="Compare").click()
    tuning.get_by_label("Left").select_option("preset:companion")
    tuning.get_by_label("Right").select_option("preset:facts")

    expect(tuning.get_by_text(re.compile("on the other side|only here")).first).to_be_visible()
    expect(tuning).to_have_url(
        re.compile(r"tab=compare.*left=preset%3Acompanion.*right=preset%3Afacts"),
    )
    tuning.reload()
    expect(tuning.get_by_label("Left")).to_have_value("preset:companion")


def test_labeled_queries_are_run_and_show_before_and_after(tuning: Page) -> None:
    lines = [
        json.dumps({"query": f"{tea} tea", "relevant": [f"I drink {tea} tea on {tea} days."]}) for tea in TEAS
    ]
    tuning.get_by_role("tab", name="Labeled queries").click()
    expect(tuning.get_by_role("heading", name="No labeled queries yet")).to_be_visible()
    tuning.get_by_label("Query set").select_option("own")
    tuning.get_by_label("Your queries").fill("\n".join(lines[:3]) + "\nnonsense")
    expect(tuning.get_by_text("Line 4 is not a valid object.")).to_be_visible()
    tuning.get_by_label("Your queries").fill("\n".join(lines[:3]))
    expect(tuning.get_by_role("button", name="Run with 3 queries")).to_be_disabled()
    tuning.get_by_label("Your queries").fill("\n".join(lines))
    tuning.get_by_role("button", name="Run with 10 queries").click()

    measured = tuning.get_by_role("row", name=re.compile("Training queries"))
    expect(measured).to_contain_text(re.compile(r"\d\.\d{3}\s*\d\.\d{3}"))
    expect(tuning.get_by_text(re.compile(r"combinations? tried"))).to_be_visible()


def test_empty_states_suggest_a_query_or_lower_thresholds(server: LiveServer, tuning: Page) -> None:
    tuning.goto(f"{server.url}/lab")
    tuning.get_by_role("button", name="Try “What do I like?”").click()
    expect(tuning.get_by_role("searchbox")).to_have_value("What do I like?")
    tuning.goto(f"{server.url}/lab?q=qqqq")
    set_slider(tuning, "min_cosine", 1)

    expect(tuning.get_by_role("heading", name="No results for this query")).to_be_visible()


def test_a_degraded_search_is_reported(server: LiveServer, tuning: Page) -> None:
    with server.client() as client:
        recall = client.post("/api/memory/debug/recall", json={"query": "iced tea"}).json()
    recall["degraded"] = [
        serialize_reason(Reason(ReasonCode.DENSE_SEARCH_FAILED, {"detail": "the embedder is away"}))
    ]
    tuning.route("**/api/memory/debug/recall", lambda route: route.fulfill(json=recall))
    tuning.reload()

    expect(tuning.get_by_text("the embedder is away")).to_be_visible()


def test_loading_error_and_offline_states_are_shown(server: LiveServer, tuning: Page) -> None:
    expect_states(tuning, f"{server.url}/lab", "**/api/settings", "**/api/presets")


def test_it_fits_small_screens_and_is_translated(server: LiveServer, tuning: Page) -> None:
    for tab in ("parameters", "compare", "labels"):
        expect_to_fit(tuning, f"{server.url}/lab?q=tea&tab={tab}")
    tuning.goto(f"{server.url}/lab?q=tea")
    switch_to_portuguese(tuning)

    expect(tuning.get_by_text("Peso da similaridade semântica na pontuação.")).to_be_visible()


def test_sliders_work_by_keyboard(tuning: Page) -> None:
    tuning.keyboard.press("/")
    expect(tuning.get_by_role("searchbox")).to_be_focused()
    press_tab_until(tuning, "alpha")
    tuning.keyboard.press("ArrowRight")

    expect(tuning.get_by_role("slider", name="alpha")).to_have_value("0.61")
    expect(tuning.get_by_text("1 changed")).to_be_visible()
