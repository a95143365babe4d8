"""Asks a language model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMessage:
    """A message of a prompt."""

    role: str  #: system, user or assistant
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    text: str
    model: str
    prompt_tokens: int = 0  #: as the provider counted; 0 if it did not say
    completion_tokens: int = 0
    is_truncated: bool = False  #: the model ran into its limit before it was done


class ChatModel(Protocol):
    """
    Answers a prompt. Safe to call from several threads.

    Raises ProviderBusy if a later call may work (time-out, 429, 5xx, a broken stream), ProviderError for anything
    else, also for an answer that is none: empty choices, a wrong content type, more than it may be.
    """

    @property
    def model_id(self) -> str: ...

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """The whole answer. A JSON schema is passed on where the endpoint knows what to do with it."""

    def stream(
        self, messages: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        """The answer piece by piece, as it comes. Closing the iterator stops the model."""
