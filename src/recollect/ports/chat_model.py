"""Port for language models."""

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
    prompt_tokens: int = 0  #: as reported by the provider; 0 if it did not report any
    completion_tokens: int = 0
    is_truncated: bool = False  #: the reply ended at the token limit


class ChatModel(Protocol):
    """
    Completes a prompt. Safe to call from several threads.

    Raises ProviderBusy if a later call may work (timeout, 429, 5xx, a broken stream), ProviderError for anything
    else, including unusable responses: empty choices, a wrong content type, an oversized body.
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
        """Return the whole reply. A JSON schema is passed to endpoints that support it."""

    def stream(
        self, messages: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        """Yield the reply in deltas as they arrive. Closing the iterator stops the model."""
