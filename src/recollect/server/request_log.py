"""Each request has an id, which stands in the log, in its span and in the answer."""

import logging
import time
from contextlib import AbstractContextManager, nullcontext

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.ports.clock import Ids
from recollect.ports.tracer import Span, Tracer
from recollect.server.http_metrics import Traffic
from recollect.server.logs import alias, fields
from recollect.server.tokens import Person

log = logging.getLogger("recollect.http")


class Named:
    """An ASGI middleware. It tells of the route's path, never of the request's: ids and queries are people's."""

    def __init__(self, app: ASGIApp, *, ids: Ids, traffic: Traffic, tracer: Tracer | None = None) -> None:
        self._app = app
        self._ids = ids
        self._traffic = traffic
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = _Visit(self._ids.new(), scope, self._traffic)
        scope.setdefault("state", {})["id"] = visit.name

        async def signed(message: Message) -> None:
            if message["type"] == "http.response.start":
                # What passed the proxy has the id that its own service gave it.
                MutableHeaders(scope=message).setdefault("X-Request-Id", visit.name)
                visit.begin(message["status"])
            await send(message)

        with self._span(scope) as span:
            try:
                await self._app(scope, receive, signed)
            except Exception:
                # Answered further out, by whoever turns mistakes into words.
                visit.begin(500)
                raise
            finally:
                visit.end(span)

    def _span(self, scope: Scope) -> AbstractContextManager[Span | None]:
        if self._tracer is None:
            return nullcontext()
        return self._tracer.span(scope["method"], headers=Headers(scope=scope))


class _Visit:
    """One request, from its first byte to the last of the answer."""

    __slots__ = ("_begun", "_first", "_scope", "_status", "_traffic", "name")

    def __init__(self, name: str, scope: Scope, traffic: Traffic) -> None:
        self.name = name
        self._scope = scope
        self._traffic = traffic
        self._begun = time.monotonic()
        self._first: float | None = None
        self._status: int | None = None

    def begin(self, status: int) -> None:
        if self._status is not None:
            return
        self._status, self._first = status, time.monotonic() - self._begun
        self._traffic.count(self._scope["method"], status, self._first)

    def end(self, span: Span | None) -> None:
        route = getattr(self._scope.get("route"), "path", None)
        if span is not None:
            self._tell(span, route)
        if log.isEnabledFor(logging.INFO):
            self._log(route)

    def _log(self, route: str | None) -> None:
        person: Person | None = self._scope["state"].get("person")
        spent = (time.monotonic() - self._begun) * 1000
        log.info(
            "request",
            extra=fields(
                request_id=self.name,
                method=self._scope["method"],
                route=route or "(none)",
                # A client that left before anything was said got no status.
                status=self._status or 0,
                ms=round(spent, 1),
                first_byte_ms=round(self._first * 1000, 1) if self._first is not None else None,
                user=alias(person.user) if person else None,
            ),
        )

    def _tell(self, span: Span, route: str | None) -> None:
        method, status = self._scope["method"], self._status or 0
        span.note(
            {
                "http.request.method": method,
                "http.response.status_code": status,
                "recollect.request_id": self.name,
                **({"http.route": route} if route else {}),
            },
            name=f"{method} {route}" if route else method,
            failed=status >= 500,
        )
