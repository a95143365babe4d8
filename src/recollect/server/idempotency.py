"""
Idempotency keys: a repeated POST with the same `Idempotency-Key` gets the first response again.

The store has the claim of each key, so that no server on one database runs a request a second time, even after a
restart. Responses are kept only in the memory of the server that gave them: they contain texts of temporary chats, and
of memories that may be erased later. Another server refuses the repetition with a 409.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from anyio import to_thread
from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response, StreamingResponse

from recollect.domain.access import KeyClaim, Principal
from recollect.server.problems import problem_response
from recollect.services.access import AccessService

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
        return _key_used_response()
    async with entry.lock:
        if entry.response is not None:
            return _replay(entry.response)
        claimed = ClaimedKey(
            access=request.app.state.auth_config.access,
            principal=principal,
            path=request.url.path,
            key=key,
        )
        claim = await to_thread.run_sync(claimed.claim, digest.hex())
        if claim is not KeyClaim.NEW:
            return _refuse_repetition(claim)
        try:
            response = await handler(request)
        except BaseException:
            await to_thread.run_sync(claimed.release)
            raise
        is_stream = isinstance(response, StreamingResponse)
        if not is_stream and response.status_code < 500:
            entry.response = response
        is_done = not is_stream and response.status_code < 400
        await to_thread.run_sync(claimed.finish if is_done else claimed.release)
        return response


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedKey:
    """The key of one request in the store."""

    access: AccessService
    principal: Principal
    path: str
    key: str

    def claim(self, request_hash: str) -> KeyClaim:
        return self.access.claim_request(self.principal, self.path, self.key, request_hash)

    def finish(self) -> None:
        self.access.finish_request(self.principal, self.path, self.key)

    def release(self) -> None:
        self.access.release_request(self.principal, self.path, self.key)


def _refuse_repetition(claim: KeyClaim) -> Response:
    match claim:
        case KeyClaim.OTHER_REQUEST:
            return _key_used_response()
        case KeyClaim.RUNNING:
            return problem_response(
                409,
                "request_running",
                "Another server is handling the same request. Try again in a moment.",
                headers={"Retry-After": "1"},
            )
        case _:
            return problem_response(
                409,
                "request_done",
                "The same request was handled before, by another server or before a restart. It was not run again.",
            )


def _key_used_response() -> Response:
    return problem_response(
        409,
        "key_used",
        "This Idempotency-Key was used with a different request. Use a new key for each request.",
    )


def _replay(response: Response) -> Response:
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    return Response(response.body, response.status_code, {**headers, "Idempotency-Replayed": "true"})
