"""Builds the ASGI application: middleware, routes, and exception handlers that answer with problem+json."""

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
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from recollect import __version__
from recollect.bootstrap import MAX_CONCURRENT_RECALLS, Application
from recollect.errors import RecollectError
from recollect.library.memory import Memory
from recollect.server import rest, system_routes, web
from recollect.server.auth import AuthConfig, AuthMiddleware, BodyTooLarge, body_too_large_response
from recollect.server.http_metrics import HttpMetrics
from recollect.server.idempotency import IdempotencyCache
from recollect.server.logs import log_fields, log_job
from recollect.server.mcp.endpoint import MCP_PATH, McpEndpoint
from recollect.server.openapi import RecollectAPI
from recollect.server.problems import error_response, problem_response
from recollect.server.proxy import routes as proxy
from recollect.server.request_log import RequestLogMiddleware
from recollect.server.streams import ActiveAnswers

log = logging.getLogger("recollect.http")
CODE_BY_STATUS = {
    400: "unreadable_body",
    403: "not_yours",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    412: "changed_meanwhile",
}
#: Details of Starlette and FastAPI that `DETAIL_BY_STATUS` replaces.
DEFAULT_DETAILS = frozenset({"Not Found", "Method Not Allowed", "There was an error parsing the body"})
DETAIL_BY_STATUS = {
    400: "The body is not valid JSON. Send a JSON object in UTF-8.",
    404: "This path does not exist. /docs lists all paths.",
    405: "This path does not support the method. The header Allow lists the supported ones.",
}
#: FastAPI's own spans, metrics and logs contain paths, queries and exception messages, and environment variables alone
#: can export them. Ours contain none of these, and are exported only if the settings enable it.
DISABLED_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
API_SUMMARY = "Long-term memory for LLM chats: store, recall, explain, correct and erase memories."


def create_app(application: Application, *, auth_config: AuthConfig, worker: bool = True) -> FastAPI:
    """Return the ASGI application for an open store. The caller closes the store."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if worker:
            application.worker.start(log_job)
        yield
        await mcp_endpoint.close()
        application.worker.stop()

    app = RecollectAPI(
        title="Recollect",
        version=__version__,
        summary=API_SUMMARY,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        telemetry=DISABLED_TELEMETRY,
    )
    app.state.memory = memory = Memory.from_application(application)
    mcp_endpoint = McpEndpoint(memory)
    app.state.auth_config = auth_config
    app.state.recall_slots = Semaphore(MAX_CONCURRENT_RECALLS)
    app.state.idempotency = IdempotencyCache()
    app.state.conversations = ActiveAnswers(runs_worker=worker)
    app.state.http_metrics = http_metrics = HttpMetrics()
    # The proxy comes first: routes are matched in order, and its latency matters most.
    routers = (proxy.create_proxy_router(application), system_routes.router, *rest.ROUTERS, web.router)
    app.router.routes.append(Route(MCP_PATH, mcp_endpoint, methods=["GET", "POST", "DELETE"]))
    for router in routers:
        app.include_router(router)
    _add_exception_handlers(app, [route for router in routers for route in router.routes])
    app.add_middleware(AuthMiddleware, config=auth_config)
    app.add_middleware(
        RequestLogMiddleware, ids=application.ids, metrics=http_metrics, tracer=application.tracer
    )
    return app


def build_openapi() -> dict[str, Any]:
    """Return the OpenAPI document without opening a store."""
    app = RecollectAPI(title="Recollect", version=__version__, summary=API_SUMMARY)
    for router in (system_routes.router, *rest.ROUTERS):
        app.include_router(router)
    return app.openapi()


def _allowed_methods(routes: Sequence[BaseRoute], scope: Scope) -> set[str]:
    """Return the methods that any route supports at the path."""
    matching = (route for route in routes if route.matches(scope)[0] is not Match.NONE)
    return {method for route in matching for method in getattr(route, "methods", None) or ()}


def _add_exception_handlers(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    @app.exception_handler(RecollectError)
    async def handle_recollect_error(_: Request, error: RecollectError) -> Response:
        return error_response(error)

    @app.exception_handler(RequestValidationError)
    async def handle_validation_error(_: Request, error: RequestValidationError) -> Response:
        # Pydantic puts the name of the exception before the message of our own validators.
        errors = [
            {"where": list(map(str, each["loc"])), "why": each["msg"].removeprefix("Value error, ")}
            for each in error.errors()
        ]
        first = errors[0] if errors else {"where": [], "why": "cannot be parsed"}
        where = ".".join(str(part) for part in first["where"]) or "the request"
        return problem_response(422, "invalid_request", f"{where}: {first['why']}.", errors=errors)

    @app.exception_handler(HTTPException)
    async def handle_http_exception(request: Request, error: HTTPException) -> Response:
        code, headers = CODE_BY_STATUS.get(error.status_code, "http_error"), dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(sorted(_allowed_methods(routes, request.scope)))
        detail = (
            DETAIL_BY_STATUS.get(error.status_code, str(error.detail))
            if error.detail in DEFAULT_DETAILS
            else str(error.detail)
        )
        return problem_response(error.status_code, code, detail, headers=headers)

    @app.exception_handler(BodyTooLarge)
    async def handle_body_too_large(_: Request, error: BodyTooLarge) -> Response:
        return body_too_large_response(error.max_bytes)

    @app.exception_handler(Exception)
    async def handle_unexpected_error(request: Request, error: Exception) -> Response:
        request_id = request.scope["state"]["id"]
        log.error("unexpected error", extra=log_fields(request_id=request_id), exc_info=error)
        return problem_response(
            500,
            "mistake",
            "Unexpected error in recollect. The server log has the details under the request id.",
            headers={"X-Request-Id": request_id},
        )
