"""Export and import over HTTP."""

import httpx2
from tests.surfaces.http.serving import Served


def test_a_pack_goes_out_of_one_memory_and_into_another_once(server: Served, client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "I like tea."})
    client.post("/chats/c/listen", json={"messages": [{"role": "user", "content": "I live in Lisbon."}]})
    server.learn()
    pack = client.get("/api/export")
    send = {"content": pack.content, "headers": {"Content-Type": "application/x-ndjson"}}
    bruno = {"user_id": "bruno"}
    tried = client.post("/api/import", params={**bruno, "dry_run": "true"}, **send).json()  # type: ignore[arg-type]
    nothing = client.get("/api/memory", params=bruno).json()["results"]
    first = client.post("/api/import", params=bruno, **send).json()  # type: ignore[arg-type]
    again = client.post("/api/import", params=bruno, **send).json()  # type: ignore[arg-type]

    assert pack.headers["content-type"].startswith("application/x-ndjson")
    assert "attachment" in pack.headers["content-disposition"]
    assert (tried["dry_run"], nothing) == (True, [])
    assert first["imported"] == tried["imported"]
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
