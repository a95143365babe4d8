"""Write the reference pages from the code they describe, or check that they still say the same."""

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
from recollect.cli.index import SECTIONS
from recollect.domain.policy import PRESETS, Value
from recollect.domain.setting import MOST, PROJECT_SETTINGS
from recollect.errors import RecollectError
from recollect.settings import Described, describe

Command: TypeAlias = TyperCommand | TyperGroup

ROOT = Path(__file__).resolve().parent.parent

SETTINGS_INTRO = """\
# Settings

Every setting has a default, so recollect runs without any. `recollect settings` prints each value and
where it came from.

## Who wins

The first of these that says something:

1. an argument of the call
2. a preference of the user, kept with their memories
3. an environment variable
4. a file, `recollect.toml`
5. the preset
6. the default

Environment variables, files and preferences take effect at once, without a restart. If a changed file or
variable makes no sense, the earlier values stay in force and a warning says so; at the start it is an error.
An unknown name is an error that suggests the nearest one. A mistake in a file of the current folder is never an error:
that file is ignored with a warning.

## Environment variables

`recall.alpha` is `RECOLLECT_RECALL_ALPHA`; the tables list every name, the strongest first. An empty variable
counts as not set. Yes or no is written `true`/`false`, `yes`/`no`, `on`/`off` or `1`/`0`; a list is separated by
commas. Recollect reads no `.env` file: load it with your own tools.

## The file

`recollect.toml` is looked for in the current folder and then in the user's configuration folder
(`~/.config/recollect` on Linux, `~/Library/Application Support/recollect` on macOS,
`%LOCALAPPDATA%\\recollect` on Windows). Both may be there; the first wins, value by value.
`--config FILE` of the command line, or else `RECOLLECT_CONFIG`, names a single file to read instead.

```toml
preset = "dev"
db = "~/notes/memory.db"

[recall]
hybrid = true
alpha = 0.5

[funnel]
gold = ["our budget", "the deadline"]
```

The further names in the environment columns are understood in the file as well (`rag_hybrid = true`). A relative
path starts from the current folder. The user's data folder is `~/.local/share/recollect` on Linux; on macOS and
Windows it is the folder named above.

## Files of projects

A `recollect.toml` in the current folder may have come with somebody else's project. Without your trust it may set only
these, which choose how memories are ranked and laid out: {project_settings}.

Whatever else it sets is ignored, with a warning that names it. `recollect trust` shows what the file sets, asks, and
records its path and the hash of its content in `trusted.json` in your configuration folder. A changed file has to be
trusted again; `recollect trust --list` shows the trusted files and `recollect trust --revoke` takes trust back. Your
own file, and one that you name with `--config` or `RECOLLECT_CONFIG`, need no trust.

## Preferences

A user may set `preset` and everything from [collect](#collect) on. The other settings of this machine cannot be
preferences.

"""


def render_settings() -> str:
    """The page of settings."""
    groups = groupby(
        describe(), key=lambda row: row.name.partition(".")[0] if "." in row.name else "This machine"
    )
    tables = (f"## {title}\n\n{_table(_cells(rows))}" for title, rows in groups)
    allowed = ", ".join(f"`{row.name}`" for row in describe() if row.name in PROJECT_SETTINGS)
    return SETTINGS_INTRO.replace("{project_settings}", allowed) + "\n".join(tables) + "\n" + _presets()


def _cells(rows: Iterable[Described]) -> Iterator[list[str]]:
    yield ["setting", "what it does", "takes", "default", "environment"]
    for row in rows:
        names = "<br>".join(f"`{name}`" for name in row.environment)
        yield [f"`{row.name}`", row.doc, _takes(row), _default(row), names]


def _takes(row: Described) -> str:
    match row.kind:
        case "whole number" | "number" if row.high == MOST:
            return f"{row.kind}, at least {row.low}"
        case "whole number" | "number":
            return f"{row.kind}, {row.low} to {row.high}"
        case "choice" | "choice or folder":
            choices = ", ".join(f"`{choice}`" for choice in row.choices)
            return choices if row.kind == "choice" else f"{choices} or the path of a folder"
        case _:
            return row.kind


def _default(row: Described) -> str:
    # A default path depends on the machine and is described in words.
    return str(row.default) if row.kind == "path" else _value(row.default)


def _value(value: Value) -> str:
    match value:
        case "" | ():
            return "empty"
        case bool():
            return f"`{str(value).lower()}`"
        case _:
            return f"`{value}`"


def _presets() -> str:
    names = [name for name in PRESETS if name != "default"]
    changed = [row for row in describe() if any(row.name in PRESETS[name] for name in names)]
    cells = [["setting", "default", *names]]
    for row in changed:
        values = (PRESETS[name].get(row.name) for name in names)
        cells.append(
            [f"`{row.name}`", _value(row.default), *("" if v is None else _value(v) for v in values)]
        )
    return f"## Presets\n\nAn empty cell keeps the default.\n\n{_table(cells)}"


def _table(rows: Iterable[list[str]]) -> str:
    head, *body = ([cell.replace("|", r"\|") for cell in row] for row in rows)
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


ERRORS_INTRO = """\
# Errors

Everything that recollect raises on purpose is a `RecollectError`, so one `except` is enough:

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

The message says what happened, why, and what to do next; what a database or a model said is kept as `__cause__`.
The command line prints it and ends with the exit code below; with `--json` it also prints
`{"error": {"type": ..., "message": ...}}`. A degraded answer is no error: its receipt says what did not work.

"""


def render_errors() -> str:
    """The page of errors: the tree as it is drawn in the code, then each with its own words."""
    _, tree, *notes = cleandoc(errors.__doc__ or "").split("\n\n")
    parts = [f"```text\n{tree}\n```", *notes]
    cells = [["error", "what it says unless it knows better", "exit code"]]
    cells += [[f"`{kind.__name__}`", getdoc(kind) or "", str(_exit_code(kind))] for kind in error_classes()]
    return ERRORS_INTRO + "\n\n".join(parts) + "\n\n" + _table(cells)


def error_classes(kind: type[RecollectError] = RecollectError) -> Iterator[type[RecollectError]]:
    """Every error, each before its special cases."""
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from error_classes(child)


def _exit_code(kind: type[RecollectError]) -> int:
    return next(EXIT_CODES[each] for each in kind.__mro__ if each in EXIT_CODES)


CLI_INTRO = """\
# Command line

`recollect COMMAND --help` shows the same in a terminal.

"""
CLI_OPTIONS = """
Answers go to standard output, remarks and errors to standard error. The tables below do not repeat `--db`, `--user`,
`--config` and `--json`, which every command takes.
"""


def render_cli() -> str:
    """The page of commands, in the order of the help page."""
    whole = get_group(app)
    lines = [
        CLI_INTRO + _prose(whole.help),
        _options(whole, shared=True),
        CLI_OPTIONS.strip(),
        _epilog(whole),
    ]
    for section, rows in SECTIONS.items():
        lines.append(f"## {section}")
        for name, *_ in rows:
            lines += [_command(path, command) for path, command in commands(f"recollect {name}")]
    return "\n\n".join(filter(None, lines)) + "\n"


def commands(below: str = "recollect") -> Iterator[tuple[str, Command]]:
    """Every command with the words that call it, those of a group after the group."""
    found: list[tuple[str, Command]] = []
    whole = get_group(app)
    for rows in SECTIONS.values():
        for name, *_ in rows:
            command = whole.get_command(None, name)  # type: ignore[arg-type]
            assert isinstance(command, TyperCommand | TyperGroup)
            found += _with_commands(f"recollect {name}", command)
    return ((path, command) for path, command in found if f"{path} ".startswith(f"{below} "))


def _with_commands(path: str, command: Command) -> list[tuple[str, Command]]:
    inner = command.commands if isinstance(command, TyperGroup) else {}
    below = [
        pair
        for name, each in inner.items()
        if isinstance(each, TyperCommand | TyperGroup)
        for pair in _with_commands(f"{path} {name}", each)
    ]
    return [(path, command), *below]


def _command(path: str, command: Command) -> str:
    arguments = (each for each in command.params if isinstance(each, TyperArgument))
    words = "".join(f" {_word(each)}" for each in arguments)
    further = " [COMMAND]" if isinstance(command, TyperGroup) else ""
    parts = [
        f"### {path}",
        f"`{path}{words}{further}`",
        _prose(command.help),
        _options(command),
        _epilog(command),
    ]
    return "\n\n".join(filter(None, parts))


def _word(argument: TyperArgument) -> str:
    name = (argument.metavar or argument.name) + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _options(command: Command, *, shared: bool = False) -> str:
    rows = []
    known = {"--db", "--user", "--config", "--json"}
    for each in command.params:
        if isinstance(each, TyperArgument):
            rows.append([f"`{each.metavar or each.name}`", each.help or "", ""])
        elif isinstance(each, TyperOption) and not each.hidden and (shared or known.isdisjoint(each.opts)):
            rows.append([_written(each), each.help or "", _preset_value(each)])
    return _table([["word or option", "what it does", "default"], *rows]).strip() if rows else ""


def _written(option: TyperOption) -> str:
    value = f" {option.metavar}" if option.metavar and not option.is_flag else ""
    names = ", ".join(f"`{name}{value}`" for name in option.opts)
    return names + "".join(f" / `{name}`" for name in option.secondary_opts)


def _preset_value(option: TyperOption) -> str:
    value = option.default
    if option.secondary_opts:
        return f"`{option.opts[0] if value else option.secondary_opts[0]}`"
    if value is None or value is False or callable(value):
        return ""
    return f"`{value.value if isinstance(value, Enum) else value}`"


def _prose(text: str | None) -> str:
    return cleandoc(text or "").replace("\b", "").strip()


def _epilog(command: Command) -> str:
    """Examples as they are typed; whatever else stands below the options as prose."""
    text = _prose(command.epilog)
    before, found, after = text.partition("Examples:\n")
    if not found:
        return before.strip()
    examples, _, rest = after.partition("\n\n")
    typed = "\n".join(line.strip() for line in examples.splitlines() if line.strip())
    return "\n\n".join(filter(None, [before.strip(), f"```console\n{typed}\n```", rest.strip()]))


def render_http() -> str:
    """The page of the server, which has a file of its own; this one may be run or imported."""
    page: str = import_module(f"{__package__}.http_page" if __package__ else "http_page").render_http()
    return page


PAGES: list[tuple[Path, Callable[[], str]]] = [
    (ROOT / "docs/reference/settings.md", render_settings),
    (ROOT / "docs/reference/errors.md", render_errors),
    (ROOT / "docs/reference/cli.md", render_cli),
    (ROOT / "docs/reference/http.md", render_http),
]


def stale() -> list[Path]:
    return [path for path, render in PAGES if not path.exists() or path.read_text("utf-8") != render()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="say which pages differ from the code")
    mode.add_argument("--write", action="store_true", help="write the pages that differ")
    arguments = parser.parse_args()
    pages = dict(PAGES)
    for path in (outdated := stale()):
        print(f"{path.relative_to(ROOT)} {'written' if arguments.write else 'is out of date; use --write'}")
        if arguments.write:
            path.write_text(pages[path](), "utf-8")
    return 1 if outdated and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
