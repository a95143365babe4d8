"""What every command shares: the global options after its name, an open memory, and a place for its answer."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias, cast

import typer

from recollect.cli.options import Asked, Config, Db, Json, User
from recollect.cli.output import Output
from recollect.cli.session import Session, load_settings, opened
from recollect.errors import InvalidInput, Refused
from recollect.settings import Settings

DEGRADED = 5
Function: TypeAlias = Callable[..., None]
#: For commands that confirm.
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


class Call(Output):
    """One command in progress."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(as_json=asked.json)
        self.asked = asked

    def load_settings(self, asked: Asked | None = None) -> Settings:
        """The settings of this command line; what is wrong with a file is a warning."""
        settings = load_settings(asked or self.asked)
        self.mention(settings.warnings)
        return settings

    @contextmanager
    def open(self) -> Iterator[Session]:
        """The memory that was asked for; a file that is made anew is mentioned, since it may be a typing error."""
        with opened(self.load_settings()) as session:
            if session.is_new:
                self.note(f"New memory file: {session.store.location()}")
            yield session

    def confirm(self, question: str, *, yes: bool) -> None:
        """Go on if the answer is yes; where nobody can be asked, only `--yes` will do."""
        if yes:
            return
        if not sys.stdin.isatty():
            raise Refused(f"{question} Nobody is here to answer; repeat the command with --yes.")
        if not typer.confirm(question, err=True):
            raise Refused("Nothing was changed.")

    def mention(self, warnings: Sequence[str]) -> None:
        for each in warnings:
            self.warn(each)

    def end_degraded(self, reasons: Sequence[str]) -> None:
        """Say what did not work as it should, and end with the exit code for that."""
        if reasons:
            self.mention(reasons)
            raise typer.Exit(DEGRADED)


class _Signed(Protocol):
    __signature__: object


CONTEXT = Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context)
GLOBAL = (
    Parameter("db", Parameter.KEYWORD_ONLY, default=None, annotation=Db),
    Parameter("user", Parameter.KEYWORD_ONLY, default=None, annotation=User),
    Parameter("config", Parameter.KEYWORD_ONLY, default=None, annotation=Config),
    Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=Json),
)


def command(function: Function) -> Function:
    """Give a command the global options; it gets a `Call` as its first argument."""

    @wraps(function)
    def run(
        ctx: typer.Context,
        *,
        db: str | None,
        user: str | None,
        config: str | None,
        as_json: bool,
        **own: object,
    ) -> None:
        asked: Asked = ctx.obj
        asked.db = asked.db if db is None else db
        asked.user = asked.user if user is None else user
        asked.config = asked.config if config is None else config
        asked.json = as_json or asked.json
        # A group's own function runs before that of the command in it, which has the answer.
        if ctx.invoked_subcommand is None:
            function(Call(asked), **own)

    _, *own = signature(function).parameters.values()
    keywords = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own]
    cast("_Signed", run).__signature__ = Signature([CONTEXT, *keywords, *GLOBAL])
    return run


def commands(**options: str) -> typer.Typer:
    """A bunch of commands for the index, or a command with commands of its own."""
    return typer.Typer(rich_markup_mode=None, add_completion=False, **options)  # type: ignore[arg-type]


def examples(*lines: str) -> str:
    """The last part of a help page, as it is typed."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def given_text(words: Sequence[str]) -> str:
    """The words of a command line as one text; a single - reads it from standard input."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return " ".join(words)


def file_text(path: Path) -> str:
    """The text of a file; - reads it from standard input."""
    if str(path) == "-":
        return given_text(["-"])
    try:
        # Some editors put a byte order mark in front.
        return path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}. Name another file, or - to read one."
        ) from error
