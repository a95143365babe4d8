"""Consent, profile, audit log, erasure, context files, summaries and maintenance over HTTP."""

import httpx2
import pytest
from tests.server.live_server import LiveServer


def add_messages(client: httpx2.Client, *texts: str, chat: str = "c") -> None:
    messages = [{"role": "user", "content": text} for text in texts]
    assert client.post(f"/chats/{chat}/listen", json={"messages": messages, "sync": True}).status_code == 200


@pytest.mark.spec("P3", "I3")
def test_the_profile_needs_consent_and_is_erased_with_it(client: httpx2.Client) -> None:
    form = {"codingStyle": "functional", "preferredLanguages": ["python"], "freeformNotes": "Short answers."}
    early = client.put("/api/memory/profile", json=form)
    grant = client.post("/api/memory/consent", json={"category": "profile", "granted": True})
    filled = client.put("/api/memory/profile", json=form)

    assert (early.status_code, early.json()["code"]) == (403, "consent_required")
    assert grant.json() == {"category": "profile", "granted": True, "erased": {}}
    assert filled.json()["freeformNotes"] == "Short answers."
    assert client.get("/api/memory/profile").json() == filled.json()
    assert client.get("/api/memory/consent").json()["profileConsent"] is True
    assert client.get("/api/memory/consent/profile").json()["covers"] == {"profile": 1}
    withdrawal = client.post("/api/memory/consent", json={"granted": False}).json()
    assert withdrawal == {"category": "profile", "granted": False, "erased": {"profile": 1}}
    assert client.get("/api/memory/profile").json()["id"] is None


@pytest.mark.spec("P3")
def test_consents_are_listed_by_category_and_audited(client: httpx2.Client) -> None:
    client.post("/api/memory/consent", json={"category": "emotion", "granted": False})
    consents = client.get("/api/memory/consent").json()
    ledger = client.get("/api/memory/ledger").json()

    assert consents["consents"]["profile"] is False
    assert consents["consents"]["emotion"] is False
    assert consents["consents"]["biography"] is True
    assert (ledger["results"][0]["action"], ledger["intact"]) == ("consent taken back", True)
    assert client.post("/api/memory/consent", json={"category": "x", "granted": True}).status_code == 422


def test_erasing_is_previewed_and_certified(client: httpx2.Client) -> None:
    memory = client.post("/api/memory", json={"content": "I collect porcelain owls."}).json()["id"]
    add_messages(client, "I live in Lisbon.")
    one = client.post("/api/memory/erase/preview", json={"memory_id": memory}).json()
    chat = client.post("/api/memory/erase/preview", json={"chat_id": "c"}).json()
    everything = client.post("/api/memory/erase/preview", json={"everything": True}).json()

    assert (one["rows"]["memories"], one["memories"][0]["id"]) == (1, memory)
    assert chat["rows"] == {"chats": 1, "messages": 1, "memories": 1}
    assert everything["rows"]["memories"] == 2
    erased = client.post("/api/memory/erase", json={"memory_id": memory}).json()
    assert (erased["rows"]["memories"], erased["physical"]) == (1, True)
    assert client.post("/api/memory/erase", json={"chat_id": "c"}).json()["physical"] is True
    assert client.post("/api/memory/erase", json={}).status_code == 422
    assert client.post("/api/memory/erase", json={"everything": True, "chat_id": "c"}).status_code == 422
    assert client.post("/api/memory/erase", json={"everything": True}).json()["what"] == "user ana"
    assert client.get("/api/memory", params={"status": "forgotten"}).json()["results"] == []


def test_context_files_are_created_attached_and_deleted(client: httpx2.Client) -> None:
    file = client.post("/api/contexts", json={"name": "plan", "content": "We ship on Fridays."})
    add_messages(client, "Hello there.")
    client.put("/chats/c/contexts/plan")
    block = client.post("/api/memory/context", json={"query": "When do we ship?", "chat_id": "c"}).json()

    assert file.status_code == 201
    assert client.get("/api/contexts/plan").json()["content"] == "We ship on Fridays."
    assert client.get("/api/contexts", params={"chat_id": "c"}).json()["results"][0]["chats"] == ["c"]
    assert "We ship on Fridays." in block["text"]
    assert client.delete("/chats/c/contexts/plan").status_code == 204
    assert client.get("/api/contexts", params={"chat_id": "c"}).json()["results"] == []
    assert client.delete("/api/contexts/plan").status_code == 204
    assert client.get("/api/contexts/plan").status_code == 404


def test_a_chat_is_summarized_on_request(client: httpx2.Client) -> None:
    add_messages(client, "We decided to use SQLite for the store.", "I live in Lisbon.")
    summaries = client.post("/api/memory/summaries", json={"chat_id": "c"}).json()["results"]

    assert {each["kind"] for each in summaries} == {"conversation", "working"}
    assert client.get("/api/memory/summaries", params={"chat_id": "c"}).json()["results"]
    assert client.post("/api/memory/summaries", json={"chat_id": "c"}).json()["results"] == []


def test_maintenance_runs_dry_runs_and_forecasts(client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "I feel anxious today.", "kind": "emotion"})

    assert client.post("/api/memory/garden", json={"dry_run": True}).json()["put_away"] == []
    assert client.post("/api/memory/garden").status_code == 200
    assert client.get("/api/memory/garden/forecast", params={"weeks": 100}).json()["put_away"]


def test_jobs_are_listed_and_there_is_nothing_to_retry(server: LiveServer, client: httpx2.Client) -> None:
    server.drain_jobs()

    assert client.get("/api/jobs").json() == {"results": []}
    assert client.post("/api/jobs/retry").json() == {"retried": 0}
    assert client.post("/api/jobs/7/retry").status_code == 404
