"""Enforce token caps on calls of a language model, and record their usage."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.policy import Policy, SpendingPolicy
from recollect.domain.scope import Scope
from recollect.errors import CapReached
from recollect.ports.chat_model import ChatModel, Completion, ModelMessage
from recollect.ports.clock import Clock
from recollect.ports.records import TokenUsage
from recollect.text.tokens import estimate_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredModel:
    """A chat model with caps. Each call first reserves its maximum cost, so that a cap is never exceeded."""

    model: ChatModel
    spending: TokenUsage
    caps: SpendingPolicy
    scope: Scope
    clock: Clock

    @classmethod
    def for_chat(
        cls, model: ChatModel, spending: TokenUsage, policy: Policy, scope: Scope, clock: Clock
    ) -> "MeteredModel":
        """Return the model metered for a chat; usage of a temporary chat is recorded for the user only."""
        billed_scope = scope.user_scope if scope.is_temporary else scope
        return cls(model=model, spending=spending, caps=policy.spending, scope=billed_scope, clock=clock)

    @property
    def model_id(self) -> str:
        return self.model.model_id

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        prompt_tokens = _count_prompt_tokens(messages)
        now, reserved = self.clock.now(), prompt_tokens + max_tokens
        self._reserve(reserved)
        used_tokens = prompt_tokens
        try:
            completion = self.model.complete(messages, max_tokens=max_tokens, schema=schema, timeout=timeout)
            used_tokens = (
                completion.prompt_tokens + completion.completion_tokens
                or prompt_tokens + estimate_tokens(completion.text)
            )
        finally:
            self.spending.settle(self.scope, reserved, used_tokens, now=now)
        return completion

    def stream(
        self, messages: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        prompt_tokens = _count_prompt_tokens(messages)
        now, reserved = self.clock.now(), prompt_tokens + max_tokens
        self._reserve(reserved)
        pieces: list[str] = []
        try:
            for piece in self.model.stream(messages, max_tokens=max_tokens, timeout=timeout):
                pieces.append(piece)
                yield piece
        finally:
            self.spending.settle(
                self.scope, reserved, prompt_tokens + estimate_tokens("".join(pieces)), now=now
            )

    def _reserve(self, tokens: int) -> None:
        caps = self.caps
        if not self.spending.reserve(
            self.scope,
            tokens,
            per_day=caps.max_tokens_per_day,
            per_chat=caps.max_tokens_per_chat,
            now=self.clock.now(),
        ):
            raise CapReached


def _count_prompt_tokens(messages: Sequence[ModelMessage]) -> int:
    return sum(estimate_tokens(message.content) for message in messages)
