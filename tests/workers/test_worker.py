"""The worker's loop: job outcomes, retries, shutdown."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.system.clock import SystemClock
from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import ProviderBusy, ProviderError, StoreFull
from recollect.testing.clock import FrozenClock
from recollect.workers.handlers import LEASE_DURATION, JobHandler, JobInterrupted, LeaseLost
from recollect.workers.worker import JobResult, Worker

USER_SCOPE = Scope("ana")
SECOND = timedelta(seconds=1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "memory.db")
    yield store
    store.close()


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


def enqueue_jobs(store: SqliteStore, *keys: str) -> None:
    for key in keys:
        store.jobs.enqueue("ana", NewJob(kind=JobKind.EXTRACT, key=key), now=FrozenClock().now())


def make_worker(store: SqliteStore, clock: FrozenClock, handler: Callable[[Job], object]) -> Worker:
    return Worker(store.jobs, {JobKind.EXTRACT: unfinished(handler)}, clock)


def unfinished(action: Callable[[Job], object]) -> JobHandler:
    """A handler that leaves it to the worker to finish the job."""

    def handler(job: Job) -> bool:
        action(job)
        return False

    return handler


def failing_handler(error: Exception) -> JobHandler:
    def handler(job: Job) -> bool:
        raise error

    return handler


def test_a_job_that_went_well_is_gone(store: SqliteStore, clock: FrozenClock) -> None:
    enqueue_jobs(store, "m1")
    done: list[str] = []
    worker = make_worker(store, clock, lambda job: done.append(job.key))
    outcome = worker.run_one()

    assert outcome is not None
    assert (outcome.job.key, outcome.error, outcome.is_dead, done) == ("m1", None, False, ["m1"])
    assert store.jobs.list(USER_SCOPE) == []
    assert worker.run_one() is None


@pytest.mark.spec("TR-13")
def test_a_job_that_found_its_provider_busy_waits_longer_each_time(
    store: SqliteStore, clock: FrozenClock
) -> None:
    enqueue_jobs(store, "m1")
    worker = make_worker(store, clock, failing_handler(ProviderBusy("come back later")))
    waits = []
    for _ in range(4):
        outcome = worker.run_one()
        assert outcome is not None
        assert (outcome.error, outcome.is_dead) == (
            Reason(ReasonCode.JOB_FAILED, {"error": "ProviderBusy", "detail": "come back later"}),
            False,
        )
        [job] = store.jobs.list(USER_SCOPE)
        assert (job.state, job.reason) == (
            JobState.READY,
            Reason(ReasonCode.JOB_FAILED, {"error": "ProviderBusy", "detail": "come back later"}),
        )
        waits.append(job.run_at - clock.now())
        assert worker.run_one() is None
        clock.advance(waits[-1])

    assert waits == [SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND]


@pytest.mark.spec("TR-13")
def test_a_permanently_failed_job_is_dead_with_its_reason(store: SqliteStore, clock: FrozenClock) -> None:
    enqueue_jobs(store, "m1")
    outcome = make_worker(store, clock, failing_handler(ProviderError("wrong key"))).run_one()

    assert outcome is not None
    assert (outcome.error, outcome.is_dead) == (
        Reason(ReasonCode.JOB_FAILED, {"error": "ProviderError", "detail": "wrong key"}),
        True,
    )
    [job] = store.jobs.list(USER_SCOPE)
    assert (job.state, job.reason) == (
        JobState.DEAD,
        Reason(ReasonCode.JOB_FAILED, {"error": "ProviderError", "detail": "wrong key"}),
    )


@pytest.mark.spec("TR-13")
def test_a_poisoned_job_is_dead_after_three_attempts_and_does_not_block_others(
    store: SqliteStore, clock: FrozenClock
) -> None:
    enqueue_jobs(store, "poisoned", "m2", "m3")
    done: list[str] = []

    def handler(job: Job) -> None:
        done.append(job.key)
        if job.key == "poisoned":
            raise ZeroDivisionError("oops")

    worker = make_worker(store, clock, handler)
    for _ in range(4):
        worker.drain(seconds=5)
        clock.advance(5 * SECOND)

    assert sorted(done) == ["m2", "m3", "poisoned", "poisoned", "poisoned"]
    assert [(job.key, job.state) for job in store.jobs.list(USER_SCOPE)] == [("poisoned", JobState.DEAD)]


@pytest.mark.parametrize(
    "error",
    [None, ProviderError("wrong key"), ProviderBusy("come back later"), ZeroDivisionError(), LeaseLost()],
)
def test_a_worker_without_a_lease_cannot_change_the_job(
    store: SqliteStore, clock: FrozenClock, error: Exception | None
) -> None:
    def sleeps_too_long(job: Job) -> None:
        clock.advance(LEASE_DURATION)
        assert store.jobs.lease(now=clock.now(), until=clock.now() + LEASE_DURATION) is not None
        if error:
            raise error

    enqueue_jobs(store, "m1")
    make_worker(store, clock, sleeps_too_long).run_one()

    [held] = store.jobs.list(USER_SCOPE)
    assert (held.state, held.attempts, held.reason) == (JobState.LEASED, 2, None)


def test_a_lost_lease_is_said_so(store: SqliteStore, clock: FrozenClock) -> None:
    enqueue_jobs(store, "m1")
    outcome = make_worker(store, clock, failing_handler(LeaseLost())).run_one()

    assert outcome is not None
    assert outcome.error == Reason(ReasonCode.LEASE_LOST)


def test_draining_does_everything_that_is_due_and_tells_of_each(
    store: SqliteStore, clock: FrozenClock
) -> None:
    enqueue_jobs(store, "m1", "m2", "m3")
    store.jobs.enqueue(
        "ana",
        NewJob(kind=JobKind.EXTRACT, key="tomorrow", run_at=clock.now() + timedelta(days=1)),
        now=clock.now(),
    )
    results: list[JobResult] = []

    assert make_worker(store, clock, lambda job: None).drain(seconds=5, on_result=results.append)
    assert [done.job.key for done in results] == ["m1", "m2", "m3"]
    assert [job.key for job in store.jobs.list(USER_SCOPE)] == ["tomorrow"]


def test_draining_stops_when_the_time_is_over(store: SqliteStore, clock: FrozenClock) -> None:
    enqueue_jobs(store, "m1", "m2", "m3")
    worker = make_worker(store, clock, lambda job: clock.advance(2 * SECOND))

    assert not worker.drain(seconds=3)
    assert len(store.jobs.list(USER_SCOPE)) == 1


def test_draining_waits_for_jobs_leased_by_others(store: SqliteStore) -> None:
    clock = SystemClock()
    store.jobs.enqueue("ana", NewJob(kind=JobKind.EXTRACT, key="m1"), now=clock.now())
    job = store.jobs.lease(now=clock.now(), until=clock.now() + LEASE_DURATION)
    assert job is not None
    worker = Worker(store.jobs, {JobKind.EXTRACT: unfinished(lambda _: None)}, clock)
    finished = threading.Timer(0.1, lambda: store.jobs.finish(job))
    finished.start()

    assert worker.drain(seconds=20)
    assert store.jobs.list(USER_SCOPE) == []
    finished.join()


def test_the_thread_works_until_it_is_stopped_and_there_is_one_of_it(store: SqliteStore) -> None:
    clock, done = SystemClock(), threading.Event()
    worker = Worker(store.jobs, {JobKind.EXTRACT: unfinished(lambda _: done.set())}, clock)
    worker.start()
    worker.start()
    threads = [thread for thread in threading.enumerate() if thread.name == "recollect-worker"]
    store.jobs.enqueue("ana", NewJob(kind=JobKind.EXTRACT, key="m1"), now=clock.now())
    worker.wake()

    assert done.wait(20)
    assert [thread.daemon for thread in threads] == [True]
    worker.stop()
    assert not threads[0].is_alive()


def test_stopping_waits_for_the_job_in_hand(store: SqliteStore) -> None:
    clock, begun, ended = SystemClock(), threading.Event(), threading.Event()

    def slow(job: Job) -> None:
        begun.set()
        ended.wait(0.2)
        ended.set()

    worker = Worker(store.jobs, {JobKind.EXTRACT: unfinished(slow)}, clock)
    store.jobs.enqueue("ana", NewJob(kind=JobKind.EXTRACT, key="m1"), now=clock.now())
    worker.start()
    assert begun.wait(20)
    worker.stop()

    assert ended.is_set()
    assert store.jobs.list(USER_SCOPE) == []


def test_a_full_disk_does_not_end_the_thread(store: SqliteStore) -> None:
    class Full:
        """A queue whose first call fails."""

        def __init__(self) -> None:
            self.asked = threading.Event()
            self.asked_again = threading.Event()

        def subscribe(self, wake: Callable[[], None]) -> AbstractContextManager[None]:
            return nullcontext()

        def lease(self, **_: object) -> None:
            if not self.asked.is_set():
                self.asked.set()
                raise StoreFull
            self.asked_again.set()

    jobs = Full()
    worker = Worker(jobs, {}, SystemClock())  # type: ignore[arg-type]
    worker.start()
    assert jobs.asked.wait(20)
    worker.wake()

    assert jobs.asked_again.wait(20)
    worker.stop()


def test_a_job_that_is_not_done_when_the_process_ends_is_given_back(store: SqliteStore) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def handler(_: Job) -> None:
        begun.set()
        assert go_on.wait(30)

    clock = FrozenClock()
    enqueue_jobs(store, "m1")
    worker = make_worker(store, clock, handler)
    worker.start()
    assert begun.wait(30)
    worker.stop(seconds=0)
    [job] = store.jobs.list(USER_SCOPE)
    taken = store.jobs.lease(now=clock.now(), until=clock.now() + LEASE_DURATION)
    go_on.set()
    worker.stop()

    assert (job.state, job.reason) == (JobState.READY, Reason(ReasonCode.JOB_INTERRUPTED))
    assert taken is not None
    assert store.jobs.extend_lease(taken, until=clock.now())


def test_an_interrupted_job_is_given_back(store: SqliteStore, clock: FrozenClock) -> None:
    enqueue_jobs(store, "m1")
    outcome = make_worker(store, clock, failing_handler(JobInterrupted())).run_one()

    assert outcome is not None
    assert (outcome.error, outcome.is_dead) == (Reason(ReasonCode.JOB_INTERRUPTED), False)
    [job] = store.jobs.list(USER_SCOPE)
    assert (job.state, job.run_at) == (JobState.READY, clock.now())
