import json
from collections.abc import Iterator, Mapping

import httpx2
import pytest
from tests.server.proxy.live_proxy import ANA, FACT, QUESTION, Bench, body

from recollect.domain.scope import Scope
from recollect.testing import faults
from recollect.testing.faults import Pieces

CHAT, RESPONSES, MESSAGES, OLLAMA = "/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/api/chat"
ANTHROPIC = {"anthropic-version": "2023-06-01"}
HERE = {"X-Memory-Conversation": "here"}
SECRET = "The launch code of the host is tangerine."


@pytest.fixture
def client(proxy: Bench) -> Iterator[httpx2.Client]:
    proxy.upstream.answer("I see.")
    with proxy.client() as opened:
        yield opened


def say(
    client: httpx2.Client,
    *messages: Mapping[str, object] | str,
    headers: Mapping[str, str] = HERE,
    **more: object,
) -> str:
    answer = client.post(CHAT, json=body(*messages, **more), headers=dict(headers))
    text = answer.json()["choices"][0]["message"]["content"]
    assert isinstance(text, str | None)
    return text or ""


def answered(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("path", "asked"),
    [
        (CHAT, body(FACT)),
        (RESPONSES, {"model": "echo", "input": FACT}),
        (MESSAGES, body(FACT, max_tokens=50)),
        (OLLAMA, body(FACT)),
    ],
)
def test_an_exchange_is_learned_from(
    proxy: Bench, client: httpx2.Client, path: str, asked: dict[str, object], stream: bool
) -> None:
    client.post(path, json={**asked, "stream": stream}, headers={**ANTHROPIC, **HERE})

    assert proxy.heard(2, "here") == [("user", FACT), ("assistant", "I see.")]
    [memory] = proxy.runtime.store.memories.list(Scope(ANA))
    assert "Bolt" in memory.text


def test_a_conversation_that_is_sent_again_and_again_is_stored_once(
    proxy: Bench, client: httpx2.Client
) -> None:
    proxy.upstream.answer(["one", "two", "three"])
    say(client, "first question")
    say(client, "first question", answered("one"), "yes")
    say(client, "first question", answered("one"), "yes", answered("two"), "yes")

    assert proxy.heard(6, "here") == [
        ("user", "first question"),
        ("assistant", "one"),
        ("user", "yes"),
        ("assistant", "two"),
        ("user", "yes"),
        ("assistant", "three"),
    ]


def test_a_client_that_sends_only_the_last_few_messages_stores_none_twice(
    proxy: Bench, client: httpx2.Client
) -> None:
    history: list[Mapping[str, object] | str] = []
    for number in range(6):
        history.append(f"thing number {number}")
        proxy.upstream.answer(f"answer number {number}")
        history.append(answered(say(client, *history[-4:])))

    stored = proxy.heard(12, "here")
    assert len(stored) == len(set(stored)) == 12


def test_an_answer_that_a_client_sends_back_changed_is_still_the_same(
    proxy: Bench, client: httpx2.Client
) -> None:
    proxy.upstream.answer(["<think>hmm</think>  One.", "Two."])
    say(client, "first question")
    proxy.heard(2, "here")
    say(client, "first question", answered("One."), "second question")

    assert [text for _, text in proxy.heard(4, "here")] == [
        "first question",
        "<think>hmm</think>  One.",
        "second question",
        "Two.",
    ]


def test_a_history_from_before_is_taken_in_once(proxy: Bench, client: httpx2.Client) -> None:
    say(client, FACT, answered("Nice."), "Thanks!")
    say(client, FACT, answered("Nice."), "Thanks!")

    assert proxy.heard(4, "here") == [
        ("user", FACT),
        ("assistant", "Nice."),
        ("user", "Thanks!"),
        ("assistant", "I see."),
    ]


def test_another_answer_takes_the_place_of_the_first(proxy: Bench, client: httpx2.Client) -> None:
    proxy.upstream.answer(["first answer", "second answer"])
    say(client, "a question")
    proxy.heard(2, "here")
    say(client, "a question")
    say(client, "something else", headers={"X-Memory-Conversation": "there"})

    proxy.heard(2, "there")
    assert proxy.said("here") == [("user", "a question"), ("assistant", "second answer")]


def test_words_that_were_changed_are_unlearned(proxy: Bench, client: httpx2.Client) -> None:
    say(client, "Hello there")
    say(client, "Hello there", answered("I see."), "My dog is called Bolt.")
    proxy.heard(4, "here")
    say(client, "Hello there", answered("I see."), "My cat is called Mia.")
    say(client, "something else", headers={"X-Memory-Conversation": "there"})
    proxy.heard(2, "there")

    assert proxy.said("here")[2:] == [("user", "My cat is called Mia."), ("assistant", "I see.")]
    known = " ".join(memory.text for memory in proxy.runtime.store.memories.list(Scope(ANA)))
    assert ("Mia" in known, "Bolt" in known) == (True, False)


def test_conversations_that_nobody_named_never_overwrite_each_other(
    proxy: Bench, client: httpx2.Client
) -> None:
    say(client, "Hi", answered("Hello!"), "My dog is called Bolt.", headers={})
    say(client, "Hi", answered("Hello!"), "My cat is called Mia.", headers={})

    texts = [text for _, text in proxy.heard(5)]
    assert [text for text in texts if "called" in text] == ["My dog is called Bolt.", "My cat is called Mia."]


def test_what_the_host_says_is_never_stored(proxy: Bench, client: httpx2.Client) -> None:
    proxy.upstream.answer(["One.", "Two.", "Three."])
    say(client, {"role": "system", "content": SECRET}, {"role": "developer", "content": SECRET}, FACT)
    client.post(RESPONSES, json={"model": "echo", "input": QUESTION, "instructions": SECRET}, headers=HERE)
    reminder = {"type": "text", "text": f"<system-reminder>{SECRET}</system-reminder>"}
    content = [reminder, {"type": "text", "text": "Hello again, you"}]
    asked = body({"role": "user", "content": content}, max_tokens=50, system=SECRET)
    client.post(MESSAGES, json=asked, headers={**ANTHROPIC, **HERE})

    assert "tangerine" not in str(proxy.heard(6, "here"))
    assert proxy.said("here")[-2] == ("user", "Hello again, you")


def test_what_was_recalled_is_never_learned_even_if_the_model_repeats_it(
    proxy: Bench, client: httpx2.Client
) -> None:
    proxy.remember()
    before = {memory.id: memory.seen_at for memory in proxy.runtime.store.memories.list(Scope(ANA))}
    proxy.upstream.answer(lambda turns: f"You told me: {turns[-1].content}")
    assert "<memory nonce=" in say(client, QUESTION)

    assert proxy.heard(2, "here") == [("user", QUESTION), ("assistant", f"You told me: {QUESTION}")]
    assert {m.id: m.seen_at for m in proxy.runtime.store.memories.list(Scope(ANA))} == before


@pytest.mark.parametrize("mode", ["read", "off"])
def test_nothing_is_learned_where_the_client_says_so(proxy: Bench, client: httpx2.Client, mode: str) -> None:
    say(client, FACT, headers={**HERE, "X-Memory": mode})
    say(client, "This may be kept", headers={**HERE, "X-Memory": "write"})

    assert proxy.heard(2, "here") == [("user", "This may be kept"), ("assistant", "I see.")]


@pytest.mark.parametrize(
    "chat", [{"X-Memory-Conversation": "temporary-1"}, {"X-OpenWebUI-Chat-Id": "local:abc"}]
)
def test_a_temporary_chat_leaves_no_trace(proxy: Bench, client: httpx2.Client, chat: dict[str, str]) -> None:
    proxy.remember()
    answer = client.post(CHAT, json=body(QUESTION), headers=chat)
    receipts = proxy.runtime.store.receipts.list(Scope(ANA))
    say(client, "This may be kept")

    assert answer.headers["x-memory-mode"] == "off"
    assert [text for _, text in proxy.heard(3)] == [FACT, "This may be kept", "I see."]
    assert (proxy.upstream.requests[0].body, receipts) == (body(QUESTION), [])


def test_what_came_of_an_answer_is_kept_when_the_client_hangs_up(proxy: Bench, client: httpx2.Client) -> None:
    proxy.upstream.answer("one two three four five six seven eight")
    proxy.upstream.fail_next(faults.SILENT_MIDWAY)
    with client.stream("POST", CHAT, json=body(FACT, stream=True), headers=HERE) as answer:
        next(answer.iter_raw())

    [asked, (role, text)] = proxy.heard(2, "here")
    assert (asked, role) == (("user", FACT), "assistant")
    assert text.startswith("one two")
    assert "eight" not in text


def test_what_the_service_refused_was_not_said(proxy: Bench, client: httpx2.Client) -> None:
    proxy.upstream.fail_next(faults.SERVER_ERROR)
    client.post(CHAT, json=body(FACT), headers=HERE)
    say(client, "This was answered")

    assert proxy.heard(2, "here")[0] == ("user", "This was answered")


def test_calls_of_tools_are_kept_as_such(proxy: Bench, client: httpx2.Client) -> None:
    proxy.upstream.fail_next(faults.TOOL_CALL)
    answer = client.post(CHAT, json=body(QUESTION), headers=HERE).json()["choices"][0]["message"]
    say(client, QUESTION, answer, {"role": "tool", "tool_call_id": "call_1", "content": "Bolt"})
    proxy.heard(4, "here")
    [_, call, output, last] = proxy.stored("here")

    assert json.loads(call.tool_calls or "")[0]["function"]["name"] == "lookup"
    assert (output.role, output.content, output.tool_call_id) == ("tool", "Bolt", "call_1")
    assert (last.role, last.content) == ("assistant", "I see.")


def test_a_conversation_that_the_provider_keeps_is_one_chat(proxy: Bench, client: httpx2.Client) -> None:
    first = client.post(RESPONSES, json={"model": "echo", "input": FACT}).json()["id"]
    again = {"model": "echo", "input": "yes", "previous_response_id": first}
    second = client.post(RESPONSES, json=again).json()["id"]
    client.post(RESPONSES, json={**again, "previous_response_id": second})
    [chat] = {message.chat for message in proxy.stored()} if proxy.heard(6) else set()

    assert [text for _, text in proxy.said(chat)] == [FACT, "I see.", "yes", "I see.", "yes", "I see."]


def test_what_cannot_be_stored_keeps_nothing_else_out(proxy: Bench, client: httpx2.Client) -> None:
    say(client, FACT, answered("\u200b\ufeff"), "And that is all.")

    assert [text for _, text in proxy.heard(3, "here")] == [FACT, "And that is all.", "I see."]


def test_an_answer_that_is_no_answer_does_no_harm(proxy: Bench, client: httpx2.Client) -> None:
    proxy.upstream.fail_next(Pieces(pieces=(b"data: {\xff\n\n", b"data: [1]\n\n")))
    client.post(CHAT, json=body(FACT), headers=HERE)

    assert proxy.heard(1, "here") == [("user", FACT)]
