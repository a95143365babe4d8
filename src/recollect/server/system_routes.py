"""Routes of the server itself: health, readiness, version, login, session and API documentation."""

from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.responses import Response

from recollect import __version__
from recollect.server.dependencies import MemoryDep
from recollect.server.problems import problem_response
from recollect.server.sessions import SESSION_COOKIE, SESSION_SECONDS

router = APIRouter(tags=["server"])


@router.get("/health")
def get_health() -> dict[str, str]:
    """Report that the server responds; needs no token."""
    return {"status": "ok"}


@router.get("/ready", responses={503: {"description": "The database cannot be reached."}})
def get_readiness(memory: MemoryDep) -> dict[str, str]:
    """Report that the database answers, or 503; needs no token. `/health` says only that the server does."""
    memory.application.services.maintenance.ping()
    return {"status": "ready"}


@router.get("/version")
def get_version() -> dict[str, str]:
    """Return the version of recollect; needs no token."""
    return {"version": __version__}


@router.get("/login", include_in_schema=False)
def log_in(memory: MemoryDep, code: str = "") -> Response:
    """Exchange the one-time code of a login link for a session."""
    new_session = memory.application.services.access.start_session(code)
    if new_session is None:
        return problem_response(
            401,
            "link_used",
            "This login link was already used or has expired. `recollect up` prints a new one.",
        )
    session_id, _ = new_session
    response = RedirectResponse("/", 303)
    response.set_cookie(
        SESSION_COOKIE, session_id, max_age=SESSION_SECONDS, httponly=True, samesite="strict", path="/"
    )
    return response


@router.get("/session", include_in_schema=False)
def get_session(request: Request, memory: MemoryDep) -> Response:
    """Return the logged-in user and the CSRF token that writes need."""
    access = memory.application.services.access
    active_session = access.find_session(request.cookies.get(SESSION_COOKIE, ""))
    if active_session is None:
        return problem_response(
            401, "no_session", "You are not logged in. `recollect up` prints a login link."
        )
    return JSONResponse(
        {
            "user": active_session.principal.user,
            "admin": active_session.principal.is_admin,
            "csrf": active_session.csrf_token,
        }
    )


@router.get("/docs", include_in_schema=False)
def show_docs(request: Request) -> HTMLResponse:
    """Return an HTML page of all operations; it loads nothing from other hosts."""
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
        f"<table border=1><tr><th>Method<th>Path<th>Operation<th>Description</tr>{rows}</table></html>"
    )
