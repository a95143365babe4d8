import json
from collections.abc import Iterator, Mapping

import httpx2
import pytest
from tests.server.proxy.live_proxy import ANA, DOG_FACT, DOG_QUESTION, LiveProxy, chat_request

from recollect.domain.scope import Scope
from recollect.testing import faults
from recollect.testing.faults import ChunkedReply
from recollect.testing.inspection import store_of

CHAT_PATH, RESPONSES_PATH, MESSAGES_PATH, OLLAMA_PATH = (
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/messages",
    "/v1/api/chat",
)
ANTHROPIC_HEADERS = {"anthropic-version": "2023-06-01"}
CONVERSATION_HEADERS = {"X-Memory-Conversation": "here"}
HOST_SECRET = "The launch code of the host is tangerine."


@pytest.fixture
def client(proxy: LiveProxy) -> Iterator[httpx2.Client]:
    proxy.upstream.answer("I see.")
    with proxy.client() as opened:
        yield opened


def send_chat(
    client: httpx2.Client,
    *messages: Mapping[str, object] | str,
    headers: Mapping[str, str] = CONVERSATION_HEADERS,
    **fields: object,
) -> str:
    answer = client.post(CHAT_PATH, json=chat_request(*messages, **fields), headers=dict(headers))
    text = answer.json()["choices"][0]["message"]["content"]
    assert isinstance(text, str | None)
    return text or ""


def assistant_message(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("path", "request_body"),
    [
        (CHAT_PATH, chat_request(DOG_FACT)),
        (RESPONSES_PATH, {"model": "echo", "input": DOG_FACT}),
        (MESSAGES_PATH, chat_request(DOG_FACT, max_tokens=50)),
        (OLLAMA_PATH, chat_request(DOG_FACT)),
    ],
)
def test_an_exchange_is_ingested(
    proxy: LiveProxy, client: httpx2.Client, path: str, request_body: dict[str, object], stream: bool
) -> None:
    client.post(
        path, json={**request_body, "stream": stream}, headers={**ANTHROPIC_HEADERS, **CONVERSATION_HEADERS}
    )

    assert proxy.wait_for_messages(2, "here") == [("user", DOG_FACT), ("assistant", "I see.")]
    [memory] = store_of(proxy.application).memories.list(Scope(ANA))
    assert "Bolt" in memory.text


def test_a_resent_conversation_is_stored_once(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.upstream.answer(["one", "two", "three"])
    send_chat(client, "first question")
    send_chat(client, "first question", assistant_message("one"), "yes")
    send_chat(client, "first question", assistant_message("one"), "yes", assistant_message("two"), "yes")

    assert proxy.wait_for_messages(6, "here") == [
        ("user", "first question"),
        ("assistant", "one"),
        ("user", "yes"),
        ("assistant", "two"),
        ("user", "yes"),
        ("assistant", "three"),
    ]


def test_a_truncated_history_stores_no_message_twice(proxy: LiveProxy, client: httpx2.Client) -> None:
    history: list[Mapping[str, object] | str] = []
    for number in range(6):
        history.append(f"thing number {number}")
        proxy.upstream.answer(f"answer number {number}")
        history.append(assistant_message(send_chat(client, *history[-4:])))

    stored = proxy.wait_for_messages(12, "here")
    assert len(stored) == len(set(stored)) == 12


def test_an_altered_answer_is_recognized(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.upstream.answer(["<think>hmm</think>  One.", "Two."])
    send_chat(client, "first question")
    proxy.wait_for_messages(2, "here")
    send_chat(client, "first question", assistant_message("One."), "second question")

    assert [text for _, text in proxy.wait_for_messages(4, "here")] == [
        "first question",
        "<think>hmm</think>  One.",
        "second question",
        "Two.",
    ]


def test_an_existing_history_is_ingested_once(proxy: LiveProxy, client: httpx2.Client) -> None:
    send_chat(client, DOG_FACT, assistant_message("Nice."), "Thanks!")
    send_chat(client, DOG_FACT, assistant_message("Nice."), "Thanks!")

    assert proxy.wait_for_messages(4, "here") == [
        ("user", DOG_FACT),
        ("assistant", "Nice."),
        ("user", "Thanks!"),
        ("assistant", "I see."),
    ]


def test_a_regenerated_answer_replaces_the_first(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.upstream.answer(["first answer", "second answer"])
    send_chat(client, "a question")
    proxy.wait_for_messages(2, "here")
    send_chat(client, "a question")
    send_chat(client, "something else", headers={"X-Memory-Conversation": "there"})

    proxy.wait_for_messages(2, "there")
    assert proxy.stored_texts("here") == [("user", "a question"), ("assistant", "second answer")]


def test_an_edited_message_retracts_what_was_learned(proxy: LiveProxy, client: httpx2.Client) -> None:
    send_chat(client, "Hello there")
    send_chat(client, "Hello there", assistant_message("I see."), "My dog is called Bolt.")
    proxy.wait_for_messages(4, "here")
    send_chat(client, "Hello there", assistant_message("I see."), "My cat is called Mia.")
    send_chat(client, "something else", headers={"X-Memory-Conversation": "there"})
    proxy.wait_for_messages(2, "there")

    assert proxy.stored_texts("here")[2:] == [("user", "My cat is called Mia."), ("assistant", "I see.")]
    known = " ".join(memory.text for memory in store_of(proxy.application).memories.list(Scope(ANA)))
    assert ("Mia" in known, "Bolt" in known) == (True, False)


def test_unnamed_conversations_never_overwrite_each_other(proxy: LiveProxy, client: httpx2.Client) -> None:
    send_chat(client, "Hi", assistant_message("Hello!"), "My dog is called Bolt.", headers={})
    send_chat(client, "Hi", assistant_message("Hello!"), "My cat is called Mia.", headers={})

    texts = [text for _, text in proxy.wait_for_messages(5)]
    assert [text for text in texts if "called" in text] == ["My dog is called Bolt.", "My cat is called Mia."]


def test_host_instructions_are_never_stored(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.upstream.answer(["One.", "Two.", "Three."])
    send_chat(
        client,
        {"role": "system", "content": HOST_SECRET},
        {"role": "developer", "content": HOST_SECRET},
        DOG_FACT,
    )
    client.post(
        RESPONSES_PATH,
        json={"model": "echo", "input": DOG_QUESTION, "instructions": HOST_SECRET},
        headers=CONVERSATION_HEADERS,
    )
    reminder = {"type": "text", "text": f"<system-reminder>{HOST_SECRET}</system-reminder>"}
    content = [reminder, {"type": "text", "text": "Hello again, you"}]
    request_body = chat_request({"role": "user", "content": content}, max_tokens=50, system=HOST_SECRET)
    client.post(MESSAGES_PATH, json=request_body, headers={**ANTHROPIC_HEADERS, **CONVERSATION_HEADERS})

    assert "tangerine" not in str(proxy.wait_for_messages(6, "here"))
    assert proxy.stored_texts("here")[-2] == ("user", "Hello again, you")


def test_injected_context_is_never_learned_even_if_the_model_repeats_it(
    proxy: LiveProxy, client: httpx2.Client
) -> None:
    proxy.add_memory()
    before = {
        memory.id: memory.last_stated_at for memory in store_of(proxy.application).memories.list(Scope(ANA))
    }
    proxy.upstream.answer(lambda turns: f"You told me: {turns[-1].content}")
    assert "<memory nonce=" in send_chat(client, DOG_QUESTION)

    assert proxy.wait_for_messages(2, "here") == [
        ("user", DOG_QUESTION),
        ("assistant", f"You told me: {DOG_QUESTION}"),
    ]
    assert {m.id: m.last_stated_at for m in store_of(proxy.application).memories.list(Scope(ANA))} == before


@pytest.mark.parametrize("mode", ["read", "off"])
def test_nothing_is_learned_if_the_client_disables_it(
    proxy: LiveProxy, client: httpx2.Client, mode: str
) -> None:
    send_chat(client, DOG_FACT, headers={**CONVERSATION_HEADERS, "X-Memory": mode})
    send_chat(client, "This may be kept", headers={**CONVERSATION_HEADERS, "X-Memory": "write"})

    assert proxy.wait_for_messages(2, "here") == [("user", "This may be kept"), ("assistant", "I see.")]


@pytest.mark.parametrize(
    "chat", [{"X-Memory-Conversation": "temporary-1"}, {"X-OpenWebUI-Chat-Id": "local:abc"}]
)
def test_a_temporary_chat_leaves_no_trace(
    proxy: LiveProxy, client: httpx2.Client, chat: dict[str, str]
) -> None:
    proxy.add_memory()
    answer = client.post(CHAT_PATH, json=chat_request(DOG_QUESTION), headers=chat)
    receipts = store_of(proxy.application).receipts.list(Scope(ANA))
    send_chat(client, "This may be kept")

    assert answer.headers["x-memory-mode"] == "off"
    assert [text for _, text in proxy.wait_for_messages(3)] == [DOG_FACT, "This may be kept", "I see."]
    assert (proxy.upstream.requests[0].body, receipts) == (chat_request(DOG_QUESTION), [])


def test_a_partial_answer_is_stored_when_the_client_disconnects(
    proxy: LiveProxy, client: httpx2.Client
) -> None:
    proxy.upstream.answer("one two three four five six seven eight")
    proxy.upstream.fail_next(faults.SILENT_MIDWAY)
    with client.stream(
        "POST", CHAT_PATH, json=chat_request(DOG_FACT, stream=True), headers=CONVERSATION_HEADERS
    ) as answer:
        next(answer.iter_raw())

    [question, (role, text)] = proxy.wait_for_messages(2, "here")
    assert (question, role) == (("user", DOG_FACT), "assistant")
    assert text.startswith("one two")
    assert "eight" not in text


def test_a_refused_request_is_not_stored(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.upstream.fail_next(faults.SERVER_ERROR)
    client.post(CHAT_PATH, json=chat_request(DOG_FACT), headers=CONVERSATION_HEADERS)
    send_chat(client, "This was answered")

    assert proxy.wait_for_messages(2, "here")[0] == ("user", "This was answered")


def test_tool_calls_are_stored(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.upstream.fail_next(faults.TOOL_CALL)
    answer = client.post(CHAT_PATH, json=chat_request(DOG_QUESTION), headers=CONVERSATION_HEADERS).json()[
        "choices"
    ][0]["message"]
    send_chat(client, DOG_QUESTION, answer, {"role": "tool", "tool_call_id": "call_1", "content": "Bolt"})
    proxy.wait_for_messages(4, "here")
    [_, call, output, last] = proxy.stored_messages("here")

    assert json.loads(call.tool_calls or "")[0]["function"]["name"] == "lookup"
    assert (output.role, output.content, output.tool_call_id) == ("tool", "Bolt", "call_1")
    assert (last.role, last.content) == ("assistant", "I see.")


def test_a_conversation_stored_by_the_provider_is_one_chat(proxy: LiveProxy, client: httpx2.Client) -> None:
    first = client.post(RESPONSES_PATH, json={"model": "echo", "input": DOG_FACT}).json()["id"]
    again = {"model": "echo", "input": "yes", "previous_response_id": first}
    second = client.post(RESPONSES_PATH, json=again).json()["id"]
    client.post(RESPONSES_PATH, json={**again, "previous_response_id": second})
    [chat] = {message.chat for message in proxy.stored_messages()} if proxy.wait_for_messages(6) else set()

    assert [text for _, text in proxy.stored_texts(chat)] == [
        DOG_FACT,
        "I see.",
        "yes",
        "I see.",
        "yes",
        "I see.",
    ]


def test_an_invalid_message_does_not_prevent_storing_others(proxy: LiveProxy, client: httpx2.Client) -> None:
    send_chat(client, DOG_FACT, assistant_message("\u200b\ufeff"), "And that is all.")

    assert [text for _, text in proxy.wait_for_messages(3, "here")] == [
        DOG_FACT,
        "And that is all.",
        "I see.",
    ]


def test_an_unparsable_response_does_no_harm(proxy: LiveProxy, client: httpx2.Client) -> None:
    proxy.upstream.fail_next(ChunkedReply(chunks=(b"data: {\xff\n\n", b"data: [1]\n\n")))
    client.post(CHAT_PATH, json=chat_request(DOG_FACT), headers=CONVERSATION_HEADERS)

    assert proxy.wait_for_messages(1, "here") == [("user", DOG_FACT)]
