"""up: the server, for this machine or for others."""

import signal
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer

from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.session import CliSession
from recollect.server.auth import AuthConfig
from recollect.server.run import create_auth_config, serve

app = make_typer()

DEFAULT_PORT = 8765
LOCALHOST = "127.0.0.1"


@app.command(
    epilog=format_examples(
        "recollect up",
        "recollect up --port 9000 --no-browser",
        "recollect up --host 0.0.0.0 --public --name memory.example.org",
        "recollect up --workers 0",
    )
)
@command
def up(
    ctx: CommandContext,
    port: Annotated[
        int, typer.Option(metavar="P", min=0, max=65535, help="Where to listen; 0 is any.")
    ] = DEFAULT_PORT,
    host: Annotated[str, typer.Option(metavar="H", help="The address to listen at.")] = LOCALHOST,
    public: Annotated[bool, typer.Option("--public", help="Let others reach it.")] = False,
    name: Annotated[
        list[str] | None, typer.Option(metavar="N", help="Another name it answers to; may be repeated.")
    ] = None,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the login link in a browser, or only print it."),
    ] = True,
    workers: Annotated[
        int, typer.Option(metavar="0|1", min=0, max=1, help="0 leaves queued work to `recollect worker`.")
    ] = 1,
) -> None:
    """
    Start the server: an API, a chat, and a proxy with memory.

    It listens on this machine alone. Programs send the token that `recollect tokens own` prints; a browser gets in by
    the link, which works once and for five minutes. Ctrl-C or SIGTERM lets answers under way finish and is a normal
    end. An address that others can reach has to be asked for with --public, and put behind something that speaks HTTPS.
    With --public or --name every client needs a token; otherwise local clients of the proxy need none.
    """
    if not workers:
        ctx.options.settings["worker"] = "false"
    with ctx.open_session() as session:
        serve_until_stopped(
            ctx,
            session,
            host=host,
            port=port,
            browser=browser,
            names=name or (),
            public=public,
            worker=bool(workers),
        )
    ctx.info("Stopped.")


def serve_until_stopped(
    ctx: CommandContext,
    session: CliSession,
    *,
    host: str,
    port: int,
    browser: bool,
    names: Sequence[str] = (),
    public: bool = False,
    worker: bool = True,
) -> None:
    """Serve an open memory until somebody stops it."""
    auth_config = create_auth_config(
        session.application, host=host, allowed_hosts=frozenset(names), public=public
    )
    display_host = next(iter(names), host)

    def print_address(bound_port: int) -> None:
        _print_login_link(
            ctx, session, auth_config, f"http://{_bracket_ipv6(display_host)}:{bound_port}", browser=browser
        )

    with _ignore_stop_signals():
        serve(session.application, auth_config, host=host, port=port, worker=worker, on_ready=print_address)


def _print_login_link(
    ctx: CommandContext, session: CliSession, auth_config: AuthConfig, address: str, *, browser: bool
) -> None:
    # Made before anybody asks, so that `recollect tokens own` and the server agree on it.
    assert auth_config.token_store.owner_token
    link = f"{address}/login?code={auth_config.sessions.create_login_code(auth_config.token_store.owner)}"
    ctx.print_result({"url": address, "login": link}, f"Listening at {address}", f"Log in, once: {link}")
    ctx.info(f"Memory: {session.store.location()}. For clients: OPENAI_BASE_URL={address}/v1. Ctrl-C stops.")
    sys.stdout.flush()
    if browser:
        webbrowser.open(link)


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@contextmanager
def _ignore_stop_signals() -> Iterator[None]:
    """The server hears the signals that stop it, and passes them on when it has: then they must not end us midway."""

    def ignore_signal(_signal: int, _frame: FrameType | None) -> None:
        """The server is down already."""

    previous_handlers = {
        number: signal.signal(number, ignore_signal) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)
