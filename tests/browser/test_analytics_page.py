"""Analytics: measures from real recalls, each chart with its table, each point with its receipt."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from tests.browser.visiting import at_home, expect_states, expect_to_fit, in_portuguese, tabbed_to
from tests.server.live_server import LiveServer

QUESTION = "Which tea do I drink?"


@pytest.fixture
def analytics(server: LiveServer, owner: Page) -> Iterator[Page]:
    """The page after two recalls: one that found something, one that did not."""
    with server.client() as client:
        for tea in ("green", "black", "white", "red", "iced", "cold"):
            client.post("/api/memory", json={"content": f"I drink {tea} tea on some days."})
        said = [{"role": "user", "content": text} for text in ("ok", "My sister lives in Recife.")]
        client.post("/chats/c/listen", json={"messages": said})
        server.drain_jobs()
        client.post("/api/memory/context", json={"query": QUESTION, "budget": 40})
        client.post("/api/memory/search", json={"query": "zzz", "settings": {"recall.min_cosine": 1.0}})
    with at_home(owner, server):
        owner.goto(f"{server.url}/analytics")
        expect(owner.get_by_role("heading", name="Latency")).to_be_visible()
        yield owner


@pytest.mark.spec("R6", "UI-8", "Y16")
def test_it_shows_the_metrics_of_real_recalls(server: LiveServer, analytics: Page) -> None:
    with server.client() as client:
        told = client.get("/api/memory/insights").json()
    tiles = analytics.locator("dl").first

    expect(tiles).to_contain_text(re.compile(r"Recalls\s*2"))
    expect(tiles).to_contain_text(re.compile(rf"Hit rate\s*{round(told['whole']['hitRate'] * 100)}%"))
    for heading in ("Latency", "Quality", "Token budget", "Left out of recalls", "Summaries", "Store"):
        expect(analytics.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    parts = analytics.get_by_role("region", name="Latency").last
    for words in ("p50", "p95", "p99", "Embedding the question", "Search by words (FTS)"):
        expect(parts).to_contain_text(words)
    expect(analytics.get_by_role("table", name="What was handed on")).to_contain_text("Memory")
    expect(analytics.get_by_role("table", name="Where hits came from")).to_contain_text("By words")
    expect(analytics.get_by_role("table", name="Features in use")).to_contain_text("100%")
    expect(analytics.get_by_role("table", name="Left out of recalls")).to_be_visible()
    expect(analytics.get_by_role("table", name="Store")).to_contain_text("Messages")


def test_the_funnel_gives_its_reasons(analytics: Page) -> None:
    expect(analytics.get_by_role("table", name="Funnel")).to_contain_text("Sifted out, at no cost")
    analytics.get_by_text("Reason: Sifted out, at no cost").click()

    expect(analytics.get_by_role("table", name="Reason: Sifted out, at no cost")).to_contain_text("too short")


def test_every_chart_has_its_table_and_every_point_its_receipt(analytics: Page) -> None:
    chart = analytics.get_by_role("figure", name=re.compile("^Latency of All of it"))
    chart.get_by_role("button", name="Show as a table").click()
    rows = chart.get_by_role("row").filter(has_text=re.compile(r"\d+\.?\d*\s*$"))
    rows.last.get_by_role("button").click()

    expect(analytics).to_have_url(re.compile("/receipt/"))


def test_each_recall_leads_to_its_receipt(server: LiveServer, analytics: Page) -> None:
    analytics.get_by_role("link", name=QUESTION).click()

    expect(analytics).to_have_url(re.compile(f"^{server.url}/receipt/"))
    expect(analytics.get_by_text(QUESTION).first).to_be_visible()


def test_a_range_has_an_address_and_asks_for_that_time(server: LiveServer, analytics: Page) -> None:
    with analytics.expect_request(re.compile("insights.*hours=24&")):
        analytics.get_by_role("button", name="24 hours").click()
    expect(analytics).to_have_url(f"{server.url}/analytics?range=24")
    analytics.reload()

    expect(analytics.get_by_role("button", name="24 hours")).to_have_attribute("aria-pressed", "true")


def test_without_recalls_it_teaches_how_to_have_some(server: LiveServer, owner: Page) -> None:
    owner.goto(f"{server.url}/analytics")

    expect(owner.get_by_role("heading", name="No recalls in this time")).to_be_visible()
    owner.get_by_role("link", name="Go to the chat").click()
    expect(owner).to_have_url(f"{server.url}/chat")


def test_recalls_that_went_on_without_a_part_are_told_of(server: LiveServer, owner: Page) -> None:
    owner.goto(f"{server.url}/analytics")
    with server.client() as client:
        client.post("/api/memory/search", json={"query": "tea"})
        told = client.get("/api/memory/insights").json()
    told["whole"]["degraded"] = 1
    told["complete"] = False
    owner.route("**/api/memory/insights*", lambda route: route.fulfill(json=told))
    owner.reload()

    expect(owner.get_by_text("1 recall went on without a part that did not work.")).to_be_visible()
    expect(owner.get_by_text("There were more recalls than are counted here")).to_be_visible()


def test_its_states(server: LiveServer, analytics: Page) -> None:
    expect_states(analytics, f"{server.url}/analytics", "**/api/memory/insights*", "**/api/memory/stats")


def test_it_fits_and_speaks_portuguese(server: LiveServer, analytics: Page) -> None:
    expect_to_fit(analytics, f"{server.url}/analytics")
    in_portuguese(analytics)

    expect(analytics.get_by_role("heading", name="Latência")).to_be_visible()
    expect(analytics.get_by_role("table", name="Funil")).to_contain_text("Foram ao juiz")


def test_the_keyboard_reaches_tables_and_receipts(analytics: Page) -> None:
    tabbed_to(analytics, "Show as a table")
    analytics.keyboard.press("Enter")
    expect(analytics.get_by_role("button", name="Show as a chart")).to_be_visible()
    tabbed_to(analytics, QUESTION)
    analytics.keyboard.press("Enter")

    expect(analytics).to_have_url(re.compile("/receipt/"))
