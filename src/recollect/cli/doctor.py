"""The `doctor` command: health checks, each problem with the command that fixes it."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import DEGRADED_EXIT_CODE, CommandContext, command, format_examples, make_typer
from recollect.domain.diagnostics import Diagnostic, DoctorReport
from recollect.errors import RecollectError
from recollect.library.diagnostics import check_python, run_checks
from recollect.serialization.serializers import serialize_doctor_report

app = make_typer()

LEVEL_STYLES = {"OK": "green", "WARN": "yellow", "FAIL": "bold red"}


@app.command(epilog=format_examples("recollect doctor", "recollect doctor --deep", "recollect doctor --json"))
@command
def doctor(
    ctx: CommandContext,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also compare every index entry with its text; slower.")
    ] = False,
) -> None:
    """
    Check the memory file, the embedder and the job queue.

    Prints one line per check: OK, WARN or FAIL, with the command that fixes the problem. Nothing is changed. The exit
    code is 5 if any check warns or fails.
    """
    report = DoctorReport(findings=tuple(_run_checks(ctx, deep=deep)))
    ctx.print_result(serialize_doctor_report(report), _render_table(report.findings))
    if not report.is_healthy:
        raise typer.Exit(DEGRADED_EXIT_CODE)


def _render_table(diagnostics: Sequence[Diagnostic]) -> Table:
    rows = [
        (Text(line.level, style=LEVEL_STYLES[line.level]), line.name, line.detail, line.fix or "")
        for line in diagnostics
    ]
    return render.table("", "!check", "result", "fix", rows=rows)


def _run_checks(ctx: CommandContext, *, deep: bool) -> Iterator[Diagnostic]:
    yield from check_python()
    try:
        with ctx.open_session() as session:
            yield from run_checks(session.application, session.user, deep=deep)
    except RecollectError as error:
        yield Diagnostic(level="FAIL", name="file", detail=str(error))
