from collections.abc import Iterator

import httpx2
import pytest
from tests.server.proxy.live_proxy import ANA, FACT, QUESTION, Bench, body

from recollect.server.proxy.dialects.anthropic import ANTHROPIC
from recollect.server.proxy.dialects.chat_completions import CHAT as CHAT_DIALECT
from recollect.server.proxy.identity import conversation, fitting

CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
VERSION = {"anthropic-version": "2023-06-01"}


@pytest.fixture
def client(proxy: Bench) -> Iterator[httpx2.Client]:
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
        ({}, {"user": "x" * 1000}, fitting("x" * 1000)),
    ],
)
def test_with_the_owners_token_a_client_says_whose_memory_it_is(
    proxy: Bench, client: httpx2.Client, headers: dict[str, str], more: dict[str, object], user: str
) -> None:
    client.post(CHAT, json=body(FACT, **more), headers=headers)

    assert proxy.heard(2, user=user)[0] == ("user", FACT)
    assert proxy.asked().body == body(FACT, **more)


@pytest.mark.parametrize("header", ["X-Memory-User", "X-OpenWebUI-User-Id"])
def test_without_a_token_of_ours_it_is_the_owners_memory_whatever_a_client_says(
    proxy: Bench, header: str
) -> None:
    with proxy.stranger(**{header: "eva"}) as client:
        client.post(CHAT, json=body(FACT, user="eva"))

    assert proxy.heard(2)[0] == ("user", FACT)
    assert proxy.stored(user="eva") == []


def test_a_token_of_somebody_is_for_their_memory_alone(proxy: Bench) -> None:
    proxy.remember()
    token = proxy.keys.add("phone", user="eva")
    with proxy.client(token) as client:
        client.post(CHAT, json=body(QUESTION, user=ANA), headers={"X-OpenWebUI-User-Id": ANA})
        refused = client.post(CHAT, json=body(QUESTION), headers={"X-Memory-User": ANA})

    assert proxy.asked().body == body(QUESTION, user=ANA)
    assert (refused.status_code, refused.json()["code"]) == (409, "refused")
    assert proxy.heard(2, user="eva")[0] == ("user", QUESTION)


def test_one_users_words_never_reach_another(proxy: Bench, client: httpx2.Client) -> None:
    client.post(CHAT, json=body(FACT, user="eva"))
    proxy.heard(2, user="eva")
    client.post(CHAT, json=body(QUESTION, user="max"))
    others = proxy.asked().body
    client.post(CHAT, json=body(QUESTION, user="eva"))

    assert others == body(QUESTION, user="max")
    assert b"Bolt" in proxy.asked().raw


@pytest.mark.parametrize(
    ("path", "headers", "more", "chat"),
    [
        (CHAT, {"X-Memory-Conversation": "a", "X-OpenWebUI-Chat-Id": "b"}, {"prompt_cache_key": "c"}, "a"),
        (CHAT, {"X-OpenWebUI-Chat-Id": "b"}, {"prompt_cache_key": "c"}, "b"),
        (CHAT, {}, {"prompt_cache_key": "c"}, "c"),
        (RESPONSES, {}, {"conversation": "d", "prompt_cache_key": "c"}, "d"),
        (RESPONSES, {}, {"conversation": {"id": "e"}}, "e"),
        (RESPONSES, {}, {"previous_response_id": "f", "prompt_cache_key": "c"}, "f"),
        (MESSAGES, {}, {"metadata": {"user_id": "user_1_account_2_session_g"}}, "g"),
        (MESSAGES, {}, {"metadata": {"user_id": '{"device_id": "1", "session_id": "h"}'}}, "h"),
    ],
)
def test_a_conversation_has_the_name_it_is_given(
    proxy: Bench,
    client: httpx2.Client,
    path: str,
    headers: dict[str, str],
    more: dict[str, object],
    chat: str,
) -> None:
    asked = {"input": FACT} if path == RESPONSES else {"messages": [{"role": "user", "content": FACT}]}
    client.post(
        path, json={"model": "echo", "max_tokens": 50, **asked, **more}, headers={**VERSION, **headers}
    )

    assert proxy.heard(1, chat)[0] == ("user", FACT)


def test_without_a_name_a_conversation_is_known_by_how_it_began() -> None:
    def named(*messages: str) -> str:
        asked = CHAT_DIALECT.read(f'{{"messages": [{", ".join(messages)}]}}')
        return conversation({}, asked, lambda _: None, trusted=True)[0]

    host, other = '{"role":"system","content":"a"}', '{"role":"system","content":"b"}'
    first, second = '{"role":"user","content":"x"}', '{"role":"user","content":"y"}'

    assert named(host, first) == named(host, first, second) == named(first, host)
    assert len({named(host, first), named(other, first), named(host, second), named(first)}) == 4


def test_a_coding_agents_session_is_a_conversation_and_no_user() -> None:
    asked = ANTHROPIC.read('{"messages": [], "metadata": {"user_id": "user_a_account_b_session_c"}}')

    assert (asked.user, asked.cache_key) == (None, "c")


@pytest.mark.parametrize("chore", ["### Task:\nGenerate a title", "\n### Task:\nGenerate tags"])
def test_chores_of_a_host_are_neither_recalled_for_nor_learned(
    proxy: Bench, client: httpx2.Client, chore: str
) -> None:
    proxy.remember("### Task: generate a title, generate tags")
    headers = {"X-OpenWebUI-Chat-Id": "b"}
    client.post(CHAT, json=body(chore), headers=headers)
    asked = proxy.asked().body
    client.post(CHAT, json=body(FACT), headers=headers)

    assert asked == body(chore)
    assert proxy.heard(2, "b")[0] == ("user", FACT)
