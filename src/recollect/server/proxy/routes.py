"""The proxy's paths, and what they share for as long as the server runs."""

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

from recollect.bootstrap import Runtime
from recollect.errors import ProviderError
from recollect.server.auth import is_loopback
from recollect.server.deadline import RECALLERS
from recollect.server.proxy.conversation_cache import Threads
from recollect.server.proxy.dialects.anthropic import ANTHROPIC
from recollect.server.proxy.dialects.chat_completions import CHAT
from recollect.server.proxy.dialects.content_parts import Dialect
from recollect.server.proxy.dialects.ollama import OLLAMA
from recollect.server.proxy.dialects.responses import RESPONSES
from recollect.server.proxy.exchange import Desk, Exchange
from recollect.server.proxy.forward import Line, Unreachable, refusal, while_wanted
from recollect.server.proxy.identity import wish
from recollect.server.proxy.ingest import Learner
from recollect.server.proxy.recall import Recaller
from recollect.server.proxy.upstream import Upstream, upstream

log = logging.getLogger("recollect.proxy")

#: Seconds that requests have to put down what was said so far when the server ends.
LAST_WORDS = 2
NO_UPSTREAM = (
    "The proxy does not know where to send this. Set `proxy_upstream` (RECOLLECT_PROXY_UPSTREAM) to the address of an"
    " OpenAI-compatible service, /v1 included, or `proxy_upstream_anthropic` to Anthropic's."
)
LOOP = "`proxy_upstream` is the address of this very server. Set it to the address of the service behind it."

Service: TypeAlias = Literal["openai", "anthropic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    method: str
    path: str
    dialect: Dialect | None = None  #: None where nothing is said
    service: Service | None = None  #: None is whichever the client and the settings mean
    native: bool = False  #: one of Ollama's own paths, which stand beside /v1


PATHS = (
    Path(method="POST", path="/v1/chat/completions", dialect=CHAT, service="openai"),
    Path(method="POST", path="/v1/responses", dialect=RESPONSES, service="openai"),
    Path(method="POST", path="/v1/embeddings", service="openai"),
    Path(method="GET", path="/v1/models"),
    Path(method="GET", path="/v1/models/{model:path}"),
    Path(method="POST", path="/v1/messages", dialect=ANTHROPIC, service="anthropic"),
    Path(method="POST", path="/v1/messages/count_tokens", service="anthropic"),
    Path(method="POST", path="/v1/api/chat", dialect=OLLAMA, service="openai", native=True),
    Path(method="GET", path="/v1/api/tags", service="openai", native=True),
    Path(method="POST", path="/v1/api/show", service="openai", native=True),
)


def router(runtime: Runtime) -> APIRouter:
    """The proxy over an open memory. It finishes learning before the server ends."""
    line = Line()
    under_way: set[asyncio.Task[object]] = set()
    recallers = ThreadPoolExecutor(RECALLERS, "recollect-recall")
    learner = ThreadPoolExecutor(1, "recollect-learn")
    desk = Desk(
        line=line,
        threads=Threads(),
        recall=Recaller(runtime=runtime, pool=recallers),
        learner=Learner(runtime=runtime, pool=learner),
    )

    @asynccontextmanager
    async def life(_: object) -> AsyncIterator[None]:
        recallers.submit(_warm_up, runtime)
        yield
        if under_way:
            await asyncio.wait(under_way, timeout=LAST_WORDS)
        await line.close()
        await asyncio.to_thread(_finish, recallers, learner)

    routes: list[BaseRoute] = [
        Route(each.path, Door(runtime, desk, each, under_way), methods=[each.method], include_in_schema=False)
        for each in PATHS
    ]
    return APIRouter(routes=routes, lifespan=life)


def _warm_up(runtime: Runtime) -> None:
    """Load the embedder's model before somebody waits for it."""
    try:
        if runtime.embedder is not None:
            runtime.embedder.embed_query("good morning")
    except ProviderError as error:
        log.warning("the embedder is not ready: %s", type(error).__name__)


def _finish(*pools: ThreadPoolExecutor) -> None:
    for pool in pools:
        pool.shutdown(wait=True)


class Door:
    """An ASGI app for one path."""

    def __init__(
        self, runtime: Runtime, desk: Desk, path: Path, under_way: set[asyncio.Task[object]]
    ) -> None:
        self._runtime = runtime
        self._desk = desk
        self._path = path
        self._under_way = under_way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # As FastAPI's routes do, for the log.
        scope["route"] = self._path
        request = Request(scope, receive)
        try:
            body = await request.body()
        except ClientDisconnect:
            return
        task = asyncio.current_task()
        assert task is not None
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await while_wanted(receive, self._serve(request, body, send))

    async def _serve(self, request: Request, body: bytes, send: Send) -> None:
        asked = wish(request.headers)
        service = self._service(request)
        if service is None:
            await refusal(501, "no_upstream", NO_UPSTREAM, again=False)(request.scope, request.receive, send)
            return
        if _is_ourselves(service, request):
            await refusal(508, "loop", LOOP, again=False)(request.scope, request.receive, send)
            return
        if ".." in request.scope["path"].split("/"):
            raise HTTPException(404)
        here = request.scope["raw_path"].decode("ascii", "replace").removeprefix("/v1")
        exchange = Exchange(
            desk=self._desk,
            request=request,
            send=send,
            service=service,
            url=service.url(here, request.url.query, native=self._path.native),
            body=body,
        )
        try:
            if self._path.dialect is None:
                await exchange.plain()
            else:
                await exchange.talked(self._path.dialect, asked)
        except Unreachable as error:
            await error.response(request.scope, request.receive, send)

    def _service(self, request: Request) -> Upstream | None:
        connection = self._runtime.settings.resolve().connection
        if self._path.service is not None:
            return upstream(connection, self._path.service)
        order: tuple[Service, Service] = ("openai", "anthropic")
        wanted = order[::-1] if "anthropic-version" in request.headers else order
        return next((found for each in wanted if (found := upstream(connection, each))), None)


def _is_ourselves(service: Upstream, request: Request) -> bool:
    _, port = request.scope.get("server") or ("", None)
    return service.base.port == port and is_loopback(service.base.host)
