"""Entry point of the command line: global options, and the mapping of errors to messages and exit codes."""

import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from typing import Annotated

import typer
from typer.main import get_command

from recollect import __version__
from recollect.cli.index import LazyCommandGroup
from recollect.cli.options import ConfigOption, DbOption, GlobalOptions, JsonOption, UserOption
from recollect.errors import ConfigError, InvalidInput, NotFound, RecollectError, Refused

#: The first match along the exception's MRO counts. Usage errors exit with 2, degraded results with 5, Ctrl-C with 130.
EXIT_CODES: Mapping[type[BaseException], int] = {
    RecollectError: 1,
    InvalidInput: 2,
    ConfigError: 2,
    NotFound: 3,
    Refused: 4,
}
INTERRUPTED_EXIT_CODE = 130
HELP_EPILOG = """\b
Exit codes: 0 success, 1 error, 2 invalid input or settings, 3 not found, 4 refused,
5 degraded result (or `doctor` found a problem), 130 interrupted with Ctrl-C.

\b
Examples:
  recollect demo
  recollect add "I'm vegetarian and hate cilantro"
  recollect search "what can I cook tonight?"
  recollect --db work.db --user ana memories --json

--db, --user, --config and --json work before or after the command.
Run `recollect COMMAND --help` for details of a command."""

app = typer.Typer(
    cls=LazyCommandGroup,
    rich_markup_mode=None,
    epilog=HELP_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"recollect {__version__}")
        raise typer.Exit


@app.callback()
def recollect(
    ctx: typer.Context,
    *,
    db: DbOption = None,
    user: UserOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print the traceback of unexpected errors.")] = False,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """
    Long-term memory for LLM chats: one file, no API key, explainable recall.

    `add` stores texts and messages, `search` and `context` retrieve the ones relevant to a query, and `why` explains
    the result. All data is in one file, by default in your data folder (`recollect settings get db` prints its path).
    """
    options: GlobalOptions = ctx.obj
    options.db, options.user, options.config, options.json, options.debug = db, user, config, as_json, debug


def exit_code(error: BaseException) -> int:
    return next((EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES), 1)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(run(sys.argv[1:] if argv is None else argv))


def run(argv: Sequence[str]) -> int:
    """Run one command line; return its exit code."""
    _use_utf8_output()
    arguments = [decode_argument(word) for word in argv] or ["--help"]
    try:
        code = _run_command(arguments, GlobalOptions())
        sys.stdout.flush()
    except BrokenPipeError:
        return _silence_stdout()
    return code


def _run_command(arguments: list[str], options: GlobalOptions) -> int:
    try:
        code = get_command(app).main(
            args=arguments, prog_name="recollect", standalone_mode=False, obj=options
        )
    except typer.TyperException as error:
        # A usage error stops parsing before a later --json is seen.
        options.json = options.json or "--json" in arguments
        return _report_usage_error(error, options)
    except typer.Abort:
        typer.echo("\nInterrupted. Nothing was changed.", err=True)
        return INTERRUPTED_EXIT_CODE
    except RecollectError as error:
        _print_error(error, str(error), options)
        return exit_code(error)
    except Exception as error:  # noqa: BLE001 - the outermost handler: tracebacks only with --debug
        return _report_unexpected_error(error, options)
    if code == INTERRUPTED_EXIT_CODE:
        typer.echo(f"\nInterrupted. {options.resume_hint}", err=True)
    return code if isinstance(code, int) else 0


def decode_argument(text: str) -> str:
    """Return a command line argument as valid Unicode; undecodable bytes become U+FFFD."""
    try:
        # Python passes bytes it cannot decode (invalid UTF-8, or an ASCII locale) as lone surrogates.
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _use_utf8_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Keep a terminal's own encoding; pipes and files get UTF-8 on every platform.
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def _report_usage_error(error: typer.TyperException, options: GlobalOptions) -> int:
    context: typer.Context | None = getattr(error, "ctx", None)
    if context is not None:
        typer.echo(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n", err=True)
    # Typer's checks of values are Pydantic's, which begins some messages with the type of the exception.
    _print_error(error, error.format_message().replace("Value error, ", ""), options)
    return error.exit_code


def _report_unexpected_error(error: Exception, options: GlobalOptions) -> int:
    if options.debug:
        traceback.print_exception(error)
    hint = "" if options.debug else " This is a bug in recollect; run with --debug to see the traceback."
    _print_error(error, f"{type(error).__name__}: {error}.{hint}", options)
    return 1


def _print_error(error: Exception, message: str, options: GlobalOptions) -> None:
    if options.json:
        payload = {"error": {"type": type(error).__name__, "message": message}}
        typer.echo(json.dumps(payload, ensure_ascii=False))
    typer.echo(f"Error: {message}", err=True)


def _silence_stdout() -> int:
    """Redirect stdout to /dev/null after a broken pipe, so that the flush at exit does not fail as well."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
