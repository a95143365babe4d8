"""Generate the reference pages from the code, or check that they are up to date."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from importlib import import_module
from inspect import cleandoc, getdoc
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_group

from recollect import errors
from recollect.cli.app import EXIT_CODES, app
from recollect.cli.index import COMMAND_SECTIONS
from recollect.domain.policy import PRESETS, OptionValue
from recollect.domain.setting import MAX_SETTING_VALUE, PROJECT_SETTINGS
from recollect.errors import RecollectError
from recollect.settings import SettingSpec, list_specs

Command: TypeAlias = TyperCommand | TyperGroup

REPOSITORY_ROOT = Path(__file__).resolve().parent.parent

SETTINGS_INTRO = """\
# Settings

Every setting has a default, so recollect runs without any. `recollect settings` prints each value and
where it came from.

## Precedence

The first source with a value wins:

1. an argument of the call
2. a preference of the user, stored with their memories
3. an environment variable
4. a file, `recollect.toml`
5. the preset
6. the default

Changes of environment variables, files and preferences apply immediately, without a restart. If a changed file or
variable is invalid, the previous values stay in effect and a warning is logged; at startup it is an error.
An unknown name is an error that suggests the closest one. An invalid file in the current folder is never an error: it
is ignored with a warning.

## Environment variables

`recall.alpha` is `RECOLLECT_RECALL_ALPHA`; the tables list every name, highest precedence first. An empty variable
counts as unset. Booleans are `true`/`false`, `yes`/`no`, `on`/`off` or `1`/`0`; lists are separated by commas.
Recollect does not read `.env` files: load them with your own tools.

## Configuration file

`recollect.toml` is read from the current folder and from the user's configuration folder
(`~/.config/recollect` on Linux, `~/Library/Application Support/recollect` on macOS,
`%LOCALAPPDATA%\\recollect` on Windows). If both exist, the first wins, value by value.
`--config FILE` on the command line, or else `RECOLLECT_CONFIG`, names a single file to read instead.

```toml
preset = "dev"
db = "~/notes/memory.db"

[recall]
hybrid = true
alpha = 0.5

[triage]
keep_phrases = ["our budget", "the deadline"]
```

The alternative names in the environment columns work in the file as well (`rag_hybrid = true`). Relative paths are
relative to the current folder. The user's data folder is `~/.local/share/recollect` on Linux; on macOS and Windows it
is the folder named above.

## Project files

A `recollect.toml` in the current folder may come from someone else's project. Until you trust it, it may set only
these settings, which affect ranking and layout: {project_settings}.

Other settings in it are ignored with a warning. `recollect trust` shows what the file sets, asks for confirmation, and
records its path and the hash of its content in `trusted.json` in your configuration folder. A changed file has to be
trusted again; `recollect trust --list` lists the trusted files and `recollect trust --revoke` revokes trust. Your own
file, and one that you name with `--config` or `RECOLLECT_CONFIG`, need no trust.

## Preferences

A user may set `preset` and all settings from [collect](#collect) on. The other settings apply to the machine and cannot
be preferences.

"""


def render_settings() -> str:
    """Return the settings page."""
    groups = groupby(
        list_specs(), key=lambda row: row.name.partition(".")[0] if "." in row.name else "This machine"
    )
    tables = (f"## {title}\n\n{_render_table(_settings_rows(rows))}" for title, rows in groups)
    allowed = ", ".join(f"`{row.name}`" for row in list_specs() if row.name in PROJECT_SETTINGS)
    return (
        SETTINGS_INTRO.replace("{project_settings}", allowed) + "\n".join(tables) + "\n" + _render_presets()
    )


def _settings_rows(rows: Iterable[SettingSpec]) -> Iterator[list[str]]:
    yield ["setting", "what it does", "takes", "default", "environment"]
    for row in rows:
        names = "<br>".join(f"`{name}`" for name in row.environment)
        yield [f"`{row.name}`", row.doc, _format_type(row), _format_default(row), names]


def _format_type(row: SettingSpec) -> str:
    match row.kind:
        case "whole number" | "number" if row.high == MAX_SETTING_VALUE:
            return f"{row.kind}, at least {row.low}"
        case "whole number" | "number":
            return f"{row.kind}, {row.low} to {row.high}"
        case "choice" | "choice or folder":
            choices = ", ".join(f"`{choice}`" for choice in row.choices)
            return choices if row.kind == "choice" else f"{choices} or the path of a folder"
        case _:
            return row.kind


def _format_default(row: SettingSpec) -> str:
    # A default path depends on the machine and is described in words.
    return str(row.default) if row.kind == "path" else _format_value(row.default)


def _format_value(value: OptionValue) -> str:
    match value:
        case "" | ():
            return "empty"
        case bool():
            return f"`{str(value).lower()}`"
        case _:
            return f"`{value}`"


def _render_presets() -> str:
    names = [name for name in PRESETS if name != "default"]
    preset_settings = [row for row in list_specs() if any(row.name in PRESETS[name] for name in names)]
    cells = [["setting", "default", *names]]
    for row in preset_settings:
        values = (PRESETS[name].get(row.name) for name in names)
        cells.append(
            [
                f"`{row.name}`",
                _format_value(row.default),
                *("" if v is None else _format_value(v) for v in values),
            ]
        )
    return f"## Presets\n\nAn empty cell keeps the default.\n\n{_render_table(cells)}"


def _render_table(rows: Iterable[list[str]]) -> str:
    head, *body = ([cell.replace("|", r"\|") for cell in row] for row in rows)
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


ERRORS_INTRO = """\
# Errors

Every error that recollect raises deliberately is a `RecollectError`, so one `except` is enough:

```python
from recollect import Memory
from recollect.errors import NotFound, RecollectError

with Memory("memory.db") as memory:
    try:
        memory.get("no such id")
    except NotFound as error:
        print(error)
    except RecollectError:
        raise
```

The message says what happened, why, and what to do next; the error of the database or model is its `__cause__`.
The command line prints the message and exits with the code below; with `--json` it also prints
`{"error": {"type": ..., "message": ...}}`. Degraded operation is not an error: the receipt says what did not work.

"""


def render_errors() -> str:
    """Return the errors page: the class tree, then each error with its default message."""
    _, tree, *notes = cleandoc(errors.__doc__ or "").split("\n\n")
    parts = [f"```text\n{tree}\n```", *notes]
    cells = [["error", "default message", "exit code"]]
    cells += [[f"`{kind.__name__}`", getdoc(kind) or "", str(_exit_code(kind))] for kind in error_classes()]
    return ERRORS_INTRO + "\n\n".join(parts) + "\n\n" + _render_table(cells)


def error_classes(kind: type[RecollectError] = RecollectError) -> Iterator[type[RecollectError]]:
    """Yield every error class, each before its subclasses."""
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from error_classes(child)


def _exit_code(kind: type[RecollectError]) -> int:
    return next(EXIT_CODES[each] for each in kind.__mro__ if each in EXIT_CODES)


CLI_INTRO = """\
# Command line

`recollect COMMAND --help` shows the same text in a terminal.

"""
CLI_OPTIONS = """
Results go to standard output, warnings and errors to standard error. The tables below omit `--db`, `--user`,
`--config` and `--json`, which every command accepts.
"""


def render_cli() -> str:
    """Return the page of commands, in the order of the help page."""
    root_command = get_group(app)
    lines = [
        CLI_INTRO + _clean_prose(root_command.help),
        _render_options(root_command, include_shared=True),
        CLI_OPTIONS.strip(),
        _render_epilog(root_command),
    ]
    for section, rows in COMMAND_SECTIONS.items():
        lines.append(f"## {section}")
        for name, *_ in rows:
            lines += [_render_command(path, command) for path, command in list_commands(f"recollect {name}")]
    return "\n\n".join(filter(None, lines)) + "\n"


def list_commands(prefix: str = "recollect") -> Iterator[tuple[str, Command]]:
    """Yield every command with its full name; the commands of a group follow the group."""
    paths_and_commands: list[tuple[str, Command]] = []
    root_command = get_group(app)
    for rows in COMMAND_SECTIONS.values():
        for name, *_ in rows:
            command = root_command.get_command(None, name)  # type: ignore[arg-type]
            assert isinstance(command, TyperCommand | TyperGroup)
            paths_and_commands += _with_subcommands(f"recollect {name}", command)
    return ((path, command) for path, command in paths_and_commands if f"{path} ".startswith(f"{prefix} "))


def _with_subcommands(path: str, command: Command) -> list[tuple[str, Command]]:
    subcommands = command.commands if isinstance(command, TyperGroup) else {}
    descendants = [
        pair
        for name, each in subcommands.items()
        if isinstance(each, TyperCommand | TyperGroup)
        for pair in _with_subcommands(f"{path} {name}", each)
    ]
    return [(path, command), *descendants]


def _render_command(path: str, command: Command) -> str:
    arguments = (each for each in command.params if isinstance(each, TyperArgument))
    usage = "".join(f" {_format_argument(each)}" for each in arguments)
    subcommand_hint = " [COMMAND]" if isinstance(command, TyperGroup) else ""
    parts = [
        f"### {path}",
        f"`{path}{usage}{subcommand_hint}`",
        _clean_prose(command.help),
        _render_options(command),
        _render_epilog(command),
    ]
    return "\n\n".join(filter(None, parts))


def _format_argument(argument: TyperArgument) -> str:
    name = (argument.metavar or argument.name) + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _render_options(command: Command, *, include_shared: bool = False) -> str:
    rows = []
    shared_options = {"--db", "--user", "--config", "--json"}
    for each in command.params:
        if isinstance(each, TyperArgument):
            rows.append([f"`{each.metavar or each.name}`", each.help or "", ""])
        elif (
            isinstance(each, TyperOption)
            and not each.hidden
            and (include_shared or shared_options.isdisjoint(each.opts))
        ):
            rows.append([_format_option(each), each.help or "", _format_option_default(each)])
    return _render_table([["word or option", "what it does", "default"], *rows]).strip() if rows else ""


def _format_option(option: TyperOption) -> str:
    value = f" {option.metavar}" if option.metavar and not option.is_flag else ""
    names = ", ".join(f"`{name}{value}`" for name in option.opts)
    return names + "".join(f" / `{name}`" for name in option.secondary_opts)


def _format_option_default(option: TyperOption) -> str:
    value = option.default
    if option.secondary_opts:
        return f"`{option.opts[0] if value else option.secondary_opts[0]}`"
    if value is None or value is False or callable(value):
        return ""
    return f"`{value.value if isinstance(value, Enum) else value}`"


def _clean_prose(text: str | None) -> str:
    return cleandoc(text or "").replace("\b", "").strip()


def _render_epilog(command: Command) -> str:
    """Render an epilog: examples as a code block, other text as prose."""
    text = _clean_prose(command.epilog)
    before, heading, after = text.partition("Examples:\n")
    if not heading:
        return before.strip()
    examples, _, rest = after.partition("\n\n")
    example_lines = "\n".join(line.strip() for line in examples.splitlines() if line.strip())
    return "\n\n".join(filter(None, [before.strip(), f"```console\n{example_lines}\n```", rest.strip()]))


def render_http() -> str:
    """Return the HTTP page; imported by path, since this file may be run or imported."""
    page: str = import_module(f"{__package__}.http_page" if __package__ else "http_page").render_http()
    return page


REFERENCE_PAGES: list[tuple[Path, Callable[[], str]]] = [
    (REPOSITORY_ROOT / "docs/reference/settings.md", render_settings),
    (REPOSITORY_ROOT / "docs/reference/errors.md", render_errors),
    (REPOSITORY_ROOT / "docs/reference/cli.md", render_cli),
    (REPOSITORY_ROOT / "docs/reference/http.md", render_http),
]


def stale_pages() -> list[Path]:
    return [
        path for path, render in REFERENCE_PAGES if not path.exists() or path.read_text("utf-8") != render()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="list the pages that are out of date")
    mode.add_argument("--write", action="store_true", help="write the pages that are out of date")
    arguments = parser.parse_args()
    pages = dict(REFERENCE_PAGES)
    for path in (outdated := stale_pages()):
        print(
            f"{path.relative_to(REPOSITORY_ROOT)} {'written' if arguments.write else 'is out of date; use --write'}"
        )
        if arguments.write:
            path.write_text(pages[path](), "utf-8")
    return 1 if outdated and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
