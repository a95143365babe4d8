"""The `up` command: start the HTTP server."""

import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Annotated

import typer

from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.processes import ProcessGroup, child_command, stop_with_parent
from recollect.cli.session import CliSession
from recollect.errors import InvalidInput
from recollect.server.auth import AuthConfig
from recollect.server.run import create_auth_config, open_listener, serve

app = make_typer()

DEFAULT_PORT = 8765
LOCALHOST = "127.0.0.1"


@app.command(
    epilog=format_examples(
        "recollect up",
        "recollect up --port 9000 --no-browser",
        "recollect up --host 0.0.0.0 --public --name memory.example.org",
        "recollect up --no-worker --processes 4",
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
    worker: Annotated[
        bool,
        typer.Option(
            "--worker/--no-worker", help="Run queued jobs too, or leave them to `recollect worker`."
        ),
    ] = True,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Number of server processes on this port.")
    ] = 1,
    listen_file: Annotated[int | None, typer.Option("--listen-file", hidden=True)] = None,
) -> None:
    """
    Start the server: HTTP API, web app, and a proxy with memory.

    By default the server listens on localhost only. Programs authenticate with the token printed by `recollect tokens
    own`; browsers use the login link, which is valid once and for five minutes. On Ctrl-C or SIGTERM running requests
    are finished, and the exit code is 0. To listen on an address that other machines can reach, add --public and put an
    HTTPS proxy in front. With --public or --name every client needs a token; otherwise local clients of the proxy need
    none. With --processes several processes accept requests on the port; one that ends is started again.
    """
    if not worker:
        ctx.options.settings["worker"] = "false"
    address = ServerAddress(host=host, port=port, names=tuple(name or ()), public=public)
    if processes > 1:
        _run_processes(ctx, address, processes, worker=worker, browser=browser)
    elif listen_file is not None:
        _serve_as_child(ctx, address, listen_file, worker=worker)
    else:
        with ctx.open_session(creates=True) as session:
            serve_until_stopped(ctx, session, address, worker=worker, browser=browser)
    if listen_file is None:
        ctx.info("Stopped.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """Where the server listens, and under which names clients reach it."""

    host: str = LOCALHOST
    port: int = DEFAULT_PORT
    names: tuple[str, ...] = ()
    public: bool = False

    def create_auth_config(self, session: CliSession) -> AuthConfig:
        return create_auth_config(
            session.application, host=self.host, allowed_hosts=frozenset(self.names), public=self.public
        )

    def url(self, port: int) -> str:
        return f"http://{_bracket_ipv6(next(iter(self.names), self.host))}:{port}"


def _run_processes(
    ctx: CommandContext, address: ServerAddress, count: int, *, worker: bool, browser: bool
) -> None:
    if sys.platform == "win32":
        raise InvalidInput("--processes needs a Unix system. Start several servers on ports of their own.")

    def report_end(code: int) -> None:
        ctx.warn(f"A server process ended with code {code}; another takes its place.")

    with closing(open_listener(address.host, address.port)) as listener:
        # The session is closed before the processes start, so that they share no connection and no lock with it.
        with ctx.open_session(creates=True) as session:
            address.create_auth_config(session)
            _print_login_link(ctx, session, address.url(listener.getsockname()[1]), browser=browser)
        flags = [
            *("--host", address.host, "--no-browser", "--listen-file", str(listener.fileno())),
            *(word for each in address.names for word in ("--name", each)),
            *(["--public"] if address.public else []),
            *([] if worker else ["--no-worker"]),
        ]
        command_line = child_command(ctx.options, "up", *flags)
        group = ProcessGroup(command_line, count, inherited_files=[listener.fileno()], on_replaced=report_end)
        group.run_until_stopped()


def _serve_as_child(ctx: CommandContext, address: ServerAddress, listen_file: int, *, worker: bool) -> None:
    stop_with_parent()
    with ctx.open_session() as session, _ignore_stop_signals():
        auth_config = address.create_auth_config(session)
        with closing(socket.socket(fileno=listen_file)) as listener:
            serve(session.application, auth_config, listener=listener, host=address.host, worker=worker)


def serve_until_stopped(
    ctx: CommandContext, session: CliSession, address: ServerAddress, *, browser: bool, worker: bool = True
) -> None:
    """Run the server on an open session until SIGINT or SIGTERM."""
    auth_config = address.create_auth_config(session)

    def print_address(bound_port: int) -> None:
        _print_login_link(ctx, session, address.url(bound_port), browser=browser)

    with closing(open_listener(address.host, address.port)) as listener, _ignore_stop_signals():
        serve(
            session.application,
            auth_config,
            listener=listener,
            host=address.host,
            worker=worker,
            on_ready=print_address,
        )


def _print_login_link(ctx: CommandContext, session: CliSession, address: str, *, browser: bool) -> None:
    access = session.services.access
    link = f"{address}/login?code={access.create_login_code(access.owner)}"
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
