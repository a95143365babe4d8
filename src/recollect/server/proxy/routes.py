"""The proxy's routes and their shared state."""

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from recollect.bootstrap import MAX_CONCURRENT_RECALLS, Application
from recollect.errors import ProviderError
from recollect.server.auth import is_loopback
from recollect.server.proxy.conversation_cache import ConversationCache
from recollect.server.proxy.dialects.anthropic import ANTHROPIC_DIALECT
from recollect.server.proxy.dialects.chat_completions import CHAT_COMPLETIONS_DIALECT
from recollect.server.proxy.dialects.content_parts import Dialect
from recollect.server.proxy.dialects.ollama import OLLAMA_DIALECT
from recollect.server.proxy.dialects.responses import RESPONSES_DIALECT
from recollect.server.proxy.exchange import Exchange, ProxyContext
from recollect.server.proxy.forward import (
    UpstreamClient,
    UpstreamUnreachable,
    run_while_connected,
    upstream_problem,
)
from recollect.server.proxy.identity import parse_memory_options
from recollect.server.proxy.ingest import ProxyIngester
from recollect.server.proxy.recall import ProxyRecaller
from recollect.server.proxy.upstream import Upstream, find_upstream

log = logging.getLogger("recollect.proxy")

#: Time that active requests have at shutdown to queue their messages for ingestion.
SHUTDOWN_WAIT_SECONDS = 2
NO_UPSTREAM_MESSAGE = (
    "The proxy has no upstream service for this path. Set `proxy_upstream` (RECOLLECT_PROXY_UPSTREAM) to the URL of an"
    " OpenAI-compatible service, including /v1, or `proxy_upstream_anthropic` to Anthropic's."
)
LOOP_MESSAGE = "`proxy_upstream` is the address of this server. Set it to the URL of the model provider."

UpstreamService: TypeAlias = Literal["openai", "anthropic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRoute:
    method: str
    path: str
    dialect: Dialect | None = None  #: None if the route has no messages
    service: UpstreamService | None = None  #: None: chosen by the client's headers and the settings
    is_ollama_native: bool = False  #: one of Ollama's own paths, which are not below /v1


PROXY_ROUTES = (
    ProxyRoute(
        method="POST", path="/v1/chat/completions", dialect=CHAT_COMPLETIONS_DIALECT, service="openai"
    ),
    ProxyRoute(method="POST", path="/v1/responses", dialect=RESPONSES_DIALECT, service="openai"),
    ProxyRoute(method="POST", path="/v1/embeddings", service="openai"),
    ProxyRoute(method="GET", path="/v1/models"),
    ProxyRoute(method="GET", path="/v1/models/{model:path}"),
    ProxyRoute(method="POST", path="/v1/messages", dialect=ANTHROPIC_DIALECT, service="anthropic"),
    ProxyRoute(method="POST", path="/v1/messages/count_tokens", service="anthropic"),
    ProxyRoute(
        method="POST", path="/v1/api/chat", dialect=OLLAMA_DIALECT, service="openai", is_ollama_native=True
    ),
    ProxyRoute(method="GET", path="/v1/api/tags", service="openai", is_ollama_native=True),
    ProxyRoute(method="POST", path="/v1/api/show", service="openai", is_ollama_native=True),
)


def create_proxy_router(application: Application) -> APIRouter:
    """Return the proxy's routes. On shutdown, queued ingestion is completed."""
    client = UpstreamClient()
    active_tasks: set[asyncio.Task[object]] = set()
    recall_executor = ThreadPoolExecutor(MAX_CONCURRENT_RECALLS, "recollect-recall")
    ingest_executor = ThreadPoolExecutor(1, "recollect-learn")
    context = ProxyContext(
        client=client,
        conversations=ConversationCache(),
        recaller=ProxyRecaller(application=application, executor=recall_executor),
        ingester=ProxyIngester(application=application, executor=ingest_executor),
    )

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        recall_executor.submit(_warm_up, application)
        yield
        if active_tasks:
            await asyncio.wait(active_tasks, timeout=SHUTDOWN_WAIT_SECONDS)
        await client.close()
        await asyncio.to_thread(_shut_down, recall_executor, ingest_executor)

    routes: list[BaseRoute] = [
        Route(
            each.path,
            ProxyEndpoint(application, context, each, active_tasks),
            methods=[each.method],
            include_in_schema=False,
        )
        for each in PROXY_ROUTES
    ]
    return APIRouter(routes=routes, lifespan=lifespan)


def _warm_up(application: Application) -> None:
    """Load the models of recall before the first request."""
    try:
        application.services.recall.warm_up()
    except ProviderError as error:
        log.warning("model of recall not available: %s", type(error).__name__)


def _shut_down(*executors: ThreadPoolExecutor) -> None:
    for executor in executors:
        executor.shutdown(wait=True)


class ProxyEndpoint:
    """ASGI application of one proxy route."""

    def __init__(
        self,
        application: Application,
        context: ProxyContext,
        route: ProxyRoute,
        active_tasks: set[asyncio.Task[object]],
    ) -> None:
        self._application = application
        self._context = context
        self._route = route
        self._active_tasks = active_tasks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The request log reads the route's path, as FastAPI's routes set it.
        scope["route"] = self._route
        request = Request(scope, receive)
        try:
            body = await request.body()
        except ClientDisconnect:
            return
        task = asyncio.current_task()
        assert task is not None
        self._active_tasks.add(task)
        task.add_done_callback(self._active_tasks.discard)
        await run_while_connected(receive, self._serve(request, body, send))

    async def _serve(self, request: Request, body: bytes, send: Send) -> None:
        options = parse_memory_options(request.headers)
        upstream = self._find_service(request)
        if upstream is None:
            await upstream_problem(501, "no_upstream", NO_UPSTREAM_MESSAGE, retryable=False)(
                request.scope, request.receive, send
            )
            return
        if _is_loop(upstream, request):
            await upstream_problem(508, "loop", LOOP_MESSAGE, retryable=False)(
                request.scope, request.receive, send
            )
            return
        if ".." in request.scope["path"].split("/"):
            raise HTTPException(404)
        upstream_path = request.scope["raw_path"].decode("ascii", "replace").removeprefix("/v1")
        exchange = Exchange(
            context=self._context,
            request=request,
            send=send,
            upstream=upstream,
            url=upstream.url(upstream_path, request.url.query, native=self._route.is_ollama_native),
            body=body,
        )
        try:
            if self._route.dialect is None:
                await exchange.forward()
            else:
                await exchange.forward_with_memory(self._route.dialect, options)
        except UpstreamUnreachable as error:
            await error.response(request.scope, request.receive, send)

    def _find_service(self, request: Request) -> Upstream | None:
        connection = self._application.settings.resolve().machine
        if self._route.service is not None:
            return find_upstream(connection, self._route.service)
        order: tuple[UpstreamService, UpstreamService] = ("openai", "anthropic")
        services = order[::-1] if "anthropic-version" in request.headers else order
        return next((upstream for each in services if (upstream := find_upstream(connection, each))), None)


def _is_loop(upstream: Upstream, request: Request) -> bool:
    _, port = request.scope.get("server") or ("", None)
    return upstream.base_url.port == port and is_loopback(upstream.base_url.host)
