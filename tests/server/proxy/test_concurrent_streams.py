import asyncio
import json
import threading
from pathlib import Path

import httpx2
from tests.server.proxy.live_proxy import LiveProxy, chat_request, run_proxy

from recollect.testing.faults import ChunkedReply, ModifyBytes

CHAT_PATH = "/v1/chat/completions"
CLIENT_COUNT = 200


async def _stream_chat(client: httpx2.AsyncClient, number: int) -> str:
    headers = {"X-Memory-Conversation": f"chat {number}"}
    request_body = chat_request(f"This is what number {number} has to say.", stream=True)
    async with client.stream("POST", CHAT_PATH, json=request_body, headers=headers) as answer:
        assert answer.status_code == 200, (answer.status_code, await answer.aread())
        lines = [line async for line in answer.aiter_lines()]
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    return "".join(each["choices"][0]["delta"].get("content") or "" for each in events if each["choices"])


async def _stream_all(proxy: LiveProxy) -> list[str]:
    limits = httpx2.Limits(max_connections=CLIENT_COUNT, max_keepalive_connections=0)
    headers = {"Authorization": f"Bearer {proxy.access.owner_token()}"}
    async with httpx2.AsyncClient(base_url=proxy.url, headers=headers, timeout=120, limits=limits) as client:
        return await asyncio.gather(*(_stream_chat(client, number) for number in range(CLIENT_COUNT)))


def _slow_reply(answer: bytes, kind: str) -> ChunkedReply:
    events = answer.split(b"\n\n")
    return ChunkedReply(
        chunks=tuple(event + b"\n\n" for event in events if event), content_type=kind, pause_seconds=0.02
    )


def test_two_hundred_concurrent_streams_get_their_answers_and_are_ingested(tmp_path: Path) -> None:
    with run_proxy(tmp_path, settings={"recall.deadline_ms": 150}) as proxy:
        before = threading.active_count()
        proxy.upstream.fail_at(1.0, [ModifyBytes(change=_slow_reply)])
        answers = asyncio.run(_stream_all(proxy))
        proxy.upstream.heal()
        stored = proxy.wait_for_messages(2 * CLIENT_COUNT)
        threads = threading.active_count() - before

    for number, answer in enumerate(answers):
        assert answer.startswith(f"You said: This is what number {number} has to say.")
    assert len(stored) == 2 * CLIENT_COUNT
    # One ingest thread, four credential lookups and a few recall threads, for any number of streams; the fake provider
    # has one per connection.
    assert threads <= 64 + 16
