"""Authentication and request checks, as one ASGI middleware in front of every route.

A local server is reachable by every web page the user opens, so a token alone is not enough. Each request passes these
checks in order; the first that fails answers with problem+json, and no route runs:

1. `Host` is a name of this server (421). This stops DNS rebinding.
2. `Origin` and `Sec-Fetch-Site` are same-origin or absent (403). Links from other sites are allowed, framing is not.
3. The declared body size is within the limit (413), and a write does not use a content type that HTML forms can send
   without a CORS preflight (415). The actual size and arrival time are enforced while the body is read (413, 408).
4. Every token in a credential header is valid (401), also on public paths and beside other credentials.
5. The principal comes from a token or, without any credential header, from the session cookie (writes also need the
   CSRF token: 403). A loopback client of the proxy without either acts for the owner, with `is_authenticated=False`
   (see `_is_local_client`). Everything else is refused (401).
6. An authenticated principal is below its rate limit: a sliding window of 60 seconds per token name (429). Tokens,
   sessions and request counts are in the store, so that all servers on one database know the same.

Routes read `request.state.principal`, `.is_authenticated` and `.token`; public paths have none of them. Cost: one
SHA-256 and one lookup in the store per credential, on another thread.

Example: an OpenAI client on this machine posts to /v1/chat/completions with its provider key. The key is not one of our
tokens, so the request acts for the owner, unauthenticated: it may not select another user, and the key is forwarded.
"""

import asyncio
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.domain.access import Principal
from recollect.errors import StoreError
from recollect.server.problems import error_response, problem_response
from recollect.server.rate_limiter import RateLimiter
from recollect.server.sessions import CSRF_HEADER, SESSION_COOKIE
from recollect.server.web import STATIC_DIR, is_app_path
from recollect.services.access import AccessService, is_token

#: Concurrent lookups of credentials in the store.
MAX_LOOKUP_THREADS = 4
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: Paths that need no token: they reveal nothing about any user.
PUBLIC_PATHS = ("/health", "/ready", "/version", "/login", "/assets/", "/favicon.ico")
#: Content types that a page of another site can send without a CORS preflight. Writes must not use them.
SIMPLE_CONTENT_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"})
#: The path with the larger body limit.
IMPORT_PATH = "/api/import"
#: Values of Sec-Fetch-Site for requests of our own pages or typed addresses.
ALLOWED_FETCH_SITES = frozenset({"same-origin", "none"})
#: Headers in which OpenAI, Anthropic and Azure clients send their key, in order of precedence.
CREDENTIAL_HEADERS = ("authorization", "x-api-key", "api-key")
#: Headers that reverse proxies, tunnels and CDNs add, besides X-Forwarded-*.
FORWARDING_HEADERS = frozenset(
    (
        *(
            "forwarded",
            "via",
            "cdn-loop",
            "client-ip",
            "true-client-ip",
            "x-client-ip",
            "x-cluster-client-ip",
        ),
        *("x-real-ip", "x-original-forwarded-for", "x-original-host", "x-envoy-external-address"),
        *("cf-connecting-ip", "cf-ray", "fastly-client-ip", "fly-client-ip", "x-azure-clientip"),
    )
)
#: Values of Sec-Fetch-Dest for framed pages, which allow clickjacking.
FRAME_DESTINATIONS = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})
CROSS_SITE_DETAIL = (
    "Requests from pages of other sites are not accepted. Open the web app at this server's address."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthConfig:
    """Configuration of `AuthMiddleware`."""

    access: AccessService
    allowed_hosts: frozenset[str]  #: accepted names in the Host header, without port
    #: Bound to loopback under no other name, so local clients of the proxy need no token.
    is_local: bool = True
    max_body_bytes: int = 10_000_000
    max_import_bytes: int = 500_000_000  #: limit for `IMPORT_PATH`
    body_timeout_seconds: float = 60.0  #: time in which the whole body must arrive
    import_timeout_seconds: float = 1_800.0  #: the same for `IMPORT_PATH`
    max_requests_per_minute: int = 6_000  #: per token; 0 means unlimited
    public_paths: frozenset[str] = field(default_factory=frozenset)  #: besides `PUBLIC_PATHS`
    static_dir: Path = STATIC_DIR  #: files of the web app


class AuthMiddleware:
    """
    Sets `principal`, `is_authenticated` and `token` in the request's state, unless the path is public.

    `is_authenticated` is true if the request has a valid token or session.
    """

    def __init__(self, app: ASGIApp, *, config: AuthConfig) -> None:
        self._app = app
        self._config = config
        self._rate_limiter = RateLimiter(config.access)
        #: Threads of their own: requests that wait for a model never delay authentication.
        self._lookups = CapacityLimiter(MAX_LOOKUP_THREADS)
        #: Principals of tokens, for while the store cannot be read: its data must still be saved then.
        self._known_principals: dict[str, Principal] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is None:
            # The store may be a server that answers slowly.
            refusal = await to_thread.run_sync(self._authenticate, scope, headers, limiter=self._lookups)
        if refusal is None:
            refusal = await self._limit_rate(scope)
        if refusal is None:
            await self._app(
                scope,
                limit_body(receive, self._max_body_bytes(scope), self._body_timeout_seconds(scope)),
                send,
            )
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the response to a request that is refused regardless of its credentials, else None."""
        if not is_allowed_host(headers.get("host", ""), self._config.allowed_hosts):
            return problem_response(
                421,
                "wrong_host",
                "The Host header does not name this server. Use the address that the server was started with.",
            )
        if (origin := headers.get("origin")) and not self._is_same_origin(origin, headers):
            return problem_response(403, "wrong_origin", CROSS_SITE_DETAIL)
        if _is_cross_site(headers):
            return problem_response(403, "wrong_origin", CROSS_SITE_DETAIL)
        if parse_int(headers.get("content-length"), 0) > (max_bytes := self._max_body_bytes(scope)):
            return body_too_large_response(max_bytes)
        content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] not in SAFE_METHODS and content_type in SIMPLE_CONTENT_TYPES:
            return problem_response(
                415,
                "wrong_content_type",
                "This content type is not accepted. Send JSON with `Content-Type: application/json`, or a file to"
                " import with `Content-Type: application/octet-stream`.",
            )
        return None

    def _is_local_client(self, scope: Scope, headers: Headers) -> bool:
        """
        Return whether a program on this machine uses the proxy with its provider's key instead of a token.

        It acts for the owner only. Browser pages were refused before. A reverse proxy on this machine is a loopback
        peer too, but forwards requests of remote clients: it is recognized by the server's other name, by its Host
        header or by the headers that it adds.
        """
        peer, _ = scope.get("client") or ("", 0)
        return (
            self._config.is_local
            and scope["path"].startswith("/v1/")
            and is_loopback(peer)
            and is_loopback(hostname(headers.get("host", "")))
            and not is_forwarded(headers)
        )

    def _is_same_origin(self, origin: str, headers: Headers) -> bool:
        try:
            host = urlsplit(origin)
        except ValueError:
            return False
        return bool(host.netloc) and host.netloc == headers.get("host")

    def _authenticate(self, scope: Scope, headers: Headers) -> Response | None:
        """Store the principal in the request's state; return a response if the request is refused."""
        try:
            principals = {token: self._find_principal(token) for token in credentials(headers)}
        except StoreError as error:
            return error_response(error)
        # An invalid token is refused even where none is needed: the client believes that it is authenticated.
        if any(principal is None and is_token(token) for token, principal in principals.items()):
            return _unauthorized(
                "invalid_token",
                "The token is not valid: it was revoked or mistyped. `recollect tokens own` prints the owner's token;"
                " `recollect tokens add` creates one for another user.",
                challenge='Bearer error="invalid_token"',
            )
        if is_public(scope["path"], self._config):
            return None
        valid_tokens = ((token, principal) for token, principal in principals.items() if principal)
        token, principal = next(valid_tokens, ("", None))
        if not principals:
            principal, refusal = self._authenticate_session(scope, headers)
            if refusal is not None:
                return refusal
        is_authenticated = principal is not None
        if principal is None and self._is_local_client(scope, headers):
            principal = self._config.access.owner
        if principal is None:
            return _unauthorized(
                "no_token",
                "This path needs a token. Send `Authorization: Bearer …`; `recollect tokens own` prints the owner's.",
            )
        scope.setdefault("state", {}).update(
            principal=principal, is_authenticated=is_authenticated, token=token
        )
        return None

    def _authenticate_session(
        self, scope: Scope, headers: Headers
    ) -> tuple[Principal | None, Response | None]:
        session = self._config.access.find_session(cookie_value(headers, SESSION_COOKIE))
        if session is None:
            return None, None
        if scope["method"] not in SAFE_METHODS and not session.is_csrf_token(headers.get(CSRF_HEADER, "")):
            return None, problem_response(
                403,
                "no_csrf_token",
                f"The CSRF token is missing or wrong. Send the session's token in the header {CSRF_HEADER}.",
            )
        return session.principal, None

    def _find_principal(self, token: str) -> Principal | None:
        try:
            principal = self._config.access.authenticate(token)
        except StoreError:
            if token not in self._known_principals:
                raise
            return self._known_principals[token]
        if principal is None:
            self._known_principals.pop(token, None)
        else:
            self._known_principals[token] = principal
        return principal

    async def _limit_rate(self, scope: Scope) -> Response | None:
        state, max_per_minute = scope.get("state", {}), self._config.max_requests_per_minute
        if not max_per_minute or not state.get("is_authenticated"):
            return None
        if await self._rate_limiter.exceeds(state["principal"], max_per_minute):
            return problem_response(
                429, "too_many_requests", "Too many requests within a minute. Wait a minute and try again."
            )
        return None

    def _max_body_bytes(self, scope: Scope) -> int:
        return self._config.max_import_bytes if scope["path"] == IMPORT_PATH else self._config.max_body_bytes

    def _body_timeout_seconds(self, scope: Scope) -> float:
        if scope["path"] == IMPORT_PATH:
            return self._config.import_timeout_seconds
        return self._config.body_timeout_seconds


def _is_cross_site(headers: Headers) -> bool:
    """Return whether a page of another site sends or frames the request. Links from other sites are allowed."""
    if headers.get("sec-fetch-site", "none") in ALLOWED_FETCH_SITES:
        return False
    return headers.get("sec-fetch-mode") != "navigate" or headers.get("sec-fetch-dest") in FRAME_DESTINATIONS


def limit_body(receive: Receive, max_bytes: int, timeout_seconds: float) -> Receive:
    """Wrap `receive`: raise `BodyTooLarge` above `max_bytes`, and a 408 if the body is not complete in time."""
    received_bytes, is_complete, deadline = 0, False, asyncio.get_running_loop().time() + timeout_seconds

    async def receive_limited() -> Message:
        nonlocal received_bytes, is_complete
        try:
            # After the body only the disconnect message follows, which has no time limit.
            async with asyncio.timeout_at(None if is_complete else deadline):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(
                408, f"The body did not arrive within {timeout_seconds:g} seconds. Send the request again."
            ) from error
        received_bytes += len(message.get("body", b""))
        is_complete = not message.get("more_body", False)
        if received_bytes > max_bytes:
            raise BodyTooLarge(max_bytes)
        return message

    return receive_limited


class BodyTooLarge(HTTPException):
    def __init__(self, max_bytes: int) -> None:
        super().__init__(413, f"The body is larger than {max_bytes:,} bytes.")
        self.max_bytes = max_bytes


def body_too_large_response(max_bytes: int) -> Response:
    return problem_response(
        413, "body_too_large", f"The body is larger than {max_bytes:,} bytes. Send it in parts."
    )


def is_public(path: str, config: AuthConfig) -> bool:
    return (
        path in config.public_paths
        or is_app_path(path)
        or any(path == each or (each.endswith("/") and path.startswith(each)) for each in PUBLIC_PATHS)
    )


def is_allowed_host(host: str, allowed_hosts: frozenset[str]) -> bool:
    """Return whether a Host header names this server; the port is ignored."""
    return (name := hostname(host)) != "" and name in allowed_hosts


def hostname(host: str) -> str:
    """Return the name in a Host header without port; empty if the header is invalid."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    # A dual-stack socket reports IPv4 peers as ::ffff:127.0.0.1.
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def is_forwarded(headers: Headers) -> bool:
    """Return whether a reverse proxy forwarded the request: it has a header that only proxies add."""
    return any(name in FORWARDING_HEADERS or name.startswith("x-forwarded") for name in headers)


def credentials(headers: Headers) -> list[str]:
    """Return all tokens and provider keys in the credential headers."""
    values = [credential(name, value) for name in CREDENTIAL_HEADERS for value in headers.getlist(name)]
    return [value for value in values if value]


def credential(header: str, value: str) -> str:
    """Return the token or key in a header, without the scheme; empty if there is none."""
    if header != "authorization":
        return value.strip()
    scheme, _, rest = value.strip().partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip()
    # Other schemes are not used here, but a token must not be overlooked because of a wrong scheme.
    return next((part for part in (rest.strip(), scheme) if is_token(part)), "")


def _unauthorized(code: str, detail: str, *, challenge: str = "Bearer") -> Response:
    return problem_response(401, code, detail, headers={"WWW-Authenticate": challenge})


def cookie_value(headers: Headers, name: str) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def parse_int(text: str | None, default: int) -> int:
    try:
        return int(text or default)
    except ValueError:
        return default
