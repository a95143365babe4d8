"""Chat turns: order of events, storage of partial answers, and independence from memory errors."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.server.live_server import ANA, LiveServer, parse_events, run_server

from recollect.domain.scope import Scope
from recollect.errors import ProviderBusy
from recollect.ports.chat_model import ModelMessage
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.inspection import store_of

#: Extraction reply without facts.
UNREMARKABLE_EXTRACTION = '{"importance": 20, "type": "chat", "summary": "", "facts": []}'


class SlowChatModel(ScriptedChatModel):
    """A model that streams its first word, and the rest once it is released."""

    def __init__(self, answer: str) -> None:
        super().__init__(answer, json_reply=UNREMARKABLE_EXTRACTION)
        self.go_on = threading.Event()
        self.left = threading.Event()

    def stream(
        self, messages: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        try:
            for piece in super().stream(messages, max_tokens=max_tokens, timeout=timeout):
                yield piece
                self.go_on.wait(20)
        finally:
            self.left.set()


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel("Try a risotto.", json_reply=UNREMARKABLE_EXTRACTION)


@pytest.fixture
def server(tmp_path: Path, model: ScriptedChatModel) -> Iterator[LiveServer]:
    with run_server(tmp_path, chat_model=model) as running:
        yield running


def send_message(
    client: httpx2.Client, text: str, chat: str = "c", **fields: object
) -> list[tuple[str, dict[str, Any]]]:
    with client.stream("POST", f"/chats/{chat}/messages", json={"content": text, **fields}) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        return list(parse_events(answer.iter_lines()))


def list_messages(client: httpx2.Client, chat: str = "c") -> list[tuple[str, str]]:
    listing = client.get(f"/chats/{chat}/messages").json()["results"]
    return [(each["role"], each["content"]) for each in listing]


def streamed_prompts(model: ScriptedChatModel) -> list[tuple[ModelMessage, ...]]:
    """Return the prompts of answers, without those of extraction."""
    return [call.messages for call in model.calls if call.is_streaming]


@pytest.mark.spec("P1")
def test_a_turn_streams_its_events_in_order(client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "I am vegetarian."})
    events = send_message(client, "What can I cook as a vegetarian?")
    [(_, recalled), *_] = events
    done = dict(events)["done"]

    assert [name for name, _ in events] == ["recalled", "delta", "delta", "delta", "done", "learned"]
    assert "vegetarian" in recalled["receipt"]["text"]
    assert recalled["model"] == "scripted"
    assert "".join(data["text"] for name, data in events if name == "delta") == "Try a risotto."
    assert (done["text"], done["stopped"]) == ("Try a risotto.", False)
    assert list_messages(client) == [
        ("user", "What can I cook as a vegetarian?"),
        ("assistant", "Try a risotto."),
    ]
    [question, _] = client.get("/chats/c/messages").json()["results"]
    assert question["receipt"] == recalled["receipt"]["id"]
    assert (question["recalled"]["memories"], question["recalled"]["messages"]) == (1, 0)


def test_extracted_memories_are_in_the_stream(tmp_path: Path) -> None:
    with run_server(tmp_path / "without") as server, server.client() as client:
        events = dict(send_message(client, "I'm vegetarian and I live in Lisbon."))

    assert events["learned"]["pending"] is False
    assert any("Lisbon" in each["memory"] for each in events["learned"]["results"])
    assert {each["event"] for each in events["learned"]["results"]} == {"ADD"}


def test_without_a_model_memory_is_quoted_and_labelled(tmp_path: Path) -> None:
    with run_server(tmp_path / "without") as server, server.client() as client:
        client.post("/api/memory", json={"content": "I am vegetarian."})
        events = dict(send_message(client, "What do I eat as a vegetarian?"))
        again = dict(send_message(client, "What do I eat as a vegetarian?"))

    assert events["recalled"]["model"] is None
    assert events["done"]["text"].startswith("(no language model: quoting memory)")
    assert "I am vegetarian." in events["done"]["text"]
    assert "I am vegetarian." in again["done"]["text"]


def test_earlier_blocks_are_replayed_unchanged_and_nothing_is_injected_twice(
    client: httpx2.Client, model: ScriptedChatModel
) -> None:
    client.post("/api/memory", json={"content": "I am vegetarian."})
    for question in ("What can I cook as a vegetarian?", "And what as a vegetarian tomorrow?", "Thanks!"):
        send_message(client, question, system="You are a cook.")
    first, second, third = streamed_prompts(model)

    assert "I am vegetarian." in first[1].content
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert sum(turn.content.count("I am vegetarian.") for turn in third) == 1
    assert [turn.role for turn in third] == ["system", "user", "assistant", "user", "assistant", "user"]


def test_a_forgotten_memory_is_not_replayed(client: httpx2.Client, model: ScriptedChatModel) -> None:
    memory = client.post("/api/memory", json={"content": "I am vegetarian."}).json()["id"]
    send_message(client, "What can I cook as a vegetarian?")
    client.delete(f"/api/memory/{memory}")
    send_message(client, "And tomorrow?")

    assert not any("I am vegetarian." in turn.content for turn in streamed_prompts(model)[-1])


@pytest.mark.spec("P1")
def test_the_last_answer_can_be_regenerated(client: httpx2.Client, model: ScriptedChatModel) -> None:
    send_message(client, "What can I cook?")
    model.answer("A soup.")
    with client.stream("POST", "/chats/c/messages/regenerate") as answer:
        events = list(parse_events(answer.iter_lines()))
    first, again = streamed_prompts(model)

    assert [name for name, _ in events] == ["recalled", "delta", "delta", "done", "learned"]
    assert list_messages(client) == [("user", "What can I cook?"), ("assistant", "A soup.")]
    assert again[0] == first[0]
    assert again[-1].content.startswith("What can I cook?")
    assert "risotto" not in "".join(turn.content for turn in again)


def test_an_empty_chat_has_nothing_to_regenerate(client: httpx2.Client) -> None:
    assert client.post("/chats/empty/messages/regenerate").status_code == 404
    client.patch("/chats/empty", json={"mode": "on"})
    assert client.post("/chats/empty/messages/regenerate").status_code == 422


def test_a_client_that_does_not_stream_gets_it_all_at_once(client: httpx2.Client) -> None:
    turn = client.post("/chats/c/messages", json={"content": "What can I cook?", "stream": False}).json()

    assert turn["text"] == "Try a risotto."
    assert turn["asked"]["role"] == "user"
    assert turn["answer"]["role"] == "assistant"
    assert turn["receipt"]["query"] == "What can I cook?"


@pytest.mark.spec("P7")
def test_one_route_takes_a_conversation_and_gives_an_answer(
    client: httpx2.Client, model: ScriptedChatModel
) -> None:
    conversation = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi!"},
        {"role": "user", "content": "What can I cook?"},
    ]
    body = client.post("/api/llm", json={"messages": conversation, "conversationId": "x"}).json()
    [prompt] = streamed_prompts(model)

    assert (body["role"], body["content"], body["conversationId"]) == ("assistant", "Try a risotto.", "x")
    assert [turn.content for turn in prompt if turn.role != "system"][:2] == ["Hello", "Hi!"]
    assert list_messages(client, "x")[-1] == ("assistant", "Try a risotto.")
    assert client.post("/api/llm", json={"messages": conversation[:2]}).status_code == 422


def test_a_message_sent_twice_is_answered_once(client: httpx2.Client, model: ScriptedChatModel) -> None:
    first = send_message(client, "What can I cook?", id="mine-1")
    again = send_message(client, "What can I cook?", id="mine-1")

    assert len(streamed_prompts(model)) == 1
    assert dict(again)["done"]["text"] == dict(first)["done"]["text"]
    assert len(list_messages(client)) == 2


def test_a_model_error_is_an_event_and_the_message_stays_stored(
    client: httpx2.Client, model: ScriptedChatModel
) -> None:
    model.fail_next(ProviderBusy("The model is asleep. Wake it."))
    events = send_message(client, "What can I cook?")

    assert [name for name, _ in events] == ["recalled", "error"]
    assert (events[-1][1]["status"], events[-1][1]["code"]) == (503, "provider_busy")
    assert list_messages(client) == [("user", "What can I cook?")]


def test_an_empty_message_is_refused_before_the_stream_starts(client: httpx2.Client) -> None:
    answer = client.post("/chats/c/messages", json={"content": " \n"})

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_stopped_answer_is_stored_up_to_that_point(tmp_path: Path) -> None:
    model = SlowChatModel("Try a risotto.")
    with run_server(tmp_path / "slow", chat_model=model) as server, server.client() as client:
        with client.stream("POST", "/chats/c/messages", json={"content": "What can I cook?"}) as answer:
            events = parse_events(answer.iter_lines())
            assert [next(events)[0], next(events)[0]] == ["recalled", "delta"]
            with server.client() as other:
                assert other.post("/chats/c/stop").json() == {"stopped": 1}
                assert other.post("/chats/elsewhere/stop").json() == {"stopped": 0}
            model.go_on.set()
            done = dict(events)["done"]

        assert (done["text"], done["stopped"]) == ("Try ", True)
        assert list_messages(client) == [("user", "What can I cook?"), ("assistant", "Try ")]


def test_a_partial_answer_is_stored_when_the_client_disconnects(tmp_path: Path) -> None:
    model = SlowChatModel("Try a risotto.")
    with run_server(tmp_path / "slow", chat_model=model) as server, server.client() as client:
        with client.stream("POST", "/chats/c/messages", json={"content": "What can I cook?"}) as answer:
            events = parse_events(answer.iter_lines())
            assert [next(events)[0], next(events)[0]] == ["recalled", "delta"]
        for _ in range(100):
            if store_of(server.application).messages.list(Scope(ANA, "c")) and not model.left.wait(0.05):
                model.go_on.set()
        while len(store_of(server.application).messages.list(Scope(ANA, "c"))) < 2:
            model.left.wait(0.05)

        stored_messages = list_messages(client)
        assert stored_messages[0] == ("user", "What can I cook?")
        assert "Try a risotto.".startswith(stored_messages[1][1])


def test_the_default_title_is_the_first_words(client: httpx2.Client) -> None:
    send_message(
        client, "What can I cook tonight with saffron, rice, onions, and the rest of the white wine?"
    )
    [chat] = client.get("/chats").json()["results"]
    renamed = client.patch("/chats/c", json={"title": "Risotto"}).json()

    assert chat["title"] == "What can I cook tonight with saffron, rice, onions, and the…"
    assert (renamed["title"], renamed["messages"]) == ("Risotto", 2)
    assert client.get("/chats/c").json() == renamed


def test_the_mode_of_a_chat_is_stored(client: httpx2.Client) -> None:
    client.patch("/chats/c", json={"mode": "off"})
    events = dict(send_message(client, "I live in Lisbon."))

    assert client.get("/chats/c").json()["mode"] == "off"
    assert events["recalled"]["asked"]["stored"] is False
    assert events["learned"] == {"results": [], "pending": False}
    assert client.patch("/chats/c", json={"mode": None}).json()["mode"] is None


def test_a_chat_that_is_not_stored_uses_the_clients_history(
    client: httpx2.Client, model: ScriptedChatModel
) -> None:
    past = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi!"}]
    send_message(client, "And now?", chat="temporary-1", past=past)
    [prompt] = streamed_prompts(model)

    assert [turn.content for turn in prompt if turn.role != "system"] == ["Hello", "Hi!", "And now?"]
    assert client.get("/chats").json()["results"] == []


def test_messages_can_be_edited_deleted_and_branched_from(client: httpx2.Client) -> None:
    send_message(client, "I live in Lisbon.")
    [question, answer] = [each["id"] for each in client.get("/chats/c/messages").json()["results"]]
    branch = client.post("/chats/c/branch", json={"message_id": question, "chat_id": "d"})
    edited = client.patch(f"/chats/c/messages/{question}", json={"content": "I live in Porto."})
    deleted = client.delete(f"/chats/c/messages/{answer}")

    assert (branch.status_code, branch.json()["messages"]) == (201, 1)
    assert list_messages(client, "d") == [("user", "I live in Lisbon.")]
    assert (edited.status_code, deleted.status_code) == (200, 200)
    assert list_messages(client) == [("user", "I live in Porto.")]
    assert client.patch(f"/chats/d/messages/{question}", json={"content": "x"}).status_code == 404
    assert client.delete("/chats/c").status_code == 200
    assert client.get("/chats/c/messages").status_code == 404


def test_messages_are_listed_in_pages(client: httpx2.Client) -> None:
    messages = [{"role": "user", "content": f"Message {number}"} for number in range(5)]
    client.post("/chats/c/listen", json={"messages": messages})
    last = client.get("/chats/c/messages", params={"limit": 2}).json()["results"]
    before = client.get("/chats/c/messages", params={"limit": 2, "before": last[0]["id"]}).json()["results"]

    assert [each["content"] for each in (*before, *last)] == [f"Message {number}" for number in range(1, 5)]


def test_the_session_summary_is_sent_only_when_the_history_is_cut(
    server: LiveServer, client: httpx2.Client
) -> None:
    for number in range(4):
        send_message(client, f"I am painting room number {number} of my house")
    server.drain_jobs()
    short = dict(send_message(client, "tell me a joke"))
    for number in range(5):
        send_message(client, f"Here is chapter {number} of my book: " + "the sea was grey and calm, " * 800)
    server.drain_jobs()
    long = dict(send_message(client, "tell me a joke"))

    assert short["recalled"]["receipt"]["tokens"] == 0
    assert long["recalled"]["receipt"]["sources"]["working"] == 1
