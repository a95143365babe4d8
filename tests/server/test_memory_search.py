"""Browsing memories: facet counts, search as you type, bulk removal and details."""

from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from tests.server.live_server import ANA, LiveServer

from recollect.domain.memory import Kind, MemoryStatus, Origin
from recollect.testing.builders import a_memory
from recollect.testing.inspection import store_of

#: Recent, so that maintenance archives nothing.
NOW = datetime.now(UTC)
TEA = a_memory("I like green tea", user=ANA, kind=Kind.PREFERENCE, weight=0.8, last_stated_at=NOW)
FEAR = a_memory("I am afraid of flying", user=ANA, kind=Kind.EMOTION, weight=0.5, last_stated_at=NOW)
BUS = a_memory(
    "The bus leaves at nine", user=ANA, kind=Kind.NOTE, weight=0.2, origin=Origin.RULES, last_stated_at=NOW
)
ARCHIVED = a_memory("I lived in Porto", user=ANA, kind=Kind.BIOGRAPHY, status=MemoryStatus.ARCHIVED)


@pytest.fixture(autouse=True)
def stored_memories(server: LiveServer) -> None:
    for memory in (TEA, FEAR, BUS, ARCHIVED):
        store_of(server.application).memories.add(memory)


def counts(client: httpx2.Client, **query: str) -> dict[tuple[str, ...], int]:
    listing = client.get("/api/memory/census", params=query).json()["results"]
    return {
        (each["status"], each["kind"], each["origin"], each["importance"]): each["count"] for each in listing
    }


def texts(response: httpx2.Response) -> list[str]:
    return sorted(each["memory"] for each in response.json()["results"])


def test_memories_are_counted_by_facet(client: httpx2.Client) -> None:
    assert counts(client) == {
        ("active", "preference", "manual", "critical"): 1,
        ("active", "emotion", "manual", "context"): 1,
        ("active", "note", "rules", "temporary"): 1,
        ("archived", "biography", "manual", "critical"): 1,
    }
    assert counts(client, contains="PORTO") == {("archived", "biography", "manual", "critical"): 1}


@pytest.mark.parametrize(
    ("query", "results"),
    [
        ({"origin": "rules"}, [BUS]),
        ({"importance": "critical"}, [TEA]),
        ({"importance": "temporary", "kind": "note"}, [BUS]),
        ({"contains": "FLY"}, [FEAR]),
        ({"contains": "porto"}, []),
        ({"contains": "porto", "status": "archived"}, [ARCHIVED]),
        ({"contains": "100%"}, []),
    ],
)
def test_the_list_applies_filters(
    client: httpx2.Client, query: dict[str, str], results: list[object]
) -> None:
    answer = client.get("/api/memory", params=query)

    assert texts(answer) == sorted(memory.text for memory in (TEA, FEAR, BUS, ARCHIVED) if memory in results)


def test_search_as_you_type_stores_no_receipt(server: LiveServer, client: httpx2.Client) -> None:
    server.drain_jobs()
    client.put("/api/settings/memory.mode", json={"value": "off"})

    results = client.post("/api/memory/find", json={"query": "green tea"}).json()
    attempts = client.post("/api/memory/search", json={"query": "green tea", "receipt": False}).json()

    assert results["results"][0]["memory"] == TEA.text
    assert results["results"][0]["importance"] == 80
    assert results["results"][0]["parts"]
    assert attempts["receipt"] is None
    assert client.get("/api/memory/receipts").json()["results"] == []


def test_search_results_apply_filters(server: LiveServer, client: httpx2.Client) -> None:
    server.drain_jobs()
    answer = client.post("/api/memory/find", json={"query": "I like green tea on the bus", "kind": "note"})

    assert texts(answer) == [BUS.text]


@pytest.mark.parametrize(("verb", "status"), [("archive", "archived"), ("forget", "forgotten")])
def test_several_memories_are_removed_and_restored_as_one_event(
    client: httpx2.Client, verb: str, status: str
) -> None:
    removal = client.post(f"/api/memory/{verb}", json={"ids": [TEA.id, FEAR.id]})
    [event] = client.get("/api/memory/events").json()["results"]
    gone = texts(client.get("/api/memory", params={"status": status, "kind": "preference"}))
    client.post("/api/memory/undo", json={"event_id": event["id"]}).raise_for_status()

    assert [each["status"] for each in removal.json()["results"]] == [status, status]
    assert (event["action"], sorted(event["memories"])) == (verb, sorted([TEA.id, FEAR.id]))
    assert gone == [TEA.text]
    assert texts(client.get("/api/memory")) == sorted([TEA.text, FEAR.text, BUS.text])


def test_removing_an_unknown_memory_removes_none(client: httpx2.Client) -> None:
    refused = client.post("/api/memory/forget", json={"ids": [TEA.id, "nobody"]})

    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert texts(client.get("/api/memory")) == sorted([TEA.text, FEAR.text, BUS.text])
    assert client.get("/api/memory/events").json()["results"] == []


def test_details_quote_the_source_of_a_memory(client: httpx2.Client) -> None:
    text = "Well, as it happens: I hate cilantro. Please remember that."
    ingestion = {"messages": [{"role": "user", "content": text}], "sync": True}
    client.post("/chats/kitchen/listen", json=ingestion)
    [memory] = client.get("/api/memory", params={"contains": "cilantro"}).json()["results"]
    [source] = client.get(f"/api/memory/{memory['id']}/account").json()["sources"]

    assert "cilantro" in source["quote"]
    assert text.startswith(source["before"] + source["quote"])
    assert text.endswith(source["quote"] + source["after"])
    assert (source["chat_id"], source["role"]) == ("kitchen", "user")


def test_details_list_recalls_of_a_memory(server: LiveServer, client: httpx2.Client) -> None:
    server.drain_jobs()
    receipts = [
        client.post("/api/memory/search", json={"query": query}).json()["receipt"]
        for query in ("green tea", "do I like tea")
    ]
    uses = client.get(f"/api/memory/{TEA.id}/account").json()["uses"]

    assert [use["receipt"] for use in uses] == receipts[::-1]
    assert {(use["disposition"], use["query"]) for use in uses} == {
        ("returned", "green tea"),
        ("returned", "do I like tea"),
    }


def test_a_list_shows_the_weight_that_is_left(server: LiveServer, client: httpx2.Client) -> None:
    mood = a_memory(
        "I am sad", user=ANA, kind=Kind.EMOTION, weight=0.9, last_stated_at=NOW - timedelta(weeks=3)
    )
    store_of(server.application).memories.add(mood)

    listed = client.get("/api/memory", params={"contains": "sad"}).json()["results"]
    then = client.get(
        "/api/memory", params={"contains": "sad", "as_of": (NOW - timedelta(weeks=1)).isoformat()}
    ).json()["results"]

    assert [(each["weight"], each["importance"]) for each in listed] == [(pytest.approx(0.6, abs=0.01), 90)]
    assert [each["weight"] for each in then] == [pytest.approx(0.7, abs=0.01)]


def test_details_forecast_the_decay_of_a_memory(client: httpx2.Client) -> None:
    new = client.post("/api/memory", json={"content": "I feel sad about the rain", "kind": "emotion"}).json()[
        "id"
    ]
    fading = client.get(f"/api/memory/{new}/account", params={"weeks": 26}).json()
    staying = client.get(f"/api/memory/{TEA.id}/account").json()

    weights = [point["weight"] for point in fading["fading"]]
    days = [datetime.fromisoformat(point["at"]) for point in fading["fading"]]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] == 0.0
    assert days[-1] - days[0] >= timedelta(weeks=26)
    assert fading["leaves_at"] is not None
    assert (fading["reason"]["code"], fading["reason"]["params"]["floor"]) == ("weight_below_minimum", 0.3)
    assert staying["leaves_at"] is None
    assert len({point["weight"] for point in staying["fading"]}) == 1
