"""Profile and consent: written, agreed to, taken back with a preview, exported, and erased with a certificate."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.visiting import at_home, expect_states, expect_to_fit, in_portuguese, tabbed_to
from tests.server.live_server import ANA, LiveServer

NOTES = "Short answers, please. Xylophone."


@pytest.fixture
def profile(server: LiveServer, owner: Page) -> Iterator[Page]:
    with at_home(owner, server):
        owner.goto(f"{server.url}/profile")
        yield owner


@pytest.fixture
def written(server: LiveServer, profile: Page) -> Page:
    """The page of somebody with a profile."""
    with server.client() as client:
        client.post("/api/memory/consent", json={"category": "profile", "granted": True})
        client.put("/api/memory/profile", json={"codingStyle": "functional", "freeformNotes": NOTES})
    profile.reload()
    expect(profile.get_by_label("Notes", exact=True)).to_have_value(NOTES)
    return profile


@pytest.mark.spec("UI-3", "I2", "I3")
def test_a_profile_is_written_after_consent_and_stays(server: LiveServer, profile: Page) -> None:
    expect(profile.get_by_role("heading", name="Memory Profile")).to_be_visible()
    profile.get_by_role("button", name="Agree and write a profile").click()
    profile.get_by_label("Preferred languages").fill("Python, Go")
    profile.get_by_label("Notes", exact=True).fill(NOTES)
    profile.get_by_role("button", name="Update My Profile").click()
    expect(profile.get_by_text("Your profile is up to date.")).to_be_visible()
    profile.reload()

    expect(profile.get_by_label("Notes", exact=True)).to_have_value(NOTES)
    expect(profile.get_by_label("Preferred languages")).to_have_value("Python, Go")
    with server.client() as client:
        kept = client.get("/api/memory/profile").json()
    assert kept["preferences"]["preferredLanguages"] == ["Python", "Go"]


@pytest.mark.spec("UI-5", "Y16", "I5")
def test_taking_consent_back_shows_what_goes_then_clears_page_and_database(
    server: LiveServer, written: Page, tmp_path: Path
) -> None:
    written.get_by_role("switch", name="Profile").click()
    preview = written.get_by_role("dialog", name="Take back consent: Profile")
    expect(preview).to_contain_text("1 profile")
    preview.get_by_role("button", name="Take back and erase").click()

    expect(written.get_by_role("heading", name="No profile yet")).to_be_visible()
    expect(written.get_by_text(NOTES)).to_have_count(0)
    expect(written.get_by_role("region", name="Ledger").last).to_contain_text("Consent taken back")
    with server.client() as client:
        assert client.get("/api/memory/profile").json()["freeformNotes"] == ""
        assert client.get("/api/memory/consent").json()["profileConsent"] is False
    assert server.application.store.maintenance.check()
    assert NOTES.encode() not in (tmp_path / "memory.db").read_bytes()


def test_nothing_is_taken_back_by_looking(server: LiveServer, written: Page) -> None:
    written.get_by_role("switch", name="Profile").click()
    written.get_by_role("dialog").get_by_role("button", name="Cancel").click()

    expect(written.get_by_role("switch", name="Profile")).to_be_checked()
    with server.client() as client:
        assert client.get("/api/memory/profile").json()["freeformNotes"] == NOTES


@pytest.mark.spec("W4")
def test_a_kind_of_memory_can_be_refused_and_the_preview_counts_what_goes(
    server: LiveServer, profile: Page
) -> None:
    with server.client() as client:
        client.post("/api/memory", json={"content": "I love risotto.", "kind": "pref"})
    profile.get_by_role("switch", name="Preference").click()
    preview = profile.get_by_role("dialog")
    expect(preview).to_contain_text("1 memory")
    expect(preview).to_contain_text("Nothing of this kind is learned, and none is kept.")
    preview.get_by_role("button", name="Take back and erase").click()

    expect(profile.get_by_role("switch", name="Preference")).not_to_be_checked()
    with server.client() as client:
        assert client.get("/api/memory").json()["results"] == []


def test_everything_can_be_exported(written: Page) -> None:
    with written.expect_download() as begun:
        written.get_by_role("link", name="Export everything").click()
    lines = Path(begun.value.path()).read_text("utf-8").splitlines()

    assert json.loads(lines[0])["user"] == ANA
    assert any(NOTES in line for line in lines)


def test_erasing_everything_wants_the_words_and_gives_a_certificate(
    server: LiveServer, written: Page
) -> None:
    written.get_by_role("button", name="Erase everything").click()
    asking = written.get_by_role("dialog", name="Erase everything")
    deed = asking.get_by_role("button", name="Erase everything")
    expect(deed).to_be_disabled()
    asking.get_by_role("textbox").fill("erase everything")
    deed.click()
    certificate = written.get_by_role("dialog", name="Certificate of erasure")
    expect(certificate).to_contain_text("nothing of it is left")
    with written.expect_download() as begun:
        certificate.get_by_role("button", name="Download the certificate").click()
    told = json.loads(Path(begun.value.path()).read_text("utf-8"))
    certificate.get_by_role("button", name="Done").click()

    assert (told["what"], told["physical"]) == (f"user {ANA}", True)
    expect(written.get_by_role("heading", name="No profile yet")).to_be_visible()
    with server.client() as client:
        assert client.get("/api/memory/ledger").json()["results"] == []


def test_its_states(server: LiveServer, profile: Page) -> None:
    expect(profile.get_by_role("heading", name="Nothing is written here yet")).to_be_visible()
    expect_states(profile, f"{server.url}/profile", "**/api/memory/consent", "**/api/memory/ledger*")


def test_it_fits_and_speaks_portuguese(server: LiveServer, written: Page) -> None:
    expect_to_fit(written, f"{server.url}/profile")
    in_portuguese(written)

    expect(written.get_by_role("button", name="Atualizar meu perfil")).to_be_visible()
    expect(written.get_by_role("switch", name="Sentimento")).to_be_visible()


def test_it_is_written_and_taken_back_with_the_keyboard_alone(written: Page) -> None:
    tabbed_to(written, "Notes")
    written.keyboard.type(" More.")
    tabbed_to(written, "Update My Profile")
    written.keyboard.press("Enter")
    expect(written.get_by_text("Your profile is up to date.")).to_be_visible()
    tabbed_to(written, "Profile")
    written.get_by_role("switch", name="Profile").focus()
    written.keyboard.press("Space")
    expect(written.get_by_role("dialog")).to_be_visible()
    written.keyboard.press("Escape")

    expect(written.get_by_role("dialog")).to_have_count(0)
    expect(written.get_by_role("switch", name="Profile")).to_be_focused()
