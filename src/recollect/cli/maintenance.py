"""garden: what was not said again is put away, and what says the same becomes one."""

import re
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.cli.drain import Left, finish
from recollect.cli.session import Session
from recollect.domain.maintenance import PutAway, Tended
from recollect.domain.policy import Policy
from recollect.errors import InvalidInput
from recollect.serialization import serializers

app = commands()

SPAN = re.compile(r"([0-9]{1,4})([wd])")
#: Nobody plans further.
LONGEST = 5200


@app.command(
    epilog=examples("recollect garden --dry-run", "recollect garden --simulate 8w", "recollect garden")
)
@command
def garden(
    call: Call,
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
    with call.open() as session:
        policy = session.policy()
        done, left = _tended(call, session, policy, dry_run=dry_run, weeks=_weeks(simulate))
    rehearsal = dry_run or simulate is not None
    call.answer(
        {**serializers.tended(done), "dry_run": rehearsal, "degraded": list(left.warnings)},
        *_told(done, rehearsal),
    )
    if not rehearsal and (done.put_away or done.merged):
        call.note("`recollect undo --list` shows each change; `recollect restore ID` brings one back.")
    call.mention(left.warnings)


def _tended(
    call: Call, session: Session, policy: Policy, *, dry_run: bool, weeks: int | None
) -> tuple[Tended, Left]:
    if weeks is not None:
        return session.engine.foresee(session.scope(), policy, weeks=weeks), Left()
    done = session.engine.tend(session.scope(), policy, dry_run=dry_run)
    return done, Left() if dry_run else finish(call, session)


def _weeks(text: str | None) -> int | None:
    """Whole weeks; of days as many weeks as hold them."""
    if text is None:
        return None
    found = SPAN.fullmatch(text)
    if not found:
        raise InvalidInput(f"{text!r} is no time to look ahead. Write weeks as 8w or days as 30d.")
    number = int(found[1])
    weeks = number if found[2] == "w" else -(-number // 7)
    if weeks > LONGEST:
        raise InvalidInput(f"{text} is further than a hundred years. Look ahead at most {LONGEST}w.")
    return weeks


def _told(done: Tended, rehearsal: bool) -> list[RenderableType]:
    if not done.put_away and not done.merged:
        return [Text("Nothing to put away and nothing to merge.")]
    would = "Would be" if rehearsal else "Were"
    told: list[RenderableType] = []
    if done.put_away:
        told += [Text(f"{would} put away: {len(done.put_away)}", style="bold"), _put_away(done.put_away)]
    if done.merged:
        rows = [
            (
                render.excerpt(each.kept.text),
                Group(*(Text(render.excerpt(other.text)) for other in each.others)),
                each.kept.id,
            )
            for each in done.merged
        ]
        title = Text(f"{would} merged: {len(done.merged)}", style="bold")
        told += [title, render.table("kept", "took in", "!id", rows=rows)]
    return told


def _put_away(gone: tuple[PutAway, ...]) -> RenderableType:
    rows = [
        (
            f"week {each.weeks}" if each.weeks else "now",
            each.memory.kind,
            render.excerpt(each.memory.text),
            each.reason,
            each.memory.id,
        )
        for each in gone
    ]
    return render.table("!when", "kind", "text", "reason", "!id", rows=rows)
