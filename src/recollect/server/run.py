"""Starts the server: refuses to be open to everybody, and ends without leaving work half done."""

import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from recollect.bootstrap import Application
from recollect.errors import ConfigError
from recollect.server.app import create_app
from recollect.server.auth import AuthConfig, is_loopback
from recollect.server.logs import log_to_stderr
from recollect.server.malformed_request import ProblemHttpProtocol
from recollect.server.sessions import SessionStore
from recollect.server.tokens import TokenStore

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
#: Seconds that answers under way may still take when the server stops.
SHUTDOWN_GRACE_SECONDS = 10


def create_auth_config(
    application: Application, *, host: str, allowed_hosts: frozenset[str] = frozenset(), public: bool = False
) -> AuthConfig:
    """What the doorkeeper goes by. An address others can reach has to be asked for by name."""
    connection = application.settings.resolve().machine
    local = is_loopback(host)
    if not local and not public:
        raise ConfigError(
            f"{host} can be reached by others. Say so with --public and name the host with --name; everybody"
            " needs a token then."
        )
    return AuthConfig(
        token_store=TokenStore(Path(connection.db), owner=connection.user),
        sessions=SessionStore(),
        allowed_hosts=allowed_hosts | (LOOPBACK_HOSTS if local else frozenset({host})),
        # Another name, or --public, means a proxy before this server: its requests come from loopback too.
        is_local=local and not public and allowed_hosts <= LOOPBACK_HOSTS,
        max_requests_per_minute=connection.requests_per_minute,
    )


def serve(
    application: Application,
    auth_config: AuthConfig,
    *,
    host: str,
    port: int,
    worker: bool = True,
    on_ready: Callable[[int], None] | None = None,
) -> None:
    """Serve until stopped; `ready` is called with the port once requests are answered."""
    listener = _open_listener(host, port)
    config = create_uvicorn_config(create_app(application, auth_config=auth_config, worker=worker))
    connection = application.settings.resolve().machine
    with closing(listener), log_to_stderr(connection.log_format, connection.log_level):
        _NotifyingServer(config, on_ready).run(sockets=[listener])


def create_uvicorn_config(app: ASGIApp, *, grace_seconds: int = SHUTDOWN_GRACE_SECONDS) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=ProblemHttpProtocol,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=grace_seconds,
    )


def _open_listener(host: str, port: int) -> socket.socket:
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


class _NotifyingServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: object = None) -> None:
        await super().startup(sockets)  # type: ignore[arg-type]
        if self._on_ready and self.started:
            self._on_ready(self.servers[0].sockets[0].getsockname()[1])
