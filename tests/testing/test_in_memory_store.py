"""The in-memory store behind the public API."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect import Memory
from recollect.errors import Refused, StoreBusy, StoreError
from recollect.testing.builders import ANA, a_message
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.in_memory import database
from recollect.testing.in_memory.database import Database
from recollect.testing.in_memory.store import InMemoryStore


def open_memory(store: InMemoryStore) -> Memory:
    return Memory(
        store=store,
        user_id=ANA,
        embedder=LetterEmbedder(),
        clock=FrozenClock(),
        ids=CountingIds(),
        settings={"worker": False},
    )


def test_a_conversation_is_learned_and_recalled_without_a_file() -> None:
    with open_memory(InMemoryStore()) as memory:
        memory.add([{"role": "user", "content": "I live in Lisbon."}], chat_id="chat")
        memory.flush()
        memory.add([{"role": "user", "content": "I moved. I live in Porto now."}], chat_id="chat")
        memory.flush()
        context = memory.context("Where do I live?")
        known = memory.get_all()

        assert [each.text for each in known] == ["lives in Porto"]
        assert "Porto" in context.text
        assert memory.receipts.get("last").id == context.receipt.id


def test_what_needs_a_file_is_refused_and_doctor_says_so() -> None:
    with open_memory(InMemoryStore()) as memory:
        findings = {each.name: each for each in memory.maintenance.doctor().findings}

        with pytest.raises(Refused, match="own tools"):
            memory.maintenance.backup("backup.db")
        assert findings["capabilities"].detail == (
            "none; not available with this database: backups, byte erasure, index repair"
        )


def test_an_erasure_certifies_only_the_rows() -> None:
    with open_memory(InMemoryStore()) as memory:
        [added] = memory.add("I am vegetarian").memories
        certificate = memory.privacy.erase(memory_id=added.id)

        assert certificate.is_physical is False
        assert memory.get_all() == []


def test_a_transaction_writes_data_of_its_user_only() -> None:
    store = InMemoryStore()

    def write_for_another_user() -> None:
        with store.transaction(ANA):
            store.messages.add(a_message("Mine", user="bruno"), ())

    with pytest.raises(StoreError, match="bruno"):
        write_for_another_user()
    assert store.users() == []


def test_a_second_writer_waits_and_then_gets_store_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Database()
    one, other = InMemoryStore(shared), InMemoryStore(shared)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)

    with one.transaction(ANA), ThreadPoolExecutor(1) as pool, pytest.raises(StoreBusy):
        pool.submit(other.messages.add, a_message("I too"), ()).result()
    other.messages.add(a_message("I too"), ())
    assert one.users() == [ANA]
