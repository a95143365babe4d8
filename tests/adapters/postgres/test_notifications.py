"""Workers of other processes are notified of jobs."""

import threading

import psycopg

from recollect.adapters.postgres.store import PostgresStore
from recollect.domain.job import EMBED_JOB
from recollect.testing.builders import ANA
from recollect.testing.clock import MONDAY

TERMINATE_LISTENERS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'
"""


def enqueue(store: PostgresStore, user: str) -> None:
    store.jobs.enqueue(user, EMBED_JOB, now=MONDAY)


def test_a_job_wakes_the_workers_of_other_processes(store: PostgresStore, url: str) -> None:
    other, woken = PostgresStore(url), threading.Event()
    with other.jobs.subscribe(woken.set):
        # It wakes once when it begins to listen.
        assert woken.wait(20)
        woken.clear()
        enqueue(store, ANA)

        assert woken.wait(20)
    other.close()


def test_a_listener_that_lost_its_connection_listens_again(store: PostgresStore, url: str) -> None:
    woken = threading.Event()
    with store.jobs.subscribe(woken.set):
        assert woken.wait(20)
        woken.clear()
        with psycopg.connect(url, autocommit=True) as connection:
            assert connection.execute(TERMINATE_LISTENERS).fetchall() == [(True,)]
        # What was enqueued meanwhile is looked for when it listens again.
        assert woken.wait(20)
        woken.clear()
        enqueue(store, ANA)

        assert woken.wait(20)


def test_nobody_listens_through_a_transaction_pooler(url: str) -> None:
    store, woken = PostgresStore(url, prepares=False), threading.Event()
    with store.jobs.subscribe(woken.set):
        enqueue(store, ANA)

        assert not woken.wait(0.5)
    store.close()
