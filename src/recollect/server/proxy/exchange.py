"""One proxied request: parse, recall, inject, forward, relay the response, ingest.

1. Parse the body with the route's dialect into a `RequestView`. A body that cannot be parsed is forwarded unchanged, so
   that the provider reports the error; housekeeping requests of the host (titles, tags) are forwarded without memory.
2. Recall context for the last user message within the deadline (`ProxyRecaller`); find blocks of earlier turns.
3. Insert the blocks into the JSON text with `splice`; all other bytes stay as the client sent them.
4. Forward the request, relay the response chunk by chunk, and copy it to a `ResponseTee`, which parses the answer.
5. Queue the request's new messages and the answer for ingestion, also if the client disconnects midway.

Invariants: failures of memory never fail or delay the request beyond the deadline. Earlier blocks are replayed with the
same bytes at the same place, so that the provider's prompt cache keeps its prefix. Blocks are removed before ingestion,
so nothing is learned from injected text. The host's system prompt is never changed.

Cost besides recall: one parse of the request and one of the answer, O(bytes). Nothing waits for ingestion except the
next recall of the same conversation, for up to a third of the deadline.

Example: turn 1 sends [u1]; the proxy forwards [u1 + block1]. Turn 2 sends [u1, a1, u2]; the proxy forwards
[u1 + block1, a1, u2 + block2], where block2 has no passage of block1.
"""

import asyncio
from dataclasses import dataclass

import httpx2
from starlette.requests import Request
from starlette.types import Send

from recollect.domain.access import Principal
from recollect.domain.scope import Scope
from recollect.server.proxy import memory_headers
from recollect.server.proxy.conversation_cache import ConversationCache
from recollect.server.proxy.dialects.content_parts import Dialect
from recollect.server.proxy.forward import (
    HeaderPairs,
    OutgoingRequest,
    UpstreamClient,
    UpstreamUnreachable,
    relay_response,
    send_request,
)
from recollect.server.proxy.identity import (
    ACCESS_BY_MODE,
    MemoryAccess,
    MemoryOptions,
    identify_conversation,
    is_housekeeping,
    resolve_proxy_user,
)
from recollect.server.proxy.ingest import ProxyIngester, record_injection
from recollect.server.proxy.json_splice import splice
from recollect.server.proxy.recall import ProxyRecaller
from recollect.server.proxy.tee import ResponseTee
from recollect.server.proxy.turn import ProxyTurn, TurnMemory, start_turn
from recollect.server.proxy.upstream import Upstream, filter_request_headers, filter_response_headers

#: Larger requests are parsed in a thread, so that they do not block the event loop.
MAX_INLINE_PARSE_BYTES = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyContext:
    """Objects that all requests share."""

    client: UpstreamClient
    conversations: ConversationCache
    recaller: ProxyRecaller
    ingester: ProxyIngester


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    context: ProxyContext
    request: Request
    send: Send
    upstream: Upstream
    url: httpx2.URL
    body: bytes

    async def forward(self) -> None:
        """Forward a request of a route without memory."""
        await self._relay(await self._send_request(self.body), ())

    async def forward_with_memory(self, dialect: Dialect, options: MemoryOptions) -> None:
        turn = await self._parse_turn(dialect, options) if options.access.mode != "off" else None
        if turn is None:
            skip_reason = "nothing said" if options.access.mode != "off" else None
            memory_header_pairs = memory_headers.build_headers(
                ACCESS_BY_MODE["off"], TurnMemory(skip_reason=skip_reason)
            )
            await self._relay(await self._send_request(self.body), memory_header_pairs)
            return
        turn_memory = await self.context.recaller(turn) if options.access.can_read else TurnMemory()
        record_injection(turn, turn_memory.new_block)
        insertions = turn_memory.insertions(turn)
        request_body = splice(turn.text, insertions).encode() if insertions else self.body
        await self._forward_and_ingest(dialect, turn, turn_memory, request_body)

    async def _parse_turn(self, dialect: Dialect, options: MemoryOptions) -> ProxyTurn | None:
        if len(self.body) < MAX_INLINE_PARSE_BYTES:
            return self._build_turn(dialect, options)
        return await asyncio.to_thread(self._build_turn, dialect, options)

    def _build_turn(self, dialect: Dialect, options: MemoryOptions) -> ProxyTurn | None:
        """Return the parsed turn; None if the body cannot be parsed or is a housekeeping request."""
        headers = self.request.headers
        try:
            text = self.body.decode()
            view = dialect.parse_request(text)
        except (ValueError, RecursionError):
            return None
        if is_housekeeping(headers, view):
            return None
        principal: Principal = self.request.state.principal
        is_authenticated: bool = self.request.state.is_authenticated
        user = resolve_proxy_user(headers, view, principal, is_authenticated=is_authenticated)

        def chat_for_response(response_id: str) -> str | None:
            return self.context.conversations.chat_for_response(user, response_id)

        chat, is_stable = identify_conversation(
            headers, view, chat_for_response, is_authenticated=is_authenticated
        )
        scope = Scope(user, chat)
        return start_turn(
            text, view, scope, options, self.context.conversations.get_or_create(scope), is_stable=is_stable
        )

    async def _forward_and_ingest(
        self, dialect: Dialect, turn: ProxyTurn, turn_memory: TurnMemory, request_body: bytes
    ) -> None:
        access = turn_memory.access or turn.options.access
        try:
            response = await self._send_request(request_body, uncompressed=True)
        except asyncio.CancelledError:
            self._ingest(turn, turn_memory, None)
            raise
        headers = response.headers
        tee = ResponseTee(
            dialect.create_accumulator(), headers.get("content-type", ""), headers.get("content-encoding", "")
        )
        try:
            if turn.options.verbose and _is_plain_json(response):
                await self._relay_with_summary(response, access, turn_memory, tee)
            else:
                await self._relay(response, memory_headers.build_headers(access, turn_memory), tee)
        finally:
            if response.is_success:
                self._ingest(turn, turn_memory, tee)

    def _ingest(self, turn: ProxyTurn, turn_memory: TurnMemory, tee: ResponseTee | None) -> None:
        answer = tee.messages() if tee else ()
        if tee and tee.response_id:
            turn.conversation.last_response_id = tee.response_id
            self.context.conversations.record_response(turn.scope, tee.response_id)
        if turn.options.access.can_write:
            turn.conversation.pending_ingest = self.context.ingester.submit(
                turn, answer, turn_memory.block_texts
            )

    async def _send_request(self, body: bytes, *, uncompressed: bool = False) -> httpx2.Response:
        """Send the request and return the response without its body; `uncompressed` lets the tee parse it."""
        state = self.request.state
        headers = filter_request_headers(
            self.request.headers, self.upstream, is_authenticated=state.is_authenticated, token=state.token
        )
        if uncompressed:
            headers = [
                *((n, v) for n, v in headers if n != "accept-encoding"),
                ("accept-encoding", "identity"),
            ]
        outgoing = OutgoingRequest(method=self.request.method, url=self.url, headers=headers, body=body)
        return await send_request(self.context.client, outgoing)

    async def _relay(
        self, response: httpx2.Response, extra_headers: HeaderPairs, tee: ResponseTee | None = None
    ) -> None:
        headers = [*filter_response_headers(response.headers), *extra_headers]
        try:
            await relay_response(response, headers, self.send, tee.feed if tee else _ignore_chunk)
        finally:
            await response.aclose()

    async def _relay_with_summary(
        self, response: httpx2.Response, access: MemoryAccess, turn_memory: TurnMemory, tee: ResponseTee
    ) -> None:
        """Relay the response with a summary of the recall in its body, which must be complete first."""
        try:
            body = b"".join([piece async for piece in response.aiter_raw()])
        except httpx2.HTTPError as error:
            raise UpstreamUnreachable.interrupted(self.url.host) from error
        finally:
            await response.aclose()
        tee.feed(body)
        full_body = memory_headers.append_recall_summary(body, access, turn_memory)
        response_headers = [
            pair for pair in filter_response_headers(response.headers) if pair[0] != b"content-length"
        ]
        headers = [
            *response_headers,
            *memory_headers.build_headers(access, turn_memory),
            (b"content-length", str(len(full_body)).encode()),
        ]
        start = {"type": "http.response.start", "status": response.status_code, "headers": headers}
        await self.send(start)
        await self.send({"type": "http.response.body", "body": full_body})


def _ignore_chunk(_: bytes) -> None:
    """Discard a chunk: routes without memory have no tee."""


def _is_plain_json(response: httpx2.Response) -> bool:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return bool(
        response.is_success and kind == "application/json" and not response.headers.get("content-encoding")
    )
