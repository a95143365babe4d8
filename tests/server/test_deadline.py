"""A chat does not wait for memory: what comes too late is not used, and the receipt says so."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.server.proxy.live_proxy import FACT, QUESTION, Bench, bench, body, until

from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.ports.embedder import Vector

HURRIED = {"recall.deadline_ms": 100}


class HeldEmbedder(HashingEmbedder):
    """Holds every question back while it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()
        self.free.set()

    def embed_query(self, text: str) -> Vector:
        assert self.free.wait(30)
        return super().embed_query(text)


@pytest.fixture
def embedder() -> HeldEmbedder:
    return HeldEmbedder()


@pytest.fixture
def slow(tmp_path: Path, embedder: HeldEmbedder) -> Iterator[Bench]:
    with bench(tmp_path, embedder=embedder, settings=HURRIED) as running:
        running.remember()
        yield running


@pytest.fixture
def client(slow: Bench) -> Iterator[httpx2.Client]:
    with slow.client() as opened:
        yield opened


def receipts(slow: Bench) -> list[Receipt]:
    return list(slow.runtime.store.receipts.list(Scope("ana"), limit=10))


def late(slow: Bench) -> Receipt:
    until(lambda: any("too late" in why for receipt in receipts(slow) for why in receipt.degraded))
    return next(each for each in receipts(slow) if any("too late" in why for why in each.degraded))


def test_what_the_proxy_did_not_wait_for_is_not_told_of_as_injected(
    slow: Bench, client: httpx2.Client, embedder: HeldEmbedder
) -> None:
    embedder.free.clear()
    answer = client.post("/v1/chat/completions", json=body(QUESTION))
    embedder.free.set()
    receipt = late(slow)

    assert answer.headers["x-memory-skipped"] == "timeout"
    assert FACT.encode() not in slow.asked().raw
    assert (receipt.text, receipt.tokens, receipt.injected) == ("", 0, ())
    assert FACT in {
        item.text for item in receipt.items if item.reason == "it came too late and was not injected"
    }


def test_a_chat_goes_on_without_memory_and_says_so(
    slow: Bench, client: httpx2.Client, embedder: HeldEmbedder
) -> None:
    embedder.free.clear()
    turn = client.post("/chats/dinner/messages", json={"content": QUESTION, "stream": False}).json()
    embedder.free.set()
    receipt = late(slow)

    assert turn["receipt"]["text"] == ""
    assert turn["receipt"]["degraded"] == ["recall took longer than 100 ms, so nothing was recalled"]
    assert client.get(f"/api/memory/receipts/{turn['receipt']['id']}").status_code == 200
    assert receipt.injected == ()


def test_what_comes_in_time_is_used(tmp_path: Path) -> None:
    with bench(tmp_path) as patient, patient.client() as client:
        patient.remember()
        turn = client.post("/chats/dinner/messages", json={"content": QUESTION, "stream": False}).json()

    assert turn["receipt"]["degraded"] == []
    assert "Bolt" in turn["text"]
