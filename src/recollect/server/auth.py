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

from recollect.server.problems import problem
from recollect.server.sessions import COOKIE, CSRF_HEADER, Sessions
from recollect.server.tokens import Keys, Person, is_token
from recollect.server.web import STATIC, is_page

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
#: Anybody may fetch these: they tell nothing about anybody.
OPEN = ("/health", "/version", "/login", "/assets/", "/favicon.ico")
#: What a page may send by itself, without asking the server first. Nothing that changes anything comes so.
SIMPLE_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"})
#: Where a whole memory may be sent to.
IMPORT = "/api/import"
#: Where a browser says a request comes from, if it is one of ours.
OUR_SITES = frozenset({"same-origin", "none"})
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
FRAMES = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What the doorkeeper goes by."""

    keys: Keys
    sessions: Sessions
    hosts: frozenset[str]  #: names this server answers to, without port
    local: bool = True  #: bound to loopback, and known by no other name: clients of the proxy need no token
    largest_body: int = 10_000_000
    largest_pack: int = 500_000_000  #: of an import
    slowest_body: float = 60.0  #: seconds in which a request has to arrive
    per_minute: int = 6_000  #: requests of one person; 0 is any number
    guests: frozenset[str] = field(default_factory=frozenset)  #: paths anybody may fetch, besides OPEN
    static: Path = STATIC  #: where the web app's files are


class Doorkeeper:
    """
    An ASGI middleware. What passes it has a `person` in its state, unless the path is open to anybody; they are
    `trusted` if they came with a `token` of ours or a session.
    """

    def __init__(self, app: ASGIApp, *, house: House) -> None:
        self._app = app
        self._house = house
        self._recent: dict[str, deque[float]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers) or self._authenticate(scope, headers)
        if refusal is None:
            await self._app(scope, measured(receive, self._most(scope), self._house.slowest_body), send)
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """What is wrong with a request whoever sent it."""
        if not is_one_of(headers.get("host", ""), self._house.hosts):
            return problem(
                421,
                "wrong_host",
                "This server does not answer to that name. Use the address it was started with.",
            )
        if (origin := headers.get("origin")) and not self._is_ours(origin, headers):
            return problem(403, "wrong_origin", "A page of another site may not talk to this server.")
        if _is_fetched_elsewhere(headers):
            return problem(403, "wrong_origin", "A page of another site may not talk to this server.")
        if int_or(headers.get("content-length"), 0) > (most := self._most(scope)):
            return too_large(most)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] not in SAFE and kind in SIMPLE_TYPES:
            return problem(415, "wrong_content_type", "Send JSON, with the content type application/json.")
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
            self._house.local
            and scope["path"].startswith("/v1/")
            and is_loopback(peer)
            and is_loopback(hostname(headers.get("host", "")))
            and not is_forwarded(headers)
        )

    def _is_ours(self, origin: str, headers: Headers) -> bool:
        try:
            host = urlsplit(origin)
        except ValueError:
            return False
        return bool(host.netloc) and host.netloc == headers.get("host")

    def _authenticate(self, scope: Scope, headers: Headers) -> Response | None:
        """Put who sends the request into its state; return the response if nobody who may does."""
        people = {token: self._house.keys.who(token) for token in credentials(headers)}
        # A token that is sent must be valid, also where none is needed: its sender believes to be somebody.
        if any(person is None and is_token(token) for token, person in people.items()):
            return _unauthorized(
                "invalid_token",
                "This token is not valid: it was revoked or mistyped. `recollect tokens own` prints yours,"
                " `recollect tokens add` makes one for somebody else.",
                challenge='Bearer error="invalid_token"',
            )
        if is_open(scope["path"], self._house):
            return None
        token, person = next(((token, person) for token, person in people.items() if person), ("", None))
        if not people:
            person, refusal = self._in_session(scope, headers)
            if refusal is not None:
                return refusal
        trusted = person is not None
        if person is None and self._is_local_client(scope, headers):
            person = self._house.keys.owner
        if person is None:
            return _unauthorized(
                "no_token",
                "This needs a token. Send `Authorization: Bearer …`; `recollect tokens own` prints yours.",
            )
        if trusted and self._is_too_fast(person):
            return problem(429, "too_many_requests", "Too many requests in a minute. Wait a little.")
        scope.setdefault("state", {}).update(person=person, trusted=trusted, token=token)
        return None

    def _in_session(self, scope: Scope, headers: Headers) -> tuple[Person | None, Response | None]:
        session = self._house.sessions.get(cookie(headers, COOKIE))
        if session is None:
            return None, None
        if scope["method"] not in SAFE and not session.proves(headers.get(CSRF_HEADER, "")):
            return None, problem(
                403, "no_csrf_token", f"Send the session's token in the header {CSRF_HEADER}."
            )
        return session.person, None

    def _is_too_fast(self, person: Person) -> bool:
        if not self._house.per_minute:
            return False
        now, recent = time.monotonic(), self._recent.setdefault(person.name, deque())
        while recent and now - recent[0] > 60:
            recent.popleft()
        recent.append(now)
        return len(recent) > self._house.per_minute

    def _most(self, scope: Scope) -> int:
        return self._house.largest_pack if scope["path"] == IMPORT else self._house.largest_body


def _is_fetched_elsewhere(headers: Headers) -> bool:
    """Whether a page of another site uses this in itself; that it leads here is its good right."""
    if headers.get("sec-fetch-site", "none") in OUR_SITES:
        return False
    return headers.get("sec-fetch-mode") != "navigate" or headers.get("sec-fetch-dest") in FRAMES


def measured(receive: Receive, most: int, seconds: float) -> Receive:
    """A body that does not say how long it is ends when it is too long, and one that does not come when it is late."""
    seen, whole, end = 0, False, asyncio.get_running_loop().time() + seconds

    async def counted() -> Message:
        nonlocal seen, whole
        try:
            # What comes after the body is that the client leaves, which may take as long as it likes.
            async with asyncio.timeout_at(None if whole else end):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(408, f"The body did not arrive within {seconds:g} seconds.") from error
        seen += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        if seen > most:
            raise BodyTooLarge(most)
        return message

    return counted


class BodyTooLarge(HTTPException):
    def __init__(self, most: int) -> None:
        super().__init__(413, f"more than {most} bytes")
        self.most = most


def too_large(most: int) -> Response:
    return problem(413, "body_too_large", f"A request may have {most:,} bytes. Send it in parts.")


def is_open(path: str, house: House) -> bool:
    return (
        path in house.guests
        or is_page(path)
        or any(path == each or (each.endswith("/") and path.startswith(each)) for each in OPEN)
    )


def is_one_of(host: str, names: frozenset[str]) -> bool:
    """Whether a Host header names this server; a port does not matter."""
    return (name := hostname(host)) != "" and name in names


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
    return problem(401, code, detail, headers={"WWW-Authenticate": challenge})


def cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def int_or(text: str | None, default: int) -> int:
    try:
        return int(text or default)
    except ValueError:
        return default
