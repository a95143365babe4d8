"""Asks a language model as long as the user's caps allow, and writes down what it cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.policy import Policy, Spend
from recollect.domain.scope import Scope
from recollect.errors import CapReached
from recollect.ports.chat_model import ChatModel, Completion, Turn
from recollect.ports.clock import Clock
from recollect.ports.records import Spending
from recollect.text.tokens import estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Metered:
    """A chat model for one chat. The most a call can cost is set aside before it, so that a cap is never passed."""

    model: ChatModel
    spending: Spending
    caps: Spend
    scope: Scope
    clock: Clock

    @classmethod
    def over(
        cls, model: ChatModel, spending: Spending, policy: Policy, scope: Scope, clock: Clock
    ) -> "Metered":
        """A temporary chat leaves no trace here either: what it costs is the user's."""
        whose = scope.everything if scope.is_temporary else scope
        return cls(model=model, spending=spending, caps=policy.spend, scope=whose, clock=clock)

    @property
    def model_id(self) -> str:
        return self.model.model_id

    def complete(
        self,
        turns: Sequence[Turn],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        asked = _asked(turns)
        now, reserved = self.clock.now(), asked + max_tokens
        self._reserve(reserved)
        spent = asked
        try:
            answer = self.model.complete(turns, max_tokens=max_tokens, schema=schema, timeout=timeout)
            spent = answer.prompt_tokens + answer.completion_tokens or asked + estimate(answer.text)
        finally:
            self.spending.settle(self.scope, reserved, spent, now=now)
        return answer

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        asked = _asked(turns)
        now, reserved = self.clock.now(), asked + max_tokens
        self._reserve(reserved)
        said: list[str] = []
        try:
            for piece in self.model.stream(turns, max_tokens=max_tokens, timeout=timeout):
                said.append(piece)
                yield piece
        finally:
            self.spending.settle(self.scope, reserved, asked + estimate("".join(said)), now=now)

    def _reserve(self, tokens: int) -> None:
        caps = self.caps
        if not self.spending.reserve(
            self.scope, tokens, per_day=caps.per_day, per_chat=caps.per_chat, now=self.clock.now()
        ):
            raise CapReached


def _asked(turns: Sequence[Turn]) -> int:
    return sum(estimate(turn.content) for turn in turns)
