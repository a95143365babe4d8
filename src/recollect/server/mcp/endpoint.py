"""`/mcp`: streamable HTTP. The SDK is imported with the first request, since that takes a second."""

import asyncio
from importlib.util import find_spec
from typing import Any

from starlette.types import Receive, Scope, Send

from recollect.domain.access import Principal
from recollect.library.memory import Memory
from recollect.server.problems import problem_response

MCP_PATH = "/mcp"


class McpEndpoint:
    """
    An ASGI application with one MCP server per user, so that no session or resource can belong to another user.

    Authentication and the checks of Host and Origin are done by the middleware before it.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = asyncio.Lock()
        self._stop = asyncio.Event()
        self._managers: dict[str, Any] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if find_spec("mcp") is None:
            detail = "The MCP server is not installed. Run `pip install 'recollect[mcp]'` and start the server again."
            await problem_response(501, "not_installed", detail)(scope, receive, send)
            return
        principal: Principal = scope["state"]["principal"]
        async with self._lock:
            if principal.user not in self._managers:
                self._managers[principal.user] = await self._start(principal.user)
        # httptools keeps the spaces after a header's value, and the SDK compares some headers with the body.
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        await self._managers[principal.user].handle_request({**scope, "headers": headers}, receive, send)

    async def close(self) -> None:
        self._stop.set()
        await asyncio.gather(*self._tasks)

    async def _start(self, user: str) -> object:
        manager, is_ready = await asyncio.to_thread(self._create_manager, user), asyncio.Event()
        # The session manager must be entered and left in one task, and no request lives as long as the server.
        self._tasks.append(asyncio.create_task(self._run(manager, is_ready)))
        await is_ready.wait()
        return manager

    def _create_manager(self, user: str) -> Any:  # noqa: ANN401 - the SDK is not imported here
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415

        from recollect.server.mcp.server import create_mcp_server  # noqa: PLC0415

        server = create_mcp_server(self._memory, user, tool_set="all")
        server.streamable_http_app(
            # A client's next request may reach another process.
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        return server.session_manager

    async def _run(self, manager: Any, is_ready: asyncio.Event) -> None:  # noqa: ANN401
        async with manager.run():
            is_ready.set()
            await self._stop.wait()
