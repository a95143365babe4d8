"""Connections to programs of the server's machine over HTTP."""

from pathlib import Path

import httpx2
import pytest
from tests.interchange.samples import CLAUDE_CODE
from tests.server.live_server import LiveServer, run_server

SETTINGS = '{\n  // mine\n  "model": "opus"\n}\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude/settings.json").write_text(SETTINGS)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def states(client: httpx2.Client) -> dict[str, str]:
    return {each["program"]: each["state"] for each in client.get("/api/connections").json()["results"]}


def test_a_program_is_connected_and_disconnected(client: httpx2.Client, home: Path) -> None:
    before = states(client)
    preview = client.get("/api/connections/claude-code").json()
    untouched = (home / ".claude/settings.json").read_text()
    connected = client.post("/api/connections/claude-code").json()
    written = (home / ".claude/settings.json").read_text()
    during = states(client)
    disconnected = client.delete("/api/connections/claude-code").json()

    assert (before["claude-code"], before["codex"]) == ("installed", "not installed")
    assert "recollect-hook" in preview["diff"]
    assert untouched == SETTINGS
    assert (connected["state"], connected["problem"]) == ("connected", None)
    assert "// mine" in written
    assert "UserPromptSubmit" in written
    assert during["claude-code"] == "connected"
    assert disconnected["state"] == "installed"
    assert (home / ".claude/settings.json").read_text() == SETTINGS
    assert [each.name for each in (home / ".claude").iterdir()] == ["settings.json"]


def test_open_webui_says_what_to_do_by_hand(client: httpx2.Client) -> None:
    answer = client.post("/api/connections/open-webui")

    assert (answer.status_code, answer.json()["code"]) == (409, "refused")
    assert "Admin Settings" in answer.json()["detail"]


def test_an_unknown_program_is_not_found(client: httpx2.Client) -> None:
    answers = [client.request(method, "/api/connections/emacs") for method in ("GET", "POST", "DELETE")]

    assert [each.status_code for each in answers] == [404, 404, 404]


def test_only_admins_connect_programs(server: LiveServer, home: Path) -> None:
    token = server.access.add_token("phone", user="bruno")
    with server.client(token) as bruno:
        answers = [
            bruno.request(method, f"/api/connections{path}")
            for method, path in (("GET", ""), ("GET", "/codex"), ("POST", "/codex"), ("DELETE", "/codex"))
        ]

    assert [each.status_code for each in answers] == [403] * 4
    assert not (home / ".codex").exists()


def test_a_public_server_connects_nothing(tmp_path: Path, home: Path) -> None:
    with run_server(tmp_path, auth_overrides={"is_local": False}) as server, server.client() as client:
        answers = [client.get("/api/connections"), client.post("/api/connections/claude-code")]

    assert [each.status_code for each in answers] == [403, 403]
    assert "recollect connect" in answers[0].json()["detail"]
    assert (home / ".claude/settings.json").read_text() == SETTINGS


def test_the_transcripts_of_an_agent_are_imported(client: httpx2.Client, home: Path) -> None:
    nothing = client.get("/api/import/transcripts").json()["results"]
    transcript = home / ".claude/projects/-work-shop/session.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(CLAUDE_CODE.content(), "utf-8")
    [listed] = client.get("/api/import/transcripts").json()["results"]
    preview = client.post("/api/import/transcripts/claude-code", params={"dry_run": "true"}).json()
    report = client.post("/api/import/transcripts/claude-code").json()
    again = client.post("/api/import/transcripts/claude-code").json()
    [record] = client.get("/api/import").json()["results"]
    unknown = client.post("/api/import/transcripts/emacs")
    empty = client.post("/api/import/transcripts/codex")

    assert nothing == []
    assert (listed["agent"], listed["title"], listed["files"]) == ("claude-code", "Claude Code", 1)
    assert listed["bytes"] == transcript.stat().st_size
    assert (preview["dry_run"], preview["messages"]) == (True, report["messages"])
    assert (again["messages"], again["import_id"]) == (0, None)
    assert record["source"] == "transcripts of claude-code"
    assert (unknown.status_code, empty.status_code) == (404, 422)


def test_only_admins_of_a_local_server_import_transcripts(
    server: LiveServer, tmp_path: Path, home: Path
) -> None:
    token = server.access.add_token("phone", user="bruno")
    with server.client(token) as bruno:
        of_bruno = [bruno.get("/api/import/transcripts"), bruno.post("/api/import/transcripts/claude-code")]
    (tmp_path / "public").mkdir()
    with (
        run_server(tmp_path / "public", auth_overrides={"is_local": False}) as public,
        public.client() as client,
    ):
        of_public = [client.get("/api/import/transcripts"), client.post("/api/import/transcripts/codex")]

    assert [each.status_code for each in (*of_bruno, *of_public)] == [403] * 4
