"""The `up` command: start the HTTP server."""

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
        int, typer.Option(metavar="P", min=0, max=65535, help="Port to listen on; 0 picks a free one.")
    ] = DEFAULT_PORT,
    host: Annotated[str, typer.Option(metavar="H", help="Address to listen on.")] = LOCALHOST,
    public: Annotated[
        bool, typer.Option("--public", help="Allow an address that other machines can reach.")
    ] = False,
    name: Annotated[
        list[str] | None, typer.Option(metavar="N", help="Additional host name to accept; can be repeated.")
    ] = None,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the login link in a browser, or only print it."),
    ] = True,
    workers: Annotated[
        int, typer.Option(metavar="0|1", min=0, max=1, help="0 leaves queued jobs to `recollect worker`.")
    ] = 1,
) -> None:
    """
    Start the server: HTTP API, web app, and a proxy with memory.

    By default the server listens on localhost only. Programs authenticate with the token printed by `recollect tokens
    own`; browsers use the login link, which is valid once and for five minutes. On Ctrl-C or SIGTERM running requests
    are finished, and the exit code is 0. To listen on an address that other machines can reach, add --public and put an
    HTTPS proxy in front. With --public or --name every client needs a token; otherwise local clients of the proxy need
    none.
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
    """Run the server on an open session until SIGINT or SIGTERM."""
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
    # Creates the token file now, so that `recollect tokens own` prints the token this server accepts.
    assert auth_config.token_store.owner_token
    link = f"{address}/login?code={auth_config.sessions.create_login_code(auth_config.token_store.owner)}"
    ctx.print_result(
        {"url": address, "login": link}, f"Listening on {address}", f"One-time login link: {link}"
    )
    ctx.info(
        f"Memory file: {session.services.maintenance.location()}. For clients: OPENAI_BASE_URL={address}/v1."
        " Press Ctrl-C to stop."
    )
    sys.stdout.flush()
    if browser:
        webbrowser.open(link)


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@contextmanager
def _ignore_stop_signals() -> Iterator[None]:
    """Ignore SIGINT and SIGTERM that the server raises again after its shutdown, so that the session is closed."""

    def ignore_signal(_signal: int, _frame: FrameType | None) -> None:
        """Do nothing: the server has stopped already."""

    previous_handlers = {
        number: signal.signal(number, ignore_signal) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)
