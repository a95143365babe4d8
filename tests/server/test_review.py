"""Timeline, review queue, possible duplicates, and the recall of a message."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.server.live_server import ANA, LiveServer, run_server

from recollect.domain.memory import Kind, MemoryStatus
from recollect.domain.reason import Reason, ReasonCode
from recollect.serialization.reasons import serialize_reason_or_none
from recollect.testing.builders import a_memory
from recollect.testing.clock import MONDAY
from recollect.testing.inspection import store_of

LISBON = a_memory(
    "I was born in Lisbon", user=ANA, kind=Kind.BIOGRAPHY, attribute="born_in", valid_from=MONDAY
)
PORTO = replace(
    a_memory("I was born in Porto", user=ANA, kind=Kind.BIOGRAPHY, attribute="born_in"),
    status=MemoryStatus.CONTESTED,
    reason=Reason(ReasonCode.CONTRADICTS, {"text": "I was born in Lisbon"}),
)
QUARANTINED = replace(
    a_memory("Owns a yacht", user=ANA),
    status=MemoryStatus.QUARANTINED,
    reason=Reason(ReasonCode.NO_SHARED_WORD),
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    with run_server(tmp_path) as running:
        yield running


def list_timeline(client: httpx2.Client, **params: str | list[str]) -> list[dict[str, Any]]:
    response = client.get("/api/memory/timeline", params=params)
    assert response.status_code == 200, response.text
    results: list[dict[str, Any]] = response.json()["results"]
    return results


def add_memory(client: httpx2.Client, text: str) -> str:
    return str(client.post("/api/memory", json={"content": text}).json()["id"])


@pytest.mark.spec("UI-7")
def test_the_timeline_lists_changes_with_the_text_at_that_time(
    client: httpx2.Client,
) -> None:
    tea = add_memory(client, "I like green tea.")
    client.patch(f"/api/memory/{tea}", json={"content": "I like black tea."})
    client.delete(f"/api/memory/{tea}")
    forgot, edited, learned = list_timeline(client)

    assert [each["action"] for each in (learned, edited, forgot)] == ["learn", "edit", "forget"]
    [was] = edited["memories"]
    assert (was["old_memory"], was["memory"]) == ("I like green tea.", "I like black tea.")
    assert (was["status"], was["status_now"]) == ("active", "forgotten")
    assert learned["memories"][0]["memory"] == "I like green tea."
    assert all(each["can_be_undone"] for each in (learned, edited, forgot))


def test_the_timeline_applies_filters(client: httpx2.Client) -> None:
    tea, bus = add_memory(client, "I like green tea."), add_memory(client, "My bus leaves at nine.")
    client.delete(f"/api/memory/{tea}")
    whole = list_timeline(client)

    assert [each["id"] for each in list_timeline(client, before=whole[0]["id"])] == [
        each["id"] for each in whole[1:]
    ]
    assert [each["action"] for each in list_timeline(client, action="forget")] == ["forget"]
    assert {each["action"] for each in list_timeline(client, action=["forget", "learn"])} == {
        "forget",
        "learn",
    }
    assert [each["action"] for each in list_timeline(client, memory_id=tea)] == ["forget", "learn"]
    assert [each["memories"][0]["id"] for each in list_timeline(client, memory_id=bus)] == [bus]
    assert list_timeline(client, until="2020-01-01") == []
    assert client.get("/api/memory/timeline", params={"until": "yesterday"}).status_code == 422
    assert client.get("/api/memory/timeline", params={"before": "nothing"}).status_code == 404


def test_undone_events_are_marked_and_erased_memories_have_no_text(client: httpx2.Client) -> None:
    tea = add_memory(client, "I like green tea.")
    client.delete(f"/api/memory/{tea}")
    client.post("/api/memory/undo", json={"event_id": list_timeline(client)[0]["id"]})
    undid, forgot, _ = list_timeline(client)
    client.post("/api/memory/erase", json={"memory_id": tea})

    assert (undid["action"], undid["can_be_undone"]) == ("undo", False)
    assert (forgot["undone"], forgot["can_be_undone"]) == (True, False)
    assert not any(change["memory"] for each in list_timeline(client) for change in each["memories"])


def test_as_of_lists_memories_known_and_valid_at_that_time(server: LiveServer, client: httpx2.Client) -> None:
    moved = MONDAY + timedelta(days=30)
    lived = replace(LISBON, text="I live in Lisbon", status=MemoryStatus.SUPERSEDED, valid_to=moved)
    lives = a_memory("I live in Porto", user=ANA, created_at=moved, valid_from=moved)
    for memory in (lived, lives, a_memory("It is a secret", user=ANA, status=MemoryStatus.FORGOTTEN)):
        store_of(server.application).memories.add(memory)

    def known(then: str) -> list[str]:
        listing = client.get("/api/memory", params={"as_of": then}).json()["results"]
        return [each["memory"] for each in listing]

    assert known("2026-03-10") == ["I live in Lisbon"]
    assert known("2026-05-01") == ["I live in Porto"]
    assert known("2026-03-01") == []


def test_the_review_queue_shows_conflicts_and_reasons(server: LiveServer, client: httpx2.Client) -> None:
    for memory in (LISBON, PORTO, QUARANTINED):
        store_of(server.application).memories.add(memory)
    contested, doubted = client.get("/api/memory/inbox").json()["results"]

    assert (contested["memory"], contested["reason"]) == (PORTO.text, serialize_reason_or_none(PORTO.reason))
    assert [each["memory"] for each in contested["against"]] == [LISBON.text]
    assert (doubted["memory"], doubted["reason"], doubted["against"]) == (
        QUARANTINED.text,
        serialize_reason_or_none(QUARANTINED.reason),
        [],
    )


def test_possible_duplicates_are_merged_or_marked_distinct(server: LiveServer, client: httpx2.Client) -> None:
    twins = {
        add_memory(client, "User likes to drink strong coffee in the morning"),
        add_memory(client, "Likes to drink coffee strong in the morning, user"),
    }
    add_memory(client, "The bus leaves at nine")
    server.drain_jobs()
    [pair] = client.get("/api/memory/duplicates").json()["results"]

    assert {pair["memory"]["id"], pair["other"]["id"]} == twins
    assert pair["similarity"] >= 0.9
    assert client.post("/api/memory/apart", json={"ids": [*twins]}).status_code == 204
    assert client.get("/api/memory/duplicates").json()["results"] == []
    assert client.post("/api/memory/apart", json={"ids": [pair["memory"]["id"]] * 2}).status_code == 422


def test_a_message_has_a_summary_of_its_recall(client: httpx2.Client) -> None:
    add_memory(client, "I am vegetarian.")
    ask = {"content": "What can I cook as a vegetarian?", "stream": False}
    turn = client.post("/chats/c/messages", json=ask).json()
    nothing = client.post("/chats/d/messages", json={**ask, "content": "Zyx?", "mode": "collect_only"})
    [request_body] = client.get("/chats/c/messages").json()["results"]
    [other] = client.get("/chats/d/messages").json()["results"]

    assert request_body["receipt"] == turn["receipt"]["id"]
    assert request_body["recalled"]["memories"] == 1
    assert request_body["recalled"]["tokens"] == turn["receipt"]["tokens"]
    assert other["receipt"] == nothing.json()["receipt"]["id"]
    assert other["recalled"]["memories"] == 0
