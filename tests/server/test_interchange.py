"""Export, import and backup over HTTP."""

import io
import json
import zipfile
from pathlib import Path

import httpx2
import pytest
from tests.interchange.samples import CHATGPT, CLAUDE_CODE
from tests.server.live_server import LiveServer, run_server


def test_an_exported_pack_is_imported_once(server: LiveServer, client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "I like tea."})
    client.post("/chats/c/listen", json={"messages": [{"role": "user", "content": "I live in Lisbon."}]})
    server.drain_jobs()
    pack = client.get("/api/export")
    send = {"content": pack.content, "headers": {"Content-Type": "application/x-ndjson"}}
    bruno = {"user_id": "bruno"}
    dry_run_report = client.post("/api/import", params={**bruno, "dry_run": "true"}, **send).json()  # type: ignore[arg-type]
    nothing = client.get("/api/memory", params=bruno).json()["results"]
    first = client.post("/api/import", params=bruno, **send).json()  # type: ignore[arg-type]
    again = client.post("/api/import", params=bruno, **send).json()  # type: ignore[arg-type]

    assert pack.headers["content-type"].startswith("application/x-ndjson")
    assert "attachment" in pack.headers["content-disposition"]
    assert (dry_run_report["dry_run"], nothing) == (True, [])
    assert (first["files"], first["memories"], first["messages"]) == ({"pack": 1}, 2, 2)
    assert (dry_run_report["memories"], dry_run_report["messages"]) == (2, 2)
    assert (again["memories"], again["messages"]) == (0, 0)
    assert again["duplicates"] >= 4
    assert len(client.get("/api/memory", params=bruno).json()["results"]) == 2


def test_a_damaged_pack_is_refused(client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "I like tea."})
    pack = client.get("/api/export").content.replace(b"tea", b"mud")
    answer = client.post("/api/import", content=pack, headers={"Content-Type": "application/x-ndjson"})
    binary = client.post("/api/import", content=b"\xff", headers={"Content-Type": "application/x-ndjson"})

    assert (answer.status_code, binary.status_code) == (422, 422)
    assert "damaged" in answer.json()["detail"]


SEND = {"Content-Type": "application/octet-stream"}


def _zip(files: dict[str, str]) -> bytes:
    with io.BytesIO() as buffer:
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return buffer.getvalue()


def test_an_archive_of_other_applications_is_imported_and_undone(
    server: LiveServer, client: httpx2.Client, tmp_path: Path
) -> None:
    archive = _zip({"conversations.json": CHATGPT.content(), "session.jsonl": CLAUDE_CODE.content()})
    preview = client.post(
        "/api/import", params={"name": "all.zip", "dry_run": "true"}, content=archive, headers=SEND
    ).json()
    before = client.get("/chats").json()["results"]
    report = client.post("/api/import", params={"name": "all.zip"}, content=archive, headers=SEND).json()
    again = client.post("/api/import", params={"name": "all.zip"}, content=archive, headers=SEND).json()
    listed = client.get("/api/import").json()["results"]
    server.drain_jobs()
    undone = client.post("/api/import/last/undo").json()

    assert (preview["dry_run"], preview["files"], before) == (True, {"chatgpt": 1, "claude-code": 1}, [])
    assert preview["messages"] == report["messages"] > 0
    assert preview["passages"] >= preview["messages"]
    assert (again["messages"], again["import_id"]) == (0, None)
    assert [each["source"] for each in listed] == ["all.zip"]
    assert listed[0]["finished_at"] is not None
    assert undone["messages"] == report["messages"]
    assert client.get("/chats").json()["results"] == []
    assert client.get("/api/import").json()["results"] == []


def test_an_import_streams_its_progress(client: httpx2.Client) -> None:
    with client.stream(
        "POST",
        "/api/import",
        params={"name": "conversations.json", "stream": "true"},
        content=CHATGPT.content().encode(),
        headers=SEND,
    ) as response:
        text = response.read().decode()
    events = [
        dict(line.split(": ", 1) for line in block.splitlines()) for block in text.split("\n\n") if block
    ]

    assert response.headers["content-type"].startswith("text/event-stream")
    assert [each["event"] for each in events] == ["progress", "done"]
    assert json.loads(events[0]["data"])["expected_items"] > 0
    assert json.loads(events[1]["data"])["files"] == {"chatgpt": 1}


@pytest.mark.parametrize("stream", ["true", "false"])
def test_a_file_of_an_unknown_format_is_refused(client: httpx2.Client, stream: str) -> None:
    answer = client.post("/api/import", params={"stream": stream}, content=b'{"some": "thing"}', headers=SEND)
    empty = client.post("/api/import", params={"stream": stream}, content=b"", headers=SEND)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
    assert "Supported are ChatGPT" in answer.json()["detail"]
    assert (empty.status_code, "empty" in empty.json()["detail"]) == (422, True)
    assert client.get("/api/import").json()["results"] == []


def test_the_name_of_an_upload_leads_nowhere(client: httpx2.Client) -> None:
    for name in ("../../etc/passwd", "..", "C:\\boot.ini", "a/b\x00c", ""):
        answer = client.post("/api/import", params={"name": name}, content=b"x", headers=SEND)
        assert answer.status_code == 422, name


def test_an_upload_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    limits = {"max_import_bytes": 1_000}
    with run_server(tmp_path, auth_overrides=limits) as server, server.client() as client:
        answer = client.post("/api/import", content=b"x" * 1_001, headers=SEND)

    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    assert "1,000 bytes" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("export_format", "media_type", "name"),
    [
        ("pack", "application/x-ndjson", "recollect.jsonl"),
        ("markdown", "application/zip", "recollect-markdown.zip"),
        ("basic-memory", "application/zip", "recollect-basic-memory.zip"),
        ("mcp", "application/x-ndjson", "memory.jsonl"),
        ("mem0", "application/json", "mem0.json"),
        ("compact", "application/json", "memories.json"),
        ("openai", "application/x-ndjson", "chats.jsonl"),
    ],
)
def test_every_export_can_be_imported_by_another_user(
    client: httpx2.Client, export_format: str, media_type: str, name: str
) -> None:
    client.post("/api/memory", json={"content": "I am vegetarian."})
    client.post("/chats/c/listen", json={"messages": [{"role": "user", "content": "I live in Lisbon."}]})
    export = client.get("/api/export", params={"format": export_format})
    report = client.post(
        "/api/import", params={"user_id": "bruno"}, content=export.content, headers=SEND
    ).json()

    assert export.headers["content-type"].startswith(media_type)
    assert export.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert report["messages" if export_format == "openai" else "memories"] > 0


def test_an_admin_backs_up_all_users_while_the_server_runs(server: LiveServer, tmp_path: Path) -> None:
    token = server.access.add_token("phone", user="bruno")
    with server.client() as ana, server.client(token) as bruno:
        bruno.post("/api/memory", json={"content": "I like coffee."})
        ana.post("/api/memory", json={"content": "I like tea."})
        refused = bruno.post("/api/backup")
        backup = ana.post("/api/backup")

    copy = Path(backup.json()["file"])
    assert (refused.status_code, refused.json()["code"]) == (403, "not_yours")
    assert backup.status_code == 201
    assert (backup.json()["users"], backup.json()["memories"]) == (2, 2)
    assert copy.parent == tmp_path / "backups"
    assert copy.stat().st_mode & 0o777 == 0o600
    assert _read_backup(copy) == {"ana": ["I like tea."], "bruno": ["I like coffee."]}


def test_a_server_whose_file_was_deleted_refuses_writes_and_backs_up(
    server: LiveServer, tmp_path: Path
) -> None:
    with server.client() as ana:
        ana.post("/api/memory", json={"content": "I like tea."})
        (tmp_path / "memory.db").unlink()
        refused = ana.post("/api/memory", json={"content": "I like mud."})
        doctor = ana.get("/api/doctor").json()
        backup = ana.post("/api/backup")

    assert (refused.status_code, refused.json()["code"]) == (500, "store_moved")
    assert [each["level"] for each in doctor["findings"] if each["name"] == "file in place"] == ["fail"]
    assert backup.status_code == 201
    assert _read_backup(Path(backup.json()["file"]))["ana"] == ["I like tea."]


def _read_backup(backup_file: Path) -> dict[str, list[str]]:
    """Return the memories in a backup, by user, as another server lists them."""
    folder = backup_file.parent / "elsewhere"
    folder.mkdir()
    backup_file.rename(folder / "memory.db")
    with run_server(folder, worker=False) as server, server.client() as client:
        listings = {user: client.get("/api/memory", params={"user_id": user}) for user in ("ana", "bruno")}
    return {
        user: [each["memory"] for each in listing.json()["results"]] for user, listing in listings.items()
    }
