"""The few pages that need no app: is it well, which version, log in, and what can be asked."""

from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.responses import Response

from recollect import __version__
from recollect.server.problems import problem
from recollect.server.sessions import COOKIE, SESSION_SECONDS, Sessions

router = APIRouter(tags=["server"])


@router.get("/health")
def health() -> dict[str, str]:
    """Whether the server answers. It says nothing about anybody's memory."""
    return {"status": "ok"}


@router.get("/version")
def version() -> dict[str, str]:
    """Which recollect this is."""
    return {"version": __version__}


@router.get("/login", include_in_schema=False)
def login(request: Request, code: str = "") -> Response:
    """Exchange the code of a link, which works once, for a session."""
    sessions: Sessions = request.app.state.house.sessions
    begun = sessions.begin(code)
    if begun is None:
        return problem(
            401, "link_used", "This link was used already or is too old. `recollect up` prints a new one."
        )
    name, _ = begun
    response = RedirectResponse("/", 303)
    response.set_cookie(COOKIE, name, max_age=SESSION_SECONDS, httponly=True, samesite="strict", path="/")
    return response


@router.get("/session", include_in_schema=False)
def session(request: Request) -> Response:
    """Who is logged in, and the token that changes need."""
    sessions: Sessions = request.app.state.house.sessions
    found = sessions.get(request.cookies.get(COOKIE, ""))
    if found is None:
        return problem(401, "no_session", "Nobody is logged in here. `recollect up` prints a link.")
    return JSONResponse({"user": found.person.user, "admin": found.person.admin, "csrf": found.csrf})


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> HTMLResponse:
    """What can be asked, from the server's own description; nothing is fetched from elsewhere."""
    described: dict[str, Any] = request.app.openapi()
    rows = "".join(
        f"<tr><td><code>{escape(method.upper())}</code></td><td><code>{escape(path)}</code></td>"
        f"<td>{escape(str(each.get('summary', '')))}</td><td>{escape(str(each.get('description', '')))}</td></tr>"
        for path, methods in described["paths"].items()
        for method, each in methods.items()
    )
    return HTMLResponse(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Recollect API</title>"
        f"<h1>Recollect API {escape(__version__)}</h1><p>Machine-readable: <a href=/openapi.json>openapi.json</a></p>"
        f"<table border=1><tr><th>method<th>path<th>what<th>how</tr>{rows}</table></html>"
    )
