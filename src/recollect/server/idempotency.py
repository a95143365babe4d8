"""Idempotency keys: a repeated POST with the same `Idempotency-Key` gets the first response again."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response, StreamingResponse

from recollect.server.problems import problem_response
from recollect.server.tokens import Principal

IDEMPOTENCY_HEADER = "idempotency-key"
#: Responses cached in this process; the least recently used go first.
MAX_CACHED_RESPONSES = 1_000
MAX_IDEMPOTENCY_KEY_CHARS = 255


@dataclass(slots=True)
class CachedResponse:
    """The response to one key; None while the request is running."""

    digest: bytes
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    response: Response | None = None


class IdempotencyCache:
    """LRU cache of responses, by principal, path and key."""

    def __init__(self) -> None:
        self._entries: OrderedDict[tuple[str, str, str], CachedResponse] = OrderedDict()

    def get_or_add(self, key: tuple[str, str, str], digest: bytes) -> CachedResponse:
        entry = self._entries.setdefault(key, CachedResponse(digest))
        self._entries.move_to_end(key)
        while len(self._entries) > MAX_CACHED_RESPONSES:
            self._entries.popitem(last=False)
        return entry


class IdempotentRoute(APIRoute):
    """Applies the key to POST requests. Streams are not cached: the message id makes them idempotent."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            key = request.headers.get(IDEMPOTENCY_HEADER)
            if key is None or request.method != "POST":
                return await handler(request)
            if not 0 < len(key) <= MAX_IDEMPOTENCY_KEY_CHARS:
                return problem_response(
                    422,
                    "invalid_input",
                    f"The Idempotency-Key must have 1 to {MAX_IDEMPOTENCY_KEY_CHARS} characters.",
                )
            return await _handle_once(request, key, handler)

        return handle


async def _handle_once(
    request: Request, key: str, handler: Callable[[Request], Coroutine[Any, Any, Response]]
) -> Response:
    cache: IdempotencyCache = request.app.state.idempotency
    principal: Principal = request.state.principal
    digest = hashlib.sha256(request.url.query.encode() + b"\n" + await request.body()).digest()
    entry = cache.get_or_add((principal.name, request.url.path, key), digest)
    if entry.digest != digest:
        return problem_response(
            409,
            "key_used",
            "This Idempotency-Key was used with a different request. Use a new key for each request.",
        )
    async with entry.lock:
        if entry.response is not None:
            return _replay(entry.response)
        response = await handler(request)
        if not isinstance(response, StreamingResponse) and response.status_code < 500:
            entry.response = response
        return response


def _replay(response: Response) -> Response:
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    return Response(response.body, response.status_code, {**headers, "Idempotency-Replayed": "true"})
