"""Deferred statements belong to their transaction."""

from datetime import timedelta

import pytest

from recollect.adapters.postgres.store import PostgresStore
from recollect.domain.job import EMBED_JOB
from recollect.domain.scope import Scope
from recollect.errors import StoreError
from recollect.testing.builders import ANA, a_message
from recollect.testing.clock import MONDAY


def test_a_transaction_reads_what_it_deferred(store: PostgresStore) -> None:
    with store.transaction(ANA):
        store.jobs.enqueue(ANA, EMBED_JOB, now=MONDAY)
        store.messages.add(a_message("Salt"), ())
        store.jobs.enqueue(ANA, EMBED_JOB, now=MONDAY)
        inside = store.jobs.list(Scope(ANA))
        store.jobs.enqueue(ANA, EMBED_JOB, now=MONDAY - timedelta(hours=1))
    [job] = store.jobs.list(Scope(ANA))

    assert [each.run_at for each in inside] == [MONDAY]
    assert job.run_at == MONDAY - timedelta(hours=1)


def test_a_deferred_statement_that_fails_undoes_its_transaction(store: PostgresStore) -> None:
    with pytest.raises(StoreError), store.transaction(ANA):  # noqa: PT012 - the error comes with the commit
        store.messages.add(a_message("Salt"), ())
        store._database.defer(
            "INSERT INTO jobs (user_id, kind, key, payload, state, run_at, created_at)"
            " VALUES ($1, '', '', '', 'unknown', 0, 0)",
            (ANA,),
        )

    assert store.messages.list(Scope(ANA)) == []
    assert store.users() == []
    store.messages.add(a_message("Salt"), ())
    assert store.users() == [ANA]
