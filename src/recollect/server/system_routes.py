"""The few pages that need no app: is it well, which version, log in, and what can be asked."""

from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.responses import Response

from recollect import __version__
from recollect.server.problems import problem_response
from recollect.server.sessions import SESSION_COOKIE, SESSION_SECONDS, SessionStore

router = APIRouter(tags=["server"])


@router.get("/health")
def get_health() -> dict[str, str]:
    """Whether the server answers. It says nothing about anybody's memory."""
    return {"status": "ok"}


@router.get("/version")
def get_version() -> dict[str, str]:
    """Which recollect this is."""
    return {"version": __version__}


@router.get("/login", include_in_schema=False)
def log_in(request: Request, code: str = "") -> Response:
    """Exchange the code of a link, which works once, for a session."""
    sessions: SessionStore = request.app.state.auth_config.sessions
    started = sessions.start(code)
    if started is None:
        return problem_response(
            401, "link_used", "This link was used already or is too old. `recollect up` prints a new one."
        )
    name, _ = started
    response = RedirectResponse("/", 303)
    response.set_cookie(
        SESSION_COOKIE, name, max_age=SESSION_SECONDS, httponly=True, samesite="strict", path="/"
    )
    return response


@router.get("/session", include_in_schema=False)
def get_session(request: Request) -> Response:
    """Who is logged in, and the token that changes need."""
    sessions: SessionStore = request.app.state.auth_config.sessions
    active_session = sessions.get(request.cookies.get(SESSION_COOKIE, ""))
    if active_session is None:
        return problem_response(401, "no_session", "Nobody is logged in here. `recollect up` prints a link.")
    return JSONResponse(
        {
            "user": active_session.principal.user,
            "admin": active_session.principal.is_admin,
            "csrf": active_session.csrf_token,
        }
    )


@router.get("/docs", include_in_schema=False)
def show_docs(request: Request) -> HTMLResponse:
    """What can be asked, from the server's own description; nothing is fetched from elsewhere."""
    schema: dict[str, Any] = request.app.openapi()
    rows = "".join(
        f"<tr><td><code>{escape(method.upper())}</code></td><td><code>{escape(path)}</code></td>"
        f"<td>{escape(str(each.get('summary', '')))}</td><td>{escape(str(each.get('description', '')))}</td></tr>"
        for path, methods in schema["paths"].items()
        for method, each in methods.items()
    )
    return HTMLResponse(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Recollect API</title>"
        f"<h1>Recollect API {escape(__version__)}</h1><p>Machine-readable: <a href=/openapi.json>openapi.json</a></p>"
        f"<table border=1><tr><th>method<th>path<th>what<th>how</tr>{rows}</table></html>"
    )
