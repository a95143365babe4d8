"""The response models have exactly the keys of the responses."""

import httpx2
import pytest
from pydantic import BaseModel
from tests.server.live_server import LiveServer

from recollect.server.responses import reports, resources

LIST_MODELS: dict[str, type[BaseModel]] = {
    "/api/memory": resources.MemoryResponse,
    "/api/memory/events": resources.EventResponse,
    "/api/memory/receipts": resources.ReceiptResponse,
    "/api/memory/ledger": resources.AuditEntryResponse,
    "/api/memory/summaries": resources.SummaryResponse,
    "/api/contexts": resources.ContextFileResponse,
    "/chats": resources.ChatResponse,
    "/chats/c/messages": resources.ChatMessageResponse,
    "/api/settings": reports.SettingResponse,
    "/api/presets": reports.PresetResponse,
    "/api/memory/metrics": reports.RetrievalRecordResponse,
}
OBJECT_MODELS: dict[str, type[BaseModel]] = {
    "/api/memory": resources.MemoryPageResponse,
    "/api/memory/profile": resources.ProfileResponse,
    "/api/memory/consent": resources.ConsentListResponse,
    "/api/memory/consent/profile": resources.ConsentCoverageResponse,
    "/api/memory/ledger": resources.AuditLogResponse,
    "/api/contexts/plan": resources.ContextFileContentResponse,
    "/chats/c": resources.ChatResponse,
    "/api/settings": reports.SettingListResponse,
    "/api/memory/metrics": reports.MetricsResponse,
    "/api/memory/stats": reports.StatsResponse,
    "/api/memory/debug/stats": reports.DebugStatsResponse,
    "/api/memory/garden/forecast": reports.MaintenanceReportResponse,
    "/api/memory/receipts/last": resources.ReceiptResponse,
}


@pytest.fixture
def client_with_records(server: LiveServer, client: httpx2.Client) -> httpx2.Client:
    client.post("/api/memory", json={"content": "I drink green tea."})
    client.post("/chats/c/listen", json={"messages": [{"role": "user", "content": "I live in Lisbon."}]})
    client.post("/api/contexts", json={"name": "plan", "content": "We ship on Fridays."})
    client.post("/api/memory/consent", json={"granted": True})
    server.drain_jobs()
    client.post("/api/memory/summaries", json={"chat_id": "c"})
    client.post("/api/memory/context", json={"query": "Which tea?"})
    return client


def test_every_key_of_a_response_is_in_its_model(client_with_records: httpx2.Client) -> None:
    for path, model in OBJECT_MODELS.items():
        assert set(client_with_records.get(path).json()) == set(model.model_fields), path
    for path, model in LIST_MODELS.items():
        [first, *_] = client_with_records.get(path).json()["results"]
        assert set(first) == set(model.model_fields), path
    receipt = client_with_records.get("/api/memory/receipts/last").json()
    assert set(receipt["items"][0]) == set(resources.ReceiptItemResponse.model_fields)


def test_every_key_of_a_write_response_is_in_its_model(client_with_records: httpx2.Client) -> None:
    creation = client_with_records.post("/api/memory", json={"content": "I like jazz."}).json()
    ingestion = client_with_records.post(
        "/chats/c/listen", json={"messages": [{"role": "user", "content": "Hi."}]}
    ).json()
    versions = client_with_records.get(f"/api/memory/{creation['id']}/history").json()["results"]
    why_not = client_with_records.post(
        "/api/memory/why-not", json={"query": "jazz", "memory_id": creation["id"]}
    ).json()

    assert set(creation) == {*resources.MemoryResponse.model_fields, "event"}
    assert set(ingestion) == set(resources.AddMessagesResponse.model_fields)
    assert set(ingestion["messages"][0]) == set(resources.IngestResultResponse.model_fields)
    assert set(versions[0]) == set(resources.MemoryVersionResponse.model_fields)
    assert set(why_not) <= set(resources.WhyNotResponse.model_fields)
