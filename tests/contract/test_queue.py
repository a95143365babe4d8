"""What any queue must do: nothing queued is lost, and a worker that comes too late changes nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.scope import Scope
from recollect.ports.store import Store
from recollect.testing.builders import ANA, a_message
from recollect.testing.clock import MONDAY, FrozenClock

MINE = Scope(ANA)
BRUNO = Scope("bruno")
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
EMBED = NewJob(kind=JobKind.EMBED, key="embed")
JUDGE = NewJob(kind=JobKind.JUDGE, key="m1", payload={"message": "m1", "tries": 2})


class Stop(Exception):
    """Something went wrong half-way."""


def taken(store: Store, clock: FrozenClock) -> Job:
    job = store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE)
    assert job is not None
    return job


def zombie(store: Store, clock: FrozenClock) -> Job:
    """A job whose holder fell asleep, and which somebody else has taken over."""
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    late = taken(store, clock)
    clock.advance(MINUTE)
    taken(store, clock)
    return late


def test_a_queued_job_comes_back_with_all_it_was_given(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, JUDGE, now=clock.now())
    [queued] = store.jobs.list(MINE)

    assert queued == Job(
        id=queued.id,
        user=ANA,
        kind=JobKind.JUDGE,
        key="m1",
        payload={"message": "m1", "tries": 2},
        state=JobState.READY,
        attempts=0,
        run_at=MONDAY,
        created_at=MONDAY,
    )
    assert taken(store, clock) == replace(
        queued, state=JobState.LEASED, attempts=1, lease=queued.lease + 1, leased_until=MONDAY + MINUTE
    )


def test_a_job_that_waits_already_is_not_queued_twice(store: Store, clock: FrozenClock) -> None:
    for _ in range(3):
        store.jobs.enqueue(ANA, EMBED, now=clock.now())
    store.jobs.enqueue(ANA, JUDGE, now=clock.now())
    store.jobs.enqueue("bruno", EMBED, now=clock.now())

    assert [(job.kind, job.key) for job in store.jobs.list(MINE)] == [
        (JobKind.EMBED, "embed"),
        (JobKind.JUDGE, "m1"),
    ]
    assert len(store.jobs.list(BRUNO)) == 1


def test_a_job_asked_for_earlier_than_it_was_to_run_runs_earlier(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, replace(EMBED, run_at=MONDAY + MINUTE), now=clock.now())
    store.jobs.enqueue(ANA, EMBED, now=clock.now())

    assert taken(store, clock).run_at == MONDAY


def test_a_job_asked_for_while_it_runs_runs_again(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    first = taken(store, clock)
    store.jobs.enqueue(ANA, EMBED, now=clock.now())

    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.finish(first)
    second = taken(store, clock)
    assert (second.attempts, second.lease) == (1, first.lease + 1)
    assert store.jobs.finish(second)
    assert store.jobs.list(MINE) == []


def test_a_job_that_is_not_due_is_left_alone(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, replace(EMBED, run_at=MONDAY + MINUTE), now=clock.now())

    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.next_due() == MONDAY + MINUTE
    clock.advance(MINUTE)
    assert taken(store, clock).key == "embed"


def test_a_worker_gets_only_the_kinds_it_asks_for(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    store.jobs.enqueue(ANA, JUDGE, now=clock.now())
    until = clock.now() + MINUTE

    job = store.jobs.lease(now=clock.now(), until=until, kinds=(JobKind.GARDEN, JobKind.JUDGE))
    assert job is not None
    assert job.kind is JobKind.JUDGE
    assert store.jobs.lease(now=clock.now(), until=until, kinds=(JobKind.GARDEN, JobKind.JUDGE)) is None


def test_nobody_else_gets_a_job_before_its_lease_runs_out(
    store: Store, clock: FrozenClock, open_store: Callable[[], Store]
) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    job = taken(store, clock)
    other = open_store()

    clock.advance(MINUTE - SECOND)
    assert other.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.holds(job)


def test_of_many_who_want_one_job_at_once_one_gets_it(store: Store, clock: FrozenClock) -> None:
    for n in range(5):
        store.jobs.enqueue(ANA, replace(JUDGE, key=str(n)), now=clock.now())
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda _: store.jobs.lease(now=MONDAY, until=MONDAY + MINUTE), range(20)))

    assert sorted(job.key for job in got if job is not None) == ["0", "1", "2", "3", "4"]


def test_a_job_whose_holder_fell_silent_is_taken_over(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    late = taken(store, clock)
    clock.advance(MINUTE)
    rescuer = taken(store, clock)

    assert (rescuer.id, rescuer.attempts, rescuer.lease) == (late.id, 2, late.lease + 1)
    assert store.jobs.holds(rescuer)
    assert not store.jobs.holds(late)


ZOMBIE_TRIES: dict[str, Callable[[Store, Job], bool]] = {
    "finish": lambda store, job: store.jobs.finish(job),
    "extend": lambda store, job: store.jobs.extend(job, until=MONDAY + 9 * MINUTE),
    "postpone": lambda store, job: store.jobs.postpone(job, run_at=MONDAY, reason="I was asleep"),
    "park": lambda store, job: store.jobs.park(job, reason="I was asleep"),
}


@pytest.mark.parametrize("attempt", ZOMBIE_TRIES.values(), ids=ZOMBIE_TRIES.keys())
def test_a_worker_that_comes_too_late_changes_nothing(
    store: Store, clock: FrozenClock, attempt: Callable[[Store, Job], bool]
) -> None:
    late = zombie(store, clock)
    before = store.jobs.list(MINE)

    assert not attempt(store, late)
    assert store.jobs.list(MINE) == before


@pytest.mark.parametrize("attempt", ZOMBIE_TRIES.values(), ids=ZOMBIE_TRIES.keys())
def test_a_worker_that_comes_after_the_job_was_done_does_not_bring_it_back(
    store: Store, clock: FrozenClock, attempt: Callable[[Store, Job], bool]
) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    job = taken(store, clock)
    store.jobs.finish(job)

    assert not attempt(store, job)
    assert store.jobs.list(MINE) == []


def test_a_late_worker_cannot_touch_the_next_job_of_the_same_name(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    old = taken(store, clock)
    store.jobs.finish(old)
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    new = taken(store, clock)

    assert not store.jobs.finish(old)
    assert store.jobs.holds(new)


def test_a_lease_can_be_kept_for_longer(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    job = taken(store, clock)

    assert store.jobs.extend(job, until=MONDAY + 5 * MINUTE)
    clock.advance(4 * MINUTE)
    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.next_due() == MONDAY + 5 * MINUTE


def test_a_finished_job_is_gone(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())

    assert store.jobs.finish(taken(store, clock))
    assert store.jobs.list(MINE) == []
    assert store.jobs.next_due() is None


@pytest.mark.spec("TR-13")
def test_a_postponed_job_waits_with_its_reason_and_counts_its_attempts(
    store: Store, clock: FrozenClock
) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    job = taken(store, clock)

    assert store.jobs.postpone(job, run_at=MONDAY + MINUTE, reason="the provider is busy")
    [waiting] = store.jobs.list(MINE)
    assert (waiting.state, waiting.reason, waiting.run_at) == (
        JobState.READY,
        "the provider is busy",
        MONDAY + MINUTE,
    )
    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    clock.advance(MINUTE)
    assert taken(store, clock).attempts == 2


@pytest.mark.spec("TR-13")
def test_a_parked_job_keeps_its_reason_and_is_left_alone_until_a_retry(
    store: Store, clock: FrozenClock
) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    assert store.jobs.park(taken(store, clock), reason="the model is missing")
    clock.advance(MINUTE)

    [parked] = store.jobs.list(MINE)
    assert (parked.state, parked.reason) == (JobState.PARKED, "the model is missing")
    assert store.jobs.lease(now=clock.now(), until=clock.now() + MINUTE) is None
    assert store.jobs.outstanding(now=clock.now()) == 0
    assert store.jobs.counts(MINE) == {(JobKind.EMBED, JobState.PARKED): 1}

    assert store.jobs.retry(MINE, now=clock.now()) == 1
    again = taken(store, clock)
    assert (again.attempts, again.reason) == (1, None)


def test_all_parked_jobs_of_a_kind_can_be_revived_at_once(store: Store, clock: FrozenClock) -> None:
    for user, job in ((ANA, EMBED), (ANA, JUDGE), ("bruno", EMBED)):
        store.jobs.enqueue(user, job, now=clock.now())
        store.jobs.park(taken(store, clock), reason="the model is missing")
    clock.advance(MINUTE)

    assert store.jobs.revive(JobKind.EMBED, now=clock.now()) == 2
    assert store.jobs.counts(MINE) == {
        (JobKind.EMBED, JobState.READY): 1,
        (JobKind.JUDGE, JobState.PARKED): 1,
    }
    assert store.jobs.counts(BRUNO) == {(JobKind.EMBED, JobState.READY): 1}


def test_new_work_for_a_parked_job_gives_it_another_chance(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    store.jobs.park(taken(store, clock), reason="the model is missing")
    clock.advance(MINUTE)
    store.jobs.enqueue(ANA, EMBED, now=clock.now())

    [waiting] = store.jobs.list(MINE)
    assert (waiting.state, waiting.run_at, waiting.reason) == (
        JobState.READY,
        MONDAY + MINUTE,
        "the model is missing",
    )
    assert taken(store, clock).attempts == 1


def test_new_work_that_came_while_a_job_failed_for_good_is_not_parked_with_it(
    store: Store, clock: FrozenClock
) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    failing = taken(store, clock)
    store.jobs.enqueue(ANA, EMBED, now=clock.now())

    assert store.jobs.park(failing, reason="the model is missing")
    assert store.jobs.park(taken(store, clock), reason="the model is missing")
    assert [job.state for job in store.jobs.list(MINE)] == [JobState.PARKED]


def test_one_parked_job_or_all_of_a_user_can_be_retried(store: Store, clock: FrozenClock) -> None:
    for user, key in ((ANA, "1"), (ANA, "2"), ("bruno", "3")):
        store.jobs.enqueue(user, replace(JUDGE, key=key), now=clock.now())
        store.jobs.park(taken(store, clock), reason="poisoned")
    first, second = store.jobs.list(MINE)
    [theirs] = store.jobs.list(BRUNO)

    assert store.jobs.retry(MINE, job_id=theirs.id, now=clock.now()) == 0
    assert store.jobs.retry(MINE, job_id=second.id, now=clock.now()) == 1
    assert [job.state for job in store.jobs.list(MINE)] == [JobState.PARKED, JobState.READY]
    assert store.jobs.retry(MINE, now=clock.now()) == 1
    assert store.jobs.list(BRUNO) == [theirs]
    assert store.jobs.list(MINE)[0].id == first.id


def test_what_is_due_or_in_somebodys_hands_is_outstanding(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    store.jobs.enqueue("bruno", JUDGE, now=clock.now())
    store.jobs.enqueue("carla", replace(JUDGE, run_at=MONDAY + MINUTE), now=clock.now())
    taken(store, clock)

    assert store.jobs.outstanding(now=clock.now()) == 2
    assert store.jobs.counts(MINE) == {(JobKind.EMBED, JobState.LEASED): 1}


@pytest.mark.spec("T9")
def test_a_job_exists_if_and_only_if_its_message_does(store: Store, clock: FrozenClock) -> None:
    def half_way() -> None:
        with store.transaction():
            store.messages.add(a_message("Hello"), ())
            store.jobs.enqueue(ANA, EMBED, now=clock.now())
            raise Stop

    with pytest.raises(Stop):
        half_way()
    assert store.jobs.next_due() is None
    with store.transaction():
        store.messages.add(a_message("Hello"), ())
        store.jobs.enqueue(ANA, EMBED, now=clock.now())
    assert [job.key for job in store.jobs.list(MINE)] == ["embed"]


def test_work_that_was_rolled_back_is_not_done(store: Store, clock: FrozenClock) -> None:
    store.jobs.enqueue(ANA, EMBED, now=clock.now())
    job = taken(store, clock)

    def half_way() -> None:
        with store.transaction():
            assert store.jobs.finish(job)
            raise Stop

    with pytest.raises(Stop):
        half_way()
    assert store.jobs.holds(job)


@pytest.mark.spec("D20", "T6")
def test_what_only_waits_for_company_can_be_hurried(store: Store, clock: FrozenClock) -> None:
    later = clock.now() + timedelta(seconds=30)
    store.jobs.enqueue(ANA, NewJob(kind=JobKind.JUDGE, key="batch", run_at=later), now=clock.now())
    store.jobs.enqueue(ANA, NewJob(kind=JobKind.EMBED, key="embed"), now=clock.now())
    failed = store.jobs.lease(now=clock.now(), until=later)
    assert failed is not None
    store.jobs.postpone(failed, run_at=later, reason="not now")

    assert store.jobs.outstanding(now=clock.now()) == 0
    assert store.jobs.hurry(now=clock.now()) == 1
    assert store.jobs.outstanding(now=clock.now()) == 1
