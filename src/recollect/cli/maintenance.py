"""The `maintenance` commands: run and forecast maintenance; indexes, vectors, jobs and statistics."""

import re
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from recollect.cli import jobs, render, storage
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import RemainingWork, drain_queue
from recollect.domain.maintenance import ArchivedMemory, MaintenanceReport
from recollect.errors import InvalidInput
from recollect.serialization import serializers
from recollect.serialization.reasons import render_reason, serialize_reasons

app = make_typer()
group = make_typer()
app.add_typer(group, name="maintenance")
group.add_typer(storage.app)
group.add_typer(jobs.group, name="jobs")

DURATION_PATTERN = re.compile(r"([0-9]{1,4})([wd])")
#: A hundred years.
MAX_FORECAST_WEEKS = 5200


@group.callback(
    epilog=format_examples(
        "recollect maintenance run --dry-run",
        "recollect maintenance forecast 8w",
        "recollect maintenance repair",
        "recollect maintenance jobs",
    )
)
@command
def maintenance(_ctx: CommandContext) -> None:
    """
    Decay, merge, re-embed, repair; jobs and statistics.

    Workers run maintenance periodically; nothing here has to be run by hand. `recollect doctor` says if something needs
    attention, and which command repairs it.
    """


@group.command(epilog=format_examples("recollect maintenance run", "recollect maintenance run --dry-run"))
@command
def run(
    ctx: CommandContext,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done now; change nothing.")
    ] = False,
) -> None:
    """
    Archive decayed memories and merge duplicates.

    Workers do this periodically. Moods lose weight for every week in which they are not stated again; memories whose
    weight falls below the threshold, and temporary ones, are archived with a reason. Pinned memories and biography do
    not decay. Use `recollect memories undo` or `recollect memories restore` to revert.
    """
    with ctx.open_session() as session:
        report = session.services.maintenance.run_maintenance(
            session.scope(), session.policy(), dry_run=dry_run
        )
        remaining = RemainingWork() if dry_run else drain_queue(ctx, session)
    ctx.print_result(
        {
            **serializers.serialize_maintenance_report(report),
            "dry_run": dry_run,
            "degraded": serialize_reasons(remaining.degradations),
        },
        *_render_report(report, is_preview=dry_run),
    )
    if not dry_run and (report.archived_memories or report.merges):
        ctx.info(
            "`recollect memories events` lists the changes; `recollect memories restore ID` restores a memory."
        )
    ctx.warn_all(remaining.warnings)


@group.command(
    epilog=format_examples("recollect maintenance forecast", "recollect maintenance forecast 30d --json")
)
@command
def forecast(
    ctx: CommandContext,
    time: Annotated[
        str, typer.Argument(metavar="TIME", help="Weeks such as 8w, or days such as 30d.")
    ] = "8w",
) -> None:
    """
    Forecast which memories will be archived.

    Those that are stated again until then stay. Nothing is changed.
    """
    weeks = _parse_weeks(time)
    with ctx.open_session() as session:
        report = session.services.maintenance.forecast_decay(session.scope(), session.policy(), weeks=weeks)
    ctx.print_result(
        {**serializers.serialize_maintenance_report(report), "weeks": weeks},
        *_render_report(report, is_preview=True),
    )


def _parse_weeks(text: str) -> int:
    """Parse `8w` or `30d` to weeks; days are rounded up."""
    duration = DURATION_PATTERN.fullmatch(text)
    if not duration:
        raise InvalidInput(f"Invalid time span {text!r}. Write weeks as 8w or days as 30d.")
    amount = int(duration[1])
    weeks = amount if duration[2] == "w" else -(-amount // 7)
    if weeks > MAX_FORECAST_WEEKS:
        raise InvalidInput(f"{text} is more than a hundred years. The maximum is {MAX_FORECAST_WEEKS}w.")
    return weeks


def _render_report(report: MaintenanceReport, *, is_preview: bool) -> list[RenderableType]:
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
                short_id,
            )
            for each, short_id in zip(
                report.merges, render.short_ids([each.target.id for each in report.merges]), strict=True
            )
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
            render_reason(each.reason),
            short_id,
        )
        for each, short_id in zip(
            archived_memories, render.short_ids([each.memory.id for each in archived_memories]), strict=True
        )
    ]
    return render.table("!when", "kind", "text", "reason", "!id", rows=rows)
