import asyncio
import json
import threading
from pathlib import Path

import httpx2
from tests.server.proxy.live_proxy import Bench, bench, body

from recollect.testing.faults import Garble, Pieces

CHAT = "/v1/chat/completions"
MANY = 200


async def _talk(client: httpx2.AsyncClient, number: int) -> str:
    headers = {"X-Memory-Conversation": f"chat {number}"}
    said = body(f"This is what number {number} has to say.", stream=True)
    async with client.stream("POST", CHAT, json=said, headers=headers) as answer:
        assert answer.status_code == 200, (answer.status_code, await answer.aread())
        lines = [line async for line in answer.aiter_lines()]
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    return "".join(each["choices"][0]["delta"].get("content") or "" for each in events if each["choices"])


async def _all_at_once(proxy: Bench) -> list[str]:
    limits = httpx2.Limits(max_connections=MANY, max_keepalive_connections=0)
    headers = {"Authorization": f"Bearer {proxy.keys.own_token}"}
    async with httpx2.AsyncClient(base_url=proxy.url, headers=headers, timeout=120, limits=limits) as client:
        return await asyncio.gather(*(_talk(client, number) for number in range(MANY)))


def _slowly(answer: bytes, kind: str) -> Pieces:
    events = answer.split(b"\n\n")
    return Pieces(pieces=tuple(event + b"\n\n" for event in events if event), content_type=kind, pause=0.02)


def test_two_hundred_streams_at_once_each_get_their_own_answer_and_are_all_learned(tmp_path: Path) -> None:
    with bench(tmp_path, settings={"recall.deadline_ms": 150}) as proxy:
        before = threading.active_count()
        proxy.upstream.fail_at(1.0, [Garble(change=_slowly)])
        answers = asyncio.run(_all_at_once(proxy))
        proxy.upstream.heal()
        stored = proxy.heard(2 * MANY)
        threads = threading.active_count() - before

    for number, answer in enumerate(answers):
        assert answer.startswith(f"You said: This is what number {number} has to say.")
    assert len(stored) == 2 * MANY
    # One thread learns and a few recall, however many talk; the model server has one for each of its connections.
    assert threads <= 64 + 8
