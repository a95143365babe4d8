"""Puts the server together: the doorkeeper, the routes, and one place where every failure becomes a problem."""

import logging
from asyncio import Semaphore
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from recollect import __version__
from recollect.bootstrap import Runtime
from recollect.errors import RecollectError
from recollect.library.memory import Memory
from recollect.server import rest, system_routes, web
from recollect.server.auth import BodyTooLarge, Doorkeeper, House, too_large
from recollect.server.deadline import RECALLERS, hurried
from recollect.server.http_metrics import Traffic
from recollect.server.idempotency import Answers
from recollect.server.logs import fields, tell_of_job
from recollect.server.openapi import Described
from recollect.server.problems import from_error, problem
from recollect.server.proxy import routes as proxy
from recollect.server.request_log import Named
from recollect.server.streams import Conversations

log = logging.getLogger("recollect.http")
CODES = {
    400: "unreadable_body",
    403: "not_yours",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    412: "changed_meanwhile",
}
#: What is said instead of the bare name of a status.
PLAIN = frozenset({"Not Found", "Method Not Allowed", "There was an error parsing the body"})
WORDS = {
    400: "The body is not JSON. Send a JSON object in UTF-8.",
    404: "There is nothing at this path. /docs lists what there is.",
    405: "This cannot be done here. The header Allow says what can.",
}
#: FastAPI's own spans, numbers and logs hold paths, queries and what exceptions quote, and the environment alone can
#: have them sent somewhere. Ours hold none of it, and are made only for who asks.
SILENT: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
SUMMARY = "Long-term memory for LLM chats: what is remembered, why, and how to change it."


def create_app(runtime: Runtime, *, house: House, worker: bool = True) -> FastAPI:
    """The whole server over an open memory, which whoever opened it closes."""
    runtime, recallers = hurried(runtime)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        if worker:
            runtime.worker.start(tell_of_job)
        yield
        runtime.worker.stop()
        recallers.shutdown()

    app = Described(
        title="Recollect",
        version=__version__,
        summary=SUMMARY,
        docs_url=None,
        redoc_url=None,
        lifespan=life,
        telemetry=SILENT,
    )
    app.state.memory = Memory.over(runtime)
    app.state.house = house
    app.state.places = Semaphore(RECALLERS)
    app.state.answers = Answers()
    app.state.conversations = Conversations(works=worker)
    app.state.traffic = traffic = Traffic()
    # The proxy first: routes are tried in order, and there somebody waits for every millisecond.
    routers = (proxy.router(runtime), system_routes.router, *rest.ROUTERS, web.router)
    for router in routers:
        app.include_router(router)
    _answer_failures(app, [route for router in routers for route in router.routes])
    app.add_middleware(Doorkeeper, house=house)
    app.add_middleware(Named, ids=runtime.engine.ids, traffic=traffic, tracer=runtime.tracer)
    return app


def reference() -> dict[str, Any]:
    """What the API says of itself, without a memory behind it."""
    app = Described(title="Recollect", version=__version__, summary=SUMMARY)
    for router in (system_routes.router, *rest.ROUTERS):
        app.include_router(router)
    return app.openapi()


def _methods(routes: Sequence[BaseRoute], scope: Scope) -> set[str]:
    """What may be done at a path, by any of its routes."""
    there = (route for route in routes if route.matches(scope)[0] is not Match.NONE)
    return {method for route in there for method in getattr(route, "methods", None) or ()}


def _answer_failures(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
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
    async def refused(request: Request, error: HTTPException) -> Response:
        code, headers = CODES.get(error.status_code, "http_error"), dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(sorted(_methods(routes, request.scope)))
        detail = (
            WORDS.get(error.status_code, str(error.detail)) if error.detail in PLAIN else str(error.detail)
        )
        return problem(error.status_code, code, detail, headers=headers)

    @app.exception_handler(BodyTooLarge)
    async def large(_: Request, error: BodyTooLarge) -> Response:
        return too_large(error.most)

    @app.exception_handler(Exception)
    async def mistake(request: Request, error: Exception) -> Response:
        name = request.scope["state"]["id"]
        log.error("mistake", extra=fields(request_id=name), exc_info=error)
        return problem(
            500,
            "mistake",
            "This is a mistake in recollect. The log has the details under the request's id.",
            headers={"X-Request-Id": name},
        )
