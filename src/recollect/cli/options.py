"""What may be asked for before or after any command."""

from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

import typer

DEFAULT_RESUME_HINT = "What was stored is on disk. Run the same command again to go on."

DbOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE", help="The memory file (by default one in your data folder)."),
]
UserOption: TypeAlias = Annotated[str | None, typer.Option("--user", metavar="U", help="Whose memory.")]
ConfigOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="The only settings file to read; it needs no trust."),
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON object instead of tables.")
]


@dataclass(slots=True, kw_only=True)
class GlobalOptions:
    """Filled in as the line is read; a command may say how to go on after Ctrl-C."""

    db: str | None = None
    user: str | None = None
    config: str | None = None
    json: bool = False
    debug: bool = False
    resume_hint: str = DEFAULT_RESUME_HINT
    settings: dict[str, str] = field(default_factory=dict)  #: what else a command was told, by setting name
