"""Settings with their sources, and recall metrics, over HTTP."""

import re

import httpx2
import pytest
from tests.server.live_server import LiveServer


@pytest.fixture
def client_with_recall(server: LiveServer, client: httpx2.Client) -> httpx2.Client:
    client.post("/api/memory", json={"content": "I drink green tea every morning."})
    client.post("/chats/c/listen", json={"messages": [{"role": "user", "content": "Green tea again."}]})
    server.drain_jobs()
    client.post("/api/memory/context", json={"query": "Which tea do I drink?", "chat_id": "c"})
    return client


@pytest.mark.spec("P5")
def test_debug_retrieval_returns_results_timings_and_flags(client_with_recall: httpx2.Client) -> None:
    params = {"q": "green tea", "conversationId": "c"}
    body = client_with_recall.get("/api/memory/debug/retrieval", params=params).json()

    assert set(body) == {"query", "results", "metrics", "flags"}
    assert body["query"] == "green tea"
    assert all(set(each) == {"content", "score", "source", "type"} for each in body["results"])
    assert {each["type"] for each in body["results"]} == {"memory", "message"}
    assert {each["source"] for each in body["results"]} <= {"dense", "fts", "dense+fts"}
    assert set(body["metrics"]) == {"totalMs", "denseMs", "ftsMs", "rerankMs"}
    assert set(body["flags"]) == {"hybrid", "chunking", "tokenBudget"}


@pytest.mark.spec("P6")
def test_debug_stats_return_row_counts_and_index_sizes(client_with_recall: httpx2.Client) -> None:
    body = client_with_recall.get("/api/memory/debug/stats").json()
    sizes = body.pop("indexSizes")

    assert body == {
        "totalMessages": 2,
        "totalConversations": 2,
        "totalChunks": body["totalChunks"],
        "totalSummaries": 0,
        "profileConsent": False,
    }
    assert set(sizes) == {"messages", "embeddings", "fts"}
    assert all(re.fullmatch(r"\d+(\.\d)? [KMGT]?B", each) for each in sizes.values())


@pytest.mark.spec("P4", "R1", "R3", "R4", "R5", "R7")
def test_metrics_report_quality_and_latency_of_the_first_recall(
    client_with_recall: httpx2.Client,
) -> None:
    body = client_with_recall.get("/api/memory/metrics").json()
    [line] = body["results"]

    assert set(line) == {
        "query",
        "timestamp",
        "conversationId",
        "sources",
        "latency",
        "topSimilarities",
        "flags",
    }
    assert (line["query"], line["conversationId"]) == ("Which tea do I drink?", "c")
    assert set(line["sources"]) == {"conversationDense", "globalDense", "summaries", "profile", "ftsLexical"}
    assert set(line["latency"]) == {"totalMs", "denseMs", "ftsMs", "rerankMs"}
    assert len(line["topSimilarities"]) <= 3
    assert set(line["flags"]) == {"hybrid", "chunking", "tokenBudget"}
    assert (body["recalls"], body["hitRate"]) == (1, 1.0)
    assert body["topSimilarity"] > 0
    assert body["contentTypes"]["memory"] == 1
    assert {"p50", "p95", "p99"} == set(body["latency"]["total"])
    assert {"embed", "lexical", "dense"} <= set(body["latency"])
    assert body["flags"]["hybrid"] == 1.0
    assert 0 < body["budgetUsed"] <= 1
    assert body["summaries"] == 0


def test_the_query_in_metrics_follows_the_users_setting(client: httpx2.Client) -> None:
    for how in ("hashed", "off"):
        client.put("/api/settings/receipts.query", json={"value": how})
        client.post("/api/memory/search", json={"query": "my secret wish"})
    lines = client.get("/api/memory/metrics").json()["results"]

    assert lines[0]["query"] is None
    assert re.fullmatch(r"[0-9a-f]{16}", lines[1]["query"])


def test_prometheus_can_parse_the_metrics(client_with_recall: httpx2.Client) -> None:
    answer = client_with_recall.get("/metrics")
    lines = answer.text.splitlines()

    assert answer.headers["content-type"].startswith("text/plain")
    assert "recollect_memories 1" in lines
    assert "recollect_recall_hit_ratio 1" in lines
    assert any(
        line.startswith('recollect_recall_milliseconds{part="total",quantile="0.95"} ') for line in lines
    )
    assert any(
        line.startswith('recollect_http_requests_total{method="POST",status="201"} ') for line in lines
    )
    samples = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z_]+(\{[^}]*\})? \S+", line) for line in samples)


@pytest.mark.spec("Q16", "Q17")
def test_a_preference_applies_immediately_and_can_be_removed(client: httpx2.Client) -> None:
    before = client.get("/api/settings/recall.limit").json()
    changed = client.put("/api/settings/recall.limit", json={"value": 3}).json()
    settings = {each["name"]: each for each in client.get("/api/settings").json()["results"]}
    back = client.delete("/api/settings/recall.limit").json()

    assert before["source"] == "default"
    assert (changed["value"], changed["source"]) == (3, "preference")
    assert settings["recall.limit"] == changed
    assert settings["db"]["personal"] is False
    assert back == before


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("RAG_HYBRID", False, 200),
        ("triage.keep_phrases", ["our budget", "the deadline"], 200),
        ("recall.limit", "many", 422),
        ("recall.limit", None, 422),
        ("triage.keep_phrases", ["one, two"], 422),
        ("db", "/somewhere/else.db", 422),
        ("model_url", "http://evil.example", 422),
        ("nonsense", 1, 404),
    ],
)
def test_only_valid_preferences_can_be_set(
    client: httpx2.Client, name: str, value: object, status: int
) -> None:
    answer = client.put(f"/api/settings/{name}", json={"value": value})

    assert answer.status_code == status, answer.text


def test_presets_are_listed_with_their_values(client: httpx2.Client) -> None:
    presets = {each["name"]: each["values"] for each in client.get("/api/presets").json()["results"]}

    assert set(presets) == {"default", "smart", "companion", "dev", "facts", "agent"}
    assert presets["default"] == {}
    assert presets["companion"]
