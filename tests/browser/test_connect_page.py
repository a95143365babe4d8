"""Connect page: client setup, import, export."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect
from tests.browser.navigation import (
    assert_no_external_requests,
    expect_states,
    expect_to_fit,
    find_barriers,
    press_tab_until,
    switch_to_portuguese,
)
from tests.browser.page_states import pending_requests
from tests.interchange.samples import CHATGPT, CLAUDE_CODE
from tests.server.live_server import LiveServer, run_server

FACT = "I drink green tea."
SETTINGS = '{\n  // mine\n  "model": "opus"\n}\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of the server's user, with Claude Code installed."""
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude" / "settings.json").write_text(SETTINGS)
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


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
    connect.get_by_role("button", name=re.compile(r"Import \d+ items?$")).click()
    expect(connect.get_by_role("heading", name="Imported from pack.jsonl")).to_be_visible()

    assert len(texts(server)) == 1
    connect.get_by_role("button", name="Close").click()
    connect.locator("input[type=file]").set_input_files(pack)
    expect(
        connect.get_by_text("Nothing to import: everything in this file is already stored.")
    ).to_be_visible()


def test_chats_of_other_applications_are_imported_and_undone(
    server: LiveServer, connect: Page, tmp_path: Path
) -> None:
    (tmp_path / "conversations.json").write_text(CHATGPT.content(), "utf-8")
    (tmp_path / "list.txt").write_text("[2026-03-01] - likes rye bread\n[2026-03-02] - plays the oboe\n")
    connect.get_by_role("tab", name="Import").click()
    connect.locator("input[type=file]").set_input_files(
        [tmp_path / "conversations.json", tmp_path / "list.txt"]
    )
    expect(connect.get_by_role("heading", name="Preview of conversations.json")).to_be_visible()
    expect(connect.get_by_text("ChatGPT", exact=True)).to_be_visible()
    expect(connect.get_by_text("List of statements")).to_be_visible()
    expect(connect.get_by_text("None: local rules extract facts").first).to_be_visible()
    connect.get_by_role("button", name="Import all 2 files").click()
    expect(connect.get_by_role("heading", name="Imported from conversations.json")).to_be_visible()
    expect(connect.get_by_role("heading", name="Imported from list.txt")).to_be_visible()
    server.drain_jobs()
    expect(connect.get_by_text("All texts are embedded.").first).to_be_visible()
    assert {"likes rye bread", "plays the oboe"} <= set(texts(server))

    connect.reload()
    connect.get_by_role("button", name="Undo import of list.txt").click()
    connect.get_by_role("button", name="Delete imported data").click()
    expect(connect.get_by_text("Deleted: 2 memories.")).to_be_visible()
    expect(connect.get_by_role("button", name="Undo import of list.txt")).to_have_count(0)
    expect(connect.get_by_role("button", name="Undo import of conversations.json")).to_be_visible()
    assert "likes rye bread" not in texts(server)


def test_an_import_is_undone_where_it_was_made(server: LiveServer, connect: Page, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("[2026-03-01] - likes rye bread\n[2026-03-02] - plays the oboe\n")
    connect.get_by_role("tab", name="Import").click()
    connect.locator("input[type=file]").set_input_files(tmp_path / "list.txt")
    connect.get_by_role("button", name="Import 2 items").click()
    connect.get_by_role("button", name="Undo import", exact=True).click()

    expect(connect.get_by_text("Undone: what was imported")).to_be_visible()
    assert texts(server) == []


def test_transcripts_of_an_agent_are_imported(server: LiveServer, connect: Page, home: Path) -> None:
    transcript = home / ".claude/projects/-work-shop/session.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(CLAUDE_CODE.content(), "utf-8")
    connect.get_by_role("tab", name="Import").click()
    connect.get_by_role("button", name="Preview transcripts of Claude Code").click()
    expect(connect.get_by_role("heading", name="Preview of Claude Code")).to_be_visible()
    connect.get_by_role("button", name=re.compile(r"^Import \d+ items?$")).click()

    expect(connect.get_by_role("heading", name="Imported from Claude Code")).to_be_visible()
    expect(connect.get_by_role("button", name="Undo import of transcripts of claude-code")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_preview_and_a_diff_have_no_barriers(
    connect: Page, tmp_path: Path, scheme: Literal["light", "dark"]
) -> None:
    (tmp_path / "conversations.json").write_text(CHATGPT.content(), "utf-8")
    connect.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    connect.get_by_role("button", name="Connect Claude Code").click()
    expect(connect.get_by_label("changes of the configuration files")).to_be_visible()
    of_the_diff = find_barriers(connect)
    connect.get_by_role("button", name="Cancel").click()
    connect.get_by_role("tab", name="Import").click()
    connect.locator("input[type=file]").set_input_files(tmp_path / "conversations.json")
    expect(connect.get_by_role("heading", name="Preview of conversations.json")).to_be_visible()
    connect.get_by_text("Left out", exact=True).click()

    assert (of_the_diff, find_barriers(connect)) == ([], [])


def test_abandoned_versions_are_imported_if_asked(connect: Page, tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_text(CHATGPT.content(), "utf-8")
    connect.get_by_role("tab", name="Import").click()
    connect.locator("input[type=file]").set_input_files(tmp_path / "conversations.json")
    button = connect.get_by_role("button", name=re.compile(r"^Import (\d+) items?$"))
    without = button.inner_text()
    connect.get_by_role("switch", name=re.compile("abandoned version")).click()

    expect(button).not_to_have_text(without)


def test_a_stopped_import_continues(server: LiveServer, connect: Page, tmp_path: Path) -> None:
    lines = [f"[2026-03-01] - keeps the notes of project {n} in folder {n}" for n in range(30)]
    (tmp_path / "list.txt").write_text("\n".join(lines))
    connect.get_by_role("tab", name="Import").click()
    connect.locator("input[type=file]").set_input_files(tmp_path / "list.txt")
    button = connect.get_by_role("button", name="Import 30 items")
    expect(button).to_be_visible()
    with pending_requests(connect, "**/api/import?*"):
        button.click()
        connect.get_by_role("button", name="Stop").click()
        expect(connect.get_by_text("Stopped. What was imported until then is stored")).to_be_visible()
    connect.get_by_role("button", name="Continue import").click()

    expect(connect.get_by_role("heading", name="Imported from list.txt")).to_be_visible()
    assert len(texts(server)) == 30


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
    connect.get_by_role("button", name="Close").click()
    expect(connect.get_by_role("heading", name="holiday.jsonl")).to_have_count(0)


def test_a_program_is_connected_after_its_changes_were_shown(home: Path, connect: Page) -> None:
    settings = home / ".claude" / "settings.json"
    connect.get_by_role("button", name="Connect Claude Code").click()
    expect(connect.get_by_label("changes of the configuration files")).to_contain_text("UserPromptSubmit")
    assert settings.read_text() == SETTINGS
    connect.get_by_role("button", name="Write files").click()
    expect(connect.get_by_text("Claude Code is connected, and its hook answers.")).to_be_visible()
    assert "UserPromptSubmit" in settings.read_text()
    connect.get_by_role("button", name="Disconnect Claude Code").click()
    # Exact, because "Disconnect Claude Code" contains the name.
    expect(connect.get_by_role("button", name="Connect Claude Code", exact=True)).to_be_visible()

    assert settings.read_text() == SETTINGS


def test_everything_is_exported(server: LiveServer, connect: Page) -> None:
    with server.client() as client:
        client.post("/api/memory", json={"content": FACT})
    connect.get_by_role("tab", name="Export").click()
    with connect.expect_download() as begun:
        connect.get_by_role("link", name="Download export").click()
    with connect.expect_download() as markdown:
        connect.get_by_role("link", name="Download Markdown").click()

    assert begun.value.suggested_filename.endswith(".jsonl")
    assert "green tea" in Path(begun.value.path()).read_text("utf-8")
    assert markdown.value.suggested_filename == "recollect-markdown.zip"


def test_loading_error_and_offline_states_are_shown(server: LiveServer, connect: Page) -> None:
    expect_states(connect, f"{server.url}/connect", "**/api/settings")


def test_it_fits_small_screens_and_is_translated(server: LiveServer, connect: Page) -> None:
    for section in ("clients", "import", "export"):
        expect_to_fit(connect, f"{server.url}/connect/{section}")
    switch_to_portuguese(connect)

    expect(connect.get_by_role("link", name="Baixar exportação")).to_be_visible()


def test_a_file_is_chosen_with_the_keyboard_alone(server: LiveServer, connect: Page, pack: Path) -> None:
    connect.goto(f"{server.url}/connect/import")
    press_tab_until(connect, "Choose files")
    field = connect.locator("input[type=file]")
    # Whether the browser then shows a list of files is not up to the page.
    field.evaluate("field => (field.onclick = () => { field.dataset.asked = 'yes'; return false; })")
    connect.keyboard.press("Enter")
    expect(field).to_have_attribute("data-asked", "yes")
    field.set_input_files(pack)

    expect(connect.get_by_role("heading", name="Preview of pack.jsonl")).to_be_visible()
