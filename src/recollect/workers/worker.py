"""
The worker: a loop that leases jobs, runs their handlers and records the outcome.

It runs as a thread of the library or the server, or as its own process; any number of workers may share a queue. On
start it runs `recover` once, and `run_daily` then and every hour: that runs its tasks if no worker on the same store
has run them within a day. When no job is due, it sleeps until `wake` is called, at most one second, since other
processes may have enqueued work of which the store does not notify it.

The outcome of a job is one of: finished (the row is deleted), postponed with exponential backoff (see `retry.py`), a
dead letter with its reason, interrupted by shutdown (due again immediately), or lost (another worker has the lease).

Invariants: a job is never lost. It stays in its row until it finishes, and an expired lease makes it available
again; the fencing token keeps a late worker from finishing it. This is the job boundary, one of the two places with a
broad `except`: no error of a handler ends the loop. Store errors (a full disk, a lock) are retried after a pause.

Example: an "extract" job fails with ProviderBusy on attempts 1, 2 and 3; it runs again after 1, 2 and 4 s, and once the
provider answers, its row is deleted. With AnswerUnreadable it becomes a dead letter on the first attempt.
"""

import atexit
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from recollect.domain.job import Job, JobKind
from recollect.domain.reason import Reason, ReasonCode
from recollect.errors import StoreError
from recollect.ports.clock import Clock
from recollect.ports.queue import JobQueue
from recollect.workers.handlers import LEASE_DURATION, JobHandler, JobInterrupted, LeaseLost
from recollect.workers.retry import GiveUp, RetryLater, decide_retry

#: Maximum sleep of an idle worker, since other processes may have enqueued jobs.
IDLE_WAIT_SECONDS = 1.0
#: Time between two checks whether daily tasks are due.
SCHEDULE_CHECK_INTERVAL = timedelta(hours=1)
SHUTDOWN_REASON = Reason(ReasonCode.JOB_INTERRUPTED)
#: Polling interval of `drain` while other workers hold leases.
POLL_SECONDS = 0.02
#: Maximum wait at interpreter exit for the running job. The lease of a longer job expires.
EXIT_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """The outcome of one job."""

    job: Job
    error: Reason | None = None  #: None if it succeeded
    is_dead: bool = False


class Worker:
    def __init__(
        self,
        jobs: JobQueue,
        handlers: Mapping[JobKind, JobHandler],
        clock: Clock,
        *,
        recover: Callable[[], None] | None = None,
        run_daily: Callable[[], None] | None = None,
    ) -> None:
        """Create a worker. `recover` runs once, before the first job; `run_daily` then and every hour."""
        self._jobs = jobs
        self._recover = recover
        self._run_daily = run_daily
        self._handlers = handlers
        self._clock = clock
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._running_jobs: dict[int, Job] = {}  #: by thread
        self._start_lock = threading.Lock()

    def run_one(self) -> JobResult | None:
        """Run one due job and return its outcome, or None if no job is due."""
        now = self._clock.now()
        job = self._jobs.lease(now=now, until=now + LEASE_DURATION, kinds=tuple(self._handlers))
        if job is None:
            return None
        self._running_jobs[threading.get_ident()] = job
        try:
            is_finished = self._handlers[job.kind](job)
        except LeaseLost:
            return JobResult(job=job, error=Reason(ReasonCode.LEASE_LOST))
        except JobInterrupted:
            self._jobs.postpone(job, run_at=self._clock.now(), reason=SHUTDOWN_REASON)
            return JobResult(job=job, error=SHUTDOWN_REASON)
        except Exception as error:  # noqa: BLE001 - the job boundary: record, decide on retry, go on
            return self._handle_failure(job, error)
        finally:
            del self._running_jobs[threading.get_ident()]
        if not is_finished:
            self._jobs.finish(job)
        return JobResult(job=job)

    def drain(self, *, seconds: float, on_result: Callable[[JobResult], None] | None = None) -> bool:
        """Run jobs until none is due or leased, or the time is up; return whether all are done."""
        end = self._clock.monotonic() + seconds
        while self._clock.monotonic() < end:
            result = self.run_one()
            if result and on_result:
                on_result(result)
            if result is None and not self._jobs.count_outstanding(now=self._clock.now()):
                return True
            if result is None:
                self._stop.wait(POLL_SECONDS)
        return False

    def start(self, on_result: Callable[[JobResult], None] | None = None) -> None:
        """Start the worker's daemon thread, once. `on_result` is called with the outcome of each job."""
        with self._start_lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self.run, args=(on_result,), name="recollect-worker", daemon=True
                )
                self._thread.start()
                atexit.register(self._stop_at_exit)

    def wake(self) -> None:
        """Wake the worker, since a job was enqueued."""
        self._wake.set()

    def stop(self, *, seconds: float = 5.0) -> None:
        """Finish the running job and stop; a job that takes longer is returned to the queue immediately."""
        self._stop.set()
        self._wake.set()
        atexit.unregister(self._stop_at_exit)
        if self._thread is None:
            return
        self._thread.join(seconds)
        job = self._running_jobs.get(self._thread.ident or 0)
        if self._thread.is_alive() and job is not None:
            self._jobs.postpone(job, run_at=self._clock.now(), reason=SHUTDOWN_REASON)

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    def _stop_at_exit(self) -> None:
        """Stop the thread before the interpreter exits, since it could not end cleanly afterwards."""
        if self._thread is None or os.getpid() != self._process:
            # A forked child has a copy of this object, but not its thread.
            return
        self._stop.set()
        self._wake.set()
        self._thread.join(EXIT_SECONDS)

    def run(self, on_result: Callable[[JobResult], None] | None = None) -> None:
        with self._jobs.subscribe(self.wake):
            self._run_until_stopped(on_result)

    def _run_until_stopped(self, on_result: Callable[[JobResult], None] | None) -> None:
        pending_recovery, next_check = self._recover, self._clock.now()
        while not self._stop.is_set():
            try:
                if pending_recovery:
                    pending_recovery()
                    pending_recovery = None
                if self._run_daily and self._clock.now() >= next_check:
                    self._run_daily()
                    next_check = self._clock.now() + SCHEDULE_CHECK_INTERVAL
                result = self.run_one()
            except StoreError:
                # A full disk or a lock: the job is safe in its row, so try again after a pause.
                result = None
            if result and on_result:
                on_result(result)
            if result is None:
                self._wake.wait(IDLE_WAIT_SECONDS)
                self._wake.clear()

    def _handle_failure(self, job: Job, error: Exception) -> JobResult:
        match decide_retry(error, job.attempts):
            case RetryLater(delay=delay, reason=reason):
                self._jobs.postpone(job, run_at=self._clock.now() + delay, reason=reason)
                return JobResult(job=job, error=reason)
            case GiveUp(reason=reason):
                self._jobs.dead_letter(job, reason=reason)
                return JobResult(job=job, error=reason, is_dead=True)
