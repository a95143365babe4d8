"""Upstream services of the proxy: URLs, API keys, and filtering of headers."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import httpx2
from starlette.datastructures import Headers

from recollect.errors import ConfigError
from recollect.server.auth import CREDENTIAL_HEADERS, credential
from recollect.services.access import is_token
from recollect.settings import MachineSettings

#: A model may take minutes to respond; connecting must be fast.
UPSTREAM_TIMEOUT = httpx2.Timeout(600.0, connect=10.0, write=60.0, pool=10.0)
UPSTREAM_LIMITS = httpx2.Limits(max_connections=512, max_keepalive_connections=64, keepalive_expiry=30.0)

#: Headers of one connection (RFC 9110, section 7.6.1).
HOP_BY_HOP_HEADERS = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    )
)
#: Request headers meant for this server only.
LOCAL_HEADERS = frozenset({"host", "content-length", "cookie", "x-csrf-token", "expect"})
#: Response headers that would change how a browser treats this server's origin.
BLOCKED_RESPONSE_HEADERS = frozenset(
    (
        *("set-cookie", "strict-transport-security", "alt-svc", "clear-site-data", "date", "server"),
        *("public-key-pins", "report-to", "nel", "service-worker-allowed"),
    )
)


_DROPPED_REQUEST_HEADERS = HOP_BY_HOP_HEADERS | LOCAL_HEADERS
_DROPPED_RESPONSE_HEADERS = frozenset(name.encode() for name in HOP_BY_HOP_HEADERS | BLOCKED_RESPONSE_HEADERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    base_url: httpx2.URL
    api_key: str | None
    key_headers: tuple[str, ...]  #: headers that accept the key; the first is the default

    def url(self, path: str, query: str, *, native: bool = False) -> httpx2.URL:
        """Return the URL of a path, with the base URL's query. `native` paths of Ollama are not below /v1."""
        base, _, fixed_query = self.base_url.raw_path.decode("ascii").partition("?")
        base = base.rstrip("/")
        root = base.removesuffix("/v1") if native else base
        full_query = "&".join(filter(None, (fixed_query, query)))
        raw_path = f"{root}{path}?{full_query}" if full_query else f"{root}{path}"
        return self.base_url.copy_with(raw_path=raw_path.encode("ascii", "replace"))


@lru_cache(maxsize=16)
def find_upstream(connection: MachineSettings, service: Literal["openai", "anthropic"]) -> Upstream | None:
    """
    Return the configured service, or None. Requests are never sent anywhere else.

    The language model's key is only sent to the language model's own origin.
    """
    configured = {
        "openai": (connection.proxy_upstream, connection.proxy_key),
        "anthropic": (connection.proxy_upstream_anthropic, connection.proxy_key_anthropic),
    }
    address, key = configured[service]
    model = connection.model_url if connection.model_provider == service else ""
    if not (address or model):
        return None
    base = _parse_url(address or model)
    if service == "anthropic":
        base = base.copy_with(path=base.path.rstrip("/").removesuffix("/v1") + "/v1")
    is_model_origin = bool(connection.model_url) and _origin(base) == _origin(
        _parse_url(connection.model_url)
    )
    return Upstream(
        base_url=base,
        api_key=key or (connection.model_key if is_model_origin else "") or None,
        key_headers=("authorization",) if service == "openai" else ("x-api-key", "authorization"),
    )


def filter_request_headers(
    headers: Headers, upstream: Upstream, *, is_authenticated: bool, token: str = ""
) -> list[tuple[str, str]]:
    """
    Return the client's headers to forward.

    Tokens of this server are never forwarded, the accepted one or any other; the configured key replaces them.
    """
    dropped = _DROPPED_REQUEST_HEADERS | _split_header_names(headers.getlist("connection"))
    candidates = [
        (name, value)
        for name, value in headers.items()
        if name not in dropped and not name.startswith("x-memory")
    ]
    keys = [(name, credential(name, value)) for name, value in candidates if name in CREDENTIAL_HEADERS]
    own_tokens = [name for name, key in keys if is_token(key) or (key and key == token)]
    outgoing = [(name, value) for name, value in candidates if name not in own_tokens]
    if is_authenticated and upstream.api_key and not any(name in CREDENTIAL_HEADERS for name, _ in outgoing):
        name = next((name for name in own_tokens if name in upstream.key_headers), upstream.key_headers[0])
        outgoing.append((name, f"Bearer {upstream.api_key}" if name == "authorization" else upstream.api_key))
    return outgoing


def filter_response_headers(headers: httpx2.Headers) -> list[tuple[bytes, bytes]]:
    """Return the response headers to relay to the client."""
    dropped = _DROPPED_RESPONSE_HEADERS | {
        name.encode() for name in _split_header_names(headers.get_list("connection"))
    }
    return [
        (name.lower(), value)
        for name, value in headers.raw
        if name.lower() not in dropped and not name.lower().startswith((b"access-control-", b"x-memory"))
    ]


def _split_header_names(values: Iterable[str]) -> set[str]:
    return {name.strip().lower() for value in values for name in value.split(",")}


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _parse_url(text: str) -> httpx2.URL:
    try:
        url = httpx2.URL(text.strip())
    except httpx2.InvalidURL as error:
        raise ConfigError(_INVALID_URL_MESSAGE) from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigError(_INVALID_URL_MESSAGE)
    return url


_INVALID_URL_MESSAGE = (
    "The proxy's upstream URL is not valid. Set `proxy_upstream` to a URL like http://127.0.0.1:11434/v1"
)
