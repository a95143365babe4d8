import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import httpx2
import pytest
from tests.server.proxy.live_proxy import ANA, QUESTION, Bench, bench, body

from recollect.domain.scope import Scope

CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
DOG, CAT = "My dog is called Bolt.", "My cat is called Mia."
SYSTEM = {"role": "system", "content": "You are a kind assistant. " * 20}
THINGS = ("dog", "cat", "car", "boat", "sister", "brother", "street", "doctor", "teacher", "band")


@pytest.fixture
def client(proxy: Bench) -> Iterator[httpx2.Client]:
    with proxy.client() as opened:
        yield opened


def contents(proxy: Bench) -> list[str]:
    messages = proxy.asked().body["messages"]
    assert isinstance(messages, list)
    return [str(message["content"]) for message in messages]


def talk(client: httpx2.Client, history: list[Mapping[str, object]], text: str) -> None:
    """Say something, and add it and the answer to the history, as every client does."""
    history.append({"role": "user", "content": text})
    answer = client.post(CHAT, json=body(*history))
    history.append(answer.json()["choices"][0]["message"])


def test_what_was_put_behind_a_message_stays_there_byte_for_byte(proxy: Bench, client: httpx2.Client) -> None:
    proxy.remember(DOG)
    proxy.upstream.answer("Bolt!")
    history: list[Mapping[str, object]] = [SYSTEM]
    talk(client, history, QUESTION)
    first = contents(proxy)
    for text in ("Thank you.", "What else do you know?"):
        talk(client, history, text)

    assert "Bolt" in first[1]
    assert contents(proxy)[:2] == first


def test_what_stands_in_the_conversation_already_is_not_said_again(
    proxy: Bench, client: httpx2.Client
) -> None:
    proxy.remember(DOG)
    proxy.upstream.answer("Let me think.")
    history: list[Mapping[str, object]] = []
    talk(client, history, QUESTION)
    talk(client, history, "Really, what is my dog called?")

    assert contents(proxy)[-1] == "Really, what is my dog called?"


def test_something_else_is_still_recalled_in_the_same_conversation(
    proxy: Bench, client: httpx2.Client
) -> None:
    proxy.remember(DOG)
    proxy.upstream.answer("Let me think.")
    history: list[Mapping[str, object]] = []
    talk(client, history, QUESTION)
    proxy.remember(CAT)
    talk(client, history, "And what is my cat called?")

    assert "Mia" in contents(proxy)[-1]
    assert "Bolt" not in contents(proxy)[-1]


def test_what_the_user_said_in_this_very_conversation_is_not_recalled_for_it(
    proxy: Bench, client: httpx2.Client
) -> None:
    proxy.upstream.answer("Nice.")
    history: list[Mapping[str, object]] = []
    talk(client, history, DOG)
    proxy.heard(2)
    talk(client, history, QUESTION)

    assert contents(proxy) == [DOG, "Nice.", QUESTION]


def test_what_a_client_no_longer_sends_is_recalled(proxy: Bench, client: httpx2.Client) -> None:
    proxy.upstream.answer("Nice.")
    named = {"X-Memory-Conversation": "one"}
    client.post(CHAT, json=body(DOG), headers=named)
    proxy.heard(2)
    client.post(CHAT, json=body(QUESTION), headers=named)

    assert "Bolt" in contents(proxy)[0]


def test_a_question_asked_anew_is_looked_for_anew(proxy: Bench, client: httpx2.Client) -> None:
    client.post(CHAT, json=body(QUESTION))
    before = contents(proxy)
    proxy.heard(2)
    proxy.remember(DOG)
    client.post(CHAT, json=body(QUESTION))
    after = contents(proxy)
    [memory] = proxy.runtime.store.memories.list(Scope(ANA))
    proxy.runtime.engine.forget(Scope(ANA), memory.id)
    for message in proxy.stored("earlier"):
        proxy.runtime.engine.delete_message(Scope(ANA), message.id, proxy.runtime.policy(ANA))
    client.post(CHAT, json=body(QUESTION))

    assert before == [QUESTION]
    assert "Bolt" in after[0]
    assert "Bolt" not in contents(proxy)[0]


def test_what_was_forgotten_is_not_said_again(proxy: Bench, client: httpx2.Client) -> None:
    proxy.remember(DOG)
    proxy.upstream.answer("Let me think.")
    history: list[Mapping[str, object]] = []
    talk(client, history, QUESTION)
    proxy.heard(3)
    [memory] = proxy.runtime.store.memories.list(Scope(ANA))
    proxy.runtime.engine.forget(Scope(ANA), memory.id)
    talk(client, history, "Never mind that.")

    assert not any("Bolt" in content for content in contents(proxy))


def test_after_a_restart_the_same_bytes_stand_at_the_same_place(tmp_path: Path) -> None:
    history: list[Mapping[str, object]] = [SYSTEM]
    with bench(tmp_path) as proxy, proxy.client() as client:
        proxy.remember(DOG)
        proxy.upstream.answer("Bolt!")
        talk(client, history, QUESTION)
        first = contents(proxy)
        proxy.heard(3)
    with bench(tmp_path) as proxy, proxy.client() as client:
        talk(client, history, "Thank you very much.")

        assert contents(proxy)[:2] == first
        assert "Bolt" in first[1]
        assert len(proxy.heard(5)) == 5


def test_a_conversation_that_the_provider_keeps_gets_each_memory_once(
    proxy: Bench, client: httpx2.Client
) -> None:
    proxy.remember(DOG)
    first = client.post(RESPONSES, json={"model": "echo", "input": QUESTION}).json()["id"]
    begun = str(proxy.asked().body["input"])
    more = {"model": "echo", "input": "Tell me again what my dog is called", "previous_response_id": first}
    client.post(RESPONSES, json=more)

    assert "Bolt" in begun
    assert proxy.asked().body == more


def test_a_long_talk_about_one_thing_does_not_hide_what_was_said_of_it_elsewhere(
    proxy: Bench, client: httpx2.Client
) -> None:
    proxy.upstream.answer(lambda turns: f"Your dog seems happy, I noted that {len(turns)} times.")
    history: list[Mapping[str, object]] = []
    for number in range(12):
        talk(client, history, f"My dog had a good day {number}, he ran around and my dog barked.")
    proxy.heard(24)
    proxy.remember(DOG)
    talk(client, history, QUESTION)

    assert "Bolt" in contents(proxy)[-1]


def shared(one: bytes, other: bytes) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def test_over_fifty_turns_nearly_all_of_each_request_stands_in_the_cache(
    proxy: Bench, client: httpx2.Client
) -> None:
    for thing in THINGS:
        proxy.remember(f"My {thing} is called {thing.title()}ina and has been with me for years.")
    history: list[Mapping[str, object]] = [SYSTEM]
    proxy.upstream.answer(lambda turns: f"That makes {len(turns)} so far, and I will look after it for you.")
    for number in range(50):
        talk(client, history, f"Question {number}: tell me about my {THINGS[number % 10]}, please.")
    sent = [_messages(request.raw) for request in proxy.upstream.requests]
    shares = [shared(a, b) / len(a) for a, b in pairwise(sent)]

    assert len(shares) == 49
    assert sum(share >= 0.95 for share in shares) >= 0.9 * len(shares)
    assert sum("<memory nonce=" in each.decode() for each in sent) == 50
    assert json.loads(proxy.asked().raw)["messages"][0] == SYSTEM


def _messages(raw: bytes) -> bytes:
    """A request up to the end of its last message, which is what a provider's cache goes by."""
    return raw[: raw.rindex(b'"}]')]
