"""Health page: checks, job queue, backup."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.navigation import (
    assert_no_external_requests,
    expect_states,
    expect_to_fit,
    press_tab_until,
    switch_to_portuguese,
)
from tests.server.live_server import ANA, LiveServer

from recollect.domain.job import JobKind, NewJob
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.testing.inspection import store_of


@pytest.fixture
def status(server: LiveServer, owner: Page) -> Iterator[Page]:
    with assert_no_external_requests(owner, server):
        owner.goto(f"{server.url}/status")
        yield owner


@pytest.fixture
def page_with_failed_job(server: LiveServer, status: Page) -> Page:
    """The page with a failed job."""
    add_failed_job(server)
    status.reload()
    expect(status.get_by_text("Nobody answers at the model.").first).to_be_visible()
    return status


def add_failed_job(server: LiveServer) -> None:
    jobs, now = store_of(server.application).jobs, server.application.clock.now()
    server.application.worker.stop()
    jobs.enqueue(ANA, NewJob(kind=JobKind.SUMMARIZE, key="c"), now=now)
    job = jobs.lease(now=now, until=now + timedelta(minutes=5))
    assert job is not None
    assert jobs.dead_letter(
        job,
        reason=Reason(
            ReasonCode.JOB_FAILED, {"error": "ProviderError", "detail": "Nobody answers at the model."}
        ),
    )


def test_passed_checks_are_listed(status: Page) -> None:
    checks = status.get_by_role("region", name="Checks")

    expect(checks.get_by_text("All good")).to_be_visible()
    for name in ("Database file", "Integrity", "Embedding model", "Disk space"):
        expect(checks.get_by_text(name, exact=True)).to_be_visible()


def test_a_failed_check_shows_the_command_that_fixes_it(server: LiveServer, status: Page) -> None:
    Path(store_of(server.application).location()).chmod(0o644)
    status.get_by_role("button", name="Re-check").click()

    expect(status.get_by_text("1 issue found")).to_be_visible()
    expect(status.get_by_role("button", name="Copy: fix for File permissions")).to_be_visible()
    expect(status.get_by_text(f"chmod 600 {store_of(server.application).location()}")).to_be_visible()


def test_the_deep_check_compares_the_full_text_index(status: Page) -> None:
    expect(status.get_by_text("All good")).to_be_visible()
    with status.expect_request(re.compile("/api/doctor.*deep=true")):
        status.get_by_role("button", name="Deep check").click()

    expect(status.get_by_text("Full-text index content")).to_be_visible()


@pytest.mark.spec("T4")
def test_a_failed_job_shows_its_reason_and_can_be_retried(
    server: LiveServer, page_with_failed_job: Page
) -> None:
    expect(page_with_failed_job.get_by_text("1 job failed.")).to_be_visible()
    page_with_failed_job.get_by_role("button", name=re.compile(r"Retry job \d+")).click()

    expect(page_with_failed_job.get_by_text("1 job queued again.")).to_be_visible()
    states = [job.state.value for job in store_of(server.application).jobs.list(Scope(ANA), limit=10)]
    assert "dead" not in states


def test_all_failed_jobs_can_be_retried(page_with_failed_job: Page) -> None:
    page_with_failed_job.get_by_role("button", name="Retry 1").click()

    expect(page_with_failed_job.get_by_text("1 job queued again.")).to_be_visible()


def test_a_backup_is_created_with_its_restore_command(server: LiveServer, status: Page) -> None:
    with server.client() as client:
        client.post("/api/memory", json={"content": "I drink green tea."})
    status.get_by_role("button", name="Create backup").click()
    expect(status.get_by_text(re.compile("Backup created: 1 memories"))).to_be_visible()
    command = status.get_by_role("region", name="Backup").locator("pre code").inner_text()

    assert command.startswith("recollect restore ")
    assert Path(command.removeprefix("recollect restore ")).is_file()


def test_other_users_see_only_their_own_queue(server: LiveServer, page: Page) -> None:
    server.access.add_token("phone", user="bob")
    bob = next(each for each in server.access.principals() if each.user == "bob")
    page.goto(f"{server.url}/login?code={server.access.create_login_code(bob)}")
    requested_urls: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url))
    page.goto(f"{server.url}/status")

    expect(page.get_by_text("Only the owner of this server can see these checks.")).to_be_visible()
    expect(page.get_by_role("heading", name="No jobs queued")).to_be_visible()
    expect(page.get_by_role("button", name="Create backup")).to_have_count(0)
    assert not any("/api/doctor" in url for url in requested_urls)


def test_loading_error_and_offline_states_are_shown(server: LiveServer, status: Page) -> None:
    expect(status.get_by_role("heading", name="No jobs queued")).to_be_visible()
    expect_states(status, f"{server.url}/status", "**/api/doctor*", "**/api/jobs*")


def test_it_fits_small_screens_and_is_translated(server: LiveServer, page_with_failed_job: Page) -> None:
    expect_to_fit(page_with_failed_job, f"{server.url}/status")
    switch_to_portuguese(page_with_failed_job)

    expect(page_with_failed_job.get_by_role("heading", name="Diagnóstico")).to_be_visible()
    expect(page_with_failed_job.get_by_text("com falha", exact=True)).to_be_visible()


def test_a_job_is_retried_by_keyboard(page_with_failed_job: Page) -> None:
    press_tab_until(page_with_failed_job, "Retry job")
    page_with_failed_job.keyboard.press("Enter")

    expect(page_with_failed_job.get_by_text("1 job queued again.")).to_be_visible()
