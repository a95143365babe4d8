"""Timeline page."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

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

from recollect.domain.event import Event, EventAction, EventChange
from recollect.domain.memory import Kind, MemoryStatus
from recollect.domain.scope import Scope
from recollect.testing.builders import a_memory
from recollect.testing.inspection import store_of

NOW = datetime.now(UTC)
LONG_AGO = NOW - timedelta(days=60)
MOVED = NOW - timedelta(days=30)
LISBON = a_memory(
    "lives in Lisbon",
    user=ANA,
    kind=Kind.BIOGRAPHY,
    created_at=LONG_AGO,
    last_stated_at=LONG_AGO,
    status=MemoryStatus.SUPERSEDED,
    valid_to=MOVED,
)
PORTO = a_memory(
    "lives in Porto", user=ANA, kind=Kind.BIOGRAPHY, created_at=MOVED, last_stated_at=MOVED, valid_from=MOVED
)


@pytest.fixture
def tea(server: LiveServer) -> str:
    """A memory learned, edited and forgotten today, and one from sixty days ago."""
    store_of(server.application).memories.add(LISBON)
    store_of(server.application).memories.add(PORTO)
    learned = Event(
        id="old",
        user=ANA,
        at=LONG_AGO,
        action=EventAction.LEARN,
        changes=(EventChange(memory_id=LISBON.id, previous_version=None),),
    )
    store_of(server.application).events.add(ANA, [learned])
    with server.client() as client:
        memory = str(client.post("/api/memory", json={"content": "I like green tea."}).json()["id"])
        client.patch(f"/api/memory/{memory}", json={"content": "I like black tea."})
        client.delete(f"/api/memory/{memory}")
    return memory


@pytest.fixture
def timeline(server: LiveServer, owner: Page, tea: str) -> Iterator[Page]:
    script_errors: list[str] = []
    owner.on("pageerror", lambda error: script_errors.append(str(error)))
    owner.goto(f"{server.url}/timeline")
    expect(events(owner)).to_have_count(4)
    yield owner
    assert script_errors == []


def events(page: Page) -> Locator:
    return page.locator("section[aria-labelledby] > ul > li")


def date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


@pytest.mark.spec("UI-7")
def test_events_are_grouped_by_day_with_their_original_text(
    server: LiveServer, timeline: Page, tea: str
) -> None:
    expect(timeline.get_by_role("heading", name=re.compile("^Today"))).to_be_visible()
    forgot, corrected, learned = (events(timeline).nth(place) for place in range(3))

    expect(forgot).to_contain_text("Forgotten")
    expect(corrected.locator("del")).to_have_text("green")
    expect(corrected.locator("ins")).to_have_text("black")
    expect(learned).to_contain_text("I like green tea.")
    expect(learned).to_contain_text("Preference · now forgotten")
    expect(events(timeline).last).to_contain_text("lives in Lisbon")
    learned.get_by_role("link").click()
    expect(timeline).to_have_url(f"{server.url}/memory/{tea}")


def test_events_are_filtered_by_action_and_the_filter_is_in_the_url(timeline: Page) -> None:
    chips = timeline.get_by_role("group", name="Filter events")
    chips.get_by_role("button", name="Forgotten").click()
    expect(events(timeline)).to_have_count(1)
    chips.get_by_role("button", name="Learned").click()
    expect(events(timeline)).to_have_count(2)
    timeline.reload()
    expect(events(timeline)).to_have_count(2)
    chips.get_by_role("button", name="Undone").click()

    expect(timeline.get_by_role("heading", name="No matching events")).to_be_visible()
    chips.get_by_role("button", name="All").click()
    expect(events(timeline)).to_have_count(4)


def test_an_event_is_undone(server: LiveServer, timeline: Page, tea: str) -> None:
    events(timeline).first.get_by_role("button", name="Undo").click()

    expect(timeline.get_by_role("region", name="Notifications").get_by_text("Change undone.")).to_be_visible()
    expect(events(timeline)).to_have_count(5)
    expect(events(timeline).first.get_by_role("button", name="Undo")).to_have_count(0)
    expect(events(timeline).nth(1)).to_contain_text("undone")
    assert store_of(server.application).memories.get(Scope(ANA), tea).status is MemoryStatus.ACTIVE


def test_undo_after_a_later_change_is_rejected_with_a_reason(timeline: Page) -> None:
    events(timeline).nth(1).get_by_role("button", name="Undo").click()

    expect(timeline.get_by_role("region", name="Notifications")).to_contain_text(
        "Undo the later change first"
    )
    expect(events(timeline)).to_have_count(4)


def test_a_date_shows_the_memories_of_that_day(server: LiveServer, timeline: Page) -> None:
    timeline.get_by_role("textbox", name="Memories on").fill(date(NOW - timedelta(days=45)))
    known = timeline.get_by_role("region", name=re.compile("Memories on"))
    expect(known.get_by_role("listitem")).to_have_count(1)
    expect(known.get_by_role("listitem")).to_contain_text("lives in Lisbon")
    expect(known.get_by_role("listitem")).to_contain_text("now superseded")
    expect(events(timeline)).to_have_count(1)
    timeline.get_by_role("textbox", name="Memories on").fill(date(NOW - timedelta(days=10)))
    expect(known.get_by_role("listitem")).to_contain_text("lives in Porto")
    timeline.goto(f"{server.url}/timeline/{date(NOW - timedelta(days=400))}")
    expect(timeline.get_by_role("heading", name="No memories on this date")).to_be_visible()
    expect(timeline.get_by_role("heading", name="No events before this date")).to_be_visible()

    timeline.get_by_role("button", name="Back to today").click()
    expect(timeline).to_have_url(f"{server.url}/timeline")
    expect(events(timeline)).to_have_count(4)


def test_earlier_events_are_loaded_on_request(server: LiveServer, owner: Page) -> None:
    for number in range(70):
        step = EventChange(memory_id=f"m{number}", previous_version=None)
        event = Event(id=f"e{number}", user=ANA, at=LONG_AGO, action=EventAction.LEARN, changes=(step,))
        store_of(server.application).events.add(ANA, [event])
    owner.goto(f"{server.url}/timeline")
    expect(events(owner)).to_have_count(60)
    expect(events(owner).first).to_contain_text("Erased memory")
    owner.get_by_role("button", name="Show earlier events").click()

    expect(events(owner)).to_have_count(70)
    expect(owner.get_by_text("No earlier events.")).to_be_visible()


def test_without_events_it_suggests_a_message(server: LiveServer, owner: Page) -> None:
    owner.goto(f"{server.url}/timeline")

    expect(owner.get_by_role("heading", name="No events yet")).to_be_visible()
    expect(owner.get_by_role("link", name="Go to chat")).to_be_visible()


def test_loading_failed_and_offline_states_are_shown(server: LiveServer, timeline: Page) -> None:
    with pending_requests(timeline, "**/api/memory/timeline**"):
        timeline.reload()
        expect(timeline.get_by_role("main").get_by_text("Loading")).to_be_visible()
    expect(events(timeline)).to_have_count(4)
    with failing_requests(timeline, "**/api/memory/timeline**"):
        timeline.reload()
        expect_failure(timeline)
    timeline.get_by_role("button", name="Try again").click()
    expect(events(timeline)).to_have_count(4)
    with failing_requests(timeline, "**/api/memory?as_of**"):
        timeline.goto(f"{server.url}/timeline/{date(datetime.now(UTC))}")
        expect_failure(timeline)
        expect(events(timeline)).to_have_count(4)
    with offline(timeline):
        events(timeline).first.get_by_role("button", name="Undo").click()
        expect(timeline.get_by_text(OFFLINE_TEXT)).to_be_visible()
    expect(timeline.get_by_text(OFFLINE_TEXT)).to_be_hidden()


def test_it_fits_small_screens(server: LiveServer, timeline: Page) -> None:
    expect_no_horizontal_scroll(timeline)
    timeline.goto(f"{server.url}/timeline/{date(NOW - timedelta(days=45))}")
    expect(timeline.get_by_role("region", name=re.compile("Memories on"))).to_be_visible()
    expect_no_horizontal_scroll(timeline)


def test_it_is_translated(timeline: Page) -> None:
    timeline.get_by_role("button", name="Português (Brasil)").click()

    expect(timeline.get_by_role("heading", level=1)).to_have_text("Linha do tempo")
    expect(events(timeline).first).to_contain_text("Esquecido")
