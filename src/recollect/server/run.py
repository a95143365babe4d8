"""Starts the server. A public address must be requested explicitly; shutdown waits for active requests."""

import errno
import socket
from collections.abc import Callable
from contextlib import nullcontext

import uvicorn
from starlette.types import ASGIApp

from recollect.bootstrap import Application
from recollect.errors import ConfigError
from recollect.server.announcement import announced
from recollect.server.app import create_app
from recollect.server.auth import AuthConfig, is_loopback
from recollect.server.logs import log_to_stderr
from recollect.server.malformed_request import ProblemHttpProtocol
from recollect.settings import parse_store_url

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
#: Time that active responses have to finish when the server stops.
SHUTDOWN_GRACE_SECONDS = 10


def create_auth_config(
    application: Application, *, host: str, allowed_hosts: frozenset[str] = frozenset(), public: bool = False
) -> AuthConfig:
    """Return the auth configuration; raise `ConfigError` for a non-loopback host without `public`."""
    connection = application.settings.resolve().machine
    local = is_loopback(host)
    if not local and not public:
        raise ConfigError(
            f"{host} is reachable from other machines. Add --public to allow that, and --name with the host name;"
            " every request then needs a token."
        )
    return AuthConfig(
        access=application.services.access,
        allowed_hosts=allowed_hosts | (LOOPBACK_HOSTS if local else frozenset({host})),
        # Another name, or --public, means a reverse proxy, whose requests come from loopback too.
        is_local=local and not public and allowed_hosts <= LOOPBACK_HOSTS,
        max_requests_per_minute=connection.requests_per_minute,
    )


def serve(
    application: Application,
    auth_config: AuthConfig,
    *,
    listener: socket.socket,
    host: str,
    worker: bool = True,
    on_ready: Callable[[int], None] | None = None,
) -> None:
    """Serve until stopped. `on_ready` is called with the port once the server accepts requests."""
    config = create_uvicorn_config(create_app(application, auth_config=auth_config, worker=worker))
    connection = application.settings.resolve().machine
    file = parse_store_url(connection.db).file
    announcement = (
        nullcontext()
        if file is None
        else announced(
            str(file),
            host=host,
            port=listener.getsockname()[1],
            name=_host_header(host, auth_config),
            token=auth_config.access.owner_token(),
        )
    )
    with announcement, log_to_stderr(connection.log_format, connection.log_level):
        _NotifyingServer(config, on_ready).run(sockets=[listener])


def _host_header(host: str, auth_config: AuthConfig) -> str:
    """Return a value of the Host header that the server accepts."""
    name = host if host in auth_config.allowed_hosts else min(auth_config.allowed_hosts)
    return f"[{name}]" if ":" in name else name


def create_uvicorn_config(app: ASGIApp, *, grace_seconds: int = SHUTDOWN_GRACE_SECONDS) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=ProblemHttpProtocol,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=grace_seconds,
    )


def open_listener(host: str, port: int) -> socket.socket:
    """Listen on an address; port 0 picks a free one."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        raise ConfigError(_listen_error(host, port, error)) from error
    # Connections inherit it. Without it every response waits 40 ms for the client to acknowledge its headers.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _listen_error(host: str, port: int, error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"Port {port} is already in use on {host}. Choose another with --port."
    return f"Cannot listen on {host} port {port}: {error}. Choose another address with --host or --port."


class _NotifyingServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: object = None) -> None:
        await super().startup(sockets)  # type: ignore[arg-type]
        if self._on_ready and self.started:
            self._on_ready(self.servers[0].sockets[0].getsockname()[1])
