"""jobs and worker: what is queued, and who does it."""

import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated, TypeAlias

import typer

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.cli.drain import Left, Shift, finish, make_due
from recollect.cli.session import Brake, Session
from recollect.errors import NotFound
from recollect.serialization import serializers
from recollect.workers.worker import Done

app = commands()
group = commands()
app.add_typer(group, name="jobs")

#: Seconds between two looks at whether to stop.
GLANCE = 0.1
Limit: TypeAlias = Annotated[int, typer.Option(metavar="N", min=1, help="Jobs at most.")]


@group.callback(
    invoke_without_command=True,
    epilog=examples("recollect jobs", "recollect jobs retry 12", "recollect jobs retry --all"),
)
@command
def jobs(call: Call, limit: Limit = 100) -> None:
    """
    Show queued work, or retry what failed.

    Embedding and judging happen after a message is stored. A job that failed for good is parked with its reason and
    waits for a retry; nothing that was stored is lost meanwhile.
    """
    _list(call, limit)


@group.command("list", epilog=examples("recollect jobs list --json"))
@command
def list_(call: Call, limit: Limit = 100) -> None:
    """List queued, running and parked jobs, oldest first."""
    _list(call, limit)


def _list(call: Call, limit: int) -> None:
    with call.open() as session:
        listed = session.store.jobs.list(session.scope(), limit=limit)
    call.answer(serializers.results(map(serializers.job, listed)), *([render.jobs(listed)] if listed else []))
    if not listed:
        call.note("Nothing is queued.")


@group.command(epilog=examples("recollect jobs retry 12", "recollect jobs retry --all --no-wait"))
@command
def retry(
    call: Call,
    job_id: Annotated[int | None, typer.Argument(metavar="ID", help="The parked job.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All parked jobs.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Do them now, or leave them to a worker.")
    ] = True,
) -> None:
    """
    Make parked jobs ready again, and do them.

    Exit code 5 if something failed again.
    """
    if (job_id is None) != every:
        raise typer.BadParameter("give the id of a job, or --all", param_hint="ID")
    with call.open() as session:
        now = session.engine.clock.now()
        retried = session.store.jobs.retry(session.scope(), job_id=job_id, now=now)
        if not retried and job_id is not None:
            raise NotFound(f"There is no parked job {job_id} for this user. `recollect jobs` lists them.")
        left = finish(call, session) if wait else Left()
    call.answer(
        {"retried": retried, "degraded": list(left.warnings)}, f"{render.count(retried, 'job')} retried."
    )
    call.end_degraded(left.warnings)


@app.command(epilog=examples("recollect worker", "recollect worker --once"))
@command
def worker(
    call: Call,
    once: Annotated[bool, typer.Option("--once", help="Do what is queued, then end.")] = False,
) -> None:
    """
    Do queued work until stopped.

    Takes jobs of all users of the file and prints a line for each. Several workers may share a file. Ctrl-C or SIGTERM
    lets the batch in hand finish; what is left stays queued, and that is a normal end with exit code 0. With --json one
    object comes at the end.
    """
    tally: Counter[str] = Counter()

    def watch(done: Done) -> None:
        tally[_outcome(done)] += 1
        call.say(_line(done))

    with call.open() as session, _stopping(session.brake):
        if once:
            _drain(session, watch)
        else:
            call.note(f"Working on {session.store.location()}. Ctrl-C stops.")
            _run(session, watch)
    call.answer({name: tally[name] for name in ("done", "postponed", "parked")})
    call.note(f"{tally['done']} done, {tally['postponed']} postponed, {tally['parked']} parked.")


@contextmanager
def _stopping(brake: Brake) -> Iterator[None]:
    def pull(_signal: int, _frame: FrameType | None) -> None:
        brake.pull()

    before = {number: signal.signal(number, pull) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _drain(session: Session, watch: Callable[[Done], None]) -> None:
    make_due(session)
    shift = Shift(session)
    while done := shift.step():
        watch(done)


def _run(session: Session, watch: Callable[[Done], None]) -> None:
    # In a thread of its own, so that a signal is heard while a job is done.
    thread = threading.Thread(target=session.runtime.worker.run, kwargs={"watch": watch}, daemon=True)
    thread.start()
    while thread.is_alive() and not session.brake.pulled:
        thread.join(GLANCE)
    session.runtime.worker.stop()
    thread.join()


def _outcome(done: Done) -> str:
    return "parked" if done.parked else "postponed" if done.error else "done"


def _line(done: Done) -> str:
    reason = f": {done.error}" if done.error else ""
    return f"{done.job.kind:<9} {done.job.user} {done.job.key} {_outcome(done)}{render.excerpt(reason)}"
