"""up: the server, for this machine or for others."""

import signal
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer

from recollect.cli.command import Call, command, commands, examples
from recollect.cli.session import Session
from recollect.server.auth import House
from recollect.server.run import make_house, serve

app = commands()

PORT = 8765
LOCAL = "127.0.0.1"


@app.command(
    epilog=examples(
        "recollect up",
        "recollect up --port 9000 --no-browser",
        "recollect up --host 0.0.0.0 --public --name memory.example.org",
        "recollect up --workers 0",
    )
)
@command
def up(
    call: Call,
    port: Annotated[
        int, typer.Option(metavar="P", min=0, max=65535, help="Where to listen; 0 is any.")
    ] = PORT,
    host: Annotated[str, typer.Option(metavar="H", help="The address to listen at.")] = LOCAL,
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
        call.asked.settings["worker"] = "false"
    with call.open() as session:
        welcome(
            call,
            session,
            host=host,
            port=port,
            browser=browser,
            names=name or (),
            public=public,
            worker=bool(workers),
        )
    call.note("Stopped.")


def welcome(
    call: Call,
    session: Session,
    *,
    host: str,
    port: int,
    browser: bool,
    names: Sequence[str] = (),
    public: bool = False,
    worker: bool = True,
) -> None:
    """Serve an open memory until somebody stops it."""
    house = make_house(session.runtime, host=host, names=frozenset(names), public=public)
    shown = next(iter(names), host)

    def ready(chosen: int) -> None:
        _greet(call, session, house, f"http://{_bracketed(shown)}:{chosen}", browser=browser)

    with _calmly():
        serve(session.runtime, house, host=host, port=port, worker=worker, ready=ready)


def _greet(call: Call, session: Session, house: House, address: str, *, browser: bool) -> None:
    # Made before anybody asks, so that `recollect tokens own` and the server agree on it.
    assert house.keys.own_token
    link = f"{address}/login?code={house.sessions.link(house.keys.owner)}"
    call.answer({"url": address, "login": link}, f"Listening at {address}", f"Log in, once: {link}")
    call.note(f"Memory: {session.store.location()}. For clients: OPENAI_BASE_URL={address}/v1. Ctrl-C stops.")
    sys.stdout.flush()
    if browser:
        webbrowser.open(link)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@contextmanager
def _calmly() -> Iterator[None]:
    """The server hears the signals that stop it, and passes them on when it has: then they must not end us midway."""

    def heard(_signal: int, _frame: FrameType | None) -> None:
        """The server is down already."""

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
