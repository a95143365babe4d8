"""Memories over HTTP: create, list, update, archive, forget, and recall."""

import httpx2
import pytest
from tests.server.live_server import LiveServer

from recollect.library.memory import Memory
from recollect.serialization.serializers import serialize_feedback


def add_memory(client: httpx2.Client, text: str, **fields: object) -> str:
    answer = client.post("/api/memory", json={"content": text, **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def texts(client: httpx2.Client, path: str = "/api/memory", **params: str | int) -> list[str]:
    return [each["memory"] for each in client.get(path, params=params).json()["results"]]


@pytest.mark.spec("P2")
def test_memories_are_created_listed_newest_first_updated_and_forgotten(client: httpx2.Client) -> None:
    first = add_memory(client, "I am vegetarian.", tags=["food"])
    add_memory(client, "I live in Porto.", tags=["home"], kind="biography")

    assert texts(client) == ["I live in Porto.", "I am vegetarian."]
    assert texts(client, tag="food") == ["I am vegetarian."]
    assert texts(client, kind="biography") == ["I live in Porto."]
    assert texts(client, limit=1, offset=1) == ["I am vegetarian."]
    changed = client.patch(f"/api/memory/{first}", json={"content": "I am vegan."})
    assert (changed.status_code, changed.json()["memory"]) == (200, "I am vegan.")
    assert client.patch(f"/api/memory/{first}", json={"tags": ["diet"]}).json()["tags"] == ["diet"]
    assert (texts(client, tag="diet"), texts(client, tag="food")) == (["I am vegan."], [])
    assert client.delete(f"/api/memory/{first}").json()["status"] == "forgotten"
    assert texts(client) == ["I live in Porto."]
    assert texts(client, status="forgotten") == ["I am vegan."]


@pytest.mark.spec("P2")
def test_a_memory_needs_content(client: httpx2.Client) -> None:
    answer = client.post("/api/memory", json={"tags": ["food"]})

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert "content" in answer.json()["detail"]


@pytest.mark.spec("P2", "P9")
def test_an_updated_memory_is_found_by_its_new_text_only(server: LiveServer, client: httpx2.Client) -> None:
    memory = add_memory(client, "I keep saffron in the blue tin.")
    server.drain_jobs()
    client.patch(f"/api/memory/{memory}", json={"content": "I keep cardamom in the red jar."})
    server.drain_jobs()

    results = client.post("/api/memory/search", json={"query": "cardamom"}).json()["results"]
    gone = client.post("/api/memory/search", json={"query": "saffron"}).json()["results"]

    assert next(each for each in results if each["id"] == memory)["parts"]["lexical"] > 0
    assert [each["parts"]["lexical"] for each in gone if each["id"] == memory] in ([], [0.0])


@pytest.mark.spec("P9")
def test_manual_memories_are_recalled_like_extracted_ones(server: LiveServer, client: httpx2.Client) -> None:
    add_memory(client, "I am allergic to peanuts.")
    messages = [{"role": "user", "content": "I'm allergic to shrimp."}]
    client.post("/chats/kitchen/listen", json={"messages": messages, "sync": True})
    server.drain_jobs()

    listing = client.get("/api/memory").json()["results"]
    block = client.post("/api/memory/context", json={"query": "What am I allergic to?"}).json()

    assert {each["origin"] for each in listing} == {"manual", "rules"}
    assert "peanuts" in block["text"]
    assert "shrimp" in block["text"]
    assert block["receipt"]["text"] == block["text"]


def test_the_same_text_twice_is_one_memory(client: httpx2.Client) -> None:
    add_memory(client, "I am vegetarian.")
    again = client.post("/api/memory", json={"content": "I am vegetarian!"})

    assert (again.status_code, again.json()["event"]) == (200, "REINFORCE")
    assert texts(client) == ["I am vegetarian."]


def test_a_change_of_a_stale_version_is_refused(client: httpx2.Client) -> None:
    memory = add_memory(client, "I am vegetarian.")
    path = f"/api/memory/{memory}"
    etag = client.get(path).headers["etag"]
    client.patch(path, json={"content": "I am vegan."}, headers={"If-Match": etag})

    stale = client.patch(path, json={"content": "I eat fish."}, headers={"If-Match": etag})
    deleted = client.delete(path, headers={"If-Match": etag})
    fresh = client.patch(path, json={"pinned": True}, headers={"If-Match": '"2"'})
    nonsense = client.patch(path, json={"pinned": True}, headers={"If-Match": "abc"})

    assert etag == '"1"'
    assert [stale.status_code, deleted.status_code] == [412, 412]
    assert stale.json()["code"] == "changed_meanwhile"
    assert stale.headers["etag"] == '"2"'
    assert (fresh.status_code, fresh.json()["pinned"], fresh.headers["etag"]) == (200, True, '"3"')
    assert fresh.json()["memory"] == "I am vegan."
    assert nonsense.status_code == 422


def test_a_post_with_an_idempotency_key_runs_once(client: httpx2.Client) -> None:
    key = {"Idempotency-Key": "k1"}
    first = client.post("/api/memory", json={"content": "I am vegetarian."}, headers=key)
    again = client.post("/api/memory", json={"content": "I am vegetarian."}, headers=key)
    other = client.post("/api/memory", json={"content": "I am vegan."}, headers=key)

    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (409, "key_used")
    assert client.get("/api/memory").json()["results"][0]["times_stated"] == 1


def test_history_archive_restore_pin_merge_and_undo(client: httpx2.Client) -> None:
    one = add_memory(client, "I like tea.")
    two = add_memory(client, "I like green tea.")

    assert client.post(f"/api/memory/{one}/archive").json()["status"] == "archived"
    assert client.post(f"/api/memory/{one}/restore").json()["status"] == "active"
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


def test_forgetting_everything_needs_confirmation(client: httpx2.Client) -> None:
    add_memory(client, "I like tea.")

    assert client.delete("/api/memory").status_code == 422
    assert client.delete("/api/memory", params={"confirm": "true"}).json() == {"deleted": 1}
    assert texts(client) == []


def test_a_recall_stores_a_receipt_that_explains_it(server: LiveServer, client: httpx2.Client) -> None:
    tea = add_memory(client, "I drink green tea every morning.")
    car = add_memory(client, "My car is a red Fiat.")
    server.drain_jobs()
    results = client.post("/api/memory/search", json={"query": "Which tea do I drink?", "limit": 1}).json()
    receipt = client.get(f"/api/memory/receipts/{results['receipt']}").json()
    why_not = client.post("/api/memory/why-not", json={"query": "Which tea do I drink?", "memory_id": car})
    opinion = {"receipt_id": results["receipt"], "item_id": tea, "relevant": True}

    assert results["results"][0]["id"] == tea
    assert receipt["query"] == "Which tea do I drink?"
    assert client.get("/api/memory/receipts").json()["results"][0] == receipt
    assert why_not.json()["reason"]
    feedback = client.post("/api/memory/feedback", json=opinion).json()
    assert (feedback["receipt"], feedback["id"], feedback["relevant"]) == (results["receipt"], tea, True)
    [stored] = Memory.from_application(server.application).receipts.list_feedback()
    assert serialize_feedback(stored) == feedback
    assert client.get("/api/memory/receipts/none").status_code == 404


def test_mem0_clients_can_use_their_paths_and_keys(server: LiveServer, client: httpx2.Client) -> None:
    messages = [{"role": "user", "content": "I'm vegetarian and I live in Lisbon."}]
    added = client.post("/memories", json={"messages": messages, "user_id": "bob", "run_id": "r1"}).json()
    listing = client.get("/memories", params={"user_id": "bob"}).json()["results"]
    memory = listing[0]["id"]

    assert added["results"]
    assert all(set(each) == {"id", "memory", "event"} for each in added["results"])
    assert {"id", "memory", "user_id", "created_at", "updated_at"} <= set(listing[0])
    assert {each["user_id"] for each in listing} == {"bob"}
    results = client.post("/search", json={"query": "vegetarian", "user_id": "bob"}).json()["results"]
    assert {"id", "memory", "score"} <= set(results[0])
    path = f"/memories/{memory}"
    params = {"user_id": "bob"}
    assert client.put(path, params=params, json={"text": "is vegan"}).json() == {
        "message": "Memory updated successfully!"
    }
    history = client.get(f"{path}/history", params=params).json()
    assert [each["event"] for each in history] == ["ADD", "UPDATE"]
    assert client.get(path, params=params).json()["memory"] == "is vegan"
    assert client.delete(path, params=params).json() == {"message": "Memory deleted successfully"}
    assert client.delete("/memories").status_code == 422
    assert client.delete("/memories", params=params).json() == {"message": "All relevant memories deleted"}
    assert client.get("/memories", params=params).json() == {"results": []}


def test_metadata_is_stored_returned_changed_and_filtered_by(
    server: LiveServer, client: httpx2.Client
) -> None:
    shop = {"project": "shop", "labels": ["red"]}
    created = client.post("/api/memory", json={"content": "soup for the shop", "metadata": shop}).json()
    client.post("/api/memory", json={"content": "soup for the blog", "metadata": {"project": "blog"}})
    messages = [{"role": "user", "content": "I live in Lisbon."}]
    client.post("/chats/trip/listen", json={"messages": messages, "metadata": {"project": "move"}})
    server.drain_jobs()
    search = {"query": "soup", "metadata": {"project": "shop"}}
    found = client.post("/api/memory/search", json=search).json()["results"]
    change = {"metadata": {"project": "wiki"}}
    changed = client.patch(f"/api/memory/{created['id']}", json=change).json()

    assert created["metadata"] == shop
    assert {(each["memory"], each["metadata"]["project"]) for each in found} == {
        ("soup for the shop", "shop")
    }
    assert (changed["metadata"], changed["version"]) == ({"project": "wiki"}, 2)
    [message] = client.get("/chats/trip/messages").json()["results"]
    assert message["metadata"] == {"project": "move"}
    wrong = client.post("/api/memory", json={"content": "x", "metadata": {"y": "z" * 5000}})
    assert wrong.status_code == 422


def test_mem0s_routes_keep_agent_and_metadata(server: LiveServer, client: httpx2.Client) -> None:
    client.post(
        "/memories",
        json={"messages": "red soup", "agent_id": "chef", "metadata": {"colour": "red"}, "infer": False},
    )
    client.post("/memories", json={"messages": "green soup", "infer": False})
    server.drain_jobs()

    def find(**arguments: object) -> set[str]:
        body = {"query": "soup", **arguments}
        return {each["memory"] for each in client.post("/search", json=body).json()["results"]}

    assert find() == {"red soup", "green soup"}
    assert find(agent_id="chef") == find(filters={"colour": "red"}) == {"red soup"}
    assert find(agent_id="waiter") == set()
