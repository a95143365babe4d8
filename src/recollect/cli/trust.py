"""The `trust` command: settings files of project folders."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, YesOption, command, format_examples, make_typer
from recollect.cli.settings import format_value, serialize_value
from recollect.domain.setting import PROJECT_SETTINGS
from recollect.errors import InvalidInput
from recollect.serialization.serializers import JsonValue
from recollect.settings import FILE_NAME, read_project_file, trusted_files

app = make_typer()


@app.command(
    epilog=format_examples(
        "recollect trust",
        "recollect trust ~/project --yes",
        "recollect trust --list",
        "recollect trust --revoke",
    )
)
@command
def trust(
    ctx: CommandContext,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="Folder that contains recollect.toml; default: the current one."
        ),
    ] = Path(),
    list_files: Annotated[bool, typer.Option("--list", help="List the trusted files.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Stop trusting the file.")] = False,
    yes: YesOption = False,
) -> None:
    """
    Trust the settings file of a project folder.

    A recollect.toml in the current folder may have come with someone else's project. Untrusted, it can only set how
    memories are ranked and formatted; its other settings are ignored with a warning. This command shows the settings of
    the file and asks for confirmation. A modified file must be trusted again. `--config FILE` uses a file without
    trusting it.
    """
    if list_files and revoke:
        raise InvalidInput("--list and --revoke cannot be combined.")
    if list_files:
        _print_trusted_files(ctx)
    elif revoke:
        path = folder.resolve() / FILE_NAME
        trusted_files().remove(path)
        ctx.print_result({"file": str(path), "trusted": False}, f"{path} is no longer trusted.")
    else:
        _trust_file(ctx, folder, yes=yes)


def _trust_file(ctx: CommandContext, folder: Path, *, yes: bool) -> None:
    file = read_project_file(folder)
    rows = [
        (each.name, format_value(each.value), "no" if each.name in PROJECT_SETTINGS else "yes")
        for each in file.settings
    ]
    if ctx.is_text:
        ctx.stderr.print(render.table("!setting", "value", "needs trust", rows=rows))
    ctx.confirm(f"Trust {file.path} to set these values?", yes=yes)
    trusted_files().add(file.path, file.sha256)
    serialized_settings: list[JsonValue] = [
        {
            "name": each.name,
            "value": serialize_value(each.value),
            "needs_trust": each.name not in PROJECT_SETTINGS,
        }
        for each in file.settings
    ]
    ctx.print_result(
        {"file": str(file.path), "trusted": True, "settings": serialized_settings},
        f"{file.path} is trusted until it is modified. Revoke with `recollect trust --revoke`.",
    )


def _print_trusted_files(ctx: CommandContext) -> None:
    states = trusted_files().states()
    ctx.print_result(
        {"results": [{"file": path, "state": state} for path, state in states.items()]},
        render.table("!file", "state", rows=list(states.items())),
    )
