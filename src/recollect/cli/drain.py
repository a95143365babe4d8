"""Runs the queued jobs before a command returns, with a progress bar."""

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
from recollect.domain.job import JobKind, JobState
from recollect.domain.reason import Reason, ReasonCode
from recollect.serialization.reasons import render_reason
from recollect.workers.worker import JobResult

#: Seconds before the progress bar appears; shorter work shows none.
BAR_DELAY_SECONDS = 0.5
#: Seconds between two polls of the queue, and between two updates of the bar.
POLL_SECONDS = 0.1
#: Seconds to wait for jobs leased by another process.
MAX_WAIT_SECONDS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainingWork:
    """Work that could not be finished, with the reasons."""

    pending_vectors: int = 0  #: passages without a vector
    reasons: tuple[Reason, ...] = ()

    @property
    def degradations(self) -> tuple[Reason, ...]:
        """What is missing, and why."""
        if not self.pending_vectors:
            return self.reasons
        return (Reason(ReasonCode.WITHOUT_VECTOR, {"count": self.pending_vectors}), *self.reasons)

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(map(render_reason, self.degradations))


class ProgressBar:
    """Progress bar with rate and time left; shown only on a terminal and after BAR_DELAY_SECONDS."""

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
        self._is_closed = False

    @property
    def is_due(self) -> bool:
        """Return whether the next update would be drawn; computing the counts costs queries."""
        if self._progress.disable or self._is_closed:
            return False
        return time.monotonic() >= self._next_update_at

    def update(self, *, done: int, total: int) -> None:
        # Rich resets its own rate whenever the total changes, and ours grows as extraction adds passages.
        seconds = time.monotonic() - self._started_at
        self._progress.update(self._task, completed=done, total=total, pace=format_rate(done, total, seconds))
        if self.is_due:
            self._progress.start()
            self._next_update_at = time.monotonic() + POLL_SECONDS

    def close(self) -> None:
        """Remove the bar for good: a server that embeds later must not draw it again and hide the cursor."""
        self._is_closed = True
        self._progress.stop()


def format_rate(done: int, total: int, seconds: float) -> str:
    """Return a text such as `25/s, 1:05 left`."""
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
    """
    Cancel on the first Ctrl-C, interrupt immediately on the second.

    Raises KeyboardInterrupt at the end of the block if it was cancelled.
    """

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
    """Runs due jobs one by one and counts the finished and the remaining work."""

    def __init__(self, session: CliSession) -> None:
        self._session = session
        self._other_job_count = 0
        self._waited_seconds = 0.0

    def run_next(self) -> JobResult | None:
        """Run one job. Return None if the queue is empty, cancelled, or only other processes hold leases."""
        worker = self._session.application.worker
        while not self._session.cancellation.is_cancelled:
            if job_result := worker.run_one():
                self._other_job_count += job_result.job.kind is not JobKind.EMBED
                return job_result
            if not self._session.services.jobs.count_outstanding() or self._waited_seconds > MAX_WAIT_SECONDS:
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
        services = self._session.services
        jobs = services.jobs.count_by_state(self._session.scope())
        other_job_count = sum(
            number
            for (kind, state), number in jobs.items()
            if kind is not JobKind.EMBED and state is not JobState.DEAD
        )
        return other_job_count + services.reembedding.queued_count(self._session.user)


def drain_queue(ctx: CommandContext, session: CliSession, title: str = "Embedding") -> RemainingWork:
    """Run all queued jobs with a progress bar; return what could not be finished."""
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
    """Make all jobs due now, and retry failed embedding jobs: the cause may be fixed by now."""
    jobs, reembedding = session.services.jobs, session.services.reembedding
    jobs.run_now()
    if not reembedding.queued_count(session.user):
        return
    for job in jobs.dead(session.scope()):
        if job.kind is JobKind.EMBED:
            jobs.retry(session.scope(), job_id=job.id)
    reembedding.enqueue_embedding(session.user)


def find_remaining_work(session: CliSession) -> RemainingWork:
    if session.embedder is None:
        # Without an embedder no vectors are expected.
        return RemainingWork()
    reasons = dict.fromkeys(job.reason for job in session.services.jobs.list(session.scope()) if job.reason)
    return RemainingWork(
        pending_vectors=session.services.reembedding.queued_count(session.user), reasons=tuple(reasons)
    )
