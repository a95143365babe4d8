"""Connect page: client setup, import, export."""

import re
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
from tests.server.live_server import LiveServer, run_server

FACT = "I drink green tea."


@pytest.fixture
def connect(server: LiveServer, owner: Page) -> Iterator[Page]:
    with assert_no_external_requests(owner, server):
        owner.goto(f"{server.url}/connect")
        yield owner


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Export file of another installation."""
    there = tmp_path / "there"
    there.mkdir()
    with run_server(there) as other, other.client() as client:
        client.post("/api/memory", json={"content": FACT})
        text = client.get("/api/export").text
    path = there / "pack.jsonl"
    path.write_text(text, "utf-8")
    return path


def texts(server: LiveServer) -> list[str]:
    with server.client() as client:
        return [each["memory"] for each in client.get("/api/memory").json()["results"]]


@pytest.mark.parametrize(
    ("client", "line"),
    [
        ("OpenAI clients", "export OPENAI_BASE_URL={url}/v1"),
        ("Anthropic clients", "export ANTHROPIC_BASE_URL={url}"),
        ("Ollama clients", "export OLLAMA_HOST={url}/v1"),
    ],
)
def test_the_setup_snippet_contains_the_servers_address(
    server: LiveServer, connect: Page, client: str, line: str
) -> None:
    connect.context.grant_permissions(["clipboard-read", "clipboard-write"])
    connect.get_by_role("button", name=f"Copy: setup for {client}").click()

    expect(connect.get_by_role("status").filter(has_text="Copied").first).to_be_attached()
    assert connect.evaluate("navigator.clipboard.readText()") == line.format(url=server.url)


def test_a_proxy_without_upstream_shows_how_to_configure_one(connect: Page) -> None:
    expect(connect.get_by_text("The proxy has no upstream provider.")).to_be_visible()
    expect(
        connect.get_by_text("RECOLLECT_PROXY_UPSTREAM=https://api.openai.com/v1 recollect up")
    ).to_be_visible()


def test_an_export_file_is_previewed_and_imported(server: LiveServer, connect: Page, pack: Path) -> None:
    connect.get_by_role("tab", name="Import").click()
    connect.locator("input[type=file]").set_input_files(pack)
    expect(connect.get_by_role("heading", name="Preview of pack.jsonl")).to_be_visible()
    assert texts(server) == []
    connect.get_by_role("button", name=re.compile(r"Import \d+ items")).click()
    expect(connect.get_by_role("heading", name="Imported from pack.jsonl")).to_be_visible()

    assert len(texts(server)) == 1
    expect(connect.get_by_role("row", name=re.compile("^Memories 1 0"))).to_be_visible()
    connect.get_by_role("button", name="Choose another file").click()
    connect.locator("input[type=file]").set_input_files(pack)
    expect(
        connect.get_by_text("Nothing to import: everything in this file is already stored.")
    ).to_be_visible()


def test_a_dropped_file_is_previewed(connect: Page, pack: Path) -> None:
    connect.get_by_role("tab", name="Import").click()
    dropped = connect.evaluate_handle(
        """text => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "dropped.jsonl"));
            return transfer;
        }""",
        pack.read_text("utf-8"),
    )
    connect.locator(".drop").dispatch_event("drop", {"dataTransfer": dropped})

    expect(connect.get_by_role("heading", name="Preview of dropped.jsonl")).to_be_visible()


def test_an_invalid_file_is_rejected_with_a_reason(connect: Page, tmp_path: Path) -> None:
    (tmp_path / "holiday.jsonl").write_text("not a pack", "utf-8")
    connect.get_by_role("tab", name="Import").click()
    connect.locator("input[type=file]").set_input_files(tmp_path / "holiday.jsonl")

    expect(connect.get_by_role("alert")).to_be_visible()
    connect.get_by_role("button", name="Choose another file").click()
    expect(connect.get_by_role("heading", name="Drop an export file here")).to_be_visible()


def test_everything_is_exported(server: LiveServer, connect: Page) -> None:
    with server.client() as client:
        client.post("/api/memory", json={"content": FACT})
    connect.get_by_role("tab", name="Export").click()
    with connect.expect_download() as begun:
        connect.get_by_role("link", name="Download export").click()

    assert begun.value.suggested_filename.endswith(".jsonl")
    assert "green tea" in Path(begun.value.path()).read_text("utf-8")


def test_loading_error_and_offline_states_are_shown(server: LiveServer, connect: Page) -> None:
    expect_states(connect, f"{server.url}/connect", "**/api/settings")


def test_it_fits_small_screens_and_is_translated(server: LiveServer, connect: Page) -> None:
    for section in ("clients", "import", "export"):
        expect_to_fit(connect, f"{server.url}/connect/{section}")
    switch_to_portuguese(connect)

    expect(connect.get_by_role("link", name="Baixar exportação")).to_be_visible()


def test_a_file_is_chosen_with_the_keyboard_alone(server: LiveServer, connect: Page, pack: Path) -> None:
    connect.goto(f"{server.url}/connect/import")
    press_tab_until(connect, "Choose file")
    field = connect.locator("input[type=file]")
    # Whether the browser then shows a list of files is not up to the page.
    field.evaluate("field => (field.onclick = () => { field.dataset.asked = 'yes'; return false; })")
    connect.keyboard.press("Enter")
    expect(field).to_have_attribute("data-asked", "yes")
    field.set_input_files(pack)

    expect(connect.get_by_role("heading", name="Preview of pack.jsonl")).to_be_visible()
