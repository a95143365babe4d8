"""Does the queued work: as a thread of the library, inside the server, or as a process of its own."""

import atexit
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from recollect.domain.job import Job, JobKind
from recollect.errors import StoreError
from recollect.ports.clock import Clock
from recollect.ports.queue import JobQueue
from recollect.workers.handlers import LEASE_DURATION, JobHandler, JobInterrupted, LeaseLost
from recollect.workers.retry import GiveUp, RetryLater, decide_retry

#: How long an idle worker sleeps at most: other processes may have queued work.
IDLE_WAIT_SECONDS = 1.0
ONE_DAY = timedelta(days=1)
SHUTDOWN_REASON = "the process ended while it was being done"
#: How long to wait for a job that is in other hands before looking again.
POLL_SECONDS = 0.02
#: How long the interpreter waits at exit for the job in hand. The lease of a job that takes longer runs out by itself.
EXIT_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """What came of one job."""

    job: Job
    error: str | None = None  #: None when it went well
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
        """A worker that runs on does `open_up` once, before its first job, and `daily` then and every day after."""
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
        """Do one job that is due; None if there is none."""
        now = self._clock.now()
        job = self._jobs.lease(now=now, until=now + LEASE_DURATION, kinds=tuple(self._handlers))
        if job is None:
            return None
        self._running_jobs[threading.get_ident()] = job
        try:
            self._handlers[job.kind](job)
        except LeaseLost:
            return JobResult(job=job, error="its lease ran out; somebody else does it")
        except JobInterrupted:
            self._jobs.postpone(job, run_at=self._clock.now(), reason=SHUTDOWN_REASON)
            return JobResult(job=job, error=SHUTDOWN_REASON)
        except Exception as error:  # noqa: BLE001 - the job boundary: record, decide on retry, go on
            return self._handle_failure(job, error)
        finally:
            del self._running_jobs[threading.get_ident()]
        self._jobs.finish(job)
        return JobResult(job=job)

    def drain(self, *, seconds: float, on_result: Callable[[JobResult], None] | None = None) -> bool:
        """Work until nothing is due or in other hands, or the time is over; whether all is done."""
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
        """Work in a thread of this process, once; it ends with the process. `watch` is told what came of each job."""
        with self._start_lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self.run, args=(on_result,), name="recollect-worker", daemon=True
                )
                self._thread.start()
                atexit.register(self._stop_at_exit)

    def wake(self) -> None:
        """There is something new to do."""
        self._wake.set()

    def stop(self, *, seconds: float = 5.0) -> None:
        """Finish the job in hand and stop; what takes longer is given back, so that nobody waits for its lease."""
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
        """Let the thread end before the interpreter does: what it does meanwhile could not end cleanly."""
        if self._thread is None or os.getpid() != self._process:
            # A forked child has a copy of this object, but not the thread.
            return
        self._stop.set()
        self._wake.set()
        self._thread.join(EXIT_SECONDS)

    def run(self, on_result: Callable[[JobResult], None] | None = None) -> None:
        pending_recovery, next_day = self._recover, self._clock.now()
        while not self._stop.is_set():
            try:
                if pending_recovery:
                    pending_recovery()
                    pending_recovery = None
                if self._run_daily and self._clock.now() >= next_day:
                    self._run_daily()
                    next_day = self._clock.now() + ONE_DAY
                result = self.run_one()
            except StoreError:
                # A full disk or a held lock: the job is safe in its row, so look again after a nap.
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
