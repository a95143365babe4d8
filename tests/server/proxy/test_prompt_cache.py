import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import httpx2
import pytest
from tests.server.proxy.live_proxy import ANA, DOG_QUESTION, LiveProxy, chat_request, run_proxy

from recollect.domain.scope import Scope
from recollect.testing.inspection import store_of

CHAT_PATH, RESPONSES_PATH = "/v1/chat/completions", "/v1/responses"
DOG_TEXT, CAT_TEXT = "My dog is called Bolt.", "My cat is called Mia."
SYSTEM_MESSAGE = {"role": "system", "content": "You are a kind assistant. " * 20}
THINGS = ("dog", "cat", "car", "boat", "sister", "brother", "street", "doctor", "teacher", "band")


@pytest.fixture
def client(proxy: LiveProxy) -> Iterator[httpx2.Client]:
    with proxy.client() as opened:
        yield opened


def sent_contents(proxy: LiveProxy) -> list[str]:
    messages = proxy.last_request().body["messages"]
    assert isinstance(messages, list)
    return [str(message["content"]) for message in messages]


def send_turn(client: httpx2.Client, history: list[Mapping[str, object]], text: str) -> None:
    """Send a message, and append it and the answer to the history, as clients do."""
    history.append({"role": "user", "content": text})
    answer = client.post(CHAT_PATH, json=chat_request(*history))
    history.append(answer.json()["choices"][0]["message"])


def test_injected_blocks_are_replayed_byte_for_byte(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.add_memory(DOG_TEXT)
    proxy.upstream.answer("Bolt!")
    history: list[Mapping[str, object]] = [SYSTEM_MESSAGE]
    send_turn(client, history, DOG_QUESTION)
    first = sent_contents(proxy)
    for text in ("Thank you.", "What else do you know?"):
        send_turn(client, history, text)

    assert "Bolt" in first[1]
    assert sent_contents(proxy)[:2] == first


def test_injected_memories_are_not_injected_again(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.add_memory(DOG_TEXT)
    proxy.upstream.answer("Let me think.")
    history: list[Mapping[str, object]] = []
    send_turn(client, history, DOG_QUESTION)
    send_turn(client, history, "Really, what is my dog called?")

    assert sent_contents(proxy)[-1] == "Really, what is my dog called?"


def test_other_memories_are_still_recalled_in_the_same_conversation(
    proxy: LiveProxy, client: httpx2.Client
) -> None:
    proxy.add_memory(DOG_TEXT)
    proxy.upstream.answer("Let me think.")
    history: list[Mapping[str, object]] = []
    send_turn(client, history, DOG_QUESTION)
    proxy.add_memory(CAT_TEXT)
    send_turn(client, history, "And what is my cat called?")

    assert "Mia" in sent_contents(proxy)[-1]
    assert "Bolt" not in sent_contents(proxy)[-1]


def test_messages_of_the_conversation_are_not_recalled_for_it(
    proxy: LiveProxy, client: httpx2.Client
) -> None:
    proxy.upstream.answer("Nice.")
    history: list[Mapping[str, object]] = []
    send_turn(client, history, DOG_TEXT)
    proxy.wait_for_messages(2)
    send_turn(client, history, DOG_QUESTION)

    assert sent_contents(proxy) == [DOG_TEXT, "Nice.", DOG_QUESTION]


def test_messages_that_the_client_dropped_are_recalled(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.upstream.answer("Nice.")
    named = {"X-Memory-Conversation": "one"}
    client.post(CHAT_PATH, json=chat_request(DOG_TEXT), headers=named)
    proxy.wait_for_messages(2)
    client.post(CHAT_PATH, json=chat_request(DOG_QUESTION), headers=named)

    assert "Bolt" in sent_contents(proxy)[0]


def test_a_repeated_query_is_recalled_again(proxy: LiveProxy, client: httpx2.Client) -> None:
    client.post(CHAT_PATH, json=chat_request(DOG_QUESTION))
    before = sent_contents(proxy)
    proxy.wait_for_messages(2)
    proxy.add_memory(DOG_TEXT)
    client.post(CHAT_PATH, json=chat_request(DOG_QUESTION))
    after = sent_contents(proxy)
    [memory] = store_of(proxy.application).memories.list(Scope(ANA))
    proxy.application.services.memories.forget(Scope(ANA), memory.id)
    for message in proxy.stored_messages("earlier"):
        proxy.application.services.chats.delete_message(Scope(ANA), message.id, proxy.application.policy(ANA))
    client.post(CHAT_PATH, json=chat_request(DOG_QUESTION))

    assert before == [DOG_QUESTION]
    assert "Bolt" in after[0]
    assert "Bolt" not in sent_contents(proxy)[0]


def test_forgotten_memories_are_not_replayed(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.add_memory(DOG_TEXT)
    proxy.upstream.answer("Let me think.")
    history: list[Mapping[str, object]] = []
    send_turn(client, history, DOG_QUESTION)
    proxy.wait_for_messages(3)
    [memory] = store_of(proxy.application).memories.list(Scope(ANA))
    proxy.application.services.memories.forget(Scope(ANA), memory.id)
    send_turn(client, history, "Never mind that.")

    assert not any("Bolt" in content for content in sent_contents(proxy))


def test_blocks_are_replayed_unchanged_after_a_restart(tmp_path: Path) -> None:
    history: list[Mapping[str, object]] = [SYSTEM_MESSAGE]
    with run_proxy(tmp_path) as proxy, proxy.client() as client:
        proxy.add_memory(DOG_TEXT)
        proxy.upstream.answer("Bolt!")
        send_turn(client, history, DOG_QUESTION)
        first = sent_contents(proxy)
        proxy.wait_for_messages(3)
    with run_proxy(tmp_path) as proxy, proxy.client() as client:
        send_turn(client, history, "Thank you very much.")

        assert sent_contents(proxy)[:2] == first
        assert "Bolt" in first[1]
        assert len(proxy.wait_for_messages(5)) == 5


def test_a_conversation_stored_by_the_provider_gets_each_memory_once(
    proxy: LiveProxy, client: httpx2.Client
) -> None:
    proxy.add_memory(DOG_TEXT)
    first = client.post(RESPONSES_PATH, json={"model": "echo", "input": DOG_QUESTION}).json()["id"]
    first_input = str(proxy.last_request().body["input"])
    more = {"model": "echo", "input": "Tell me again what my dog is called", "previous_response_id": first}
    client.post(RESPONSES_PATH, json=more)

    assert "Bolt" in first_input
    assert proxy.last_request().body == more


def test_a_long_conversation_does_not_hide_relevant_passages_of_others(
    proxy: LiveProxy, client: httpx2.Client
) -> None:
    proxy.upstream.answer(lambda turns: f"Your dog seems happy, I noted that {len(turns)} times.")
    history: list[Mapping[str, object]] = []
    for number in range(12):
        send_turn(client, history, f"My dog had a good day {number}, he ran around and my dog barked.")
    proxy.wait_for_messages(24)
    proxy.add_memory(DOG_TEXT)
    send_turn(client, history, DOG_QUESTION)

    assert "Bolt" in sent_contents(proxy)[-1]


def common_prefix_bytes(one: bytes, other: bytes) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def test_over_fifty_turns_nearly_all_of_each_request_is_a_cached_prefix(
    proxy: LiveProxy, client: httpx2.Client
) -> None:
    for thing in THINGS:
        proxy.add_memory(f"My {thing} is called {thing.title()}ina and has been with me for years.")
    history: list[Mapping[str, object]] = [SYSTEM_MESSAGE]
    proxy.upstream.answer(lambda turns: f"That makes {len(turns)} so far, and I will look after it for you.")
    for number in range(50):
        send_turn(client, history, f"Question {number}: tell me about my {THINGS[number % 10]}, please.")
    sent = [_cut_after_last_message(request.raw) for request in proxy.upstream.requests]
    shares = [common_prefix_bytes(a, b) / len(a) for a, b in pairwise(sent)]

    assert len(shares) == 49
    assert sum(share >= 0.95 for share in shares) >= 0.9 * len(shares)
    assert sum("<memory nonce=" in each.decode() for each in sent) == 50
    assert json.loads(proxy.last_request().raw)["messages"][0] == SYSTEM_MESSAGE


def _cut_after_last_message(raw: bytes) -> bytes:
    """Return the request up to the end of its last message: the key of a provider's prompt cache."""
    return raw[: raw.rindex(b'"}]')]
