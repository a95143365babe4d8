"""Forwards requests and relays responses byte for byte, until the client disconnects."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import httpx2
from starlette.responses import Response
from starlette.types import Receive, Send

from recollect.server.problems import problem_response
from recollect.server.proxy.upstream import UPSTREAM_LIMITS, UPSTREAM_TIMEOUT

log = logging.getLogger("recollect.proxy")

#: A client that accepts no data for this long is disconnected.
CLIENT_SEND_TIMEOUT_SECONDS = 120

HeaderPairs: TypeAlias = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingRequest:
    method: str
    url: httpx2.URL
    headers: Sequence[tuple[str, str]]
    body: bytes


class UpstreamUnreachable(Exception):
    """The upstream service did not respond; `response` is the problem for the client."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response

    @classmethod
    def interrupted(cls, host: str) -> "UpstreamUnreachable":
        return cls(
            upstream_problem(
                502,
                "upstream_broke_off",
                f"{host} closed the connection before the answer was complete. Try again.",
            )
        )


class UpstreamClient:
    """HTTP client for the upstream services, created on first use."""

    def __init__(self) -> None:
        self._client: httpx2.AsyncClient | None = None

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        if self._client is None:
            # trust_env=False: a proxy or .netrc from the environment must not receive messages or keys.
            self._client = httpx2.AsyncClient(
                follow_redirects=False, trust_env=False, timeout=UPSTREAM_TIMEOUT, limits=UPSTREAM_LIMITS
            )
        return await self._client.send(request, stream=True)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


async def send_request(client: UpstreamClient, outgoing: OutgoingRequest) -> httpx2.Response:
    """Return the response, of any status, without its body. The caller closes it."""
    # Built directly: `AsyncClient.build_request` adds headers and cookies of its own.
    request = httpx2.Request(
        outgoing.method,
        outgoing.url,
        headers=list(outgoing.headers),
        content=outgoing.body or None,
        extensions={"timeout": UPSTREAM_TIMEOUT.as_dict()},
    )
    try:
        return await client.send(request)
    except httpx2.PoolTimeout as error:
        raise UpstreamUnreachable(
            upstream_problem(
                503,
                "proxy_busy",
                "All connections to the upstream service are in use. Try again in a moment.",
            )
        ) from error
    except httpx2.TimeoutException as error:
        raise UpstreamUnreachable(
            upstream_problem(
                504, "upstream_silent", f"{outgoing.url.host} did not respond in time. Try again later."
            )
        ) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise UpstreamUnreachable(
            upstream_problem(
                502,
                "upstream_unreachable",
                f"{outgoing.url.host} cannot be reached ({type(error).__name__}). Check `proxy_upstream`.",
            )
        ) from error


def upstream_problem(status: int, code: str, detail: str, *, retryable: bool = True) -> Response:
    """Return a problem that also has the `error` object that LLM clients display."""
    headers = None if retryable else {"x-should-retry": "false"}
    error = {"message": detail, "type": "recollect", "code": code}
    return problem_response(status, code, detail, headers=headers, error=error)


async def relay_response(
    response: httpx2.Response, headers: HeaderPairs, send: Send, on_chunk: Callable[[bytes], None]
) -> None:
    """Relay chunks as they arrive. If upstream breaks off, do not end the body: it would look complete."""
    await send({"type": "http.response.start", "status": response.status_code, "headers": list(headers)})
    try:
        async for chunk in response.aiter_raw():
            async with asyncio.timeout(CLIENT_SEND_TIMEOUT_SECONDS):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            on_chunk(chunk)
    except (httpx2.HTTPError, TimeoutError) as error:
        log.warning("response interrupted: %s", type(error).__name__)
        return
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def run_while_connected(receive: Receive, work: Coroutine[None, None, None]) -> None:
    """Run a coroutine, and cancel it when the client disconnects."""
    task = asyncio.ensure_future(work)
    disconnect = asyncio.ensure_future(_wait_for_disconnect(receive))
    try:
        await asyncio.wait({task, disconnect}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        disconnect.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    if not task.cancelled():
        task.result()


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
