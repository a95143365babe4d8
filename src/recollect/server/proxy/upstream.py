"""The services behind the proxy: where they are, which key belongs to which, and which headers pass."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import httpx2
from starlette.datastructures import Headers

from recollect.errors import ConfigError
from recollect.server.auth import CREDENTIAL_HEADERS, credential
from recollect.server.tokens import is_token
from recollect.settings import Connection

#: A model may think for minutes; an address that does not answer is given up soon.
TIMEOUT = httpx2.Timeout(600.0, connect=10.0, write=60.0, pool=10.0)
LIMITS = httpx2.Limits(max_connections=512, max_keepalive_connections=64, keepalive_expiry=30.0)

#: These belong to one connection, not to what is sent over it.
HOP_BY_HOP = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    )
)
#: These are between the client and us.
OURS = frozenset({"host", "content-length", "cookie", "x-csrf-token", "expect"})
#: These would let another origin read this server, or change what a browser thinks of it.
NOT_THEIRS = frozenset(
    (
        *("set-cookie", "strict-transport-security", "alt-svc", "clear-site-data", "date", "server"),
        *("public-key-pins", "report-to", "nel", "service-worker-allowed"),
    )
)


_KEPT_HERE = HOP_BY_HOP | OURS
_KEPT_THERE = frozenset(name.encode() for name in HOP_BY_HOP | NOT_THEIRS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    base: httpx2.URL
    key: str | None
    key_headers: tuple[str, ...]  #: in which it takes a key; the first unless a client uses another

    def url(self, path: str, query: str, *, native: bool = False) -> httpx2.URL:
        """Where a path is there, with what the address asks of every request. Ollama's own paths stand beside /v1."""
        base, _, always = self.base.raw_path.decode("ascii").partition("?")
        base = base.rstrip("/")
        root = base.removesuffix("/v1") if native else base
        asked = "&".join(filter(None, (always, query)))
        whole = f"{root}{path}?{asked}" if asked else f"{root}{path}"
        return self.base.copy_with(raw_path=whole.encode("ascii", "replace"))


@lru_cache(maxsize=16)
def upstream(connection: Connection, service: Literal["openai", "anthropic"]) -> Upstream | None:
    """
    The service that was configured for a dialect; None if none was. Nothing is ever sent elsewhere.

    The language model's key goes to the language model's own address only.
    """
    given = {
        "openai": (connection.proxy_upstream, connection.proxy_key),
        "anthropic": (connection.proxy_upstream_anthropic, connection.proxy_key_anthropic),
    }
    address, key = given[service]
    model = connection.model_url if connection.model_provider == service else ""
    if not (address or model):
        return None
    base = _address(address or model)
    if service == "anthropic":
        base = base.copy_with(path=base.path.rstrip("/").removesuffix("/v1") + "/v1")
    shares = bool(connection.model_url) and _origin(base) == _origin(_address(connection.model_url))
    return Upstream(
        base=base,
        key=key or (connection.model_key if shares else "") or None,
        key_headers=("authorization",) if service == "openai" else ("x-api-key", "authorization"),
    )


def passed_on(
    headers: Headers, service: Upstream, *, trusted: bool, token: str = ""
) -> list[tuple[str, str]]:
    """
    The headers of a client as they go on. A token of ours, the one that was accepted or any other, never leaves; in
    its place goes the configured key.
    """
    stays = _KEPT_HERE | _named_in(headers.getlist("connection"))
    kept = [
        (name, value)
        for name, value in headers.items()
        if name not in stays and not name.startswith("x-memory")
    ]
    keys = [(name, credential(name, value)) for name, value in kept if name in CREDENTIAL_HEADERS]
    ours = [name for name, key in keys if is_token(key) or (key and key == token)]
    foreign = [(name, value) for name, value in kept if name not in ours]
    if trusted and service.key and not any(name in CREDENTIAL_HEADERS for name, _ in foreign):
        name = next((name for name in ours if name in service.key_headers), service.key_headers[0])
        foreign.append((name, f"Bearer {service.key}" if name == "authorization" else service.key))
    return foreign


def passed_back(headers: httpx2.Headers) -> list[tuple[bytes, bytes]]:
    """The headers of an answer as they go back."""
    left_out = _KEPT_THERE | {name.encode() for name in _named_in(headers.get_list("connection"))}
    return [
        (name.lower(), value)
        for name, value in headers.raw
        if name.lower() not in left_out and not name.lower().startswith((b"access-control-", b"x-memory"))
    ]


def _named_in(values: Iterable[str]) -> set[str]:
    return {name.strip().lower() for value in values for name in value.split(",")}


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _address(text: str) -> httpx2.URL:
    try:
        url = httpx2.URL(text.strip())
    except httpx2.InvalidURL as error:
        raise ConfigError(_NOT_AN_ADDRESS) from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigError(_NOT_AN_ADDRESS)
    return url


_NOT_AN_ADDRESS = "The address behind the proxy is not a web address. Set `proxy_upstream` to one like http://127.0.0.1:11434/v1"
