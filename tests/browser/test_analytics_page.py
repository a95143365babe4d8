"""Analytics page."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from tests.browser.navigation import (
    assert_no_external_requests,
    expect_states,
    expect_to_fit,
    press_tab_until,
    switch_to_portuguese,
)
from tests.server.live_server import LiveServer

QUESTION = "Which tea do I drink?"


@pytest.fixture
def analytics(server: LiveServer, owner: Page) -> Iterator[Page]:
    """The page after one successful and one empty recall."""
    with server.client() as client:
        for tea in ("green", "black", "white", "red", "iced", "cold"):
            client.post("/api/memory", json={"content": f"I drink {tea} tea on some days."})
        stored_messages = [{"role": "user", "content": text} for text in ("ok", "My sister lives in Recife.")]
        client.post("/chats/c/listen", json={"messages": stored_messages})
        server.drain_jobs()
        client.post("/api/memory/context", json={"query": QUESTION, "budget": 40})
        client.post("/api/memory/search", json={"query": "zzz", "settings": {"recall.min_cosine": 1.0}})
    with assert_no_external_requests(owner, server):
        owner.goto(f"{server.url}/analytics")
        expect(owner.get_by_role("heading", name="Latency")).to_be_visible()
        yield owner


@pytest.mark.spec("R6", "UI-8", "Y16")
def test_it_shows_the_metrics_of_real_recalls(server: LiveServer, analytics: Page) -> None:
    with server.client() as client:
        insights = client.get("/api/memory/insights").json()
    tiles = analytics.locator("dl").first

    expect(tiles).to_contain_text(re.compile(r"Recalls\s*2"))
    expect(tiles).to_contain_text(re.compile(rf"Hit rate\s*{round(insights['whole']['hitRate'] * 100)}%"))
    for heading in ("Latency", "Quality", "Token budget", "Left-out passages", "Summaries", "Storage"):
        expect(analytics.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    parts = analytics.get_by_role("region", name="Latency").last
    for words in ("p50", "p95", "p99", "Query embedding", "Keyword search (FTS)"):
        expect(parts).to_contain_text(words)
    expect(analytics.get_by_role("table", name="Passages sent, by type")).to_contain_text("Memory")
    expect(analytics.get_by_role("table", name="Hits by search channel")).to_contain_text("Keywords")
    expect(analytics.get_by_role("table", name="Features in use")).to_contain_text("100%")
    expect(analytics.get_by_role("table", name="Left-out passages")).to_be_visible()
    expect(analytics.get_by_role("table", name="Storage")).to_contain_text("Messages")


def test_the_funnel_gives_its_reasons(analytics: Page) -> None:
    expect(analytics.get_by_role("table", name="Ingest funnel")).to_contain_text("Skipped as small talk")
    analytics.get_by_text("Reasons: Skipped as small talk").click()

    expect(analytics.get_by_role("table", name="Reasons: Skipped as small talk")).to_contain_text("Too short")


def test_every_chart_has_its_table_and_every_point_its_receipt(analytics: Page) -> None:
    chart = analytics.get_by_role("figure", name=re.compile("^Total latency"))
    chart.get_by_role("button", name="Show as table").click()
    rows = chart.get_by_role("row").filter(has_text=re.compile(r"\d+\.?\d*\s*$"))
    rows.last.get_by_role("button").click()

    expect(analytics).to_have_url(re.compile("/receipt/"))


def test_each_recall_leads_to_its_receipt(server: LiveServer, analytics: Page) -> None:
    analytics.get_by_role("link", name=QUESTION).click()

    expect(analytics).to_have_url(re.compile(f"^{server.url}/receipt/"))
    expect(analytics.get_by_text(QUESTION).first).to_be_visible()


def test_the_time_range_is_in_the_url_and_in_the_request(server: LiveServer, analytics: Page) -> None:
    with analytics.expect_request(re.compile("insights.*hours=24&")):
        analytics.get_by_role("button", name="24 hours").click()
    expect(analytics).to_have_url(f"{server.url}/analytics?range=24")
    analytics.reload()

    expect(analytics.get_by_role("button", name="24 hours")).to_have_attribute("aria-pressed", "true")


def test_without_recalls_it_suggests_a_query(server: LiveServer, owner: Page) -> None:
    owner.goto(f"{server.url}/analytics")

    expect(owner.get_by_role("heading", name="No recalls in this period")).to_be_visible()
    owner.get_by_role("link", name="Go to chat").click()
    expect(owner).to_have_url(f"{server.url}/chat")


def test_degraded_recalls_are_reported(server: LiveServer, owner: Page) -> None:
    owner.goto(f"{server.url}/analytics")
    with server.client() as client:
        client.post("/api/memory/search", json={"query": "tea"})
        insights = client.get("/api/memory/insights").json()
    insights["whole"]["degraded"] = 1
    insights["complete"] = False
    owner.route("**/api/memory/insights*", lambda route: route.fulfill(json=insights))
    owner.reload()

    expect(owner.get_by_text("1 recall ran in degraded mode.")).to_be_visible()
    expect(owner.get_by_text("Too many recalls for this view")).to_be_visible()


def test_loading_error_and_offline_states_are_shown(server: LiveServer, analytics: Page) -> None:
    expect_states(analytics, f"{server.url}/analytics", "**/api/memory/insights*", "**/api/memory/stats")


def test_it_fits_small_screens_and_is_translated(server: LiveServer, analytics: Page) -> None:
    expect_to_fit(analytics, f"{server.url}/analytics")
    switch_to_portuguese(analytics)

    expect(analytics.get_by_role("heading", name="Latência")).to_be_visible()
    expect(analytics.get_by_role("table", name="Funil de ingestão")).to_contain_text("Enviadas para extração")


def test_the_keyboard_reaches_tables_and_receipts(analytics: Page) -> None:
    press_tab_until(analytics, "Show as table")
    analytics.keyboard.press("Enter")
    expect(analytics.get_by_role("button", name="Show as chart")).to_be_visible()
    press_tab_until(analytics, QUESTION)
    analytics.keyboard.press("Enter")

    expect(analytics).to_have_url(re.compile("/receipt/"))
