"""Talk to one model provider over HTTP: one address, one key, a limit for time and for size."""

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from threading import Lock
from time import monotonic, time
from typing import TypeAlias

import httpx2

from recollect.adapters.llms.sse import events
from recollect.errors import ConfigError, ProviderBusy, ProviderError

Json: TypeAlias = dict[str, object]
#: Whether the complaint of a provider is about something that the question can do without.
Learn: TypeAlias = Callable[[Json, str], bool]

#: An answer of 50,000 tokens, streamed with 300 bytes around each.
MOST_BYTES = 16 * 1024 * 1024
LONGEST_WAIT = 24 * 60 * 60.0
_BUSY_STATUSES = frozenset({408, 425, 429})
#: What a provider that answers 200 calls its errors when waiting does not help.
_FOR_GOOD = ("invalid", "authentication", "permission", "not_found", "content", "billing", "insufficient")
_NOT_AN_ADDRESS = "The model's base_url is not a web address. Give one like http://127.0.0.1:11434/v1"
_CODE = re.compile(r"[\w.-]{1,64}")


class Wire:
    """
    Asks one origin with one key. Follows no redirect and reads no proxy or key from the environment.

    A request as a whole may take ``timeout`` seconds, and its answer have ``max_bytes``. A server that falls
    silent in the middle is noticed after another ``timeout`` at the latest.
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
        self._base = _address(base_url)
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
        return self._base.host

    def get(self, path: str) -> Json:
        with self._answered("GET", path, None, self._timeout) as (response, pieces):
            return self._object(response, b"".join(pieces))

    def ask(self, path: str, question: Callable[[], Json], learn: Learn, timeout: float | None) -> Json:
        """The whole answer. The question is made again as long as something is learned from a complaint."""
        with self._accepted(path, question, learn, timeout) as (response, pieces):
            return self._object(response, b"".join(pieces))

    def listen(
        self, path: str, question: Callable[[], Json], learn: Learn, timeout: float | None
    ) -> Generator[str, None, None]:
        """The events of a streamed answer; one that comes whole is one event."""
        with self._accepted(path, question, learn, timeout) as (response, pieces):
            kind = _content_type(response)
            if kind == "text/event-stream":
                yield from events(pieces)
            elif _is_json(kind):
                yield b"".join(pieces).decode("utf-8", "replace")
            else:
                raise self._wrong_type(kind)

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def none(self, why: str) -> ProviderError:
        """The error for an answer without words."""
        return ProviderError(
            f"The model {self._model} at {self.host} gave no answer: {why}. Nothing was stored."
        )

    def told(self, error: object) -> ProviderError:
        """The error for one that came inside an answer: in a stream, or with a status that says all is well."""
        found = _codes(error)
        code = self._named(found)
        said = f"The model {self._model} at {self.host} broke off with an error{code}. "
        busy = not any(word in name.lower() for name in found for word in _FOR_GOOD)
        return ProviderBusy(f"{said}Try again later.") if busy else ProviderError(f"{said}Check the request.")

    def broken_off(self) -> ProviderBusy:
        return ProviderBusy(
            f"The model {self._model} at {self.host} broke off in the middle. Try again later."
        )

    @contextmanager
    def _accepted(
        self, path: str, question: Callable[[], Json], learn: Learn, timeout: float | None
    ) -> Iterator[tuple[httpx2.Response, Iterator[bytes]]]:
        seconds = self._timeout if timeout is None else timeout
        asked = question()
        while True:
            try:
                with self._answered("POST", path, asked, seconds) as found:
                    yield found
            except _Complaint as complaint:
                if not learn(asked, complaint.said):
                    raise complaint.error from None
                asked = question()
            else:
                return

    @contextmanager
    def _answered(
        self, method: str, path: str, question: Json | None, seconds: float
    ) -> Iterator[tuple[httpx2.Response, Iterator[bytes]]]:
        url = self._base.copy_with(path=f"{self._base.path.rstrip('/')}{path}")
        until = monotonic() + seconds
        request = self._connected().build_request(method, url, json=question, timeout=seconds)
        with self._translated(seconds):
            response = self._connected().send(request, stream=True)
            try:
                pieces = self._pieces(response, until, seconds)
                if response.status_code != 200:
                    self._refuse(response, b"".join(pieces))
                yield response, pieces
            finally:
                response.close()

    def _pieces(self, response: httpx2.Response, until: float, seconds: float) -> Iterator[bytes]:
        size = 0
        for piece in response.iter_bytes():
            size += len(piece)
            if size > self._max_bytes:
                raise ProviderError(
                    f"The model {self._model} at {self.host} answered with more than {self._max_bytes:,} bytes. "
                    "Check base_url, or choose another model."
                )
            # The client's own timeout starts anew with every byte that drips in.
            if monotonic() > until:
                raise ProviderBusy(
                    f"The model {self._model} at {self.host} did not finish within {seconds:g} s."
                )
            yield piece

    def _connected(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                # No trust in the environment: a proxy or a .netrc that nobody configured here must not see texts.
                self._client = httpx2.Client(
                    headers=dict(self._headers), follow_redirects=False, trust_env=False, proxy=self._proxy
                )
            return self._client

    @contextmanager
    def _translated(self, seconds: float) -> Iterator[None]:
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

    def _refuse(self, response: httpx2.Response, body: bytes) -> None:
        status = response.status_code
        said = f"The model {self._model} at {self.host} answered HTTP {status}{self._named(_codes(_error(body)))}. "
        if status in _BUSY_STATUSES or status >= 500:
            wait = retry_after(response.headers.get("Retry-After", ""), now=time())
            when = "later" if wait is None else f"in {wait:g} s"
            raise ProviderBusy(f"{said}The work stays queued; try again {when}.", retry_after=wait)
        if status in {401, 403}:
            raise ProviderError(f"{said}It does not accept the key. Check the model's API key.")
        if status < 400:
            raise ProviderError(f"{said}Redirects are not followed. Set base_url to the final address.")
        error = ProviderError(f"{said}Check base_url and that the model {self._model} exists there.")
        if status in {400, 422}:
            raise _Complaint(error, body.decode("utf-8", "replace"))
        raise error

    def _object(self, response: httpx2.Response, body: bytes) -> Json:
        kind = _content_type(response)
        if kind and not _is_json(kind):
            raise self._wrong_type(kind)
        try:
            found = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ProviderError(
                f"The answer of the model {self._model} at {self.host} is not JSON. Check base_url."
            ) from error
        if not isinstance(found, dict):
            raise self.none("it is not a JSON object")
        return found

    def _wrong_type(self, kind: str) -> ProviderError:
        # Shown only as far as it is one: a header may hold anything.
        shown = kind if re.fullmatch(r"[\w.+-]{1,40}/[\w.+-]{1,40}", kind) else "something unknown"
        return ProviderError(
            f"The model {self._model} at {self.host} answered with {shown}, which is no answer of a model. "
            "Check base_url (usually it ends in /v1)."
        )

    def _named(self, codes: list[str]) -> str:
        """The server's name for the error, and nothing of its prose: that may quote the text or the key."""
        code = next((code for code in codes if _CODE.fullmatch(code)), None)
        return f" ({code})" if code and not (self._secret and self._secret in code) else ""


class _Complaint(Exception):
    """A provider did not like the question; it said why."""

    def __init__(self, error: ProviderError, said: str) -> None:
        super().__init__()
        self.error = error
        self.said = said


def checked_key(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    # Checked here, since the error of a header that cannot be sent would show the key.
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError("The model's API key holds characters that no key has. Copy it again.")
    return key or None


def retry_after(value: str, *, now: float) -> float | None:
    """Seconds to wait, at most a day; None when the header says nothing that makes sense."""
    text = value.strip()
    if text.isascii() and text.replace(".", "", 1).isdecimal():
        return min(float(text[:20]), LONGEST_WAIT)
    try:
        seconds = parsedate_to_datetime(text).timestamp() - now
    except (ValueError, OverflowError, OSError):
        return None
    return min(seconds, LONGEST_WAIT) if seconds > 0 else None


def listed(answer: Json) -> list[str]:
    """The names of the models in an answer of ``/models``."""
    data = answer.get("data")
    ids = [item.get("id") for item in data if isinstance(item, dict)] if isinstance(data, list) else []
    return [name for name in ids if isinstance(name, str)]


def fields(value: object) -> Json:
    """What a part of an answer holds; nothing if it is no object."""
    return value if isinstance(value, dict) else {}


def count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _address(base_url: str) -> httpx2.URL:
    try:
        url = httpx2.URL(base_url.strip())
    except httpx2.InvalidURL as error:
        raise ConfigError(_NOT_AN_ADDRESS) from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigError(_NOT_AN_ADDRESS)
    return url


def _content_type(response: httpx2.Response) -> str:
    kind: str = response.headers.get("Content-Type", "")
    return kind.partition(";")[0].strip().lower()


def _is_json(kind: str) -> bool:
    return kind.endswith(("/json", "+json"))


def _error(body: bytes) -> object:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return answer.get("error") if isinstance(answer, dict) else None


def _codes(error: object) -> list[str]:
    if not isinstance(error, dict):
        return []
    return [str(error[name]) for name in ("code", "type") if isinstance(error.get(name), str | int)]
