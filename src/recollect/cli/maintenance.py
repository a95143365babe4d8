"""The `garden` command: run maintenance (decay, archiving, merging of duplicates) now."""

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
#: A hundred years.
MAX_FORECAST_WEEKS = 5200


@app.command(
    epilog=format_examples("recollect garden --dry-run", "recollect garden --simulate 8w", "recollect garden")
)
@command
def garden(
    ctx: CommandContext,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done now; change nothing.")
    ] = False,
    simulate: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Forecast what will be archived within TIME if nothing is stated again: 8w or 30d.",
        ),
    ] = None,
) -> None:
    """
    Archive decayed memories and merge duplicates.

    Workers do this periodically. Moods lose weight for every week in which they are not stated again; memories whose
    weight falls below the threshold, and temporary ones, are archived with a reason. Pinned memories and biography do
    not decay. Use `recollect undo` or `recollect restore` to revert.
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
        ctx.info("`recollect undo --list` lists the changes; `recollect restore ID` restores a memory.")
    ctx.warn_all(remaining.warnings)


def _run_maintenance(
    ctx: CommandContext, session: CliSession, policy: Policy, *, dry_run: bool, weeks: int | None
) -> tuple[MaintenanceReport, RemainingWork]:
    if weeks is not None:
        return session.services.maintenance.forecast_decay(
            session.scope(), policy, weeks=weeks
        ), RemainingWork()
    report = session.services.maintenance.run_maintenance(session.scope(), policy, dry_run=dry_run)
    return report, RemainingWork() if dry_run else drain_queue(ctx, session)


def _parse_weeks(text: str | None) -> int | None:
    """Parse `8w` or `30d` to weeks; days are rounded up."""
    if text is None:
        return None
    duration = DURATION_PATTERN.fullmatch(text)
    if not duration:
        raise InvalidInput(f"Invalid time span {text!r}. Write weeks as 8w or days as 30d.")
    amount = int(duration[1])
    weeks = amount if duration[2] == "w" else -(-amount // 7)
    if weeks > MAX_FORECAST_WEEKS:
        raise InvalidInput(f"{text} is more than a hundred years. The maximum is {MAX_FORECAST_WEEKS}w.")
    return weeks


def _render_report(report: MaintenanceReport, is_preview: bool) -> list[RenderableType]:
    if not report.archived_memories and not report.merges:
        return [Text("Nothing to archive and nothing to merge.")]
    archived_title, merged_title = ("Would archive", "Would merge") if is_preview else ("Archived", "Merged")
    blocks: list[RenderableType] = []
    if report.archived_memories:
        blocks += [
            Text(f"{archived_title}: {len(report.archived_memories)}", style="bold"),
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
        title = Text(f"{merged_title}: {len(report.merges)}", style="bold")
        blocks += [title, render.table("kept", "merged into it", "!id", rows=rows)]
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
