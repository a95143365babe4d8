"""Base of the chat model clients: request, response and streaming over HTTP."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import ClassVar

from recollect.adapters.llms.http_client import (
    MAX_RESPONSE_BYTES,
    HttpClient,
    JsonObject,
    as_count,
    as_object,
    parse_model_ids,
    validate_api_key,
)
from recollect.adapters.llms.sse import join_surrogates
from recollect.ports.chat_model import Completion, ModelMessage


class ChatClient(ABC):
    """
    A chat model behind an HTTP API. Follows no redirects and contacts no other host.

    ``timeout`` is in seconds and applies to a whole request. Call `close` to release connections.
    """

    completion_path: ClassVar[str]  #: path of completion requests
    models_path: ClassVar[str]  #: path of the model list
    prompt_tokens_key: ClassVar[str]  #: key of the prompt tokens in the usage object
    completion_tokens_key: ClassVar[str]  #: key of the completion tokens in the usage object

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        max_bytes: int = MAX_RESPONSE_BYTES,
        proxy: str | None = None,
    ) -> None:
        key = validate_api_key(api_key)
        self._model = model
        self._http = HttpClient(
            self._normalize_base_url(base_url),
            self._headers(key),
            model=model,
            secret=key,
            timeout=timeout,
            max_bytes=max_bytes,
            proxy=proxy,
        )
        self._supports_schemas = True

    @property
    def model_id(self) -> str:
        return self._model

    def models(self) -> list[str]:
        """Return the names of the models that the endpoint offers."""
        return parse_model_ids(self._http.get(self.models_path))

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        response = self._http.post(
            self.completion_path,
            lambda: self._build_request(messages, max_tokens, schema),
            self._adapt_request,
            timeout,
        )
        text, truncated = self._parse_response(response)
        usage, name = as_object(response.get("usage")), response.get("model")
        return Completion(
            text="".join(join_surrogates([text])),
            model=name if isinstance(name, str) and name else self._model,
            prompt_tokens=as_count(usage.get(self.prompt_tokens_key)),
            completion_tokens=as_count(usage.get(self.completion_tokens_key)),
            is_truncated=truncated,
        )

    def stream(
        self, messages: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        events = self._http.stream(
            self.completion_path,
            lambda: {**self._build_request(messages, max_tokens, None), "stream": True},
            self._adapt_request,
            timeout,
        )
        with closing(events):
            yield from join_surrogates(self._parse_stream(events))

    def close(self) -> None:
        self._http.close()

    def _normalize_base_url(self, base_url: str) -> str:
        """Return the URL that the paths are appended to."""
        return base_url

    @abstractmethod
    def _headers(self, key: str | None) -> Mapping[str, str]: ...

    @abstractmethod
    def _build_request(
        self, messages: Sequence[ModelMessage], max_tokens: int, schema: Mapping[str, object] | None
    ) -> JsonObject: ...

    @abstractmethod
    def _adapt_request(self, request: JsonObject, error_text: str) -> bool:
        """Adapt this and later requests to an endpoint that rejected one; return whether to retry."""

    @abstractmethod
    def _parse_response(self, response: JsonObject) -> tuple[str, bool]:
        """Return the text of a completion and whether it was truncated."""

    @abstractmethod
    def _parse_stream(self, events: Iterator[str]) -> Iterator[str]:
        """Yield the text deltas of a stream."""
