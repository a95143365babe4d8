"""Recall deadline of chats: what is ready by then is used, and the receipt says what is missing."""

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
from recollect.domain.reason import ReasonCode
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
        self.ended = 0  #: queries that were embedded

    def embed_query(self, text: str) -> Vector:
        assert self.free.wait(30)
        self.ended += 1
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
    return list(store_of(proxy.application).receipts.list(Scope("ana"), limit=10, with_texts=True))


def test_the_proxy_injects_lexical_results_if_the_embedding_is_late(
    slow_proxy: LiveProxy, client: httpx2.Client, embedder: BlockingEmbedder
) -> None:
    embedder.free.clear()
    answer = client.post("/v1/chat/completions", json=chat_request(DOG_QUESTION))
    embedder.free.set()
    [receipt] = list_receipts(slow_proxy)

    assert answer.headers["x-memory-used"] == "1"
    assert DOG_FACT.encode() in slow_proxy.last_request().raw
    assert "x-memory-skipped" not in answer.headers
    assert [item.text for item in receipt.injected_items] == [DOG_FACT]
    [degradation] = receipt.degradations
    assert degradation.code is ReasonCode.DENSE_SEARCH_LATE


def test_a_chat_uses_lexical_results_if_the_embedding_is_late(
    slow_proxy: LiveProxy, client: httpx2.Client, embedder: BlockingEmbedder
) -> None:
    embedder.free.clear()
    turn = client.post("/chats/dinner/messages", json={"content": DOG_QUESTION, "stream": False}).json()
    embedder.free.set()

    assert DOG_FACT in turn["receipt"]["text"]
    assert turn["receipt"]["degraded"] == [
        {
            "code": "dense_search_late",
            "params": {"milliseconds": 100},
            "text": "keyword search only: semantic search took longer than 100 ms",
        }
    ]
    assert client.get(f"/api/memory/receipts/{turn['receipt']['id']}").status_code == 200


def test_a_late_search_leaves_no_receipt_of_its_own(
    slow_proxy: LiveProxy, client: httpx2.Client, embedder: BlockingEmbedder
) -> None:
    embedder.free.clear()
    client.post("/v1/chat/completions", json=chat_request(DOG_QUESTION))
    before = [receipt.id for receipt in list_receipts(slow_proxy)]
    embedder.free.set()
    wait_until(lambda: embedder.ended > 0)
    # Closing waits for running searches.
    slow_proxy.application.services.close()

    assert [receipt.id for receipt in list_receipts(slow_proxy)] == before
    assert len(before) == 1


def test_a_recall_within_the_deadline_is_used(tmp_path: Path) -> None:
    with run_proxy(tmp_path) as patient, patient.client() as client:
        patient.add_memory()
        turn = client.post("/chats/dinner/messages", json={"content": DOG_QUESTION, "stream": False}).json()

    assert turn["receipt"]["degraded"] == []
    assert "Bolt" in turn["text"]
