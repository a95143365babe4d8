"""Memories over HTTP: written down, listed, corrected, put away, forgotten, and everything around them."""

import httpx2
import pytest
from tests.server.live_server import LiveServer

from recollect.library.memory import Memory


def add_memory(client: httpx2.Client, text: str, **fields: object) -> str:
    answer = client.post("/api/memory", json={"content": text, **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def texts(client: httpx2.Client, path: str = "/api/memory", **params: str | int) -> list[str]:
    return [each["memory"] for each in client.get(path, params=params).json()["results"]]


@pytest.mark.spec("P2")
def test_memories_are_written_down_listed_newest_first_corrected_and_forgotten(client: httpx2.Client) -> None:
    first = add_memory(client, "I am vegetarian.", tags=["food"])
    add_memory(client, "I live in Porto.", tags=["home"], kind="bio")

    assert texts(client) == ["I live in Porto.", "I am vegetarian."]
    assert texts(client, tag="food") == ["I am vegetarian."]
    assert texts(client, kind="bio") == ["I live in Porto."]
    assert texts(client, limit=1, offset=1) == ["I am vegetarian."]
    changed = client.patch(f"/api/memory/{first}", json={"content": "I am vegan."})
    assert (changed.status_code, changed.json()["memory"]) == (200, "I am vegan.")
    assert client.patch(f"/api/memory/{first}", json={"tags": ["diet"]}).json()["tags"] == ["diet"]
    assert (texts(client, tag="diet"), texts(client, tag="food")) == (["I am vegan."], [])
    assert client.delete(f"/api/memory/{first}").json()["standing"] == "forgotten"
    assert texts(client) == ["I live in Porto."]
    assert texts(client, standing="forgotten") == ["I am vegan."]


@pytest.mark.spec("P2")
def test_a_memory_needs_content(client: httpx2.Client) -> None:
    answer = client.post("/api/memory", json={"tags": ["food"]})

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert "content" in answer.json()["detail"]


@pytest.mark.spec("P2", "P9")
def test_a_corrected_memory_is_found_by_its_new_words_alone(
    server: LiveServer, client: httpx2.Client
) -> None:
    memory = add_memory(client, "I keep saffron in the blue tin.")
    server.drain_jobs()
    client.patch(f"/api/memory/{memory}", json={"content": "I keep cardamom in the red jar."})
    server.drain_jobs()

    found = client.post("/api/memory/search", json={"query": "cardamom"}).json()["results"]
    gone = client.post("/api/memory/search", json={"query": "saffron"}).json()["results"]

    assert next(each for each in found if each["id"] == memory)["parts"]["lexical"] > 0
    assert [each["parts"]["lexical"] for each in gone if each["id"] == memory] in ([], [0.0])


@pytest.mark.spec("P9")
def test_what_is_written_down_by_hand_is_recalled_like_what_was_learned(
    server: LiveServer, client: httpx2.Client
) -> None:
    add_memory(client, "I am allergic to peanuts.")
    said = [{"role": "user", "content": "I'm allergic to shrimp."}]
    client.post("/chats/kitchen/listen", json={"messages": said, "sync": True})
    server.drain_jobs()

    listed = client.get("/api/memory").json()["results"]
    block = client.post("/api/memory/context", json={"query": "What am I allergic to?"}).json()

    assert {each["origin"] for each in listed} == {"manual", "rules"}
    assert "peanuts" in block["text"]
    assert "shrimp" in block["text"]
    assert block["receipt"]["text"] == block["text"]


def test_the_same_text_twice_is_one_memory(client: httpx2.Client) -> None:
    add_memory(client, "I am vegetarian.")
    again = client.post("/api/memory", json={"content": "I am vegetarian!"})

    assert (again.status_code, again.json()["event"]) == (200, "REINFORCE")
    assert texts(client) == ["I am vegetarian."]


def test_a_memory_says_its_version_and_a_stale_change_is_refused(client: httpx2.Client) -> None:
    memory = add_memory(client, "I am vegetarian.")
    path = f"/api/memory/{memory}"
    seen = client.get(path).headers["etag"]
    client.patch(path, json={"content": "I am vegan."}, headers={"If-Match": seen})

    stale = client.patch(path, json={"content": "I eat fish."}, headers={"If-Match": seen})
    deleted = client.delete(path, headers={"If-Match": seen})
    fresh = client.patch(path, json={"pinned": True}, headers={"If-Match": '"2"'})
    nonsense = client.patch(path, json={"pinned": True}, headers={"If-Match": "abc"})

    assert seen == '"1"'
    assert [stale.status_code, deleted.status_code] == [412, 412]
    assert stale.json()["code"] == "changed_meanwhile"
    assert stale.headers["etag"] == '"2"'
    assert (fresh.status_code, fresh.json()["pinned"], fresh.headers["etag"]) == (200, True, '"3"')
    assert fresh.json()["memory"] == "I am vegan."
    assert nonsense.status_code == 422


def test_a_post_with_a_key_is_done_once(client: httpx2.Client) -> None:
    key = {"Idempotency-Key": "k1"}
    first = client.post("/api/memory", json={"content": "I am vegetarian."}, headers=key)
    again = client.post("/api/memory", json={"content": "I am vegetarian."}, headers=key)
    other = client.post("/api/memory", json={"content": "I am vegan."}, headers=key)

    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (409, "key_used")
    assert client.get("/api/memory").json()["results"][0]["sightings"] == 1


def test_history_archive_restore_pin_merge_and_undo(client: httpx2.Client) -> None:
    one = add_memory(client, "I like tea.")
    two = add_memory(client, "I like green tea.")

    assert client.post(f"/api/memory/{one}/archive").json()["standing"] == "archived"
    assert client.post(f"/api/memory/{one}/restore").json()["standing"] == "active"
    assert client.post(f"/api/memory/{one}/pin").json()["pinned"] is True
    assert client.post(f"/api/memory/{one}/unpin").json()["pinned"] is False
    changes = [each["event"] for each in client.get(f"/api/memory/{one}/history").json()["results"]]
    assert changes == ["ADD", "ARCHIVE", "RESTORE", "UPDATE", "UPDATE"]
    merged = client.post("/api/memory/merge", json={"ids": [one, two]})
    assert (merged.status_code, texts(client)) == (200, [merged.json()["memory"]])
    assert client.post("/api/memory/undo").json()["action"] == "merge"
    assert sorted(texts(client)) == ["I like green tea.", "I like tea."]
    [last, *_] = client.get("/api/memory/events").json()["results"]
    assert last["action"] == "undo"


def test_forgetting_everything_has_to_be_meant(client: httpx2.Client) -> None:
    add_memory(client, "I like tea.")

    assert client.delete("/api/memory").status_code == 422
    assert client.delete("/api/memory", params={"confirm": "true"}).json() == {"deleted": 1}
    assert texts(client) == []


def test_a_recall_leaves_a_receipt_and_can_be_asked_about(server: LiveServer, client: httpx2.Client) -> None:
    tea = add_memory(client, "I drink green tea every morning.")
    car = add_memory(client, "My car is a red Fiat.")
    server.drain_jobs()
    found = client.post("/api/memory/search", json={"query": "Which tea do I drink?", "limit": 1}).json()
    receipt = client.get(f"/api/memory/receipts/{found['receipt']}").json()
    why_not = client.post("/api/memory/why-not", json={"query": "Which tea do I drink?", "memory_id": car})
    opinion = {"receipt_id": found["receipt"], "item_id": tea, "relevant": True}

    assert found["results"][0]["id"] == tea
    assert receipt["query"] == "Which tea do I drink?"
    assert client.get("/api/memory/receipts").json()["results"][0] == receipt
    assert why_not.json()["reason"]
    said = client.post("/api/memory/feedback", json=opinion).json()
    assert (said["receipt"], said["id"], said["relevant"]) == (found["receipt"], tea, True)
    assert Memory.from_application(server.application).feedback_list()["results"] == [said]
    assert client.get("/api/memory/receipts/none").status_code == 404


def test_mem0s_clients_find_their_paths_and_keys(server: LiveServer, client: httpx2.Client) -> None:
    messages = [{"role": "user", "content": "I'm vegetarian and I live in Lisbon."}]
    added = client.post("/memories", json={"messages": messages, "user_id": "bob", "run_id": "r1"}).json()
    listed = client.get("/memories", params={"user_id": "bob"}).json()["results"]
    memory = listed[0]["id"]

    assert added["results"]
    assert all(set(each) == {"id", "memory", "event"} for each in added["results"])
    assert {"id", "memory", "user_id", "created_at", "updated_at"} <= set(listed[0])
    assert {each["user_id"] for each in listed} == {"bob"}
    found = client.post("/search", json={"query": "vegetarian", "user_id": "bob"}).json()["results"]
    assert {"id", "memory", "score"} <= set(found[0])
    path = f"/memories/{memory}"
    asked = {"user_id": "bob"}
    assert client.put(path, params=asked, json={"text": "is vegan"}).json() == {
        "message": "Memory updated successfully!"
    }
    history = client.get(f"{path}/history", params=asked).json()
    assert [each["event"] for each in history] == ["ADD", "UPDATE"]
    assert client.get(path, params=asked).json()["memory"] == "is vegan"
    assert client.delete(path, params=asked).json() == {"message": "Memory deleted successfully"}
    assert client.delete("/memories").status_code == 422
    assert client.delete("/memories", params=asked).json() == {"message": "All relevant memories deleted"}
    assert client.get("/memories", params=asked).json() == {"results": []}
