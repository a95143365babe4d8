"""Static files of the web app. They contain no user data, so they need no token; the API does."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

STATIC_DIR = Path(__file__).parent / "static"
#: First path segments of the app's pages, as in web/src/app/routes.ts; none is a path of the API.
APP_PATHS = "chat memory inbox timeline profile analytics lab settings connect status receipt".split()
#: Files next to index.html without a hash in their name.
ROOT_FILES = ("theme.js", "favicon.svg")
#: Only resources of this server are loaded and contacted, and other pages cannot frame the app.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
#: For files with a content hash in their name.
IMMUTABLE_CACHE_CONTROL = "public, max-age=31536000, immutable"
REVALIDATE_CACHE_CONTROL = "no-cache"
CONTENT_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}
NOT_BUILT_HTML = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Recollect</title></head><body>
<h1>Recollect is running, but its web app was not built</h1>
<p>Node or the npm packages were not available during installation. The command line, the API and the proxy
work without the web app.</p>
<p>To build it, run <code>python web/build.py</code> in the source folder of Recollect, then reload this page. Or
install a wheel, which includes the web app.</p>
<p><a href="/docs">API documentation</a></p>
</body></html>
"""

router = APIRouter(include_in_schema=False)


async def _static_dir(request: Request) -> Path:
    static: Path = request.app.state.auth_config.static_dir
    return static


StaticDir = Annotated[Path, Depends(_static_dir)]
AcceptEncoding = Annotated[str, Header(alias="accept-encoding")]


def is_app_path(path: str) -> bool:
    """Return whether a path belongs to the web app, which needs no token."""
    return path.lstrip("/").partition("/")[0] in {"", *APP_PATHS} or path.lstrip("/") in ROOT_FILES


def serve_app(static_dir: StaticDir, accept_encoding: AcceptEncoding = "") -> Response:
    """Serve the app's page at all of its paths; the app does its own routing."""
    if not (static_dir / "index.html").is_file():
        return HTMLResponse(NOT_BUILT_HTML, headers=SECURITY_HEADERS)
    return _serve_file(static_dir, "index.html", accept_encoding, REVALIDATE_CACHE_CONTROL)


router.get("/")(serve_app)
for each in APP_PATHS:
    router.get(f"/{each}")(serve_app)
    router.get(f"/{each}/{{rest:path}}")(serve_app)


@router.get("/assets/{name}")
def serve_asset(static_dir: StaticDir, name: str, accept_encoding: AcceptEncoding = "") -> Response:
    """Serve a file with a content hash in its name."""
    return _serve_file(static_dir, f"assets/{name}", accept_encoding, IMMUTABLE_CACHE_CONTROL)


@router.get("/favicon.svg")
@router.get("/theme.js")
def serve_root_file(
    request: Request, static_dir: StaticDir, accept_encoding: AcceptEncoding = ""
) -> Response:
    """Serve a file that index.html refers to."""
    return _serve_file(static_dir, request.url.path.lstrip("/"), accept_encoding, REVALIDATE_CACHE_CONTROL)


@router.get("/favicon.ico")
def serve_favicon(static_dir: StaticDir, accept_encoding: AcceptEncoding = "") -> Response:
    """Serve the icon that browsers request for pages without one."""
    return _serve_file(static_dir, "favicon.svg", accept_encoding, REVALIDATE_CACHE_CONTROL)


def _serve_file(static_dir: Path, name: str, accept_encoding: str, cache_control: str) -> Response:
    path, kind = static_dir / name, CONTENT_TYPES.get(Path(name).suffix)
    if kind is None or not path.is_file() or not path.resolve().is_relative_to(static_dir.resolve()):
        raise HTTPException(404, "Not Found")
    headers = {**SECURITY_HEADERS, "Cache-Control": cache_control, "Vary": "Accept-Encoding"}
    gzipped = path.with_name(f"{path.name}.gz")
    if "gzip" in accept_encoding and gzipped.is_file():
        path, headers["Content-Encoding"] = gzipped, "gzip"
    return FileResponse(path, media_type=kind, headers=headers)
