"""Export, import and backup over HTTP."""

from pathlib import Path

import httpx2
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
    assert first["imported"] == dry_run_report["imported"]
    assert (first["imported"]["memories"], first["imported"]["messages"]) == (2, 2)
    assert again["imported"] == {}
    assert len(client.get("/api/memory", params=bruno).json()["results"]) == 2


def test_a_damaged_pack_is_refused(client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "I like tea."})
    pack = client.get("/api/export").content.replace(b"tea", b"mud")
    answer = client.post("/api/import", content=pack, headers={"Content-Type": "application/x-ndjson"})
    binary = client.post("/api/import", content=b"\xff", headers={"Content-Type": "application/x-ndjson"})

    assert (answer.status_code, binary.status_code) == (422, 422)
    assert "damaged" in answer.json()["detail"]


def test_an_admin_backs_up_all_users_while_the_server_runs(server: LiveServer, tmp_path: Path) -> None:
    token = server.token_store.add("phone", user="bruno")
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
