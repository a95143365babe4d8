"""Memories page."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.server.live_server import ANA, LiveServer

from recollect.domain.memory import Kind, Memory, Origin
from recollect.testing.builders import a_memory
from recollect.testing.inspection import store_of

expect.set_options(timeout=30_000)  # slow machines must not fail tests

NOW = datetime.now(UTC)
TEA = a_memory("likes green tea", user=ANA, kind=Kind.PREFERENCE, weight=0.8, last_stated_at=NOW)
FEAR = a_memory("is afraid of flying", user=ANA, kind=Kind.EMOTION, weight=0.9, last_stated_at=NOW)
BUS = a_memory("takes bus 42 to work", user=ANA, kind=Kind.NOTE, origin=Origin.RULES, last_stated_at=NOW)


def store_memories(server: LiveServer, *memories: Memory) -> None:
    for memory in memories:
        store_of(server.application).memories.add(memory)
    server.drain_jobs()


@pytest.fixture
def memories(server: LiveServer, owner: Page) -> Iterator[Page]:
    """The page with three memories; external requests fail the test."""
    requested_urls: list[str] = []
    owner.on("request", lambda request: requested_urls.append(request.url))
    script_errors: list[str] = []
    owner.on("pageerror", lambda error: script_errors.append(str(error)))
    store_memories(server, TEA, FEAR, BUS)
    owner.goto(f"{server.url}/memory")
    expect(rows(owner)).to_have_count(3)
    for each in (TEA, FEAR, BUS):
        # A row has its place before it has its words, and heeds no key wait_until then.
        expect(row(owner, each.text)).to_be_visible()
    yield owner
    assert [url for url in requested_urls if not url.startswith(server.url)] == []
    assert script_errors == []


def rows(page: Page) -> Locator:
    return page.get_by_role("list", name="Memories").get_by_role("listitem")


def row(page: Page, text: str) -> Locator:
    return rows(page).filter(has_text=text)


def detail(page: Page) -> Locator:
    return page.get_by_role("region", name="Memory", exact=True)


def texts(server: LiveServer) -> set[str]:
    with server.client() as client:
        return {each["memory"] for each in client.get("/api/memory").json()["results"]}


def test_search_runs_while_typing_and_creates_no_receipt(server: LiveServer, memories: Page) -> None:
    memories.get_by_role("searchbox").press_sequentially("green tea", delay=10)

    expect(rows(memories).first).to_contain_text(TEA.text)
    expect(rows(memories).first.get_by_role("img", name=re.compile("^Score: .*Keywords"))).to_be_visible()
    expect(memories).to_have_url(re.compile(r"\?q=green\+tea$"))
    with server.client() as client:
        assert client.get("/api/memory/receipts").json()["results"] == []


def test_facets_filter_the_list_and_show_counts(memories: Page) -> None:
    memories.get_by_label("Type").select_option("Preference (1)")
    expect(rows(memories)).to_have_count(1)
    expect(row(memories, TEA.text)).to_be_visible()

    memories.get_by_label("Type").select_option("All")
    memories.get_by_label("Source").select_option("Extracted by rules (1)")
    expect(row(memories, BUS.text)).to_be_visible()
    expect(rows(memories)).to_have_count(1)

    # What was chosen stands in the address.
    memories.reload()
    expect(rows(memories)).to_have_count(1)


def test_a_memory_is_edited_inline_and_the_edit_is_undone(server: LiveServer, memories: Page) -> None:
    row(memories, TEA.text).focus()
    memories.keyboard.press("e")
    memories.get_by_label("Memory text").fill("likes black tea")
    memories.keyboard.press("Enter")

    expect(row(memories, "likes black tea")).to_be_focused()
    assert "likes black tea" in texts(server)

    memories.get_by_role("button", name="Undo").click()
    expect(row(memories, TEA.text)).to_be_visible()
    assert TEA.text in texts(server)


def test_editing_an_outdated_version_is_rejected(server: LiveServer, memories: Page) -> None:
    row(memories, TEA.text).focus()
    memories.keyboard.press("e")
    with server.client() as client:
        client.patch(f"/api/memory/{TEA.id}", json={"content": "likes white tea"})
    memories.get_by_label("Memory text").fill("likes black tea")
    memories.keyboard.press("Enter")

    expect(memories.get_by_text("This was changed elsewhere.")).to_be_visible()
    assert "likes white tea" in texts(server)


@pytest.mark.spec("UI-7")
def test_a_memory_is_added_edited_and_forgotten(server: LiveServer, memories: Page) -> None:
    memories.get_by_role("button", name="Add memory").click()
    memories.get_by_label("What should be remembered?").fill("I play the cello.")
    memories.get_by_role("dialog").get_by_role("button", name="Add").click()
    expect(row(memories, "cello")).to_be_visible()

    row(memories, "cello").get_by_role("link").click()
    detail(memories).get_by_role("button", name="Edit").click()
    detail(memories).get_by_label("Memory text").fill("I play the viola.")
    detail(memories).get_by_role("button", name="Save").click()
    expect(row(memories, "viola")).to_be_visible()

    detail(memories).get_by_role("button", name="Forget").click()
    expect(row(memories, "viola")).to_have_count(0)
    assert not any("viola" in text or "cello" in text for text in texts(server))


@pytest.mark.parametrize(
    ("button", "notice"), [("Archive", "2 memories archived."), ("Forget", "2 memories forgotten.")]
)
def test_several_memories_are_removed_and_restored_together(
    server: LiveServer, memories: Page, button: str, notice: str
) -> None:
    for memory in (TEA, FEAR):
        row(memories, memory.text).get_by_role("checkbox").check()
    memories.get_by_role("main").get_by_role("button", name=button).click()

    expect(memories.get_by_text(notice)).to_be_visible()
    expect(rows(memories)).to_have_count(1)
    assert texts(server) == {BUS.text}

    memories.get_by_role("button", name="Undo").click()
    expect(rows(memories)).to_have_count(3)
    assert texts(server) == {TEA.text, FEAR.text, BUS.text}


def test_two_memories_are_merged(server: LiveServer, memories: Page) -> None:
    for memory in (TEA, FEAR):
        row(memories, memory.text).get_by_role("checkbox").check()
    memories.get_by_role("button", name="Merge").click()

    expect(rows(memories)).to_have_count(2)
    assert len(texts(server)) == 2
    memories.get_by_role("button", name="Undo").click()
    expect(rows(memories)).to_have_count(3)


def test_the_detail_pane_shows_source_versions_usage_and_decay(server: LiveServer, memories: Page) -> None:
    stored_messages = {
        "messages": [{"role": "user", "content": "By the way: I hate cilantro. Really."}],
        "sync": True,
    }
    with server.client() as client:
        client.post("/chats/kitchen/listen", json=stored_messages)
        server.drain_jobs()
        [memory] = client.get("/api/memory", params={"contains": "cilantro"}).json()["results"]
        client.patch(f"/api/memory/{memory['id']}", json={"content": "hates fresh cilantro"})
        server.drain_jobs()
        client.post("/api/memory/search", json={"query": "cilantro"})
        [message] = client.get("/chats/kitchen/messages").json()["results"]
    memories.goto(f"{server.url}/memory/{memory['id']}")
    pane = detail(memories)

    expect(pane.locator("mark")).to_contain_text("hate cilantro")
    expect(pane.get_by_role("link", name="Open chat")).to_have_attribute(
        "href", f"/chat/kitchen#{message['id']}"
    )
    expect(pane.locator("ins")).to_have_text("fresh ")
    expect(pane.get_by_role("link", name="cilantro", exact=True)).to_have_attribute(
        "href", re.compile("^/receipt/")
    )
    expect(pane.get_by_text("This memory does not decay.")).to_be_visible()
    memories.goto(f"{server.url}/memory/{FEAR.id}")
    pane.get_by_role("button", name="Show as table").last.click()
    expect(pane.get_by_role("table").last.get_by_role("row")).to_have_count(26)


def test_everything_can_be_done_by_keyboard(server: LiveServer, memories: Page) -> None:
    memories.keyboard.press("/")
    expect(memories.get_by_role("searchbox")).to_be_focused()
    memories.keyboard.press("ArrowDown")
    expect(rows(memories).nth(0)).to_be_focused()
    memories.keyboard.press("j")
    expect(rows(memories).nth(1)).to_be_focused()
    second = rows(memories).nth(1).inner_text()
    memories.keyboard.press("x")
    expect(rows(memories).nth(1).get_by_role("checkbox")).to_be_checked()
    memories.keyboard.press("Enter")
    expect(detail(memories)).to_contain_text(second.splitlines()[0])
    memories.keyboard.press("f")
    expect(rows(memories)).to_have_count(2)
    memories.keyboard.press("u")
    expect(rows(memories)).to_have_count(3)


def test_without_memories_it_suggests_adding_one(server: LiveServer, owner: Page) -> None:
    owner.goto(f"{server.url}/memory")
    expect(owner.get_by_role("heading", name="No memories yet")).to_be_visible()

    owner.get_by_role("main").get_by_role("button", name="Add memory").last.click()
    expect(owner.get_by_label("What should be remembered?")).to_be_focused()


def test_without_results_the_filters_can_be_cleared(memories: Page) -> None:
    memories.goto(f"{memories.url}?status=forgotten&q=zebra")
    expect(memories.get_by_role("heading", name="No results")).to_be_visible()

    memories.get_by_role("button", name="Clear search and filters").click()
    expect(rows(memories)).to_have_count(3)


def test_an_error_is_explained_and_can_be_retried(memories: Page) -> None:
    memories.route(
        "**/api/memory/find",
        lambda route: route.fulfill(
            status=503,
            content_type="application/problem+json",
            body='{"title": "x", "status": 503, "code": "store_busy", "detail": "It is busy. Somebody writes. Wait."}',
        ),
    )
    memories.get_by_role("searchbox").fill("tea")
    alert = memories.get_by_role("alert")
    expect(alert).to_contain_text(re.compile("It is busy.*Somebody writes.*Wait."))

    memories.unroute("**/api/memory/find")
    alert.get_by_role("button", name="Try again").click()
    expect(row(memories, TEA.text)).to_be_visible()
    expect(alert).to_have_count(0)


def test_it_reconnects_after_the_server_was_offline(memories: Page) -> None:
    memories.route("**/api/**", lambda route: route.abort())
    memories.route("**/session", lambda route: route.abort())
    memories.get_by_role("searchbox").fill("tea")
    banner = memories.get_by_text("Start it with “recollect up”; this page reconnects automatically.")
    expect(banner).to_be_visible()

    memories.unroute_all()
    expect(banner).to_be_hidden()


@pytest.mark.parametrize(
    "payload", ["<img src=x onerror=window.hit=1>", "{@html x}", "<script>window.hit=1</script>"]
)
def test_memory_text_is_not_executed(server: LiveServer, memories: Page, payload: str) -> None:
    hostile = a_memory(f"is called {payload}", user=ANA, tags=(payload,), last_stated_at=NOW)
    store_memories(server, hostile)
    memories.goto(f"{server.url}/memory/{hostile.id}")

    expect(detail(memories).get_by_text(hostile.text).first).to_be_visible()
    assert memories.evaluate("window.hit") is None


def test_language_and_theme_change_without_a_reload(memories: Page) -> None:
    memories.get_by_role("button", name="Português (Brasil)").click()
    expect(memories.get_by_role("heading", name="Memórias", level=1)).to_be_visible()
    expect(memories.get_by_text("3 memórias", exact=True)).to_be_visible()
    assert memories.evaluate("document.documentElement.lang") == "pt-BR"

    before = memories.evaluate("getComputedStyle(document.body).backgroundColor")
    for _ in range(2):
        memories.get_by_role("button", name=re.compile("^Tema")).click()
    assert memories.evaluate("getComputedStyle(document.body).backgroundColor") != before
    memories.reload()
    expect(memories.get_by_role("heading", name="Memórias", level=1)).to_be_visible()
    assert memories.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("size", [(320, 640), (640, 400)])
def test_it_fits_small_screens(memories: Page, size: tuple[int, int]) -> None:
    memories.set_viewport_size({"width": size[0], "height": size[1]})
    wide = "[document.documentElement, document.querySelector('main')].some((box) => box.scrollWidth > innerWidth)"

    assert not memories.evaluate(wide)
    row(memories, FEAR.text).get_by_role("link").click()
    expect(detail(memories).get_by_role("heading", name="Decay")).to_be_visible()
    assert not memories.evaluate(wide)
    detail(memories).get_by_role("link", name="Back").click()
    expect(rows(memories)).to_have_count(3)
