"""Shared by all commands: global options, the session, confirmation and output."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Protocol, TypeAlias, cast

import typer
from typer.core import TyperGroup

from recollect.cli.options import ConfigOption, DbOption, GlobalOptions, JsonOption, UserOption
from recollect.cli.output import Output
from recollect.cli.session import CliSession, missing_file, open_session, settings_from_options
from recollect.errors import InvalidInput, Refused
from recollect.settings import Settings

DEGRADED_EXIT_CODE = 5
NOT_INTERACTIVE = "Not an interactive terminal: add --yes to confirm."
#: Subcommands that a group runs without one, by preference.
DEFAULT_SUBCOMMANDS = ("list", "show")
HELP_OPTIONS = frozenset({"-h", "--help"})
CommandFunction: TypeAlias = Callable[..., None]


def parse_path(text: str) -> Path:
    """Return a path argument; an empty one is an error, not the current folder."""
    if not text:
        raise typer.BadParameter("the path is empty")
    return Path(text)


YesOption: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]


class CommandContext(Output):
    """What a running command needs: options, settings, session, confirmation and output."""

    def __init__(self, options: GlobalOptions) -> None:
        super().__init__(as_json=options.json)
        self.options = options

    def load_settings(self, options: GlobalOptions | None = None) -> Settings:
        """Load the settings with these options applied; print the warnings about settings files."""
        settings = settings_from_options(options or self.options)
        self.warn_all(settings.warnings)
        return settings

    @contextmanager
    def open_session(self, *, creates: bool = False) -> Iterator[CliSession]:
        """
        Open the memory file. Only a command that stores something new `creates` one, and reports it: --db may be
        mistyped.
        """
        with open_session(self.load_settings(), creates=creates) as session:
            if session.is_new:
                self.info(f"Created memory file {session.services.maintenance.location()}")
            yield session

    @contextmanager
    def open_session_or_empty(self) -> Iterator[CliSession]:
        """Open the memory file, or an empty temporary one: for previews, which are useful before there is a file."""
        if missing_file(self.load_settings()) is None:
            with self.open_session() as session:
                yield session
            return
        with TemporaryDirectory(prefix="recollect-") as folder:
            options = replace(self.options, db=str(Path(folder) / "memory.db"))
            with open_session(settings_from_options(options), creates=True) as session:
                yield session

    def confirm(self, question: str, *, yes: bool) -> None:
        """Ask the user to confirm. Raises Refused on "no", and without a terminal unless `yes` is set."""
        if yes:
            return
        if not sys.stdin.isatty():
            self.info(question)
            raise Refused(NOT_INTERACTIVE)
        if not typer.confirm(question, err=True):
            raise Refused("Cancelled. Nothing was changed.")

    def warn_all(self, warnings: Sequence[str]) -> None:
        for warning in warnings:
            self.warn(warning)

    def exit_degraded(self, reasons: Sequence[str]) -> None:
        """Print the reasons as warnings and exit with DEGRADED_EXIT_CODE, if there are any."""
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
    """Add the global options to a command function and pass it a `CommandContext` as its first argument."""

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
        # Typer calls a group's function before its subcommand's; only the subcommand must print.
        if typer_context.invoked_subcommand is None:
            function(CommandContext(options), **arguments)

    _, *parameters = signature(function).parameters.values()
    keywords = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters]
    cast("_HasSignature", run).__signature__ = Signature([CONTEXT_PARAMETER, *keywords, *GLOBAL_PARAMETERS])
    return run


class CommandGroup(TyperGroup):
    """Group of commands. Without a subcommand it runs `list` or `show`, if it has one, else it prints its help page."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        default = next((name for name in DEFAULT_SUBCOMMANDS if name in self.commands), None)
        if default is None:
            return super().parse_args(ctx, args or ["--help"])
        has_options_only = all(word.startswith("-") for word in args[:1]) and self.commands.keys().isdisjoint(
            args
        )
        is_help = not HELP_OPTIONS.isdisjoint(args)
        return super().parse_args(ctx, [default, *args] if has_options_only and not is_help else args)


def make_typer() -> typer.Typer:
    """Return a Typer app for a command module or for a command with subcommands."""
    return typer.Typer(cls=CommandGroup, rich_markup_mode=None, add_completion=False)


def format_examples(*lines: str) -> str:
    """Return the Examples section of a help page."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def read_text_argument(words: Sequence[str]) -> str:
    """Join the arguments to one text; a single - reads standard input."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return " ".join(words)


def read_text_file(path: Path) -> str:
    """Return the text of a file; - reads standard input."""
    if str(path) == "-":
        return read_text_argument(["-"])
    try:
        # Some editors write a byte order mark.
        return path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise InvalidInput(
            f"Cannot read {path}: {error.strerror}. Give another file, or - for standard input."
        ) from error
