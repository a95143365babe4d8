"""The chat: events in order, kept when it is stopped or left, and never failed by memory."""

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

#: What a model says that has found nothing to learn.
UNREMARKABLE_EXTRACTION = '{"importance": 20, "type": "chat", "summary": "", "facts": []}'


class SlowChatModel(ScriptedChatModel):
    """Says its first word, and the rest when it is allowed to."""

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
    listed = client.get(f"/chats/{chat}/messages").json()["results"]
    return [(each["role"], each["content"]) for each in listed]


def streamed_prompts(model: ScriptedChatModel) -> list[tuple[ModelMessage, ...]]:
    """The prompts of answers; what a judge was asked is none."""
    return [call.messages for call in model.calls if call.is_streaming]


@pytest.mark.spec("P1")
def test_a_turn_is_recalled_answered_in_pieces_done_and_learned_from(client: httpx2.Client) -> None:
    client.post("/api/memory", json={"content": "I am vegetarian."})
    told = send_message(client, "What can I cook as a vegetarian?")
    [(_, recalled), *_] = told
    done = dict(told)["done"]

    assert [name for name, _ in told] == ["recalled", "delta", "delta", "delta", "done", "learned"]
    assert "vegetarian" in recalled["receipt"]["text"]
    assert recalled["model"] == "scripted"
    assert "".join(data["text"] for name, data in told if name == "delta") == "Try a risotto."
    assert (done["text"], done["stopped"]) == ("Try a risotto.", False)
    assert list_messages(client) == [
        ("user", "What can I cook as a vegetarian?"),
        ("assistant", "Try a risotto."),
    ]
    [question, _] = client.get("/chats/c/messages").json()["results"]
    assert question["receipt"] == recalled["receipt"]["id"]


def test_what_was_learned_is_in_the_stream(tmp_path: Path) -> None:
    with run_server(tmp_path / "without") as server, server.client() as client:
        told = dict(send_message(client, "I'm vegetarian and I live in Lisbon."))

    assert told["learned"]["pending"] is False
    assert any("Lisbon" in each["memory"] for each in told["learned"]["results"])
    assert {each["event"] for each in told["learned"]["results"]} == {"ADD"}


def test_without_a_model_memory_is_quoted_and_labelled(tmp_path: Path) -> None:
    with run_server(tmp_path / "without") as server, server.client() as client:
        client.post("/api/memory", json={"content": "I am vegetarian."})
        told = dict(send_message(client, "What do I eat as a vegetarian?"))
        again = dict(send_message(client, "What do I eat as a vegetarian?"))

    assert told["recalled"]["model"] is None
    assert told["done"]["text"].startswith("(no language model: quoting memory)")
    assert "I am vegetarian." in told["done"]["text"]
    assert "I am vegetarian." in again["done"]["text"]


def test_what_was_sent_is_sent_again_byte_for_byte_and_nothing_is_injected_twice(
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


def test_a_forgotten_memory_is_not_sent_again(client: httpx2.Client, model: ScriptedChatModel) -> None:
    memory = client.post("/api/memory", json={"content": "I am vegetarian."}).json()["id"]
    send_message(client, "What can I cook as a vegetarian?")
    client.delete(f"/api/memory/{memory}")
    send_message(client, "And tomorrow?")

    assert not any("I am vegetarian." in turn.content for turn in streamed_prompts(model)[-1])


@pytest.mark.spec("P1")
def test_the_last_answer_can_be_given_again(client: httpx2.Client, model: ScriptedChatModel) -> None:
    send_message(client, "What can I cook?")
    model.answer("A soup.")
    with client.stream("POST", "/chats/c/messages/regenerate") as answer:
        told = list(parse_events(answer.iter_lines()))
    first, again = streamed_prompts(model)

    assert [name for name, _ in told] == ["recalled", "delta", "delta", "done", "learned"]
    assert list_messages(client) == [("user", "What can I cook?"), ("assistant", "A soup.")]
    assert again[0] == first[0]
    assert again[-1].content.startswith("What can I cook?")
    assert "risotto" not in "".join(turn.content for turn in again)


def test_there_is_nothing_to_answer_again_where_nothing_was_asked(client: httpx2.Client) -> None:
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
    told = client.post("/api/llm", json={"messages": conversation, "conversationId": "x"}).json()
    [asked] = streamed_prompts(model)

    assert (told["role"], told["content"], told["conversationId"]) == ("assistant", "Try a risotto.", "x")
    assert [turn.content for turn in asked if turn.role != "system"][:2] == ["Hello", "Hi!"]
    assert list_messages(client, "x")[-1] == ("assistant", "Try a risotto.")
    assert client.post("/api/llm", json={"messages": conversation[:2]}).status_code == 422


def test_a_question_that_is_sent_twice_is_asked_once(client: httpx2.Client, model: ScriptedChatModel) -> None:
    first = send_message(client, "What can I cook?", id="mine-1")
    again = send_message(client, "What can I cook?", id="mine-1")

    assert len(streamed_prompts(model)) == 1
    assert dict(again)["done"]["text"] == dict(first)["done"]["text"]
    assert len(list_messages(client)) == 2


def test_a_model_that_fails_is_an_event_and_the_question_is_kept(
    client: httpx2.Client, model: ScriptedChatModel
) -> None:
    model.fail_next(ProviderBusy("The model is asleep. Wake it."))
    told = send_message(client, "What can I cook?")

    assert [name for name, _ in told] == ["recalled", "error"]
    assert (told[-1][1]["status"], told[-1][1]["code"]) == (503, "provider_busy")
    assert list_messages(client) == [("user", "What can I cook?")]


def test_nothing_said_is_refused_before_the_stream_begins(client: httpx2.Client) -> None:
    answer = client.post("/chats/c/messages", json={"content": " \n"})

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_an_answer_can_be_stopped_and_is_kept_as_far_as_it_came(tmp_path: Path) -> None:
    model = SlowChatModel("Try a risotto.")
    with run_server(tmp_path / "slow", chat_model=model) as server, server.client() as client:
        with client.stream("POST", "/chats/c/messages", json={"content": "What can I cook?"}) as answer:
            told = parse_events(answer.iter_lines())
            assert [next(told)[0], next(told)[0]] == ["recalled", "delta"]
            with server.client() as other:
                assert other.post("/chats/c/stop").json() == {"stopped": 1}
                assert other.post("/chats/elsewhere/stop").json() == {"stopped": 0}
            model.go_on.set()
            done = dict(told)["done"]

        assert (done["text"], done["stopped"]) == ("Try ", True)
        assert list_messages(client) == [("user", "What can I cook?"), ("assistant", "Try ")]


def test_what_was_said_until_the_client_left_is_kept(tmp_path: Path) -> None:
    model = SlowChatModel("Try a risotto.")
    with run_server(tmp_path / "slow", chat_model=model) as server, server.client() as client:
        with client.stream("POST", "/chats/c/messages", json={"content": "What can I cook?"}) as answer:
            told = parse_events(answer.iter_lines())
            assert [next(told)[0], next(told)[0]] == ["recalled", "delta"]
        for _ in range(100):
            if server.application.store.messages.list(Scope(ANA, "c")) and not model.left.wait(0.05):
                model.go_on.set()
        while len(server.application.store.messages.list(Scope(ANA, "c"))) < 2:
            model.left.wait(0.05)

        kept = list_messages(client)
        assert kept[0] == ("user", "What can I cook?")
        assert "Try a risotto.".startswith(kept[1][1])


def test_titles_are_the_first_words_until_somebody_gives_one(client: httpx2.Client) -> None:
    send_message(
        client, "What can I cook tonight with saffron, rice, onions, and the rest of the white wine?"
    )
    [chat] = client.get("/chats").json()["results"]
    renamed = client.patch("/chats/c", json={"title": "Risotto"}).json()

    assert chat["title"] == "What can I cook tonight with saffron, rice, onions, and the…"
    assert (renamed["title"], renamed["messages"]) == ("Risotto", 2)
    assert client.get("/chats/c").json() == renamed


def test_a_mode_is_chosen_for_a_chat_and_stays(client: httpx2.Client) -> None:
    client.patch("/chats/c", json={"mode": "off"})
    told = dict(send_message(client, "I live in Lisbon."))

    assert client.get("/chats/c").json()["mode"] == "off"
    assert told["recalled"]["asked"]["stored"] is False
    assert told["learned"] == {"results": [], "pending": False}
    assert client.patch("/chats/c", json={"mode": None}).json()["mode"] is None


def test_a_chat_that_is_not_stored_goes_on_with_what_the_client_knows(
    client: httpx2.Client, model: ScriptedChatModel
) -> None:
    past = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi!"}]
    send_message(client, "And now?", chat="temporary-1", past=past)
    [asked] = streamed_prompts(model)

    assert [turn.content for turn in asked if turn.role != "system"] == ["Hello", "Hi!", "And now?"]
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
