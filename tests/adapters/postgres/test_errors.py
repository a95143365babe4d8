"""Errors of the server are translated by SQLSTATE, and connections return to the pool."""

import threading

import psycopg
import pytest

from recollect.adapters.postgres.errors import to_store_error
from recollect.adapters.postgres.store import PostgresStore
from recollect.domain.scope import Scope
from recollect.errors import (
    CorruptStore,
    InvalidInput,
    NotFound,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from recollect.testing.builders import ANA, a_message


def error_with(state: str) -> psycopg.Error:
    error = psycopg.Error("memories_pkey_102024")
    error.sqlstate = state
    return error


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("08006", StoreBusy),
        ("40001", StoreBusy),
        ("40P01", StoreBusy),
        ("55P03", StoreBusy),
        ("57014", StoreBusy),
        ("57P01", StoreBusy),
        ("53300", StoreBusy),
        ("53100", StoreFull),
        ("25006", StoreReadOnly),
        ("28P01", StoreReadOnly),
        ("XX001", CorruptStore),
        ("XX000", StoreError),
    ],
)
def test_an_error_is_translated_by_its_state(state: str, kind: type[StoreError]) -> None:
    assert type(to_store_error(error_with(state), "postgresql://db/memory")) is kind


def test_a_text_with_nul_is_refused_and_leaves_no_trace(store: PostgresStore) -> None:
    with pytest.raises(InvalidInput, match="0000"):
        store.messages.add(a_message("a\0b"), ())

    assert store.messages.list(Scope(ANA)) == []


def test_a_call_returns_its_connection_whatever_happens(store: PostgresStore) -> None:
    store.messages.add(a_message("Hello"), ())
    store.messages.list(Scope(ANA))
    with pytest.raises(NotFound):
        store.messages.get(Scope(ANA), "nothing")
    with pytest.raises(NotFound):
        store.messages.delete(Scope(ANA), "nothing")
    with pytest.raises(RuntimeError), store.transaction(ANA):
        raise RuntimeError

    statistics = store._database._pool.get_stats()
    assert statistics["pool_available"] == statistics["pool_size"]


def test_a_terminated_connection_is_replaced(store: PostgresStore, url: str) -> None:
    store.messages.add(a_message("Before"), ())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    errors = 0
    for _ in range(3):
        try:
            store.messages.add(a_message("After"), ())
            break
        except StoreBusy:
            errors += 1

    assert errors <= 1
    assert [message.content for message in store.messages.list(Scope(ANA))] == ["Before", "After"]


def test_a_writer_that_waits_too_long_for_another_gets_a_busy_error(url: str) -> None:
    first, second = PostgresStore(url), PostgresStore(url, busy_timeout_ms=50)
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with first.transaction(ANA):
            entered.set()
            leave.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait(30)
    with pytest.raises(StoreBusy):
        second.messages.add(a_message("Hello"), ())
    second.messages.add(a_message("Hello", user="bruno"), ())
    leave.set()
    holder.join()
    first.close()
    second.close()


def test_an_erasure_says_until_when_copies_remain(store: PostgresStore) -> None:
    store.messages.add(a_message("A secret"), ())
    erased = store.erasure.erase_user(ANA)
    scan = store.byte_erasure.scrub(erased.texts)

    assert not scan.is_complete
    assert "write-ahead log" in scan.detail
    assert "until these are recycled" in scan.detail
    with pytest.raises(NotFound):
        store.erasure.erase_user(ANA)
