"""A whole turn of a chat: the question is heard, memory is recalled, the answer streams, and both are learned from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.engine.listening import Listening
from recollect.engine.metering import Metered
from recollect.engine.recalling import Recalling
from recollect.errors import StoreError
from recollect.model.message import Draft, Role
from recollect.model.outcome import Observed
from recollect.model.policy import Policy
from recollect.model.receipt import Receipt
from recollect.model.scope import Scope
from recollect.model.turn import Answered, Delta, Happening, Recalled
from recollect.ports.chat_model import ChatModel, Turn
from recollect.steps.assemble.answer import quoting

#: Tokens an answer may have.
LONGEST = 2048


@dataclass(frozen=True, kw_only=True)
class Conversing(Listening, Recalling):
    def converse(
        self,
        scope: Scope,
        text: str,
        policy: Policy,
        *,
        model: ChatModel | None,
        past: Sequence[Turn] = (),
        system: str = "",
    ) -> Iterator[Happening]:
        """
        Answer in a chat. `past` are the turns before, as they were sent: what was recalled for this one stands behind
        the user's words, so that everything before it stays what it was.

        Without a model memory itself is quoted. If the answer breaks off, what came of it is kept. Memory that
        cannot be read or written never stops the answer.
        """
        asked, receipt = self._heard(scope, text, policy)
        sent = f"{text}\n\n{receipt.text}" if receipt.text else text
        yield Recalled(asked=asked, receipt=receipt, sent=sent)
        said: list[str] = []
        try:
            for piece in self._pieces(scope, text, sent, receipt, policy, model, past, system):
                said.append(piece)
                yield Delta(text=piece)
        finally:
            whole = "".join(said)
            answer = (
                self._observed(scope, Draft(role=Role.ASSISTANT, content=whole), policy)
                if whole.strip()
                else None
            )
        yield Answered(answer=answer, text=whole)

    def _observed(self, scope: Scope, draft: Draft, policy: Policy) -> Observed:
        try:
            [observed] = self.observe(scope, [draft], policy)
        except StoreError as error:
            taken = self.intake(scope, draft, policy)
            return Observed(
                message=taken.message,
                new=False,
                considered=False,
                stored=False,
                reason=f"it could not be stored: {error}",
            )
        return observed

    def _heard(self, scope: Scope, text: str, policy: Policy) -> tuple[Observed, Receipt]:
        # The conversation itself is sent turn by turn, so the block need not repeat it.
        alone = policy.with_values({"assemble.buffer": 0, "assemble.local_floor": 100})
        receipt = self.context(scope, text, alone)
        return self._observed(scope, Draft(role=Role.USER, content=text), policy), receipt

    def _pieces(
        self,
        scope: Scope,
        text: str,
        sent: str,
        receipt: Receipt,
        policy: Policy,
        model: ChatModel | None,
        past: Sequence[Turn],
        system: str,
    ) -> Iterator[str]:
        if model is None:
            yield quoting(text, receipt.injected)
            return
        first = [Turn(role="system", content=system)] if system else []
        meter = Metered(
            model=model, spending=self.store.spending, caps=policy.spend, scope=scope, clock=self.clock
        )
        yield from meter.stream([*first, *past, Turn(role="user", content=sent)], max_tokens=LONGEST)
