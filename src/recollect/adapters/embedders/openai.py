"""Embedder for OpenAI-compatible servers: OpenAI, Ollama, llama.cpp, vLLM and others."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from time import monotonic

import httpx2

from recollect.adapters.embedders.probe import VectorSpace
from recollect.errors import ConfigError, ProviderBusy, ProviderError
from recollect.ports.embedder import Vector
from recollect.text.windows import replace_lone_surrogates, split_windows

#: 64 vectors of 4,096 dimensions are about 6 MB of JSON; a much larger response is invalid.
_MAX_RESPONSE_BYTES = 32 * 1024 * 1024
_BUSY_STATUSES = frozenset({408, 425, 429})
_INVALID_BASE_URL_MESSAGE = (
    "The embedder's base_url is not a web address. Give one like http://127.0.0.1:11434/v1"
)
_ERROR_CODE_PATTERN = re.compile(r"[\w.-]{1,64}")


class OpenAIEmbedder:
    """
    Embeds with ``POST {base_url}/embeddings``. Follows no redirects and contacts no other host.

    ``timeout`` is in seconds and applies to a whole request. Call `close` to release connections.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        dimension: int | None = None,
        timeout: float = 30.0,
        *,
        cosine_floor: float | None = None,
        batch_size: int = 64,
        window_bytes: int = 8000,
        proxy: str | None = None,
    ) -> None:
        """
        ``window_bytes`` limits the UTF-8 length of a passage: a text never has more tokens than bytes, so 8,000 bytes
        always fit into the 8,191 tokens of OpenAI's models.
        """
        self._url = _embeddings_url(base_url)
        self._model = model
        self._key = _validate_api_key(api_key)
        self._timeout = timeout
        self._batch_size = batch_size
        self._window_bytes = window_bytes
        self._proxy = proxy
        self._lock = Lock()
        self._client: httpx2.Client | None = None
        self._space = VectorSpace(self.embed, dimension=dimension, cosine_floor=cosine_floor)
        self._cached_query = lru_cache(maxsize=256)(self._embed_query)

    @property
    def model_id(self) -> str:
        return self._model

    @property
    def dimension(self) -> int:
        return self._space.dimension

    @property
    def cosine_floor(self) -> float:
        return self._space.cosine_floor

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        vectors: list[Vector] = []
        for start in range(0, len(texts), self._batch_size):
            batch = [replace_lone_surrogates(text) for text in texts[start : start + self._batch_size]]
            vectors += self._space.make_vectors(_parse_vectors(self._post(batch)), count=len(batch))
        return vectors

    def embed_query(self, text: str) -> Vector:
        return self._cached_query(text)[:]

    def windows(self, text: str) -> list[str]:
        return split_windows(
            text,
            count_tokens=lambda piece: len(replace_lone_surrogates(piece).encode()),
            limit=self._window_bytes,
        )

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _embed_query(self, text: str) -> Vector:
        return self.embed([text])[0]

    def _post(self, batch: Sequence[str]) -> bytes:
        request_body = {"model": self._model, "input": batch, "encoding_format": "float"}
        deadline = monotonic() + self._timeout
        with (
            self._translate_errors(),
            self._get_client().stream("POST", self._url, json=request_body) as response,
        ):
            body = self._read_body(response, deadline)
        if response.status_code != 200:
            raise self._status_error(response, body)
        return body

    def _read_body(self, response: httpx2.Response, deadline: float) -> bytes:
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > _MAX_RESPONSE_BYTES:
                raise ProviderError(
                    f"The embedder at {self._url.host} answered with more than {_MAX_RESPONSE_BYTES >> 20} MB, "
                    "which no list of vectors needs. Check base_url."
                )
            # The client's own timeout restarts with every chunk.
            if monotonic() > deadline:
                raise ProviderBusy(
                    f"The embedder at {self._url.host} did not finish within {self._timeout:g} s."
                )
        return bytes(body)

    def _get_client(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                # Ignore the environment: a proxy or .netrc that was not configured for Recollect must not see texts.
                self._client = httpx2.Client(
                    headers={"Authorization": f"Bearer {self._key}"} if self._key else None,
                    timeout=self._timeout,
                    follow_redirects=False,
                    trust_env=False,
                    proxy=self._proxy,
                )
            return self._client

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except httpx2.TimeoutException as error:
            raise ProviderBusy(
                f"The embedder at {self._url.host} did not answer within {self._timeout:g} s. "
                "The work stays queued and is tried again."
            ) from error
        except httpx2.TransportError as error:
            raise ProviderBusy(
                f"The embedder at {self._url.host} cannot be reached ({type(error).__name__}). "
                "Check that it runs; the work stays queued and is tried again."
            ) from error
        except httpx2.HTTPError as error:
            raise ProviderError(
                f"The embedder at {self._url.host} answered in a way that cannot be read "
                f"({type(error).__name__}). Check base_url."
            ) from error

    def _status_error(self, response: httpx2.Response, body: bytes) -> ProviderError:
        status = response.status_code
        message = f"The embedder at {self._url.host} answered HTTP {status}{self._error_code(body)}. "
        if status in _BUSY_STATUSES or status >= 500:
            wait = _parse_retry_after(response)
            when = "later" if wait is None else f"in {wait:g} s"
            return ProviderBusy(f"{message}The work stays queued; try again {when}.", retry_after=wait)
        if status in {401, 403}:
            return ProviderError(f"{message}It does not accept the key. Check the embedder's API key.")
        if 300 <= status < 400:
            return ProviderError(f"{message}Redirects are not followed. Set base_url to the final address.")
        return ProviderError(
            f"{message}Check base_url (usually it ends in /v1) and that the model {self._model} exists there."
        )

    def _error_code(self, body: bytes) -> str:
        """Return the server's error code; its message is omitted, since it may quote the text or the API key."""
        try:
            parsed = json.loads(body)
        except (ValueError, RecursionError):
            return ""
        error = parsed.get("error") if isinstance(parsed, dict) else None
        code = error.get("code") or error.get("type") if isinstance(error, dict) else None
        if (
            not isinstance(code, str)
            or not _ERROR_CODE_PATTERN.fullmatch(code)
            or (self._key and self._key in code)
        ):
            return ""
        return f" ({code})"


def _embeddings_url(base_url: str) -> httpx2.URL:
    try:
        url = httpx2.URL(base_url.strip())
    except httpx2.InvalidURL as error:
        raise ConfigError(_INVALID_BASE_URL_MESSAGE) from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigError(_INVALID_BASE_URL_MESSAGE)
    return url.copy_with(path=f"{url.path.rstrip('/')}/embeddings")


def _validate_api_key(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    # Checked here, since the client's error for an invalid header would contain the key.
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError("The embedder's API key holds characters that no key has. Copy it again.")
    return key or None


def _parse_retry_after(response: httpx2.Response) -> float | None:
    header = response.headers.get("Retry-After", "")
    return float(header) if header.isdecimal() and len(header) < 6 else None


def _parse_vectors(body: bytes) -> list[list[float]]:
    """Parse the vectors of a response, in the order of the texts."""
    try:
        vectors_by_index = {
            item.get("index", place): [float(number) for number in item["embedding"]]
            for place, item in enumerate(json.loads(body)["data"])
        }
        return [vectors_by_index[place] for place in range(len(vectors_by_index))]
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:
        raise ProviderError(
            "The embedder's answer is not a list of vectors, so none was stored. "
            "Check that base_url leads to an OpenAI-compatible server."
        ) from error
