"""HTTP client for one model provider, with limits on time and response size."""

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from threading import Lock
from time import monotonic, time
from typing import TypeAlias

import httpx2

from recollect.adapters.llms.sse import parse_events
from recollect.errors import ConfigError, ProviderBusy, ProviderError

JsonObject: TypeAlias = dict[str, object]
#: Called with a rejected request and the error text; returns whether an adapted request may succeed.
AdaptRequest: TypeAlias = Callable[[JsonObject, str], bool]

#: Enough for 50,000 streamed tokens with 300 bytes of framing each.
MAX_RESPONSE_BYTES = 16 * 1024 * 1024
MAX_RETRY_AFTER_SECONDS = 24 * 60 * 60.0
_BUSY_STATUSES = frozenset({408, 425, 429})
#: Words in error codes, sent with status 200, that mark errors for which a retry does not help.
_PERMANENT_ERROR_WORDS = (
    "invalid",
    "authentication",
    "permission",
    "not_found",
    "content",
    "billing",
    "insufficient",
)
_INVALID_BASE_URL_MESSAGE = (
    "The model's base_url is not a web address. Give one like http://127.0.0.1:11434/v1"
)
_ERROR_CODE_PATTERN = re.compile(r"[\w.-]{1,64}")


class HttpClient:
    """
    Sends requests to one origin with one key. Follows no redirects and reads no proxy or key from the environment.

    A whole request may take ``timeout`` seconds, and its response have ``max_bytes``. A server that stops sending
    midway is detected after another ``timeout`` at the latest.
    """

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        *,
        model: str,
        secret: str | None,
        timeout: float,
        max_bytes: int,
        proxy: str | None = None,
    ) -> None:
        self._base_url = _parse_base_url(base_url)
        self._headers = headers
        self._model = model
        self._secret = secret
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._proxy = proxy
        self._lock = Lock()
        self._client: httpx2.Client | None = None

    @property
    def host(self) -> str:
        return self._base_url.host

    def get(self, path: str) -> JsonObject:
        with self._send("GET", path, None, self._timeout) as (response, pieces):
            return self._parse_object(response, b"".join(pieces))

    def post(
        self,
        path: str,
        build_request: Callable[[], JsonObject],
        adapt_request: AdaptRequest,
        timeout: float | None,
    ) -> JsonObject:
        """Return the complete response. A rejected request is rebuilt and repeated while it can be adapted."""
        with self._send_adapted(path, build_request, adapt_request, timeout) as (response, pieces):
            return self._parse_object(response, b"".join(pieces))

    def stream(
        self,
        path: str,
        build_request: Callable[[], JsonObject],
        adapt_request: AdaptRequest,
        timeout: float | None,
    ) -> Generator[str, None, None]:
        """Yield the events of a streamed response; a response that is not a stream is one event."""
        with self._send_adapted(path, build_request, adapt_request, timeout) as (response, pieces):
            content_type = _content_type(response)
            if content_type == "text/event-stream":
                yield from parse_events(pieces)
            elif _is_json(content_type):
                yield b"".join(pieces).decode("utf-8", "replace")
            else:
                raise self._content_type_error(content_type)

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def empty_reply_error(self, reason: str) -> ProviderError:
        """Return the error for a response without text."""
        return ProviderError(
            f"The model {self._model} at {self.host} gave no answer: {reason}. Nothing was stored."
        )

    def reported_error(self, error: object) -> ProviderError:
        """Return the error for one reported inside a response: in a stream, or with status 200."""
        codes = _error_codes(error)
        code = self._format_code(codes)
        message = f"The model {self._model} at {self.host} broke off with an error{code}. "
        is_retryable = not any(word in name.lower() for name in codes for word in _PERMANENT_ERROR_WORDS)
        return (
            ProviderBusy(f"{message}Try again later.")
            if is_retryable
            else ProviderError(f"{message}Check the request.")
        )

    def interrupted_error(self) -> ProviderBusy:
        return ProviderBusy(
            f"The model {self._model} at {self.host} broke off in the middle. Try again later."
        )

    @contextmanager
    def _send_adapted(
        self,
        path: str,
        build_request: Callable[[], JsonObject],
        adapt_request: AdaptRequest,
        timeout: float | None,
    ) -> Iterator[tuple[httpx2.Response, Iterator[bytes]]]:
        seconds = self._timeout if timeout is None else timeout
        request = build_request()
        while True:
            try:
                with self._send("POST", path, request, seconds) as response:
                    yield response
            except _RequestRejected as complaint:
                if not adapt_request(request, complaint.response_text):
                    raise complaint.error from None
                request = build_request()
            else:
                return

    @contextmanager
    def _send(
        self, method: str, path: str, body: JsonObject | None, seconds: float
    ) -> Iterator[tuple[httpx2.Response, Iterator[bytes]]]:
        url = self._base_url.copy_with(path=f"{self._base_url.path.rstrip('/')}{path}")
        deadline = monotonic() + seconds
        request = self._get_client().build_request(method, url, json=body, timeout=seconds)
        with self._translate_errors(seconds):
            response = self._get_client().send(request, stream=True)
            try:
                chunks = self._read_chunks(response, deadline, seconds)
                if response.status_code != 200:
                    self._raise_for_status(response, b"".join(chunks))
                yield response, chunks
            finally:
                response.close()

    def _read_chunks(self, response: httpx2.Response, deadline: float, seconds: float) -> Iterator[bytes]:
        size = 0
        for chunk in response.iter_bytes():
            size += len(chunk)
            if size > self._max_bytes:
                raise ProviderError(
                    f"The model {self._model} at {self.host} answered with more than {self._max_bytes:,} bytes. "
                    "Check base_url, or choose another model."
                )
            # The client's own timeout restarts with every chunk.
            if monotonic() > deadline:
                raise ProviderBusy(
                    f"The model {self._model} at {self.host} did not finish within {seconds:g} s."
                )
            yield chunk

    def _get_client(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                # Ignore the environment: a proxy or .netrc that was not configured for Recollect must not see texts.
                self._client = httpx2.Client(
                    headers=dict(self._headers), follow_redirects=False, trust_env=False, proxy=self._proxy
                )
            return self._client

    @contextmanager
    def _translate_errors(self, seconds: float) -> Iterator[None]:
        try:
            yield
        except httpx2.TimeoutException as error:
            raise ProviderBusy(
                f"The model {self._model} at {self.host} did not answer within {seconds:g} s. "
                "The work stays queued and is tried again."
            ) from error
        except httpx2.TransportError as error:
            raise ProviderBusy(
                f"The model {self._model} at {self.host} cannot be reached, or broke off ({type(error).__name__}). "
                "Check that it runs; the work stays queued and is tried again."
            ) from error
        except httpx2.HTTPError as error:
            raise ProviderError(
                f"The model {self._model} at {self.host} answered in a way that cannot be read "
                f"({type(error).__name__}). Check base_url."
            ) from error

    def _raise_for_status(self, response: httpx2.Response, body: bytes) -> None:
        status = response.status_code
        message = (
            f"The model {self._model} at {self.host} answered HTTP"
            f" {status}{self._format_code(_error_codes(_error_object(body)))}. "
        )
        if status in _BUSY_STATUSES or status >= 500:
            wait = parse_retry_after(response.headers.get("Retry-After", ""), now=time())
            when = "later" if wait is None else f"in {wait:g} s"
            raise ProviderBusy(f"{message}The work stays queued; try again {when}.", retry_after=wait)
        if status in {401, 403}:
            raise ProviderError(f"{message}It does not accept the key. Check the model's API key.")
        if status < 400:
            raise ProviderError(f"{message}Redirects are not followed. Set base_url to the final address.")
        error = ProviderError(f"{message}Check base_url and that the model {self._model} exists there.")
        if status in {400, 422}:
            raise _RequestRejected(error, body.decode("utf-8", "replace"))
        raise error

    def _parse_object(self, response: httpx2.Response, body: bytes) -> JsonObject:
        content_type = _content_type(response)
        if content_type and not _is_json(content_type):
            raise self._content_type_error(content_type)
        try:
            parsed = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ProviderError(
                f"The answer of the model {self._model} at {self.host} is not JSON. Check base_url."
            ) from error
        if not isinstance(parsed, dict):
            raise self.empty_reply_error("it is not a JSON object")
        return parsed

    def _content_type_error(self, content_type: str) -> ProviderError:
        # Shown only if it is well-formed: a header may contain anything.
        display_type = (
            content_type
            if re.fullmatch(r"[\w.+-]{1,40}/[\w.+-]{1,40}", content_type)
            else "something unknown"
        )
        return ProviderError(
            f"The model {self._model} at {self.host} answered with {display_type}, which is no answer of a model. "
            "Check base_url (usually it ends in /v1)."
        )

    def _format_code(self, codes: list[str]) -> str:
        """Return the server's error code; its message is omitted, since it may quote the text or the API key."""
        code = next((code for code in codes if _ERROR_CODE_PATTERN.fullmatch(code)), None)
        return f" ({code})" if code and not (self._secret and self._secret in code) else ""


class _RequestRejected(Exception):
    """The provider rejected the request with a reason."""

    def __init__(self, error: ProviderError, response_text: str) -> None:
        super().__init__()
        self.error = error
        self.response_text = response_text


def validate_api_key(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    # Checked here, since the client's error for an invalid header would contain the key.
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError("The model's API key holds characters that no key has. Copy it again.")
    return key or None


def parse_retry_after(value: str, *, now: float) -> float | None:
    """Parse a Retry-After header: seconds to wait, at most a day; None if it is invalid."""
    text = value.strip()
    if text.isascii() and text.replace(".", "", 1).isdecimal():
        return min(float(text[:20]), MAX_RETRY_AFTER_SECONDS)
    try:
        seconds = parsedate_to_datetime(text).timestamp() - now
    except (ValueError, OverflowError, OSError):
        return None
    return min(seconds, MAX_RETRY_AFTER_SECONDS) if seconds > 0 else None


def parse_model_ids(response: JsonObject) -> list[str]:
    """Return the model names in a response of ``/models``."""
    data = response.get("data")
    ids = [item.get("id") for item in data if isinstance(item, dict)] if isinstance(data, list) else []
    return [name for name in ids if isinstance(name, str)]


def as_object(value: object) -> JsonObject:
    """Return the value if it is a JSON object; otherwise an empty object."""
    return value if isinstance(value, dict) else {}


def as_count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _parse_base_url(base_url: str) -> httpx2.URL:
    try:
        url = httpx2.URL(base_url.strip())
    except httpx2.InvalidURL as error:
        raise ConfigError(_INVALID_BASE_URL_MESSAGE) from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigError(_INVALID_BASE_URL_MESSAGE)
    return url


def _content_type(response: httpx2.Response) -> str:
    content_type: str = response.headers.get("Content-Type", "")
    return content_type.partition(";")[0].strip().lower()


def _is_json(content_type: str) -> bool:
    return content_type.endswith(("/json", "+json"))


def _error_object(body: bytes) -> object:
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return parsed.get("error") if isinstance(parsed, dict) else None


def _error_codes(error: object) -> list[str]:
    if not isinstance(error, dict):
        return []
    return [str(error[name]) for name in ("code", "type") if isinstance(error.get(name), str | int)]
