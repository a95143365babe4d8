"""Profile and consent page."""

import json
from collections.abc import Iterator
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

from recollect.testing.inspection import store_of

NOTES = "Short answers, please. Xylophone."


@pytest.fixture
def profile(server: LiveServer, owner: Page) -> Iterator[Page]:
    with assert_no_external_requests(owner, server):
        owner.goto(f"{server.url}/profile")
        yield owner


@pytest.fixture
def page_with_profile(server: LiveServer, profile: Page) -> Page:
    """The page of a user with a profile."""
    with server.client() as client:
        client.post("/api/memory/consent", json={"category": "profile", "granted": True})
        client.put("/api/memory/profile", json={"codingStyle": "functional", "freeformNotes": NOTES})
    profile.reload()
    expect(profile.get_by_label("Notes", exact=True)).to_have_value(NOTES)
    return profile


@pytest.mark.spec("UI-3", "I2", "I3")
def test_a_profile_is_saved_after_consent(server: LiveServer, profile: Page) -> None:
    expect(profile.get_by_role("heading", name="Memory Profile")).to_be_visible()
    profile.get_by_role("button", name="Consent and create profile").click()
    profile.get_by_label("Preferred languages").fill("Python, Go")
    profile.get_by_label("Notes", exact=True).fill(NOTES)
    profile.get_by_role("button", name="Update My Profile").click()
    expect(profile.get_by_text("Profile updated.")).to_be_visible()
    profile.reload()

    expect(profile.get_by_label("Notes", exact=True)).to_have_value(NOTES)
    expect(profile.get_by_label("Preferred languages")).to_have_value("Python, Go")
    with server.client() as client:
        stored = client.get("/api/memory/profile").json()
    assert stored["preferences"]["preferredLanguages"] == ["Python", "Go"]


@pytest.mark.spec("UI-5", "Y16", "I5")
def test_revoking_consent_shows_a_preview_and_erases_the_data(
    server: LiveServer, page_with_profile: Page, tmp_path: Path
) -> None:
    page_with_profile.get_by_role("switch", name="Profile").click()
    preview = page_with_profile.get_by_role("dialog", name="Revoke consent: Profile")
    expect(preview).to_contain_text("1 profile")
    preview.get_by_role("button", name="Revoke and erase").click()

    expect(page_with_profile.get_by_role("heading", name="No profile yet")).to_be_visible()
    expect(page_with_profile.get_by_text(NOTES)).to_have_count(0)
    expect(page_with_profile.get_by_role("region", name="Audit log").last).to_contain_text("Consent revoked")
    with server.client() as client:
        assert client.get("/api/memory/profile").json()["freeformNotes"] == ""
        assert client.get("/api/memory/consent").json()["profileConsent"] is False
    assert store_of(server.application).maintenance.check()
    assert NOTES.encode() not in (tmp_path / "memory.db").read_bytes()


def test_canceling_the_preview_revokes_nothing(server: LiveServer, page_with_profile: Page) -> None:
    page_with_profile.get_by_role("switch", name="Profile").click()
    page_with_profile.get_by_role("dialog").get_by_role("button", name="Cancel").click()

    expect(page_with_profile.get_by_role("switch", name="Profile")).to_be_checked()
    with server.client() as client:
        assert client.get("/api/memory/profile").json()["freeformNotes"] == NOTES


@pytest.mark.spec("W4")
def test_consent_for_a_memory_type_can_be_revoked(server: LiveServer, profile: Page) -> None:
    with server.client() as client:
        client.post("/api/memory", json={"content": "I love risotto.", "kind": "preference"})
    profile.get_by_role("switch", name="Preference").click()
    preview = profile.get_by_role("dialog")
    expect(preview).to_contain_text("1 memory")
    expect(preview).to_contain_text("Memories of this type are not learned or stored.")
    preview.get_by_role("button", name="Revoke and erase").click()

    expect(profile.get_by_role("switch", name="Preference")).not_to_be_checked()
    with server.client() as client:
        assert client.get("/api/memory").json()["results"] == []


def test_everything_can_be_exported(page_with_profile: Page) -> None:
    with page_with_profile.expect_download() as begun:
        page_with_profile.get_by_role("link", name="Export everything").click()
    lines = Path(begun.value.path()).read_text("utf-8").splitlines()

    assert json.loads(lines[0])["user"] == ANA
    assert any(NOTES in line for line in lines)


def test_erasing_everything_needs_confirmation_and_gives_a_certificate(
    server: LiveServer, page_with_profile: Page
) -> None:
    page_with_profile.get_by_role("button", name="Erase everything").click()
    asking = page_with_profile.get_by_role("dialog", name="Erase everything")
    deed = asking.get_by_role("button", name="Erase everything")
    expect(deed).to_be_disabled()
    asking.get_by_role("textbox").fill("erase everything")
    deed.click()
    certificate = page_with_profile.get_by_role("dialog", name="Certificate of erasure")
    expect(certificate).to_contain_text("no erased data remains")
    with page_with_profile.expect_download() as begun:
        certificate.get_by_role("button", name="Download certificate").click()
    erasure = json.loads(Path(begun.value.path()).read_text("utf-8"))
    certificate.get_by_role("button", name="Done").click()

    assert (erasure["what"], erasure["physical"]) == (f"user {ANA}", True)
    expect(page_with_profile.get_by_role("heading", name="No profile yet")).to_be_visible()
    with server.client() as client:
        assert client.get("/api/memory/ledger").json()["results"] == []


def test_loading_error_and_offline_states_are_shown(server: LiveServer, profile: Page) -> None:
    expect(profile.get_by_role("heading", name="No entries yet")).to_be_visible()
    expect_states(profile, f"{server.url}/profile", "**/api/memory/consent", "**/api/memory/ledger*")


def test_it_fits_small_screens_and_is_translated(server: LiveServer, page_with_profile: Page) -> None:
    expect_to_fit(page_with_profile, f"{server.url}/profile")
    switch_to_portuguese(page_with_profile)

    expect(page_with_profile.get_by_role("button", name="Atualizar meu perfil")).to_be_visible()
    expect(page_with_profile.get_by_role("switch", name="Sentimento")).to_be_visible()


def test_it_works_by_keyboard(page_with_profile: Page) -> None:
    press_tab_until(page_with_profile, "Notes")
    page_with_profile.keyboard.type(" More.")
    press_tab_until(page_with_profile, "Update My Profile")
    page_with_profile.keyboard.press("Enter")
    expect(page_with_profile.get_by_text("Profile updated.")).to_be_visible()
    press_tab_until(page_with_profile, "Profile")
    page_with_profile.get_by_role("switch", name="Profile").focus()
    page_with_profile.keyboard.press("Space")
    expect(page_with_profile.get_by_role("dialog")).to_be_visible()
    page_with_profile.keyboard.press("Escape")

    expect(page_with_profile.get_by_role("dialog")).to_have_count(0)
    expect(page_with_profile.get_by_role("switch", name="Profile")).to_be_focused()
