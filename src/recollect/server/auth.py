"""Looks at every request before anybody else does: where it was sent, where it comes from, and who sends it."""

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.server.problems import problem_response
from recollect.server.sessions import CSRF_HEADER, SESSION_COOKIE, SessionStore
from recollect.server.tokens import Principal, TokenStore, is_token
from recollect.server.web import STATIC_DIR, is_app_path

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: Anybody may fetch these: they tell nothing about anybody.
PUBLIC_PATHS = ("/health", "/version", "/login", "/assets/", "/favicon.ico")
#: What a page may send by itself, without asking the server first. Nothing that changes anything comes so.
SIMPLE_CONTENT_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"})
#: Where a whole memory may be sent to.
IMPORT_PATH = "/api/import"
#: Where a browser says a request comes from, if it is one of ours.
ALLOWED_FETCH_SITES = frozenset({"same-origin", "none"})
#: Headers in which clients of OpenAI, Anthropic and Azure send their key, in the order they count.
CREDENTIAL_HEADERS = ("authorization", "x-api-key", "api-key")
#: Headers that reverse proxies, tunnels and content delivery networks add, besides X-Forwarded-*.
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
#: Where a page of ours would stand inside of another's, which could make people click on what they do not see.
FRAME_DESTINATIONS = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthConfig:
    """What the doorkeeper goes by."""

    token_store: TokenStore
    sessions: SessionStore
    allowed_hosts: frozenset[str]  #: names this server answers to, without port
    is_local: bool = (
        True  #: bound to loopback, and known by no other name: clients of the proxy need no token
    )
    max_body_bytes: int = 10_000_000
    max_import_bytes: int = 500_000_000  #: of an import
    body_timeout_seconds: float = 60.0  #: seconds in which a request has to arrive
    max_requests_per_minute: int = 6_000  #: requests of one person; 0 is any number
    public_paths: frozenset[str] = field(default_factory=frozenset)  #: paths anybody may fetch, besides OPEN
    static_dir: Path = STATIC_DIR  #: where the web app's files are


class AuthMiddleware:
    """
    An ASGI middleware. What passes it has a `person` in its state, unless the path is open to anybody; they are
    `trusted` if they came with a `token` of ours or a session.
    """

    def __init__(self, app: ASGIApp, *, config: AuthConfig) -> None:
        self._app = app
        self._config = config
        self._request_times: dict[str, deque[float]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers) or self._authenticate(scope, headers)
        if refusal is None:
            await self._app(
                scope,
                limit_body(receive, self._max_body_bytes(scope), self._config.body_timeout_seconds),
                send,
            )
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """What is wrong with a request whoever sent it."""
        if not is_allowed_host(headers.get("host", ""), self._config.allowed_hosts):
            return problem_response(
                421,
                "wrong_host",
                "This server does not answer to that name. Use the address it was started with.",
            )
        if (origin := headers.get("origin")) and not self._is_same_origin(origin, headers):
            return problem_response(
                403, "wrong_origin", "A page of another site may not talk to this server."
            )
        if _is_cross_site(headers):
            return problem_response(
                403, "wrong_origin", "A page of another site may not talk to this server."
            )
        if parse_int(headers.get("content-length"), 0) > (max_bytes := self._max_body_bytes(scope)):
            return body_too_large_response(max_bytes)
        content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] not in SAFE_METHODS and content_type in SIMPLE_CONTENT_TYPES:
            return problem_response(
                415, "wrong_content_type", "Send JSON, with the content type application/json."
            )
        return None

    def _is_local_client(self, scope: Scope, headers: Headers) -> bool:
        """
        A program on this machine that was pointed at the proxy and sends the key of its provider, as it always did.
        It speaks for the owner of this memory and for nobody else. Pages in a browser were turned away before.

        A reverse proxy on this machine is a loopback peer too, and speaks for whoever reaches it. It is told by the
        server's other name, by its Host header or by the headers that it adds.
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
        """Put who sends the request into its state; return the response if nobody who may does."""
        people = {token: self._config.token_store.authenticate(token) for token in credentials(headers)}
        # A token that is sent must be valid, also where none is needed: its sender believes to be somebody.
        if any(person is None and is_token(token) for token, person in people.items()):
            return _unauthorized(
                "invalid_token",
                "This token is not valid: it was revoked or mistyped. `recollect tokens own` prints yours,"
                " `recollect tokens add` makes one for somebody else.",
                challenge='Bearer error="invalid_token"',
            )
        if is_public(scope["path"], self._config):
            return None
        token, person = next(((token, person) for token, person in people.items() if person), ("", None))
        if not people:
            person, refusal = self._authenticate_session(scope, headers)
            if refusal is not None:
                return refusal
        trusted = person is not None
        if person is None and self._is_local_client(scope, headers):
            person = self._config.token_store.owner
        if person is None:
            return _unauthorized(
                "no_token",
                "This needs a token. Send `Authorization: Bearer …`; `recollect tokens own` prints yours.",
            )
        if trusted and self._exceeds_rate_limit(person):
            return problem_response(429, "too_many_requests", "Too many requests in a minute. Wait a little.")
        scope.setdefault("state", {}).update(principal=person, is_authenticated=trusted, token=token)
        return None

    def _authenticate_session(
        self, scope: Scope, headers: Headers
    ) -> tuple[Principal | None, Response | None]:
        session = self._config.sessions.get(cookie_value(headers, SESSION_COOKIE))
        if session is None:
            return None, None
        if scope["method"] not in SAFE_METHODS and not session.is_csrf_token(headers.get(CSRF_HEADER, "")):
            return None, problem_response(
                403, "no_csrf_token", f"Send the session's token in the header {CSRF_HEADER}."
            )
        return session.principal, None

    def _exceeds_rate_limit(self, principal: Principal) -> bool:
        if not self._config.max_requests_per_minute:
            return False
        now, recent = time.monotonic(), self._request_times.setdefault(principal.name, deque())
        while recent and now - recent[0] > 60:
            recent.popleft()
        recent.append(now)
        return len(recent) > self._config.max_requests_per_minute

    def _max_body_bytes(self, scope: Scope) -> int:
        return self._config.max_import_bytes if scope["path"] == IMPORT_PATH else self._config.max_body_bytes


def _is_cross_site(headers: Headers) -> bool:
    """Whether a page of another site uses this in itself; that it leads here is its good right."""
    if headers.get("sec-fetch-site", "none") in ALLOWED_FETCH_SITES:
        return False
    return headers.get("sec-fetch-mode") != "navigate" or headers.get("sec-fetch-dest") in FRAME_DESTINATIONS


def limit_body(receive: Receive, max_bytes: int, timeout_seconds: float) -> Receive:
    """A body that does not say how long it is ends when it is too long, and one that does not come when it is late."""
    received_bytes, is_complete, deadline = 0, False, asyncio.get_running_loop().time() + timeout_seconds

    async def receive_limited() -> Message:
        nonlocal received_bytes, is_complete
        try:
            # What comes after the body is that the client leaves, which may take as long as it likes.
            async with asyncio.timeout_at(None if is_complete else deadline):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(
                408, f"The body did not arrive within {timeout_seconds:g} seconds."
            ) from error
        received_bytes += len(message.get("body", b""))
        is_complete = not message.get("more_body", False)
        if received_bytes > max_bytes:
            raise BodyTooLarge(max_bytes)
        return message

    return receive_limited


class BodyTooLarge(HTTPException):
    def __init__(self, max_bytes: int) -> None:
        super().__init__(413, f"more than {max_bytes} bytes")
        self.max_bytes = max_bytes


def body_too_large_response(max_bytes: int) -> Response:
    return problem_response(
        413, "body_too_large", f"A request may have {max_bytes:,} bytes. Send it in parts."
    )


def is_public(path: str, config: AuthConfig) -> bool:
    return (
        path in config.public_paths
        or is_app_path(path)
        or any(path == each or (each.endswith("/") and path.startswith(each)) for each in PUBLIC_PATHS)
    )


def is_allowed_host(host: str, allowed_hosts: frozenset[str]) -> bool:
    """Whether a Host header names this server; a port does not matter."""
    return (name := hostname(host)) != "" and name in allowed_hosts


def hostname(host: str) -> str:
    """The name in a Host header, without port; empty if there is none."""
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
    # A socket for both families tells IPv4 peers as ::ffff:127.0.0.1.
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def is_forwarded(headers: Headers) -> bool:
    """Whether a proxy passed the request on: it left a header that only proxies add, whatever its value."""
    return any(name in FORWARDING_HEADERS or name.startswith("x-forwarded") for name in headers)


def credentials(headers: Headers) -> list[str]:
    """Everything that a request sends as a token or a provider's key."""
    sent = [credential(name, value) for name in CREDENTIAL_HEADERS for value in headers.getlist(name)]
    return [each for each in sent if each]


def credential(header: str, value: str) -> str:
    """The token or key in a header, without the scheme; empty if there is none."""
    if header != "authorization":
        return value.strip()
    scheme, _, rest = value.strip().partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip()
    # Other schemes are not ours, but a token of ours is not overlooked because of the scheme.
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
