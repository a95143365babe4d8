"""The commands `connect` and `disconnect`: add Recollect to coding agents and chat clients, and remove it again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, YesOption, command, format_examples, make_typer
from recollect.errors import InvalidInput
from recollect.hosts.programs import PROGRAMS, ConnectCommands, Program
from recollect.library.connection_setup import make_commands, open_connections, run_probe
from recollect.library.connections import Connections, FileChange
from recollect.serialization.serializers import JsonObject
from recollect.settings import MachineSettings

app = make_typer()

ProgramsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[PROGRAM]...", help=f"Of: {', '.join(PROGRAMS)}.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show the changes without writing them.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectPlan:
    program: Program
    changes: Sequence[FileChange]

    @property
    def diff(self) -> str:
        return "".join(change.diff for change in self.changes)


@app.command(
    epilog=format_examples(
        "recollect connect --list",
        "recollect connect",
        "recollect connect claude-code --dry-run",
        "recollect connect codex cursor --yes",
    )
)
@command
def connect(
    ctx: CommandContext,
    programs: ProgramsArgument = None,
    list_programs: Annotated[
        bool, typer.Option("--list", help="Show which programs are installed and connected.")
    ] = False,
    dry_run: DryRunOption = False,
    mcp: Annotated[
        bool, typer.Option("--mcp/--no-mcp", help="Also add the MCP server, if the extra `mcp` is installed.")
    ] = True,
    yes: YesOption = False,
) -> None:
    """
    Add memory to coding agents and chat clients.

    Without a name, to all that are installed. Shows what is added to each configuration file and asks before
    writing; the previous file is kept beside it. Everything else in the file stays as it is, comments too. Then the
    hook is run once, as the agent will run it. `recollect disconnect` undoes it.
    """
    machine = ctx.load_settings().resolve().machine
    connections, commands = open_connections(), make_commands(machine, with_mcp=mcp)
    if list_programs:
        _print_states(ctx, connections, commands)
        return
    selected = _select(programs) or [p for p in PROGRAMS.values() if connections.is_installed(p)]
    if not selected:
        raise InvalidInput("No known program was found. Name one: " + ", ".join(PROGRAMS) + ".")
    plans = [ConnectPlan(program=p, changes=connections.plan_connect(p, commands)) for p in selected]
    _print_diffs(ctx, plans)
    if not dry_run:
        _apply(ctx, connections, plans, yes=yes)
    results = [_finish(ctx, plan, machine, commands, dry_run=dry_run) for plan in plans]
    ctx.print_result({"results": [*results]})


@app.command(epilog=format_examples("recollect disconnect claude-code", "recollect disconnect --yes"))
@command
def disconnect(
    ctx: CommandContext,
    programs: ProgramsArgument = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
) -> None:
    """
    Remove what `connect` added to other programs.

    Without a name, from all of them. A file that was not changed since then has the same bytes as before. From another,
    only our entries are removed.
    """
    connections = open_connections()
    selected = _select(programs) or list(PROGRAMS.values())
    plans = [ConnectPlan(program=p, changes=connections.plan_disconnect(p)) for p in selected]
    _print_diffs(ctx, plans)
    if not dry_run:
        _apply(ctx, connections, plans, yes=yes)
    results: list[JsonObject] = [
        {"program": plan.program.name, "files": [str(each.path) for each in plan.changes], "diff": plan.diff}
        for plan in plans
        if plan.changes
    ]
    ctx.print_result({"results": [*results]}, "" if results else "Nothing is connected.")


def _select(names: Sequence[str] | None) -> list[Program]:
    unknown = [name for name in names or () if name not in PROGRAMS]
    if unknown:
        raise InvalidInput(f"Unknown program {unknown[0]!r}. Use one of: {', '.join(PROGRAMS)}.")
    return [PROGRAMS[name] for name in names or ()]


def _memory_source(program: Program) -> str:
    if program.has_hooks:
        return "hooks"
    # A program without files to edit is set up in its own pages.
    return "tools" if program.folder else "proxy"


def _print_states(ctx: CommandContext, connections: Connections, commands: ConnectCommands) -> None:
    states = [(program, connections.state(program, commands)) for program in PROGRAMS.values()]
    results: list[JsonObject] = [
        {"program": program.name, "title": program.title, "state": state, "hooks": program.has_hooks}
        for program, state in states
    ]
    rows = [(program.name, program.title, state, _memory_source(program)) for program, state in states]
    ctx.print_result(
        {"results": [*results]}, render.table("program", "title", "state", "memory by", rows=rows)
    )


def _print_diffs(ctx: CommandContext, plans: Sequence[ConnectPlan]) -> None:
    for plan in plans:
        if plan.diff:
            ctx.print_text(plan.diff.rstrip("\n"))


def _apply(ctx: CommandContext, connections: Connections, plans: Sequence[ConnectPlan], *, yes: bool) -> None:
    changed = [plan for plan in plans if plan.diff]
    if changed:
        paths = sorted({str(each.path) for plan in changed for each in plan.changes if each.diff})
        ctx.confirm(f"Write {', '.join(paths)}?", yes=yes)
    for plan in plans:
        if plan.changes:
            connections.apply(plan.program, plan.changes)


def _finish(
    ctx: CommandContext,
    plan: ConnectPlan,
    machine: MachineSettings,
    commands: ConnectCommands,
    *,
    dry_run: bool,
) -> JsonObject:
    """Run the hook as the program will, and report what remains to be done."""
    program = plan.program
    problem = None
    if program.has_hooks and not dry_run:
        problem = run_probe(program.name, machine, commands)
        if problem:
            ctx.warn(f"The hook of {program.title} failed: {problem}")
        else:
            ctx.info(f"{program.title} is connected, and its hook answers.")
    for note in program.notes:
        ctx.info(note)
    return {
        "program": program.name,
        "files": [str(change.path) for change in plan.changes],
        "diff": plan.diff,
        "problem": problem,
        "notes": [*program.notes],
    }
