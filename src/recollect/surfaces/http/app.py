"""Puts the server together: the doorkeeper, the routes, and one place where every failure becomes a problem."""

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect import __version__
from recollect.errors import RecollectError
from recollect.ports.clock import Ids
from recollect.surfaces.http import pages
from recollect.surfaces.http.doorkeeper import BodyTooLarge, Doorkeeper, House, too_large
from recollect.surfaces.http.problems import from_error, problem
from recollect.surfaces.library import Memory
from recollect.wiring import Runtime

log = logging.getLogger("recollect.http")
SUMMARY = "Long-term memory for LLM chats: what is remembered, why, and how to change it."


def create_app(runtime: Runtime, *, house: House, worker: bool = True) -> FastAPI:
    """The whole server over an open memory, which whoever opened it closes."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        if worker:
            runtime.worker.start()
        yield
        runtime.worker.stop()

    app = FastAPI(
        title="Recollect",
        version=__version__,
        summary=SUMMARY,
        docs_url=None,
        redoc_url=None,
        lifespan=life,
    )
    app.state.memory = Memory.over(runtime)
    app.state.house = house
    for router in (pages.router,):
        app.include_router(router)
    _answer_failures(app)
    app.add_middleware(Doorkeeper, house=house)
    app.add_middleware(Named, ids=runtime.engine.ids)
    return app


def _answer_failures(app: FastAPI) -> None:
    @app.exception_handler(RecollectError)
    async def ours(_: Request, error: RecollectError) -> Response:
        return from_error(error)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:
        wrong = [{"where": list(map(str, each["loc"])), "why": each["msg"]} for each in error.errors()]
        first = wrong[0] if wrong else {"where": [], "why": "it cannot be read"}
        where = ".".join(str(part) for part in first["where"]) or "the request"
        return problem(422, "invalid_request", f"{where}: {first['why']}.", errors=wrong)

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> Response:
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http_error")
        return problem(error.status_code, code, str(error.detail), headers=error.headers)

    @app.exception_handler(BodyTooLarge)
    async def large(_: Request, error: BodyTooLarge) -> Response:
        return too_large(error.most)

    @app.exception_handler(Exception)
    async def mistake(request: Request, error: Exception) -> Response:
        log.error("request %s failed", request.scope["state"].get("id"), exc_info=error)
        return problem(
            500, "mistake", "This is a mistake in recollect. The log has the details under the request's id."
        )


class Named:
    """An ASGI middleware: each request has an id, which stands in the log and in the answer."""

    def __init__(self, app: ASGIApp, *, ids: Ids) -> None:
        self._app = app
        self._ids = ids

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name, begun = self._ids.new(), time.monotonic()
        scope.setdefault("state", {})["id"] = name

        async def signed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Request-Id"] = name
                spent = (time.monotonic() - begun) * 1000
                # The path alone: queries hold what people ask.
                log.info(
                    "%s %s %s %.1f ms %s", scope["method"], scope["path"], message["status"], spent, name
                )
            await send(message)

        await self._app(scope, receive, signed)
