"""Does the queued work before a command returns, and shows how far it is."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from recollect.cli.command import Call
from recollect.cli.session import Brake, Session
from recollect.domain.job import Job, JobKind, JobState
from recollect.services import EMBED
from recollect.workers.worker import Done

#: Seconds of work before a bar appears; shorter work needs none.
PATIENCE = 0.5
#: Seconds between two looks at the queue.
GLANCE = 0.1
#: Seconds to wait for jobs that another process has in hand.
COURTESY = 3.0
#: Jobs that are looked through at most.
MOST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What could not be done now."""

    vectors: int = 0  #: passages that wait for one
    reasons: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """In words, for people and for machines."""
        if not self.vectors:
            return self.reasons
        some = f"{self.vectors} passage{'s are' if self.vectors > 1 else ' is'} found by words only (lexical only)"
        return (f"{some}: {'; '.join(self.reasons) or 'another process has the work in hand'}",)


class Bar:
    """A bar with rate and time left, on a terminal only, and only if the work takes longer than a moment."""

    def __init__(self, console: Console, title: str, *, total: int) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(title, total=total, pace="")
        self._begun = time.monotonic()
        self._next = self._begun + PATIENCE

    @property
    def is_due(self) -> bool:
        """Whether it is worth asking how far things are."""
        return not self._bar.disable and time.monotonic() >= self._next

    def move(self, *, done: int, total: int) -> None:
        # Rich forgets its own measurements whenever the total changes, and ours grows with what is learned.
        seconds = time.monotonic() - self._begun
        self._bar.update(self._task, completed=done, total=total, pace=pace(done, total, seconds))
        if self.is_due:
            self._bar.start()
            self._next = time.monotonic() + GLANCE

    def close(self) -> None:
        self._bar.stop()


def pace(done: int, total: int, seconds: float) -> str:
    """`25/s, 1:05 left`."""
    if not done or seconds <= 0:
        return ""
    minutes, rest = divmod(round((total - done) * seconds / done), 60)
    return f"{done / seconds:,.0f}/s, {minutes}:{rest:02} left"


@contextmanager
def bar(console: Console, title: str, *, total: int) -> Iterator[Bar]:
    shown = Bar(console, title, total=total)
    try:
        yield shown
    finally:
        shown.close()


@contextmanager
def braking(brake: Brake) -> Iterator[None]:
    """The first Ctrl-C pulls the brake, the second one stops at once. A pulled brake ends the command."""

    def pull(_signal: int, _frame: FrameType | None) -> None:
        if brake.pulled:
            raise KeyboardInterrupt
        brake.pull()

    before = signal.signal(signal.SIGINT, pull)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if brake.pulled:
        raise KeyboardInterrupt


class Shift:
    """One turn at the queue: does what is due, and looks up now and then to see what is left."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._others = 0
        self._waited = 0.0

    def step(self) -> Done | None:
        """Do one job. None when there is nothing more to do, or others have what is left."""
        worker, clock = self._session.runtime.worker, self._session.engine.clock
        while not self._session.brake.pulled:
            if done := worker.work_once():
                self._others += done.job.kind is not JobKind.EMBED
                return done
            if not self._session.store.jobs.outstanding(now=clock.now()) or self._waited > COURTESY:
                return None
            time.sleep(GLANCE)
            self._waited += GLANCE
        return None

    @property
    def done(self) -> int:
        embedder = self._session.embedder
        return self._others + (embedder.embedded if embedder else 0)

    @property
    def ahead(self) -> int:
        store = self._session.store
        jobs = store.jobs.counts(self._session.scope())
        others = sum(
            number
            for (kind, state), number in jobs.items()
            if kind is not JobKind.EMBED and state is not JobState.PARKED
        )
        return others + store.vectors.pending(self._session.user)


def finish(call: Call, session: Session, title: str = "Reading") -> Left:
    """Do everything that is queued, with a bar; what could not be done comes back with its reason."""
    make_due(session)
    shift = Shift(session)
    with braking(session.brake), bar(call.aside, title, total=shift.ahead) as shown:

        def look() -> None:
            if shown.is_due:
                shown.move(done=shift.done, total=shift.done + shift.ahead)

        if session.embedder:
            session.embedder.watch = look
        while shift.step():
            look()
    return left(session)


def make_due(session: Session) -> None:
    """Passages that wait for a vector are embedded now, also if that failed before: the cause may be gone."""
    store, now = session.store, session.engine.clock.now()
    store.jobs.hurry(now=now)
    if not store.vectors.pending(session.user):
        return
    for job in failed(session):
        if job.kind is JobKind.EMBED:
            store.jobs.retry(session.scope(), job_id=job.id, now=now)
    store.jobs.enqueue(session.user, EMBED, now=now)


def left(session: Session) -> Left:
    if session.embedder is None:
        # Nobody wants vectors here, so none are missed.
        return Left()
    reasons = dict.fromkeys(job.reason for job in session.store.jobs.list(session.scope()) if job.reason)
    return Left(vectors=session.store.vectors.pending(session.user), reasons=tuple(reasons))


def failed(session: Session) -> list[Job]:
    jobs = session.store.jobs.list(session.scope(), limit=MOST)
    return [job for job in jobs if job.state is JobState.PARKED]
