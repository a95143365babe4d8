"""Settings page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.browser.navigation import (
    assert_no_external_requests,
    expect_states,
    expect_to_fit,
    log_in,
    press_tab_until,
    switch_to_portuguese,
)
from tests.server.live_server import LiveServer, run_server


@pytest.fixture
def settings(server: LiveServer, owner: Page) -> Iterator[Page]:
    with assert_no_external_requests(owner, server):
        owner.goto(f"{server.url}/settings")
        expect(smart_context(owner)).to_be_visible()
        yield owner


def smart_context(page: Page) -> Locator:
    return page.get_by_role("switch", name="Smart Context (RAG)")


def value(server: LiveServer, name: str) -> object:
    with server.client() as client:
        return client.get(f"/api/settings/{name}").json()["value"]


@pytest.mark.spec("UI-1", "UI-4", "Y16")
def test_the_toggle_applies_immediately_and_persists_across_a_restart(page: Page, tmp_path: Path) -> None:
    with run_server(tmp_path) as server:
        log_in(page, server).goto(f"{server.url}/settings")
        with server.client() as client:
            client.post("/api/memory", json={"content": "I drink green tea."})
        expect(smart_context(page)).to_be_checked()
        smart_context(page).click()
        expect(page.get_by_text("recall.enabled set to off.")).to_be_visible()
        with server.client() as client:
            block = client.post("/api/memory/context", json={"query": "green tea"}).json()
        assert block["text"] == ""
    with run_server(tmp_path) as server:
        log_in(page, server).goto(f"{server.url}/settings")
        expect(smart_context(page)).not_to_be_checked()
        expect(page.get_by_text("set by you").first).to_be_visible()


@pytest.mark.spec("UI-1")
def test_smart_context_is_off_in_the_preset_it_comes_from(server: LiveServer, settings: Page) -> None:
    settings.get_by_label("Preset").select_option("smart")

    expect(smart_context(settings)).not_to_be_checked()
    expect(settings.get_by_text("from preset smart").first).to_be_visible()
    assert value(server, "recall.enabled") is False


def test_typed_text_survives_a_reload_of_the_settings(settings: Page) -> None:
    pending_routes: list[Route] = []

    def hold(route: Route) -> None:
        pending_routes.append(route)

    settings.route("**/api/settings", hold)
    settings.get_by_role("switch", name="Enable Hybrid Search (improves code recall)").click()
    expect(settings.get_by_text("recall.hybrid set to")).to_be_visible()
    settings.get_by_label("Token Budget").fill("1200")
    [reading] = pending_routes
    read = reading.fetch().json()
    [frequency] = [each for each in read["results"] if each["name"] == "summaries.every_answers"]
    frequency["value"] = 7
    reading.fulfill(json=read)

    expect(settings.get_by_label("Summary Frequency")).to_have_value("7")
    expect(settings.get_by_label("Token Budget")).to_have_value("1200")


@pytest.mark.spec("UI-2", "Q17", "Y16")
def test_flags_and_numbers_change_without_a_restart(server: LiveServer, settings: Page) -> None:
    settings.get_by_role("switch", name="Enable Hybrid Search (improves code recall)").click()
    settings.get_by_role("switch", name="Enable Smart Chunking (better long message handling)").click()
    settings.get_by_label("Token Budget").fill("1200")
    settings.get_by_label("Token Budget").press("Enter")
    expect(settings.get_by_text("context.budget set to 1200.")).to_be_visible()
    settings.get_by_label("Summary Frequency").fill("0")
    settings.get_by_label("Summary Frequency").press("Tab")
    expect(settings.get_by_text("summaries.every_answers set to 0.")).to_be_visible()

    expect(settings.get_by_text("recommended: 800-1500")).to_be_visible()
    expect(settings.get_by_text("messages (0 to disable)")).to_be_visible()
    held = [value(server, name) for name in ("recall.hybrid", "chunking.enabled", "context.budget")]
    assert [*held, value(server, "summaries.every_answers")] == [False, False, 1200, 0]
    with server.client() as client:
        client.post("/api/memory/search", json={"query": "anything"})
        flags = client.get("/api/memory/receipts/last").json()["flags"]
    assert flags == {"hybrid": False, "chunking": False, "tokenBudget": 1200}


def test_a_setting_can_be_reset(server: LiveServer, settings: Page) -> None:
    settings.get_by_label("Token Budget").fill("700")
    settings.get_by_label("Token Budget").press("Tab")
    settings.get_by_role("button", name="Reset context.budget").click()

    expect(settings.get_by_label("Token Budget")).to_have_value("1000")
    assert value(server, "context.budget") == 1000


def test_an_invalid_value_is_rejected_at_its_field(server: LiveServer, settings: Page) -> None:
    settings.get_by_label("Token Budget").fill("many")
    settings.get_by_label("Token Budget").press("Tab")

    expect(settings.get_by_text("context.budget cannot be 'many'")).to_be_visible()
    expect(settings.get_by_label("Token Budget")).to_have_attribute("aria-invalid", "true")
    assert value(server, "context.budget") == 1000


def test_settings_are_found_by_variable_and_show_their_source(server: LiveServer, settings: Page) -> None:
    settings.get_by_role("tab", name="All settings").click()
    expect(settings.locator("[data-setting]").nth(100)).to_be_attached()
    settings.get_by_role("searchbox").fill("RAG_HYBRID")
    expect(settings.locator("[data-setting]")).to_have_count(1)
    expect(settings.locator("[data-setting='recall.hybrid']")).to_contain_text("default")
    settings.get_by_role("searchbox").fill("memory.db")
    expect(settings.get_by_role("heading", name="No matching settings")).to_be_visible()
    settings.get_by_role("button", name="Show all").click()
    database = settings.locator("[data-setting='db']")

    expect(database).to_contain_text("from the request")
    expect(database).to_contain_text("RECOLLECT_DB")
    expect(database.get_by_role("textbox")).to_have_count(0)
    expect(settings).to_have_url(f"{server.url}/settings/all")


def test_providers_are_tested_and_re_embedding_shows_progress(server: LiveServer, settings: Page) -> None:
    with server.client() as client:
        client.post("/api/memory", json={"content": "I drink green tea."})
    server.drain_jobs()
    settings.get_by_role("tab", name="Models").click()
    settings.get_by_role("region", name="Embedding model").get_by_role("button", name="Test").click()
    settings.get_by_role("region", name="Language model").get_by_role("button", name="Test").click()

    expect(settings.get_by_text(re.compile("Working: hashing-256, 256 dimensions"))).to_be_visible()
    expect(settings.get_by_text(re.compile("No language model is configured"))).to_be_visible()
    settings.get_by_role("button", name="Re-embed").click()
    expect(settings.get_by_text(re.compile(r"All \d+ passages embedded with hashing-256"))).to_be_visible()


def test_a_token_is_shown_once_and_revoked(server: LiveServer, settings: Page) -> None:
    settings.get_by_role("tab", name="Access").click()
    settings.get_by_label("Name").fill("phone")
    settings.get_by_role("button", name="Create token").click()
    token = settings.locator("pre code").inner_text()
    with server.client(token) as phone:
        assert phone.get("/api/memory").status_code == 200
        settings.reload()
        expect(settings.get_by_text("phone", exact=True)).to_be_visible()
        expect(settings.get_by_text(token)).to_have_count(0)
        settings.get_by_role("button", name="Revoke phone").click()
        settings.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(settings.get_by_text("Token phone revoked.")).to_be_visible()
        assert phone.get("/api/memory").status_code == 401


def test_language_and_theme_persist(settings: Page) -> None:
    settings.get_by_role("tab", name="Appearance").click()
    settings.get_by_label("Theme", exact=True).select_option("dark")
    settings.get_by_label("Language", exact=True).select_option("pt")
    settings.reload()

    expect(settings.get_by_role("heading", level=1)).to_have_text("Configurações")
    expect(settings.locator("html")).to_have_attribute("data-theme", "dark")


def test_loading_error_and_offline_states_are_shown(server: LiveServer, settings: Page) -> None:
    expect_states(settings, f"{server.url}/settings", "**/api/settings")
    expect_states(settings, f"{server.url}/settings/models", "**/api/providers")
    expect_states(settings, f"{server.url}/settings/access", "**/api/tokens")


def test_without_an_embedding_model_it_warns_about_keyword_search(server: LiveServer, settings: Page) -> None:
    state = (
        '{"model": null, "answering": null, "moving_to": null, "passages": 0, "lacking": 0, "vectors": []}'
    )
    settings.route(
        "**/api/embedding", lambda route: route.fulfill(content_type="application/json", body=state)
    )
    settings.goto(f"{server.url}/settings/models")

    expect(settings.get_by_text("Keyword search only: no embedding model is configured.")).to_be_visible()


def test_it_fits_small_screens_and_is_translated(server: LiveServer, settings: Page) -> None:
    for section in ("resources", "models", "access", "look", "all"):
        expect_to_fit(settings, f"{server.url}/settings/{section}")
    switch_to_portuguese(settings)

    expect(settings.get_by_text("Combina busca por palavras-chave com busca semântica.")).to_be_visible()


def test_tabs_and_switches_work_by_keyboard(server: LiveServer, settings: Page) -> None:
    press_tab_until(settings, "Smart Context (RAG)")
    settings.keyboard.press("Space")
    expect(smart_context(settings)).not_to_be_checked()
    settings.get_by_role("tab", name="Resources").focus()
    settings.keyboard.press("End")
    expect(settings.get_by_role("tab", name="All settings")).to_be_focused()
    settings.keyboard.press("/")

    expect(settings.get_by_role("searchbox")).to_be_focused()
    assert value(server, "recall.enabled") is False
