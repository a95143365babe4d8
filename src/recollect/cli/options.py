"""Global options, accepted before or after any command."""

from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

import typer

DEFAULT_RESUME_HINT = "Stored data is safe. Run the same command again to continue."

DbOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE", help="Memory file (default: in your data folder)."),
]
UserOption: TypeAlias = Annotated[str | None, typer.Option("--user", metavar="U", help="User id.")]
ConfigOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="Read only this settings file; it needs no trust."),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]


@dataclass(slots=True, kw_only=True)
class GlobalOptions:
    """Values of the global options; a command may set `resume_hint`, printed after Ctrl-C."""

    db: str | None = None
    user: str | None = None
    config: str | None = None
    json: bool = False
    debug: bool = False
    resume_hint: str = DEFAULT_RESUME_HINT
    settings: dict[str, str] = field(default_factory=dict)  #: settings given by a command's own options
