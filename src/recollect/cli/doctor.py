"""doctor: is everything as it should be, and if not, what to do."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import DEGRADED, Call, command, commands, examples
from recollect.errors import RecollectError
from recollect.library.diagnostics import Line, examined, python

app = commands()

STYLES = {"OK": "green", "WARN": "yellow", "FAIL": "bold red"}


@app.command(epilog=examples("recollect doctor", "recollect doctor --deep", "recollect doctor --json"))
@command
def doctor(
    call: Call,
    deep: Annotated[
        bool, typer.Option("--deep", help="Compare every index entry with its text; takes longer.")
    ] = False,
) -> None:
    """
    Check the file, the embedder and the queue.

    One line for each thing looked at: OK, WARN or FAIL, with the command that mends it. Nothing is changed. Exit code 5
    if anything is not well.
    """
    lines = list(_examined(call, deep=deep))
    well = all(line.level == "OK" for line in lines)
    call.answer({"ok": well, "findings": [line.shape() for line in lines]}, _table(lines))
    if not well:
        raise typer.Exit(DEGRADED)


def _table(lines: Sequence[Line]) -> Table:
    rows = [
        (Text(line.level, style=STYLES[line.level]), line.name, line.detail, line.fix or "") for line in lines
    ]
    return render.table("", "!what", "finding", "to do", rows=rows)


def _examined(call: Call, *, deep: bool) -> Iterator[Line]:
    yield from python()
    try:
        with call.open() as session:
            yield from examined(session.runtime, session.user, deep=deep)
    except RecollectError as error:
        yield Line(level="FAIL", name="file", detail=str(error))
