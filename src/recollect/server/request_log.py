"""Request ids, the request log, HTTP metrics and request spans."""

import logging
import time
from contextlib import AbstractContextManager, nullcontext

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.domain.access import Principal
from recollect.ports.clock import Ids
from recollect.ports.tracer import Span, Tracer
from recollect.server.http_metrics import HttpMetrics
from recollect.server.logs import hash_user, log_fields

log = logging.getLogger("recollect.http")


class RequestLogMiddleware:
    """Logs the route's path template, never the request's path or query: these may contain user data."""

    def __init__(self, app: ASGIApp, *, ids: Ids, metrics: HttpMetrics, tracer: Tracer | None = None) -> None:
        self._app = app
        self._ids = ids
        self._metrics = metrics
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = _RequestRecord(self._ids.new(), scope, self._metrics)
        scope.setdefault("state", {})["id"] = record.request_id

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                # A proxied response keeps the request id of its provider.
                MutableHeaders(scope=message).setdefault("X-Request-Id", record.request_id)
                record.start_response(message["status"])
            await send(message)

        with self._start_span(scope) as span:
            try:
                await self._app(scope, receive, send_with_id)
            except Exception:
                # The outermost exception handler sends the response.
                record.start_response(500)
                raise
            finally:
                record.finish(span)

    def _start_span(self, scope: Scope) -> AbstractContextManager[Span | None]:
        if self._tracer is None:
            return nullcontext()
        return self._tracer.span(scope["method"], headers=Headers(scope=scope))


class _RequestRecord:
    """Status and timings of one request."""

    __slots__ = ("_first_byte_seconds", "_metrics", "_scope", "_started_at", "_status", "request_id")

    def __init__(self, request_id: str, scope: Scope, metrics: HttpMetrics) -> None:
        self.request_id = request_id
        self._scope = scope
        self._metrics = metrics
        self._started_at = time.monotonic()
        self._first_byte_seconds: float | None = None
        self._status: int | None = None

    def start_response(self, status: int) -> None:
        if self._status is not None:
            return
        self._status, self._first_byte_seconds = status, time.monotonic() - self._started_at
        self._metrics.record(self._scope["method"], status, self._first_byte_seconds)

    def finish(self, span: Span | None) -> None:
        route = getattr(self._scope.get("route"), "path", None)
        if span is not None:
            self._annotate_span(span, route)
        if log.isEnabledFor(logging.INFO):
            self._log(route)

    def _log(self, route: str | None) -> None:
        principal: Principal | None = self._scope["state"].get("principal")
        elapsed_ms = (time.monotonic() - self._started_at) * 1000
        log.info(
            "request",
            extra=log_fields(
                request_id=self.request_id,
                method=self._scope["method"],
                route=route or "(none)",
                # 0: the client disconnected before the response started.
                status=self._status or 0,
                ms=round(elapsed_ms, 1),
                first_byte_ms=round(self._first_byte_seconds * 1000, 1)
                if self._first_byte_seconds is not None
                else None,
                user=hash_user(principal.user) if principal else None,
            ),
        )

    def _annotate_span(self, span: Span, route: str | None) -> None:
        method, status = self._scope["method"], self._status or 0
        span.set_attributes(
            {
                "http.request.method": method,
                "http.response.status_code": status,
                "recollect.request_id": self.request_id,
                **({"http.route": route} if route else {}),
            },
            name=f"{method} {route}" if route else method,
            failed=status >= 500,
        )
