"""Each request has an id, which stands in the log, in its span and in the answer."""

import logging
import time
from contextlib import AbstractContextManager, nullcontext

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.ports.clock import Ids
from recollect.ports.tracer import Span, Tracer
from recollect.server.http_metrics import HttpMetrics
from recollect.server.logs import hash_user, log_fields
from recollect.server.tokens import Principal

log = logging.getLogger("recollect.http")


class RequestLogMiddleware:
    """An ASGI middleware. It tells of the route's path, never of the request's: ids and queries are people's."""

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
        scope.setdefault("state", {})["id"] = record.name

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                # What passed the proxy has the id that its own service gave it.
                MutableHeaders(scope=message).setdefault("X-Request-Id", record.name)
                record.start_response(message["status"])
            await send(message)

        with self._start_span(scope) as span:
            try:
                await self._app(scope, receive, send_with_id)
            except Exception:
                # Answered further out, by whoever turns mistakes into words.
                record.start_response(500)
                raise
            finally:
                record.finish(span)

    def _start_span(self, scope: Scope) -> AbstractContextManager[Span | None]:
        if self._tracer is None:
            return nullcontext()
        return self._tracer.span(scope["method"], headers=Headers(scope=scope))


class _RequestRecord:
    """One request, from its first byte to the last of the answer."""

    __slots__ = ("_begun", "_first", "_scope", "_status", "_traffic", "name")

    def __init__(self, request_id: str, scope: Scope, metrics: HttpMetrics) -> None:
        self.name = request_id
        self._scope = scope
        self._traffic = metrics
        self._begun = time.monotonic()
        self._first: float | None = None
        self._status: int | None = None

    def start_response(self, status: int) -> None:
        if self._status is not None:
            return
        self._status, self._first = status, time.monotonic() - self._begun
        self._traffic.record(self._scope["method"], status, self._first)

    def finish(self, span: Span | None) -> None:
        route = getattr(self._scope.get("route"), "path", None)
        if span is not None:
            self._annotate_span(span, route)
        if log.isEnabledFor(logging.INFO):
            self._log(route)

    def _log(self, route: str | None) -> None:
        principal: Principal | None = self._scope["state"].get("principal")
        spent = (time.monotonic() - self._begun) * 1000
        log.info(
            "request",
            extra=log_fields(
                request_id=self.name,
                method=self._scope["method"],
                route=route or "(none)",
                # A client that left before anything was said got no status.
                status=self._status or 0,
                ms=round(spent, 1),
                first_byte_ms=round(self._first * 1000, 1) if self._first is not None else None,
                user=hash_user(principal.user) if principal else None,
            ),
        )

    def _annotate_span(self, span: Span, route: str | None) -> None:
        method, status = self._scope["method"], self._status or 0
        span.set_attributes(
            {
                "http.request.method": method,
                "http.response.status_code": status,
                "recollect.request_id": self.name,
                **({"http.route": route} if route else {}),
            },
            name=f"{method} {route}" if route else method,
            failed=status >= 500,
        )
