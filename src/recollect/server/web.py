"""The web app's files. They tell nothing about anybody: what is remembered, the app asks for, with the session."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

STATIC = Path(__file__).parent / "static"
#: The first words of the app's addresses. web/src/app/routes.ts has the same; none is a path of the API.
PAGES = "chat memory inbox timeline profile analytics lab settings connect status receipt".split()
#: Files beside the page that keep their name.
BESIDE = ("theme.js", "favicon.svg")
#: Nothing runs or is fetched but what this server gave, no page shows ours inside of itself, nothing is sent elsewhere.
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
)
GUARDED = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
#: A name with a hash in it never means anything else.
FOR_EVER = "public, max-age=31536000, immutable"
ASK_FIRST = "no-cache"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}
NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Recollect</title></head><body>
<h1>Recollect is running, but its web app was not built</h1>
<p>It was installed where neither Node nor npm's registry could be reached. Everything else works:
the command line, the API and the proxy.</p>
<p>To build it, run <code>python web/build.py</code> in the folder that Recollect was installed from, then load this
page again. Or install a wheel, which has it inside.</p>
<p><a href="/docs">What the API can do</a></p>
</body></html>
"""

router = APIRouter(include_in_schema=False)


async def _static(request: Request) -> Path:
    static: Path = request.app.state.house.static
    return static


Static = Annotated[Path, Depends(_static)]
Accepts = Annotated[str, Header(alias="accept-encoding")]


def is_page(path: str) -> bool:
    """Whether a path is one of the app's, which anybody may load."""
    return path.lstrip("/").partition("/")[0] in {"", *PAGES} or path.lstrip("/") in BESIDE


def page(static: Static, accepts: Accepts = "") -> Response:
    """The app, at whichever of its addresses."""
    if not (static / "index.html").is_file():
        return HTMLResponse(NOT_BUILT, headers=GUARDED)
    return _file(static, "index.html", accepts, ASK_FIRST)


router.get("/")(page)
for each in PAGES:
    router.get(f"/{each}")(page)
    router.get(f"/{each}/{{rest:path}}")(page)


@router.get("/assets/{name}")
def asset(static: Static, name: str, accepts: Accepts = "") -> Response:
    """A file of the app, under a name that changes with what is in it."""
    return _file(static, f"assets/{name}", accepts, FOR_EVER)


@router.get("/favicon.svg")
@router.get("/theme.js")
def beside(request: Request, static: Static, accepts: Accepts = "") -> Response:
    """A file that the page itself needs."""
    return _file(static, request.url.path.lstrip("/"), accepts, ASK_FIRST)


@router.get("/favicon.ico")
def icon(static: Static, accepts: Accepts = "") -> Response:
    """What browsers ask for when they show something else than the app."""
    return _file(static, "favicon.svg", accepts, ASK_FIRST)


def _file(static: Path, name: str, accepts: str, keep: str) -> Response:
    path, kind = static / name, TYPES.get(Path(name).suffix)
    if kind is None or not path.is_file() or not path.resolve().is_relative_to(static.resolve()):
        raise HTTPException(404, "Not Found")
    headers = {**GUARDED, "Cache-Control": keep, "Vary": "Accept-Encoding"}
    packed = path.with_name(f"{path.name}.gz")
    if "gzip" in accepts and packed.is_file():
        path, headers["Content-Encoding"] = packed, "gzip"
    return FileResponse(path, media_type=kind, headers=headers)
