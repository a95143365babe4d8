"""The models describe every key of the shapes, and no other."""

import httpx2
import pytest
from pydantic import BaseModel
from tests.server.live_server import Served

from recollect.server.responses import reports, resources

LISTED: dict[str, type[BaseModel]] = {
    "/api/memory": resources.Memory,
    "/api/memory/events": resources.Event,
    "/api/memory/receipts": resources.Receipt,
    "/api/memory/ledger": resources.LedgerLine,
    "/api/memory/summaries": resources.Summary,
    "/api/contexts": resources.ContextFile,
    "/chats": resources.Chat,
    "/chats/c/messages": resources.ChatMessage,
    "/api/settings": reports.Setting,
    "/api/presets": reports.Preset,
    "/api/memory/metrics": reports.RetrievalLine,
}
WHOLE: dict[str, type[BaseModel]] = {
    "/api/memory": resources.MemoryPage,
    "/api/memory/profile": resources.Profile,
    "/api/memory/consent": resources.Consents,
    "/api/memory/consent/profile": resources.Covered,
    "/api/memory/ledger": resources.Ledger,
    "/api/contexts/plan": resources.WholeContextFile,
    "/chats/c": resources.Chat,
    "/api/settings": reports.SettingsList,
    "/api/memory/metrics": reports.MetricsReport,
    "/api/memory/stats": reports.Stats,
    "/api/memory/debug/stats": reports.DebugStats,
    "/api/memory/garden/forecast": reports.Tended,
    "/api/memory/receipts/last": resources.Receipt,
}


@pytest.fixture
def filled(server: Served, client: httpx2.Client) -> httpx2.Client:
    client.post("/api/memory", json={"content": "I drink green tea."})
    client.post("/chats/c/listen", json={"messages": [{"role": "user", "content": "I live in Lisbon."}]})
    client.post("/api/contexts", json={"name": "plan", "content": "We ship on Fridays."})
    client.post("/api/memory/consent", json={"granted": True})
    server.learn()
    client.post("/api/memory/summaries", json={"chat_id": "c"})
    client.post("/api/memory/context", json={"query": "Which tea?"})
    return client


def test_every_key_of_an_answer_is_described(filled: httpx2.Client) -> None:
    for path, model in WHOLE.items():
        assert set(filled.get(path).json()) == set(model.model_fields), path
    for path, model in LISTED.items():
        [first, *_] = filled.get(path).json()["results"]
        assert set(first) == set(model.model_fields), path
    receipt = filled.get("/api/memory/receipts/last").json()
    assert set(receipt["items"][0]) == set(resources.Item.model_fields)


def test_every_key_of_a_change_is_described(filled: httpx2.Client) -> None:
    kept = filled.post("/api/memory", json={"content": "I like jazz."}).json()
    heard = filled.post("/chats/c/listen", json={"messages": [{"role": "user", "content": "Hi."}]}).json()
    versions = filled.get(f"/api/memory/{kept['id']}/history").json()["results"]
    why_not = filled.post("/api/memory/why-not", json={"query": "jazz", "memory_id": kept["id"]}).json()

    assert set(kept) == {*resources.Memory.model_fields, "event"}
    assert set(heard) == set(resources.Listened.model_fields)
    assert set(heard["messages"][0]) == set(resources.Observed.model_fields)
    assert set(versions[0]) == set(resources.Version.model_fields)
    assert set(why_not) <= set(resources.Absence.model_fields)
