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
from recollect.ports.queue import Jobs
from recollect.workers.handlers import LEASE, Handler, Interrupted, LeaseLost
from recollect.workers.retry import GiveUp, Later, decide

#: How long an idle worker sleeps at most: other processes may have queued work.
NAP = 1.0
DAY = timedelta(days=1)
GIVEN_BACK = "the process ended while it was being done"
#: How long to wait for a job that is in other hands before looking again.
BREATH = 0.02
#: How long the interpreter waits at exit for the job in hand. The lease of a job that takes longer runs out by itself.
EXIT_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of one job."""

    job: Job
    error: str | None = None  #: None when it went well
    parked: bool = False


class Worker:
    def __init__(
        self,
        jobs: Jobs,
        handlers: Mapping[JobKind, Handler],
        clock: Clock,
        *,
        open_up: Callable[[], None] | None = None,
        daily: Callable[[], None] | None = None,
    ) -> None:
        """A worker that runs on does `open_up` once, before its first job, and `daily` then and every day after."""
        self._jobs = jobs
        self._open_up = open_up
        self._daily = daily
        self._handlers = handlers
        self._clock = clock
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._in_hand: dict[int, Job] = {}  #: by thread
        self._starting = threading.Lock()

    def work_once(self) -> Done | None:
        """Do one job that is due; None if there is none."""
        now = self._clock.now()
        job = self._jobs.lease(now=now, until=now + LEASE, kinds=tuple(self._handlers))
        if job is None:
            return None
        self._in_hand[threading.get_ident()] = job
        try:
            self._handlers[job.kind](job)
        except LeaseLost:
            return Done(job=job, error="its lease ran out; somebody else does it")
        except Interrupted:
            self._jobs.postpone(job, run_at=self._clock.now(), reason=GIVEN_BACK)
            return Done(job=job, error=GIVEN_BACK)
        except Exception as error:  # noqa: BLE001 - the job boundary: record, decide on retry, go on
            return self._failed(job, error)
        finally:
            del self._in_hand[threading.get_ident()]
        self._jobs.finish(job)
        return Done(job=job)

    def drain(self, *, seconds: float, watch: Callable[[Done], None] | None = None) -> bool:
        """Work until nothing is due or in other hands, or the time is over; whether all is done."""
        end = self._clock.monotonic() + seconds
        while self._clock.monotonic() < end:
            done = self.work_once()
            if done and watch:
                watch(done)
            if done is None and not self._jobs.outstanding(now=self._clock.now()):
                return True
            if done is None:
                self._stop.wait(BREATH)
        return False

    def start(self, watch: Callable[[Done], None] | None = None) -> None:
        """Work in a thread of this process, once; it ends with the process. `watch` is told what came of each job."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self.run, args=(watch,), name="recollect-worker", daemon=True
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
        job = self._in_hand.get(self._thread.ident or 0)
        if self._thread.is_alive() and job is not None:
            self._jobs.postpone(job, run_at=self._clock.now(), reason=GIVEN_BACK)

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

    def run(self, watch: Callable[[Done], None] | None = None) -> None:
        waiting_to_open, next_day = self._open_up, self._clock.now()
        while not self._stop.is_set():
            try:
                if waiting_to_open:
                    waiting_to_open()
                    waiting_to_open = None
                if self._daily and self._clock.now() >= next_day:
                    self._daily()
                    next_day = self._clock.now() + DAY
                done = self.work_once()
            except StoreError:
                # A full disk or a held lock: the job is safe in its row, so look again after a nap.
                done = None
            if done and watch:
                watch(done)
            if done is None:
                self._wake.wait(NAP)
                self._wake.clear()

    def _failed(self, job: Job, error: Exception) -> Done:
        match decide(error, job.attempts):
            case Later(delay=delay, reason=reason):
                self._jobs.postpone(job, run_at=self._clock.now() + delay, reason=reason)
                return Done(job=job, error=reason)
            case GiveUp(reason=reason):
                self._jobs.park(job, reason=reason)
                return Done(job=job, error=reason, parked=True)
