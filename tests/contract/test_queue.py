"""Contract of job queues: no queued job is lost, and a worker with a lost lease changes nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.contract.stores import OpenStore

from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.ports.store import Store
from recollect.testing.builders import ANA, a_message
from recollect.testing.clock import MONDAY, FrozenClock

USER_SCOPE = Scope(ANA)
BRUNO_SCOPE = Scope("bruno")
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
FAILURE = Reason(ReasonCode.JOB_FAILED, {"error": "ProviderBusy", "detail": "come back later"})
EMBED_JOB = NewJob(kind=JobKind.EMBED, key="embed")
EXTRACT_JOB = NewJob(kind=JobKind.EXTRACT, key="m1", payload={"message": "m1", "tries": 2})


class RollbackError(Exception):
    """Raised to roll a transaction back."""


def lease_job(store: Store, clock: FrozenClock) -> Job:
    job = store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE)
    assert job is not None
    return job


def lease_lost_job(store: Store, clock: FrozenClock) -> Job:
    """Return a job whose lease expired and which another worker has leased since."""
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    late = lease_job(store, clock)
    clock.advance(MINUTE)
    lease_job(store, clock)
    return late


def test_a_queued_job_is_leased_with_all_its_fields(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EXTRACT_JOB, now=clock.now())
    [queued] = store.jobs.list(USER_SCOPE)

    assert queued == Job(
        id=queued.id,
        user=ANA,
        kind=JobKind.EXTRACT,
        key="m1",
        payload={"message": "m1", "tries": 2},
        state=JobState.READY,
        attempts=0,
        run_at=MONDAY,
        created_at=MONDAY,
    )
    assert lease_job(store, clock) == replace(
        queued,
        state=JobState.LEASED,
        attempts=1,
        fencing_token=queued.fencing_token + 1,
        leased_until=MONDAY + MINUTE,
    )


def test_a_queued_job_is_not_queued_twice(store: Store, clock: FrozenClock) -> None:
    for _ in range(3):
        store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    store.jobs.enqueue(ANA, EXTRACT_JOB, now=clock.now())
    store.jobs.enqueue("bruno", EMBED_JOB, now=clock.now())

    assert [(job.kind, job.key) for job in store.jobs.list(USER_SCOPE)] == [
        (JobKind.EMBED, "embed"),
        (JobKind.EXTRACT, "m1"),
    ]
    assert len(store.jobs.list(BRUNO_SCOPE)) == 1


def test_enqueuing_a_job_for_an_earlier_time_moves_it_forward(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, replace(EMBED_JOB, run_at=MONDAY + MINUTE), now=clock.now())
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())

    assert lease_job(store, clock).run_at == MONDAY


def test_a_job_enqueued_while_it_runs_runs_again(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    first = lease_job(store, clock)
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())

    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.finish(first)
    second = lease_job(store, clock)
    assert (second.attempts, second.fencing_token) == (1, first.fencing_token + 1)
    assert store.jobs.finish(second)
    assert store.jobs.list(USER_SCOPE) == []


def test_a_job_that_is_not_due_is_not_leased(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, replace(EMBED_JOB, run_at=MONDAY + MINUTE), now=clock.now())

    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.next_due() == MONDAY + MINUTE
    clock.advance(MINUTE)
    assert lease_job(store, clock).key == "embed"


def test_a_worker_leases_only_the_kinds_it_asks_for(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    store.jobs.enqueue(ANA, EXTRACT_JOB, now=clock.now())
    until = clock.now() + MINUTE

    job = store.jobs.lease(now=clock.now(), until=until, kinds=(JobKind.MAINTENANCE, JobKind.EXTRACT))
    assert job is not None
    assert job.kind is JobKind.EXTRACT
    assert (
        store.jobs.lease(now=clock.now(), until=until, kinds=(JobKind.MAINTENANCE, JobKind.EXTRACT)) is None
    )


def test_a_leased_job_is_not_leased_again_before_expiry(
    store: Store, clock: FrozenClock, open_store: OpenStore
) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    job = lease_job(store, clock)
    other = open_store()

    clock.advance(MINUTE - SECOND)
    assert other.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.extend_lease(job, until=clock.now() + MINUTE)


def test_one_of_many_concurrent_workers_leases_a_job(store: Store, clock: FrozenClock) -> None:
    for n in range(5):
        store.jobs.enqueue(ANA, replace(EXTRACT_JOB, key=str(n)), now=clock.now())
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda _: store.jobs.lease(now=MONDAY, until=MONDAY + MINUTE), range(20)))

    assert sorted(job.key for job in got if job is not None) == ["0", "1", "2", "3", "4"]


def test_a_job_with_an_expired_lease_is_leased_again(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    late = lease_job(store, clock)
    clock.advance(MINUTE)
    rescuer = lease_job(store, clock)

    assert (rescuer.id, rescuer.attempts, rescuer.fencing_token) == (late.id, 2, late.fencing_token + 1)
    assert store.jobs.extend_lease(rescuer, until=clock.now() + MINUTE)
    assert not store.jobs.extend_lease(late, until=clock.now() + MINUTE)


LOST_LEASE_CALLS: dict[str, Callable[[Store, Job], bool]] = {
    "finish": lambda store, job: store.jobs.finish(job),
    "extend": lambda store, job: store.jobs.extend_lease(job, until=MONDAY + 9 * MINUTE),
    "postpone": lambda store, job: store.jobs.postpone(job, run_at=MONDAY, reason=FAILURE),
    "park": lambda store, job: store.jobs.dead_letter(job, reason=FAILURE),
}


@pytest.mark.parametrize("attempt", LOST_LEASE_CALLS.values(), ids=LOST_LEASE_CALLS.keys())
def test_a_worker_with_a_lost_lease_changes_nothing(
    store: Store, clock: FrozenClock, attempt: Callable[[Store, Job], bool]
) -> None:
    late = lease_lost_job(store, clock)
    before = store.jobs.list(USER_SCOPE)

    assert not attempt(store, late)
    assert store.jobs.list(USER_SCOPE) == before


@pytest.mark.parametrize("attempt", LOST_LEASE_CALLS.values(), ids=LOST_LEASE_CALLS.keys())
def test_a_late_worker_does_not_restore_a_finished_job(
    store: Store, clock: FrozenClock, attempt: Callable[[Store, Job], bool]
) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    job = lease_job(store, clock)
    store.jobs.finish(job)

    assert not attempt(store, job)
    assert store.jobs.list(USER_SCOPE) == []


def test_a_late_worker_cannot_change_the_next_job_with_the_same_key(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    old = lease_job(store, clock)
    store.jobs.finish(old)
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    new = lease_job(store, clock)

    assert not store.jobs.finish(old)
    assert store.jobs.extend_lease(new, until=clock.now() + MINUTE)


def test_a_lease_can_be_extended(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    job = lease_job(store, clock)

    assert store.jobs.extend_lease(job, until=MONDAY + 5 * MINUTE)
    clock.advance(4 * MINUTE)
    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.next_due() == MONDAY + 5 * MINUTE


def test_a_finished_job_is_deleted(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())

    assert store.jobs.finish(lease_job(store, clock))
    assert store.jobs.list(USER_SCOPE) == []
    assert store.jobs.next_due() is None


@pytest.mark.spec("TR-13")
def test_a_postponed_job_waits_with_its_reason_and_counts_its_attempts(
    store: Store, clock: FrozenClock
) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    job = lease_job(store, clock)

    assert store.jobs.postpone(job, run_at=MONDAY + MINUTE, reason=FAILURE)
    [waiting] = store.jobs.list(USER_SCOPE)
    assert (waiting.state, waiting.reason, waiting.run_at) == (
        JobState.READY,
        FAILURE,
        MONDAY + MINUTE,
    )
    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    clock.advance(MINUTE)
    assert lease_job(store, clock).attempts == 2


@pytest.mark.spec("TR-13")
def test_a_dead_letter_keeps_its_reason_and_is_not_leased_until_a_retry(
    store: Store, clock: FrozenClock
) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    assert store.jobs.dead_letter(lease_job(store, clock), reason=FAILURE)
    clock.advance(MINUTE)

    [dead] = store.jobs.list(USER_SCOPE)
    assert (dead.state, dead.reason) == (JobState.DEAD, FAILURE)
    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.count_outstanding(now=clock.now()) == 0
    assert store.jobs.count_by_state(USER_SCOPE) == {(JobKind.EMBED, JobState.DEAD): 1}

    assert store.jobs.retry(USER_SCOPE, now=clock.now()) == 1
    again = lease_job(store, clock)
    assert (again.attempts, again.reason) == (1, None)


def test_all_dead_letters_of_a_kind_can_be_retried(store: Store, clock: FrozenClock) -> None:
    for user, job in ((ANA, EMBED_JOB), (ANA, EXTRACT_JOB), ("bruno", EMBED_JOB)):
        store.jobs.enqueue(user, job, now=clock.now())
        store.jobs.dead_letter(lease_job(store, clock), reason=FAILURE)
    clock.advance(MINUTE)

    assert store.jobs.retry_dead(JobKind.EMBED, now=clock.now()) == 2
    assert store.jobs.count_by_state(USER_SCOPE) == {
        (JobKind.EMBED, JobState.READY): 1,
        (JobKind.EXTRACT, JobState.DEAD): 1,
    }
    assert store.jobs.count_by_state(BRUNO_SCOPE) == {(JobKind.EMBED, JobState.READY): 1}


def test_enqueuing_a_dead_letter_again_makes_it_ready(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    store.jobs.dead_letter(lease_job(store, clock), reason=FAILURE)
    clock.advance(MINUTE)
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())

    [waiting] = store.jobs.list(USER_SCOPE)
    assert (waiting.state, waiting.run_at, waiting.reason) == (
        JobState.READY,
        MONDAY + MINUTE,
        FAILURE,
    )
    assert lease_job(store, clock).attempts == 1


def test_a_job_enqueued_again_while_it_fails_does_not_become_a_dead_letter(
    store: Store, clock: FrozenClock
) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    failing = lease_job(store, clock)
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())

    assert store.jobs.dead_letter(failing, reason=FAILURE)
    assert store.jobs.dead_letter(lease_job(store, clock), reason=FAILURE)
    assert [job.state for job in store.jobs.list(USER_SCOPE)] == [JobState.DEAD]


def test_one_dead_letter_or_all_of_a_user_can_be_retried(store: Store, clock: FrozenClock) -> None:
    for user, key in ((ANA, "1"), (ANA, "2"), ("bruno", "3")):
        store.jobs.enqueue(user, replace(EXTRACT_JOB, key=key), now=clock.now())
        store.jobs.dead_letter(lease_job(store, clock), reason=FAILURE)
    first, second = store.jobs.list(USER_SCOPE)
    [theirs] = store.jobs.list(BRUNO_SCOPE)

    assert store.jobs.retry(USER_SCOPE, job_id=theirs.id, now=clock.now()) == 0
    assert store.jobs.retry(USER_SCOPE, job_id=second.id, now=clock.now()) == 1
    assert [job.state for job in store.jobs.list(USER_SCOPE)] == [JobState.DEAD, JobState.READY]
    assert store.jobs.retry(USER_SCOPE, now=clock.now()) == 1
    assert store.jobs.list(BRUNO_SCOPE) == [theirs]
    assert store.jobs.list(USER_SCOPE)[0].id == first.id


def test_due_and_leased_jobs_are_outstanding(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    store.jobs.enqueue("bruno", EXTRACT_JOB, now=clock.now())
    store.jobs.enqueue("carla", replace(EXTRACT_JOB, run_at=MONDAY + MINUTE), now=clock.now())
    lease_job(store, clock)

    assert store.jobs.count_outstanding(now=clock.now()) == 2
    assert store.jobs.count_by_state(USER_SCOPE) == {(JobKind.EMBED, JobState.LEASED): 1}


@pytest.mark.spec("T9")
def test_a_job_exists_if_and_only_if_its_message_does(store: Store, clock: FrozenClock) -> None:
    def write_and_fail() -> None:
        with store.transaction(ANA):
            store.messages.add(a_message("Hello"), ())
            store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
            raise RollbackError

    with pytest.raises(RollbackError):
        write_and_fail()
    assert store.jobs.next_due() is None
    with store.transaction(ANA):
        store.messages.add(a_message("Hello"), ())
        store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    assert [job.key for job in store.jobs.list(USER_SCOPE)] == ["embed"]


def test_a_job_enqueued_in_a_rolled_back_transaction_does_not_exist(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED_JOB, now=clock.now())
    job = lease_job(store, clock)

    def write_and_fail() -> None:
        with store.transaction(ANA):
            assert store.jobs.finish(job)
            raise RollbackError

    with pytest.raises(RollbackError):
        write_and_fail()
    assert store.jobs.extend_lease(job, until=clock.now() + MINUTE)


@pytest.mark.spec("D20", "T6")
def test_delayed_jobs_can_be_run_now(store: Store, clock: FrozenClock) -> None:
    later = clock.now() + timedelta(seconds=30)
    store.jobs.enqueue(ANA, NewJob(kind=JobKind.EXTRACT, key="batch", run_at=later), now=clock.now())
    store.jobs.enqueue(ANA, NewJob(kind=JobKind.EMBED, key="embed"), now=clock.now())
    failed = store.jobs.lease(now=clock.now(), until=later)
    assert failed is not None
    store.jobs.postpone(failed, run_at=later, reason=FAILURE)

    assert store.jobs.count_outstanding(now=clock.now()) == 0
    assert store.jobs.run_now(now=clock.now()) == 1
    assert store.jobs.count_outstanding(now=clock.now()) == 1
