"""Store contract: transactions of one user exclude each other, between threads and between processes."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

import pytest
from tests.contract.stores import SHARED_STORES, STORE_FACTORIES, OpenStore

from recollect import Memory
from recollect.domain import memory as domain
from recollect.domain.memory import ChangeKind, MemoryStatus
from recollect.domain.scope import SYSTEM_USER, Scope
from recollect.errors import StoreError
from recollect.ports.store import Store
from recollect.testing.builders import ANA, a_memory, a_message

USER_SCOPE = Scope(ANA)
TOWNS_PER_WRITER = 8
TOWNS = ("Lisbon", "Porto", "Berlin", "Madrid", "Paris", "London", "Vienna", "Oslo")


def state_home(store: Store, memory: domain.Memory) -> None:
    """Supersede the home that is known so far, as consolidation does: read, then write what the read implies."""
    with store.transaction(memory.user):
        for old in store.memories.by_attribute(USER_SCOPE, "home"):
            superseded = replace(old, status=MemoryStatus.SUPERSEDED, superseded_by=memory.id)
            store.memories.save(superseded, ChangeKind.SUPERSEDE)
        store.memories.add(memory)


def state_homes(store: Store, writer: str) -> None:
    for number in range(TOWNS_PER_WRITER):
        state_home(store, a_memory(f"lives in {writer} {number}", attribute="home"))


def run_process(store_name: str, folder: Path, writer: str, barrier: "threading.Barrier") -> None:
    store = STORE_FACTORIES[store_name](folder)
    barrier.wait(60)
    state_homes(store, writer)
    store.close()


def assert_one_home_and_nothing_lost(store: Store, *, writers: int) -> None:
    [home] = store.memories.by_attribute(USER_SCOPE, "home")
    memories = store.memories.list(USER_SCOPE, status=None, limit=1000)
    superseded_by = [memory.superseded_by for memory in memories if memory.id != home.id]

    assert len(memories) == writers * TOWNS_PER_WRITER
    assert home.superseded_by is None
    # A chain: each memory was superseded by one other, and none by two.
    assert sorted(map(str, superseded_by)) == sorted(
        memory.id for memory in memories if memory.id in superseded_by
    )


def test_threads_that_supersede_one_fact_at_once_leave_one_active(
    open_store: OpenStore,
) -> None:
    stores = [open_store(), open_store()]
    barrier = threading.Barrier(4)

    def write(number: int) -> None:
        barrier.wait(60)
        state_homes(stores[number % 2], f"thread {number}")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert_one_home_and_nothing_lost(stores[0], writers=4)


@pytest.mark.parametrize("store_name", SHARED_STORES)
def test_processes_that_supersede_one_fact_at_once_leave_one_active(store_name: str, tmp_path: Path) -> None:
    context = get_context("spawn")
    barrier = context.Barrier(2)
    processes = [
        context.Process(target=run_process, args=(store_name, tmp_path, f"process {number}", barrier))
        for number in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    store = STORE_FACTORIES[store_name](tmp_path)

    assert [process.exitcode for process in processes] == [0, 0]
    assert_one_home_and_nothing_lost(store, writers=2)
    store.close()


def learn_homes(store: Store, towns: Sequence[str], barrier: "threading.Barrier") -> None:
    with Memory(store=store, user_id=ANA, settings={"worker": False, "embedder": "none"}) as memory:
        barrier.wait(60)
        for town in towns:
            memory.add([{"role": "user", "content": f"I live in {town}."}], chat_id="chat")
            memory.flush()


def learn_homes_in_process(
    store_name: str, folder: Path, towns: Sequence[str], barrier: "threading.Barrier"
) -> None:
    learn_homes(STORE_FACTORIES[store_name](folder), towns, barrier)


def assert_last_home_is_known(store: Store, towns: Sequence[str]) -> None:
    memories = store.memories.list(USER_SCOPE, status=None, limit=100)

    assert sorted(memory.text for memory in memories) == sorted(f"lives in {town}" for town in towns)
    assert [memory.text for memory in memories if memory.status is MemoryStatus.ACTIVE] == [
        memory.text for memory in store.memories.by_attribute(USER_SCOPE, "lives_in")
    ]
    assert len(store.memories.by_attribute(USER_SCOPE, "lives_in")) == 1
    assert store.jobs.count_outstanding(now=datetime.now(UTC)) == 0


def test_threads_that_learn_one_fact_at_once_leave_one_active(open_store: OpenStore) -> None:
    stores, barrier = [open_store(), open_store()], threading.Barrier(2)
    threads = [
        threading.Thread(target=learn_homes, args=(store, TOWNS[number::2], barrier))
        for number, store in enumerate(stores)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert_last_home_is_known(open_store(), TOWNS)


@pytest.mark.parametrize("store_name", SHARED_STORES)
def test_processes_that_learn_one_fact_at_once_leave_one_active(store_name: str, tmp_path: Path) -> None:
    context = get_context("spawn")
    barrier = context.Barrier(2)
    processes = [
        context.Process(target=learn_homes_in_process, args=(store_name, tmp_path, TOWNS[number::2], barrier))
        for number in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    store = STORE_FACTORIES[store_name](tmp_path)

    assert [process.exitcode for process in processes] == [0, 0]
    assert_last_home_is_known(store, TOWNS)
    store.close()


def test_a_transaction_of_another_user_cannot_be_nested(store: Store) -> None:
    def nest() -> None:
        with store.transaction(ANA), store.transaction("bruno"):
            pass

    with pytest.raises(StoreError, match="bruno"):
        nest()
    with store.transaction("bruno"):
        store.messages.add(a_message("Mine", user="bruno"), ())
    assert store.users() == ["bruno"]


def test_transactions_of_any_user_can_be_nested_in_one_of_the_system(store: Store) -> None:
    with store.transaction(SYSTEM_USER):
        for user in (ANA, "bruno"):
            with store.transaction(user):
                store.messages.add(a_message("Mine", user=user), ())

    assert store.users() == [ANA, "bruno"]
