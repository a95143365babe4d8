"""The `maintenance jobs` and `worker` commands: inspect, retry and run queued jobs."""

import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated, TypeAlias

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import QueueDrain, RemainingWork, drain_queue, make_jobs_due
from recollect.cli.processes import ProcessGroup, child_command, stop_with_parent
from recollect.cli.session import CliSession, DrainCancellation
from recollect.errors import NotFound
from recollect.serialization import serializers
from recollect.serialization.reasons import render_reason, serialize_reasons
from recollect.workers.worker import JobResult

app = make_typer()
group = make_typer()

#: Seconds between two checks for cancellation.
STOP_POLL_SECONDS = 0.1
LimitOption: TypeAlias = Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of jobs.")]


@group.callback(
    epilog=format_examples(
        "recollect maintenance jobs",
        "recollect maintenance jobs retry 12",
        "recollect maintenance jobs retry --all",
    )
)
@command
def jobs(_ctx: CommandContext) -> None:
    """
    List queued jobs, or retry failed ones.

    Embedding and extraction run as jobs after a message is stored. A job that keeps failing stops, with its reason,
    until you retry it; stored data is not affected. Without a subcommand, the jobs are listed.
    """


@group.command(
    "list",
    epilog=format_examples("recollect maintenance jobs list", "recollect maintenance jobs list --json"),
)
@command
def list_(ctx: CommandContext, limit: LimitOption = 100) -> None:
    """List ready, running and failed jobs, oldest first."""
    with ctx.open_session() as session:
        job_list = session.services.jobs.list(session.scope(), limit=limit)
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_job, job_list)),
        *([render.jobs(job_list)] if job_list else []),
    )
    if not job_list:
        ctx.info("The queue is empty.")


@group.command(
    epilog=format_examples(
        "recollect maintenance jobs retry 12", "recollect maintenance jobs retry --all --no-wait"
    )
)
@command
def retry(
    ctx: CommandContext,
    job_id: Annotated[int | None, typer.Argument(metavar="ID", help="Id of a failed job.")] = None,
    retry_all: Annotated[bool, typer.Option("--all", help="Retry all failed jobs.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Run them now, or leave them to a worker.")
    ] = True,
) -> None:
    """
    Retry failed jobs.

    The exit code is 5 if a job fails again.
    """
    if (job_id is None) != retry_all:
        raise typer.BadParameter("give either the id of a job or --all", param_hint="ID")
    with ctx.open_session() as session:
        retried_count = session.services.jobs.retry(session.scope(), job_id=job_id)
        if not retried_count and job_id is not None:
            raise NotFound(
                f"This user has no failed job {job_id}. `recollect maintenance jobs` lists the jobs."
            )
        remaining = drain_queue(ctx, session) if wait else RemainingWork()
    ctx.print_result(
        {"retried": retried_count, "degraded": serialize_reasons(remaining.degradations)},
        f"{render.format_count(retried_count, 'job')} retried.",
    )
    ctx.exit_degraded(remaining.warnings)


@app.command(
    epilog=format_examples("recollect worker", "recollect worker --once", "recollect worker --processes 4")
)
@command
def worker(
    ctx: CommandContext,
    once: Annotated[bool, typer.Option("--once", help="Run the queued jobs, then exit.")] = False,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, max=256, help="Number of worker processes.")
    ] = 1,
    is_child: Annotated[bool, typer.Option("--stop-with-parent", hidden=True)] = False,
) -> None:
    """
    Run queued jobs until stopped.

    Runs the jobs of all users of the database and prints one line per job. Several workers can share a database; a job
    of one that dies is taken over within a minute. With --processes a worker process that ends is started again. On
    Ctrl-C or SIGTERM the current batch is finished, the remaining jobs stay queued, and the exit code is 0. With
    --json, one object is printed at the end.
    """
    if once and processes > 1:
        raise typer.BadParameter("--once runs in one process", param_hint="--processes")
    if processes > 1:
        _run_processes(ctx, processes)
        return
    if is_child:
        stop_with_parent()
    tally: Counter[str] = Counter()

    def report_job(job_result: JobResult) -> None:
        tally[_outcome_name(job_result)] += 1
        ctx.print_text(_format_job_result(job_result))

    with ctx.open_session(creates=True) as session, _cancel_on_signal(session.cancellation):
        if once:
            _drain_queue(session, report_job)
        else:
            ctx.info(f"Running jobs of {session.services.maintenance.location()}. Press Ctrl-C to stop.")
            _run_until_stopped(session, report_job)
    ctx.print_result({name: tally[name] for name in ("done", "postponed", "failed")})
    ctx.info(f"{tally['done']} done, {tally['postponed']} postponed, {tally['failed']} failed.")


def _run_processes(ctx: CommandContext, count: int) -> None:
    replaced: list[int] = []
    # Open the store once before, so that a wrong setting or schema is reported here and migrations are applied.
    with ctx.open_session(creates=True) as session:
        ctx.info(
            f"Running jobs of {session.services.maintenance.location()} in {count} processes. Press Ctrl-C to stop."
        )

    def report_end(code: int) -> None:
        replaced.append(code)
        ctx.warn(f"A worker process ended with code {code}; another takes its place.")

    command_line = child_command(ctx.options, "worker", "--stop-with-parent")
    ProcessGroup(command_line, count, on_replaced=report_end).run_until_stopped()
    ctx.print_result({"processes": count, "replaced": len(replaced)}, "Stopped.")


@contextmanager
def _cancel_on_signal(cancellation: DrainCancellation) -> Iterator[None]:
    def cancel(_signal: int, _frame: FrameType | None) -> None:
        cancellation.cancel()

    previous_handlers = {number: signal.signal(number, cancel) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)


def _drain_queue(session: CliSession, on_result: Callable[[JobResult], None]) -> None:
    make_jobs_due(session)
    drain = QueueDrain(session)
    while job_result := drain.run_next():
        on_result(job_result)


def _run_until_stopped(session: CliSession, on_result: Callable[[JobResult], None]) -> None:
    # In a thread, so that the main thread can handle signals while a job runs.
    thread = threading.Thread(
        target=session.application.worker.run, kwargs={"on_result": on_result}, daemon=True
    )
    thread.start()
    while thread.is_alive() and not session.cancellation.is_cancelled:
        thread.join(STOP_POLL_SECONDS)
    session.application.worker.stop()
    thread.join()


def _outcome_name(job_result: JobResult) -> str:
    return "failed" if job_result.is_dead else "postponed" if job_result.error else "done"


def _format_job_result(job_result: JobResult) -> str:
    reason = f": {render_reason(job_result.error)}" if job_result.error else ""
    job = job_result.job
    return f"{job.kind:<9} {job.user} {job.key} {_outcome_name(job_result)}{render.excerpt(reason)}"
