"""Recall deadline of chats: a late result is not used, and the receipt says so."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.server.proxy.live_proxy import (
    DOG_FACT,
    DOG_QUESTION,
    LiveProxy,
    chat_request,
    run_proxy,
    wait_until,
)

from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.ports.embedder import Vector
from recollect.testing.inspection import store_of

SHORT_DEADLINE = {"recall.deadline_ms": 100}


class BlockingEmbedder(HashingEmbedder):
    """An embedder that blocks queries until `free` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()
        self.free.set()

    def embed_query(self, text: str) -> Vector:
        assert self.free.wait(30)
        return super().embed_query(text)


@pytest.fixture
def embedder() -> BlockingEmbedder:
    return BlockingEmbedder()


@pytest.fixture
def slow_proxy(tmp_path: Path, embedder: BlockingEmbedder) -> Iterator[LiveProxy]:
    with run_proxy(tmp_path, embedder=embedder, settings=SHORT_DEADLINE) as running:
        running.add_memory()
        yield running


@pytest.fixture
def client(slow_proxy: LiveProxy) -> Iterator[httpx2.Client]:
    with slow_proxy.client() as opened:
        yield opened


def list_receipts(proxy: LiveProxy) -> list[Receipt]:
    return list(store_of(proxy.application).receipts.list(Scope("ana"), limit=10))


def wait_for_late_receipt(proxy: LiveProxy) -> Receipt:
    wait_until(
        lambda: any(
            "after the deadline" in why for receipt in list_receipts(proxy) for why in receipt.degradations
        )
    )
    return next(
        each for each in list_receipts(proxy) if any("after the deadline" in why for why in each.degradations)
    )


def test_a_late_recall_of_the_proxy_is_not_reported_as_injected(
    slow_proxy: LiveProxy, client: httpx2.Client, embedder: BlockingEmbedder
) -> None:
    embedder.free.clear()
    answer = client.post("/v1/chat/completions", json=chat_request(DOG_QUESTION))
    embedder.free.set()
    receipt = wait_for_late_receipt(slow_proxy)

    assert answer.headers["x-memory-skipped"] == "timeout"
    assert DOG_FACT.encode() not in slow_proxy.last_request().raw
    assert (receipt.text, receipt.tokens, receipt.injected_items) == ("", 0, ())
    assert DOG_FACT in {
        item.text for item in receipt.items if item.reason == "ready only after the deadline, not injected"
    }


def test_a_chat_continues_without_memory_and_reports_it(
    slow_proxy: LiveProxy, client: httpx2.Client, embedder: BlockingEmbedder
) -> None:
    embedder.free.clear()
    turn = client.post("/chats/dinner/messages", json={"content": DOG_QUESTION, "stream": False}).json()
    embedder.free.set()
    receipt = wait_for_late_receipt(slow_proxy)

    assert turn["receipt"]["text"] == ""
    assert turn["receipt"]["degraded"] == ["recall took longer than 100 ms, so nothing was recalled"]
    assert client.get(f"/api/memory/receipts/{turn['receipt']['id']}").status_code == 200
    assert receipt.injected_items == ()


def test_a_recall_within_the_deadline_is_used(tmp_path: Path) -> None:
    with run_proxy(tmp_path) as patient, patient.client() as client:
        patient.add_memory()
        turn = client.post("/chats/dinner/messages", json={"content": DOG_QUESTION, "stream": False}).json()

    assert turn["receipt"]["degraded"] == []
    assert "Bolt" in turn["text"]
