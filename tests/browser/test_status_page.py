"""Health: what is looked at, what to do, the queue with its failures, and a backup."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.visiting import at_home, expect_states, expect_to_fit, in_portuguese, tabbed_to
from tests.server.live_server import ANA, LiveServer

from recollect.domain.job import JobKind, NewJob
from recollect.domain.scope import Scope


@pytest.fixture
def status(server: LiveServer, owner: Page) -> Iterator[Page]:
    with at_home(owner, server):
        owner.goto(f"{server.url}/status")
        yield owner


@pytest.fixture
def parked(server: LiveServer, status: Page) -> Page:
    """The page with a job that was given up."""
    park(server)
    status.reload()
    expect(status.get_by_text("Nobody answers at the model.").first).to_be_visible()
    return status


def park(server: LiveServer) -> None:
    jobs, now = server.application.store.jobs, server.application.engine.clock.now()
    server.application.worker.stop()
    jobs.enqueue(ANA, NewJob(kind=JobKind.SUMMARIZE, key="c"), now=now)
    job = jobs.lease(now=now, until=now + timedelta(minutes=5))
    assert job is not None
    assert jobs.dead_letter(job, reason="Nobody answers at the model.")


def test_a_sound_memory_is_well_and_says_what_was_looked_at(status: Page) -> None:
    checks = status.get_by_role("region", name="Checks")

    expect(checks.get_by_text("Everything is well")).to_be_visible()
    for name in ("Memory file", "Integrity", "Embedder", "Disk"):
        expect(checks.get_by_text(name, exact=True)).to_be_visible()


def test_what_is_not_well_comes_with_the_command_that_mends_it(server: LiveServer, status: Page) -> None:
    Path(server.application.store.location()).chmod(0o644)
    status.get_by_role("button", name="Look again").click()

    expect(status.get_by_text("1 thing needs you")).to_be_visible()
    expect(status.get_by_role("button", name="Copy: the command for Who may read the file")).to_be_visible()
    expect(status.get_by_text(f"chmod 600 {server.application.store.location()}")).to_be_visible()


def test_looking_closely_compares_every_word(status: Page) -> None:
    expect(status.get_by_text("Everything is well")).to_be_visible()
    with status.expect_request(re.compile("/api/doctor.*deep=true")):
        status.get_by_role("button", name="Look closely").click()

    expect(status.get_by_text("Word index, word by word")).to_be_visible()


@pytest.mark.spec("T4")
def test_a_job_that_was_given_up_says_why_and_can_be_tried_again(server: LiveServer, parked: Page) -> None:
    expect(parked.get_by_text("1 job was given up.")).to_be_visible()
    parked.get_by_role("button", name=re.compile(r"Try job \d+ again")).click()

    expect(parked.get_by_text("1 job is ready again.")).to_be_visible()
    states = [job.state.value for job in server.application.store.jobs.list(Scope(ANA), limit=10)]
    assert "parked" not in states


def test_all_can_be_tried_again_at_once(parked: Page) -> None:
    parked.get_by_role("button", name="Try 1 again").click()

    expect(parked.get_by_text("1 job is ready again.")).to_be_visible()


def test_a_backup_is_made_and_says_how_to_put_it_back(server: LiveServer, status: Page) -> None:
    with server.client() as client:
        client.post("/api/memory", json={"content": "I drink green tea."})
    status.get_by_role("button", name="Make a backup now").click()
    expect(status.get_by_text(re.compile("Backed up: 1 memories"))).to_be_visible()
    command = status.get_by_role("region", name="Backup").locator("pre code").inner_text()

    assert command.startswith("recollect restore ")
    assert Path(command.removeprefix("recollect restore ")).is_file()


def test_who_is_no_owner_sees_their_queue_and_nothing_of_the_machine(server: LiveServer, page: Page) -> None:
    server.token_store.add("phone", user="bob")
    bob = next(each for each in server.token_store.principals() if each.user == "bob")
    page.goto(f"{server.url}/login?code={server.sessions.create_login_code(bob)}")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server.url}/status")

    expect(page.get_by_text("only its owner may see them")).to_be_visible()
    expect(page.get_by_role("heading", name="Nothing waits")).to_be_visible()
    expect(page.get_by_role("button", name="Make a backup now")).to_have_count(0)
    assert not any("/api/doctor" in url for url in asked)


def test_its_states(server: LiveServer, status: Page) -> None:
    expect(status.get_by_role("heading", name="Nothing waits")).to_be_visible()
    expect_states(status, f"{server.url}/status", "**/api/doctor*", "**/api/jobs*")


def test_it_fits_and_speaks_portuguese(server: LiveServer, parked: Page) -> None:
    expect_to_fit(parked, f"{server.url}/status")
    in_portuguese(parked)

    expect(parked.get_by_role("heading", name="Saúde")).to_be_visible()
    expect(parked.get_by_text("abandonada", exact=True)).to_be_visible()


def test_a_job_is_tried_again_with_the_keyboard_alone(parked: Page) -> None:
    tabbed_to(parked, "Try job")
    parked.keyboard.press("Enter")

    expect(parked.get_by_text("1 job is ready again.")).to_be_visible()
