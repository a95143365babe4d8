from collections.abc import Iterator

import httpx2
import pytest
from tests.server.proxy.live_proxy import ANA, DOG_FACT, DOG_QUESTION, LiveProxy, chat_request

from recollect.server.proxy.dialects.anthropic import ANTHROPIC_DIALECT
from recollect.server.proxy.dialects.chat_completions import CHAT_COMPLETIONS_DIALECT as CHAT_DIALECT
from recollect.server.proxy.identity import identify_conversation, normalize_name

CHAT_PATH, RESPONSES_PATH, MESSAGES_PATH = "/v1/chat/completions", "/v1/responses", "/v1/messages"
ANTHROPIC_HEADERS = {"anthropic-version": "2023-06-01"}


@pytest.fixture
def client(proxy: LiveProxy) -> Iterator[httpx2.Client]:
    with proxy.client() as opened:
        yield opened


@pytest.mark.parametrize(
    ("headers", "more", "user"),
    [
        ({}, {}, ANA),
        ({"X-Memory-User": "eva", "X-OpenWebUI-User-Id": "owu"}, {"user": "body"}, "eva"),
        ({"X-OpenWebUI-User-Id": "owu"}, {"user": "body"}, "owu"),
        ({}, {"safety_identifier": "safe", "user": "body"}, "safe"),
        ({}, {"user": "body", "metadata": {"user_id": "meta"}}, "body"),
        ({}, {"metadata": {"user_id": "meta"}}, "meta"),
        ({}, {"user": 7, "metadata": "none"}, ANA),
        ({}, {"user": "x" * 1000}, normalize_name("x" * 1000)),
    ],
)
def test_with_the_owners_token_a_client_can_name_the_user(
    proxy: LiveProxy, client: httpx2.Client, headers: dict[str, str], more: dict[str, object], user: str
) -> None:
    client.post(CHAT_PATH, json=chat_request(DOG_FACT, **more), headers=headers)

    assert proxy.wait_for_messages(2, user=user)[0] == ("user", DOG_FACT)
    assert proxy.last_request().body == chat_request(DOG_FACT, **more)


@pytest.mark.parametrize("header", ["X-Memory-User", "X-OpenWebUI-User-Id"])
def test_without_a_token_the_owners_memory_is_used(proxy: LiveProxy, header: str) -> None:
    with proxy.provider_client(**{header: "eva"}) as client:
        client.post(CHAT_PATH, json=chat_request(DOG_FACT, user="eva"))

    assert proxy.wait_for_messages(2)[0] == ("user", DOG_FACT)
    assert proxy.stored_messages(user="eva") == []


def test_a_users_token_accesses_only_their_memory(proxy: LiveProxy) -> None:
    proxy.add_memory()
    token = proxy.access.add_token("phone", user="eva")
    with proxy.client(token) as client:
        client.post(
            CHAT_PATH, json=chat_request(DOG_QUESTION, user=ANA), headers={"X-OpenWebUI-User-Id": ANA}
        )
        refused = client.post(CHAT_PATH, json=chat_request(DOG_QUESTION), headers={"X-Memory-User": ANA})

    assert proxy.last_request().body == chat_request(DOG_QUESTION, user=ANA)
    assert (refused.status_code, refused.json()["code"]) == (409, "refused")
    assert proxy.wait_for_messages(2, user="eva")[0] == ("user", DOG_QUESTION)


def test_text_of_one_user_never_reaches_another(proxy: LiveProxy, client: httpx2.Client) -> None:
    client.post(CHAT_PATH, json=chat_request(DOG_FACT, user="eva"))
    proxy.wait_for_messages(2, user="eva")
    client.post(CHAT_PATH, json=chat_request(DOG_QUESTION, user="max"))
    others = proxy.last_request().body
    client.post(CHAT_PATH, json=chat_request(DOG_QUESTION, user="eva"))

    assert others == chat_request(DOG_QUESTION, user="max")
    assert b"Bolt" in proxy.last_request().raw


@pytest.mark.parametrize(
    ("path", "headers", "more", "chat"),
    [
        (
            CHAT_PATH,
            {"X-Memory-Conversation": "a", "X-OpenWebUI-Chat-Id": "b"},
            {"prompt_cache_key": "c"},
            "a",
        ),
        (CHAT_PATH, {"X-OpenWebUI-Chat-Id": "b"}, {"prompt_cache_key": "c"}, "b"),
        (CHAT_PATH, {}, {"prompt_cache_key": "c"}, "c"),
        (RESPONSES_PATH, {}, {"conversation": "d", "prompt_cache_key": "c"}, "d"),
        (RESPONSES_PATH, {}, {"conversation": {"id": "e"}}, "e"),
        (RESPONSES_PATH, {}, {"previous_response_id": "f", "prompt_cache_key": "c"}, "f"),
        (MESSAGES_PATH, {}, {"metadata": {"user_id": "user_1_account_2_session_g"}}, "g"),
        (MESSAGES_PATH, {}, {"metadata": {"user_id": '{"device_id": "1", "session_id": "h"}'}}, "h"),
    ],
)
def test_a_conversation_uses_the_clients_id(
    proxy: LiveProxy,
    client: httpx2.Client,
    path: str,
    headers: dict[str, str],
    more: dict[str, object],
    chat: str,
) -> None:
    request_body = (
        {"input": DOG_FACT}
        if path == RESPONSES_PATH
        else {"messages": [{"role": "user", "content": DOG_FACT}]}
    )
    client.post(
        path,
        json={"model": "echo", "max_tokens": 50, **request_body, **more},
        headers={**ANTHROPIC_HEADERS, **headers},
    )

    assert proxy.wait_for_messages(1, chat)[0] == ("user", DOG_FACT)


def test_an_unnamed_conversation_is_identified_by_its_start() -> None:
    def named(*messages: str) -> str:
        view = CHAT_DIALECT.parse_request(f'{{"messages": [{", ".join(messages)}]}}')
        return identify_conversation({}, view, lambda _: None, is_authenticated=True)[0]

    host, other = '{"role":"system","content":"a"}', '{"role":"system","content":"b"}'
    first, second = '{"role":"user","content":"x"}', '{"role":"user","content":"y"}'

    assert named(host, first) == named(host, first, second) == named(first, host)
    assert len({named(host, first), named(other, first), named(host, second), named(first)}) == 4


def test_a_coding_agents_session_is_a_conversation_not_a_user() -> None:
    view = ANTHROPIC_DIALECT.parse_request(
        '{"messages": [], "metadata": {"user_id": "user_a_account_b_session_c"}}'
    )

    assert (view.user, view.cache_key) == (None, "c")


@pytest.mark.parametrize("chore", ["### Task:\nGenerate a title", "\n### Task:\nGenerate tags"])
def test_housekeeping_requests_are_neither_recalled_for_nor_ingested(
    proxy: LiveProxy, client: httpx2.Client, chore: str
) -> None:
    proxy.add_memory("### Task: generate a title, generate tags")
    headers = {"X-OpenWebUI-Chat-Id": "b"}
    client.post(CHAT_PATH, json=chat_request(chore), headers=headers)
    sent_body = proxy.last_request().body
    client.post(CHAT_PATH, json=chat_request(DOG_FACT), headers=headers)

    assert sent_body == chat_request(chore)
    assert proxy.wait_for_messages(2, "b")[0] == ("user", DOG_FACT)
