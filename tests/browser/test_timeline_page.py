"""The timeline: what was learned, changed and forgotten by day, what was known then, and every event taken back."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.states import LOST, expect_failure, expect_no_sideways_scroll, failing, silent, waiting
from tests.server.live_server import ANA, LiveServer

from recollect.domain.event import Event, EventAction, EventChange
from recollect.domain.memory import Kind, MemoryStatus
from recollect.domain.scope import Scope
from recollect.testing.builders import a_memory

NOW = datetime.now(UTC)
LONG_AGO = NOW - timedelta(days=60)
MOVED = NOW - timedelta(days=30)
LISBON = a_memory(
    "lives in Lisbon",
    user=ANA,
    kind=Kind.BIO,
    created_at=LONG_AGO,
    seen_at=LONG_AGO,
    standing=MemoryStatus.SUPERSEDED,
    valid_to=MOVED,
)
PORTO = a_memory("lives in Porto", user=ANA, kind=Kind.BIO, created_at=MOVED, seen_at=MOVED, valid_from=MOVED)


@pytest.fixture
def tea(server: LiveServer) -> str:
    """A memory that was learned, corrected and forgotten today, and one of sixty days ago."""
    server.application.store.memories.add(LISBON)
    server.application.store.memories.add(PORTO)
    learned = Event(
        id="old",
        user=ANA,
        at=LONG_AGO,
        action=EventAction.LEARN,
        changes=(EventChange(memory_id=LISBON.id, previous_version=None),),
    )
    server.application.store.events.add(learned)
    with server.client() as client:
        memory = str(client.post("/api/memory", json={"content": "I like green tea."}).json()["id"])
        client.patch(f"/api/memory/{memory}", json={"content": "I like black tea."})
        client.delete(f"/api/memory/{memory}")
    return memory


@pytest.fixture
def timeline(server: LiveServer, owner: Page, tea: str) -> Iterator[Page]:
    broken: list[str] = []
    owner.on("pageerror", lambda error: broken.append(str(error)))
    owner.goto(f"{server.url}/timeline")
    expect(events(owner)).to_have_count(4)
    yield owner
    assert broken == []


def events(page: Page) -> Locator:
    return page.locator("section[aria-labelledby] > ul > li")


def date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


@pytest.mark.spec("UI-7")
def test_what_was_done_stands_under_its_day_in_the_words_of_then(
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


def test_events_are_chosen_by_what_happened_and_the_address_knows(timeline: Page) -> None:
    chips = timeline.get_by_role("group", name="Show")
    chips.get_by_role("button", name="Forgotten").click()
    expect(events(timeline)).to_have_count(1)
    chips.get_by_role("button", name="Learned").click()
    expect(events(timeline)).to_have_count(2)
    timeline.reload()
    expect(events(timeline)).to_have_count(2)
    chips.get_by_role("button", name="Taken back").click()

    expect(timeline.get_by_role("heading", name="Nothing of this sort")).to_be_visible()
    chips.get_by_role("button", name="Everything").click()
    expect(events(timeline)).to_have_count(4)


def test_an_event_is_taken_back(server: LiveServer, timeline: Page, tea: str) -> None:
    events(timeline).first.get_by_role("button", name="Take back").click()

    expect(timeline.get_by_role("region", name="Notices").get_by_text("Taken back.")).to_be_visible()
    expect(events(timeline)).to_have_count(5)
    expect(events(timeline).first.get_by_role("button", name="Take back")).to_have_count(0)
    expect(events(timeline).nth(1)).to_contain_text("taken back")
    assert server.application.store.memories.get(Scope(ANA), tea).standing is MemoryStatus.ACTIVE


def test_what_was_changed_later_says_why_it_cannot_be_taken_back(timeline: Page) -> None:
    events(timeline).nth(1).get_by_role("button", name="Take back").click()

    expect(timeline.get_by_role("region", name="Notices")).to_contain_text("Undo the later change first")
    expect(events(timeline)).to_have_count(4)


def test_a_day_shows_what_was_known_and_true_then(server: LiveServer, timeline: Page) -> None:
    timeline.get_by_role("textbox", name="What was known on").fill(date(NOW - timedelta(days=45)))
    known = timeline.get_by_role("region", name=re.compile("What was known on"))
    expect(known.get_by_role("listitem")).to_have_count(1)
    expect(known.get_by_role("listitem")).to_contain_text("lives in Lisbon")
    expect(known.get_by_role("listitem")).to_contain_text("now superseded")
    expect(events(timeline)).to_have_count(1)
    timeline.get_by_role("textbox", name="What was known on").fill(date(NOW - timedelta(days=10)))
    expect(known.get_by_role("listitem")).to_contain_text("lives in Porto")
    timeline.goto(f"{server.url}/timeline/{date(NOW - timedelta(days=400))}")
    expect(timeline.get_by_role("heading", name="Nothing was known yet")).to_be_visible()
    expect(timeline.get_by_role("heading", name="Nothing had happened yet")).to_be_visible()

    timeline.get_by_role("button", name="Back to today").click()
    expect(timeline).to_have_url(f"{server.url}/timeline")
    expect(events(timeline)).to_have_count(4)


def test_earlier_days_are_shown_when_asked_for(server: LiveServer, owner: Page) -> None:
    for number in range(70):
        step = EventChange(memory_id=f"m{number}", previous_version=None)
        server.application.store.events.add(
            Event(id=f"e{number}", user=ANA, at=LONG_AGO, action=EventAction.LEARN, changes=(step,))
        )
    owner.goto(f"{server.url}/timeline")
    expect(events(owner)).to_have_count(60)
    expect(events(owner).first).to_contain_text("A memory that was erased")
    owner.get_by_role("button", name="Show earlier days").click()

    expect(events(owner)).to_have_count(70)
    expect(owner.get_by_text("This is where it began.")).to_be_visible()


def test_nothing_done_yet_teaches_one_thing(server: LiveServer, owner: Page) -> None:
    owner.goto(f"{server.url}/timeline")

    expect(owner.get_by_role("heading", name="Nothing has happened yet")).to_be_visible()
    expect(owner.get_by_role("link", name="Go to the chat")).to_be_visible()


def test_loading_failing_and_offline_are_shown(server: LiveServer, timeline: Page) -> None:
    with waiting(timeline, "**/api/memory/timeline**"):
        timeline.reload()
        expect(timeline.get_by_role("main").get_by_text("Loading")).to_be_visible()
    expect(events(timeline)).to_have_count(4)
    with failing(timeline, "**/api/memory/timeline**"):
        timeline.reload()
        expect_failure(timeline)
    timeline.get_by_role("button", name="Try again").click()
    expect(events(timeline)).to_have_count(4)
    with failing(timeline, "**/api/memory?as_of**"):
        timeline.goto(f"{server.url}/timeline/{date(NOW)}")
        expect_failure(timeline)
        expect(events(timeline)).to_have_count(4)
    with silent(timeline):
        events(timeline).first.get_by_role("button", name="Take back").click()
        expect(timeline.get_by_text(LOST)).to_be_visible()
    expect(timeline.get_by_text(LOST)).to_be_hidden()


def test_it_fits_a_phone_and_twice_the_size(server: LiveServer, timeline: Page) -> None:
    expect_no_sideways_scroll(timeline)
    timeline.goto(f"{server.url}/timeline/{date(NOW - timedelta(days=45))}")
    expect(timeline.get_by_role("region", name=re.compile("What was known on"))).to_be_visible()
    expect_no_sideways_scroll(timeline)


def test_it_speaks_portuguese(timeline: Page) -> None:
    timeline.get_by_role("button", name="Português (Brasil)").click()

    expect(timeline.get_by_role("heading", level=1)).to_have_text("Linha do tempo")
    expect(events(timeline).first).to_contain_text("Esquecido")
