"""Write the reference pages from the code they describe, or check that they still say the same."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from recollect.model.policy import PRESETS, Value
from recollect.model.setting import MOST
from recollect.settings import Described, describe

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
An unknown name is an error that suggests the nearest one.

## Environment variables

`recall.alpha` is `RECOLLECT_RECALL_ALPHA`; the tables list every name, the strongest first. An empty variable
counts as not set. Yes or no is written `true`/`false`, `yes`/`no`, `on`/`off` or `1`/`0`; a list is separated by
commas. Recollect reads no `.env` file: load it with your own tools.

## The file

`recollect.toml` is looked for in the current folder and then in the user's configuration folder
(`~/.config/recollect` on Linux, `~/Library/Application Support/recollect` on macOS,
`%LOCALAPPDATA%\\recollect` on Windows). Both may be there; the first wins, value by value.
`RECOLLECT_CONFIG` names a single file to read instead.

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
    return SETTINGS_INTRO + "\n".join(tables) + "\n" + _presets()


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


PAGES: list[tuple[Path, Callable[[], str]]] = [
    (ROOT / "docs/reference/settings.md", render_settings),
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
