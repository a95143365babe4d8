"""garden: what was not said again is put away, and what says the same becomes one."""

import re
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import RemainingWork, drain_queue
from recollect.cli.session import CliSession
from recollect.domain.maintenance import ArchivedMemory, MaintenanceReport
from recollect.domain.policy import Policy
from recollect.errors import InvalidInput
from recollect.serialization import serializers

app = make_typer()

DURATION_PATTERN = re.compile(r"([0-9]{1,4})([wd])")
#: Nobody plans further.
MAX_FORECAST_WEEKS = 5200


@app.command(
    epilog=format_examples("recollect garden --dry-run", "recollect garden --simulate 8w", "recollect garden")
)
@command
def garden(
    ctx: CommandContext,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done now; change nothing.")
    ] = False,
    simulate: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Say what goes by then if nothing is said again: 8w or 30d."),
    ] = None,
) -> None:
    """
    Put away what has faded, and merge what says the same.

    A worker does this by itself now and then. Moods lose weight every week they are not mentioned again; what grew too
    light, or was only of the moment, is archived with its reason. Pinned memories and biography stay. Everything can be
    brought back with `recollect undo` or `recollect restore`.
    """
    with ctx.open_session() as session:
        policy = session.policy()
        report, remaining = _run_maintenance(
            ctx, session, policy, dry_run=dry_run, weeks=_parse_weeks(simulate)
        )
    is_preview = dry_run or simulate is not None
    ctx.print_result(
        {
            **serializers.serialize_maintenance_report(report),
            "dry_run": is_preview,
            "degraded": list(remaining.warnings),
        },
        *_render_report(report, is_preview),
    )
    if not is_preview and (report.archived_memories or report.merges):
        ctx.info("`recollect undo --list` shows each change; `recollect restore ID` brings one back.")
    ctx.warn_all(remaining.warnings)


def _run_maintenance(
    ctx: CommandContext, session: CliSession, policy: Policy, *, dry_run: bool, weeks: int | None
) -> tuple[MaintenanceReport, RemainingWork]:
    if weeks is not None:
        return session.engine.forecast_decay(session.scope(), policy, weeks=weeks), RemainingWork()
    report = session.engine.run_maintenance(session.scope(), policy, dry_run=dry_run)
    return report, RemainingWork() if dry_run else drain_queue(ctx, session)


def _parse_weeks(text: str | None) -> int | None:
    """Whole weeks; of days as many weeks as hold them."""
    if text is None:
        return None
    duration = DURATION_PATTERN.fullmatch(text)
    if not duration:
        raise InvalidInput(f"{text!r} is no time to look ahead. Write weeks as 8w or days as 30d.")
    amount = int(duration[1])
    weeks = amount if duration[2] == "w" else -(-amount // 7)
    if weeks > MAX_FORECAST_WEEKS:
        raise InvalidInput(
            f"{text} is further than a hundred years. Look ahead at most {MAX_FORECAST_WEEKS}w."
        )
    return weeks


def _render_report(report: MaintenanceReport, is_preview: bool) -> list[RenderableType]:
    if not report.archived_memories and not report.merges:
        return [Text("Nothing to put away and nothing to merge.")]
    verb = "Would be" if is_preview else "Were"
    blocks: list[RenderableType] = []
    if report.archived_memories:
        blocks += [
            Text(f"{verb} put away: {len(report.archived_memories)}", style="bold"),
            _render_archived(report.archived_memories),
        ]
    if report.merges:
        rows = [
            (
                render.excerpt(each.target.text),
                Group(*(Text(render.excerpt(other.text)) for other in each.duplicates)),
                each.target.id,
            )
            for each in report.merges
        ]
        title = Text(f"{verb} merged: {len(report.merges)}", style="bold")
        blocks += [title, render.table("kept", "took in", "!id", rows=rows)]
    return blocks


def _render_archived(archived_memories: tuple[ArchivedMemory, ...]) -> RenderableType:
    rows = [
        (
            f"week {each.due_in_weeks}" if each.due_in_weeks else "now",
            each.memory.kind,
            render.excerpt(each.memory.text),
            each.reason,
            each.memory.id,
        )
        for each in archived_memories
    ]
    return render.table("!when", "kind", "text", "reason", "!id", rows=rows)
