"""What the dialects share: a question goes to one path, and its answer comes whole or piece by piece."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import ClassVar

from recollect.adapters.llms.http_client import MOST_BYTES, Json, Wire, checked_key, count, fields, listed
from recollect.adapters.llms.sse import whole
from recollect.ports.chat_model import Completion, Turn


class Dialect(ABC):
    """
    A chat model behind a wire. Follows no redirect, and asks no other address.

    ``timeout`` is in seconds, for one request as a whole. Close it to give its connections back.
    """

    asking: ClassVar[str]  #: the path of a question
    listing: ClassVar[str]  #: the path of the models
    heard: ClassVar[str]  #: what the tokens of a question are called in the bill
    spoken: ClassVar[str]  #: and those of the answer

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        max_bytes: int = MOST_BYTES,
        proxy: str | None = None,
    ) -> None:
        key = checked_key(api_key)
        self._model = model
        self._wire = Wire(
            self._base(base_url),
            self._headers(key),
            model=model,
            secret=key,
            timeout=timeout,
            max_bytes=max_bytes,
            proxy=proxy,
        )
        self._schemas = True

    @property
    def model_id(self) -> str:
        return self._model

    def models(self) -> list[str]:
        """The models that the endpoint has."""
        return listed(self._wire.get(self.listing))

    def complete(
        self,
        turns: Sequence[Turn],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        answer = self._wire.ask(
            self.asking, lambda: self._question(turns, max_tokens, schema), self._learn, timeout
        )
        text, cut = self._said(answer)
        spent, name = fields(answer.get("usage")), answer.get("model")
        return Completion(
            text="".join(whole([text])),
            model=name if isinstance(name, str) and name else self._model,
            prompt_tokens=count(spent.get(self.heard)),
            completion_tokens=count(spent.get(self.spoken)),
            cut=cut,
        )

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        events = self._wire.listen(
            self.asking,
            lambda: {**self._question(turns, max_tokens, None), "stream": True},
            self._learn,
            timeout,
        )
        with closing(events):
            yield from whole(self._pieces(events))

    def close(self) -> None:
        self._wire.close()

    def _base(self, base_url: str) -> str:
        """The address that the paths go behind."""
        return base_url

    @abstractmethod
    def _headers(self, key: str | None) -> Mapping[str, str]: ...

    @abstractmethod
    def _question(
        self, turns: Sequence[Turn], max_tokens: int, schema: Mapping[str, object] | None
    ) -> Json: ...

    @abstractmethod
    def _learn(self, asked: Json, complaint: str) -> bool:
        """Whether the question can be asked in another way, which is the way from now on."""

    @abstractmethod
    def _said(self, answer: Json) -> tuple[str, bool]:
        """The text of an answer, and whether it was cut."""

    @abstractmethod
    def _pieces(self, events: Iterator[str]) -> Iterator[str]:
        """The texts of a stream as they come."""
