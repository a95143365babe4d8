"""What every command shares: the global options after its name, an open memory, and a place for its answer."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias, cast

import typer

from recollect.cli.options import ConfigOption, DbOption, GlobalOptions, JsonOption, UserOption
from recollect.cli.output import Output
from recollect.cli.session import CliSession, open_session, settings_from_options
from recollect.errors import InvalidInput, Refused
from recollect.settings import Settings

DEGRADED_EXIT_CODE = 5
CommandFunction: TypeAlias = Callable[..., None]
#: For commands that confirm.
YesOption: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


class CommandContext(Output):
    """One command in progress."""

    def __init__(self, options: GlobalOptions) -> None:
        super().__init__(as_json=options.json)
        self.options = options

    def load_settings(self, options: GlobalOptions | None = None) -> Settings:
        """The settings of this command line; what is wrong with a file is a warning."""
        settings = settings_from_options(options or self.options)
        self.warn_all(settings.warnings)
        return settings

    @contextmanager
    def open_session(self) -> Iterator[CliSession]:
        """The memory that was asked for; a file that is made anew is mentioned, since it may be a typing error."""
        with open_session(self.load_settings()) as session:
            if session.is_new:
                self.info(f"New memory file: {session.store.location()}")
            yield session

    def confirm(self, question: str, *, yes: bool) -> None:
        """Go on if the answer is yes; where nobody can be asked, only `--yes` will do."""
        if yes:
            return
        if not sys.stdin.isatty():
            raise Refused(f"{question} Nobody is here to answer; repeat the command with --yes.")
        if not typer.confirm(question, err=True):
            raise Refused("Nothing was changed.")

    def warn_all(self, warnings: Sequence[str]) -> None:
        for warning in warnings:
            self.warn(warning)

    def exit_degraded(self, reasons: Sequence[str]) -> None:
        """Say what did not work as it should, and end with the exit code for that."""
        if reasons:
            self.warn_all(reasons)
            raise typer.Exit(DEGRADED_EXIT_CODE)


class _HasSignature(Protocol):
    __signature__: object


# Not `ctx`: Typer reads the annotations of the wrapped function, where `ctx` is a CommandContext.
CONTEXT_PARAMETER = Parameter("typer_context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
GLOBAL_PARAMETERS = (
    Parameter("db", Parameter.KEYWORD_ONLY, default=None, annotation=DbOption),
    Parameter("user", Parameter.KEYWORD_ONLY, default=None, annotation=UserOption),
    Parameter("config", Parameter.KEYWORD_ONLY, default=None, annotation=ConfigOption),
    Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption),
)


def command(function: CommandFunction) -> CommandFunction:
    """Give a command the global options; it gets a `Call` as its first argument."""

    @wraps(function)
    def run(
        typer_context: typer.Context,
        *,
        db: str | None,
        user: str | None,
        config: str | None,
        as_json: bool,
        **arguments: object,
    ) -> None:
        options: GlobalOptions = typer_context.obj
        options.db = options.db if db is None else db
        options.user = options.user if user is None else user
        options.config = options.config if config is None else config
        options.json = as_json or options.json
        # A group's own function runs before that of the command in it, which has the answer.
        if typer_context.invoked_subcommand is None:
            function(CommandContext(options), **arguments)

    _, *parameters = signature(function).parameters.values()
    keywords = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters]
    cast("_HasSignature", run).__signature__ = Signature([CONTEXT_PARAMETER, *keywords, *GLOBAL_PARAMETERS])
    return run


def make_typer(**options: str) -> typer.Typer:
    """A bunch of commands for the index, or a command with commands of its own."""
    return typer.Typer(rich_markup_mode=None, add_completion=False, **options)  # type: ignore[arg-type]


def format_examples(*lines: str) -> str:
    """The last part of a help page, as it is typed."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def read_text_argument(words: Sequence[str]) -> str:
    """The words of a command line as one text; a single - reads it from standard input."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return " ".join(words)


def read_text_file(path: Path) -> str:
    """The text of a file; - reads it from standard input."""
    if str(path) == "-":
        return read_text_argument(["-"])
    try:
        # Some editors put a byte order mark in front.
        return path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}. Name another file, or - to read one."
        ) from error
