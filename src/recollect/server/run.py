"""Starts the server: refuses to be open to everybody, and ends without leaving work half done."""

import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from recollect.bootstrap import Runtime
from recollect.errors import ConfigError
from recollect.server.app import create_app
from recollect.server.auth import House, is_loopback
from recollect.server.logs import logging_to_stderr
from recollect.server.malformed_request import Protocol
from recollect.server.sessions import Sessions
from recollect.server.tokens import Keys

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
#: Seconds that answers under way may still take when the server stops.
GRACE = 10


def make_house(
    runtime: Runtime, *, host: str, names: frozenset[str] = frozenset(), public: bool = False
) -> House:
    """What the doorkeeper goes by. An address others can reach has to be asked for by name."""
    connection = runtime.settings.resolve().connection
    local = is_loopback(host)
    if not local and not public:
        raise ConfigError(
            f"{host} can be reached by others. Say so with --public and name the host with --name; everybody"
            " needs a token then."
        )
    return House(
        keys=Keys(Path(connection.db), owner=connection.user),
        sessions=Sessions(),
        hosts=names | (LOCAL_NAMES if local else frozenset({host})),
        # Another name, or --public, means a proxy before this server: its requests come from loopback too.
        local=local and not public and names <= LOCAL_NAMES,
        per_minute=connection.requests_per_minute,
    )


def serve(
    runtime: Runtime,
    house: House,
    *,
    host: str,
    port: int,
    worker: bool = True,
    ready: Callable[[int], None] | None = None,
) -> None:
    """Serve until stopped; `ready` is called with the port once requests are answered."""
    listener = _listen(host, port)
    config = configuration(create_app(runtime, house=house, worker=worker))
    connection = runtime.settings.resolve().connection
    with closing(listener), logging_to_stderr(connection.log_format, connection.log_level):
        _Server(config, ready).run(sockets=[listener])


def configuration(app: ASGIApp, *, grace: int = GRACE) -> uvicorn.Config:
    return uvicorn.Config(
        app, http=Protocol, log_config=None, server_header=False, timeout_graceful_shutdown=grace
    )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"Nobody can listen at {host} port {port}: {error}. Stop what does already, or choose another --port."
        ) from error
    # Connections inherit it. Without it every answer waits 40 ms for the client to acknowledge its headers.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: object = None) -> None:
        await super().startup(sockets)  # type: ignore[arg-type]
        if self._ready and self.started:
            self._ready(self.servers[0].sockets[0].getsockname()[1])
