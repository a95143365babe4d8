"""Does the queued work before a command returns, and shows how far it is."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from recollect.cli.command import CommandContext
from recollect.cli.session import CliSession, DrainCancellation
from recollect.domain.job import Job, JobKind, JobState
from recollect.services import EMBED_JOB
from recollect.workers.worker import JobResult

#: Seconds of work before a bar appears; shorter work needs none.
BAR_DELAY_SECONDS = 0.5
#: Seconds between two looks at the queue.
POLL_SECONDS = 0.1
#: Seconds to wait for jobs that another process has in hand.
MAX_WAIT_SECONDS = 3.0
#: Jobs that are looked through at most.
MAX_JOBS_LISTED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainingWork:
    """What could not be done now."""

    pending_vectors: int = 0  #: passages that wait for one
    reasons: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """In words, for people and for machines."""
        if not self.pending_vectors:
            return self.reasons
        affected_passages = (
            f"{self.pending_vectors}"
            f" passage{'s are' if self.pending_vectors > 1 else ' is'} found by words only (lexical only)"
        )
        return (f"{affected_passages}: {'; '.join(self.reasons) or 'another process has the work in hand'}",)


class ProgressBar:
    """A bar with rate and time left, on a terminal only, and only if the work takes longer than a moment."""

    def __init__(self, console: Console, title: str, *, total: int) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task(title, total=total, pace="")
        self._started_at = time.monotonic()
        self._next_update_at = self._started_at + BAR_DELAY_SECONDS

    @property
    def is_due(self) -> bool:
        """Whether it is worth asking how far things are."""
        return not self._progress.disable and time.monotonic() >= self._next_update_at

    def update(self, *, done: int, total: int) -> None:
        # Rich forgets its own measurements whenever the total changes, and ours grows with what is learned.
        seconds = time.monotonic() - self._started_at
        self._progress.update(self._task, completed=done, total=total, pace=format_rate(done, total, seconds))
        if self.is_due:
            self._progress.start()
            self._next_update_at = time.monotonic() + POLL_SECONDS

    def close(self) -> None:
        self._progress.stop()


def format_rate(done: int, total: int, seconds: float) -> str:
    """`25/s, 1:05 left`."""
    if not done or seconds <= 0:
        return ""
    minutes, rest = divmod(round((total - done) * seconds / done), 60)
    return f"{done / seconds:,.0f}/s, {minutes}:{rest:02} left"


@contextmanager
def progress_bar(console: Console, title: str, *, total: int) -> Iterator[ProgressBar]:
    progress = ProgressBar(console, title, total=total)
    try:
        yield progress
    finally:
        progress.close()


@contextmanager
def cancel_on_interrupt(cancellation: DrainCancellation) -> Iterator[None]:
    """The first Ctrl-C pulls the brake, the second one stops at once. A pulled brake ends the command."""

    def cancel(_signal: int, _frame: FrameType | None) -> None:
        if cancellation.is_cancelled:
            raise KeyboardInterrupt
        cancellation.cancel()

    previous_handler = signal.signal(signal.SIGINT, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous_handler)
    if cancellation.is_cancelled:
        raise KeyboardInterrupt


class QueueDrain:
    """One turn at the queue: does what is due, and looks up now and then to see what is left."""

    def __init__(self, session: CliSession) -> None:
        self._session = session
        self._other_job_count = 0
        self._waited_seconds = 0.0

    def run_next(self) -> JobResult | None:
        """Do one job. None when there is nothing more to do, or others have what is left."""
        worker, clock = self._session.application.worker, self._session.engine.clock
        while not self._session.cancellation.is_cancelled:
            if job_result := worker.run_one():
                self._other_job_count += job_result.job.kind is not JobKind.EMBED
                return job_result
            if (
                not self._session.store.jobs.count_outstanding(now=clock.now())
                or self._waited_seconds > MAX_WAIT_SECONDS
            ):
                return None
            time.sleep(POLL_SECONDS)
            self._waited_seconds += POLL_SECONDS
        return None

    @property
    def done_count(self) -> int:
        embedder = self._session.embedder
        return self._other_job_count + (embedder.embedded_count if embedder else 0)

    @property
    def remaining_count(self) -> int:
        store = self._session.store
        jobs = store.jobs.count_by_state(self._session.scope())
        other_job_count = sum(
            number
            for (kind, state), number in jobs.items()
            if kind is not JobKind.EMBED and state is not JobState.DEAD
        )
        return other_job_count + store.vectors.count_queued(self._session.user)


def drain_queue(ctx: CommandContext, session: CliSession, title: str = "Reading") -> RemainingWork:
    """Do everything that is queued, with a bar; what could not be done comes back with its reason."""
    make_jobs_due(session)
    drain = QueueDrain(session)
    with (
        cancel_on_interrupt(session.cancellation),
        progress_bar(ctx.stderr, title, total=drain.remaining_count) as progress,
    ):

        def update_progress() -> None:
            if progress.is_due:
                progress.update(done=drain.done_count, total=drain.done_count + drain.remaining_count)

        if session.embedder:
            session.embedder.on_batch = update_progress
        while drain.run_next():
            update_progress()
    return find_remaining_work(session)


def make_jobs_due(session: CliSession) -> None:
    """Passages that wait for a vector are embedded now, also if that failed before: the cause may be gone."""
    store, now = session.store, session.engine.clock.now()
    store.jobs.run_now(now=now)
    if not store.vectors.count_queued(session.user):
        return
    for job in list_dead_jobs(session):
        if job.kind is JobKind.EMBED:
            store.jobs.retry(session.scope(), job_id=job.id, now=now)
    store.jobs.enqueue(session.user, EMBED_JOB, now=now)


def find_remaining_work(session: CliSession) -> RemainingWork:
    if session.embedder is None:
        # Nobody wants vectors here, so none are missed.
        return RemainingWork()
    reasons = dict.fromkeys(job.reason for job in session.store.jobs.list(session.scope()) if job.reason)
    return RemainingWork(
        pending_vectors=session.store.vectors.count_queued(session.user), reasons=tuple(reasons)
    )


def list_dead_jobs(session: CliSession) -> list[Job]:
    jobs = session.store.jobs.list(session.scope(), limit=MAX_JOBS_LISTED)
    return [job for job in jobs if job.state is JobState.DEAD]
