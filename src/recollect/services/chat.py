"""A whole turn of a chat: the question is heard, memory is recalled, the answer streams, and both are learned from."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from recollect.context.extractive_answer import quoting
from recollect.domain.candidate import Key
from recollect.domain.chat_turn import Answered, Delta, Happening, Recalled
from recollect.domain.message import SPEAKERS, Draft, Message, Role
from recollect.domain.outcomes import Observed
from recollect.domain.policy import Policy
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, StoreError
from recollect.ports.chat_model import ChatModel, Turn
from recollect.ports.store import ALL
from recollect.services.message_edits import Revising
from recollect.services.recall import Recalling
from recollect.services.spending import Metered

#: Tokens an answer may have.
LONGEST = 2048
#: Tokens of a conversation that are sent along. The oldest go half of this at a time, so that what is sent begins the
#: same for many turns.
PAST = 24_000
#: The conversation itself is sent turn by turn, so the block need not repeat it.
ALONE = {"assemble.buffer": 0, "assemble.local_floor": 100}
HEARD_BEFORE = "it was heard before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A conversation as it was sent to the model, and what it holds."""

    turns: tuple[Turn, ...] = ()
    messages: frozenset[str] = frozenset()
    shown: frozenset[Key] = frozenset()  #: by the memory blocks in it


@dataclass(frozen=True, kw_only=True)
class Conversing(Revising, Recalling):
    def past(self, scope: Scope, *, before: str | None = None) -> Past:
        """
        What was said in a chat, or before one of its messages, with the memory blocks that were sent then.

        A conversation that cannot be read is begun anew.
        """
        try:
            said = self.store.messages.list(scope, limit=ALL, before=before)
            texts, shown = self.store.injections.all(scope), self.store.injections.shown(scope)
        except StoreError:
            return Past()
        kept = _latest([message for message in said if message.role in SPEAKERS and message.content])
        return Past(
            turns=tuple(Turn(role=m.role, content=_sent(m.content, texts.get(m.id, ""))) for m in kept),
            messages=frozenset(message.id for message in kept),
            shown=frozenset(key for message in kept for key in shown.get(message.id, ())),
        )

    def converse(
        self,
        scope: Scope,
        text: str,
        policy: Policy,
        *,
        model: ChatModel | None,
        past: Past | Sequence[Turn] = (),
        system: str = "",
        client_id: str | None = None,
    ) -> Generator[Happening, None, None]:
        """
        Answer in a chat. `past` are the turns before, as they were sent: what was recalled for this one stands behind
        the user's words, so that everything before it stays what it was.

        Without a model memory itself is quoted; a quote is nobody's word, and is not stored. If the answer breaks off,
        what came of it is kept. Memory that cannot be read or written never stops the answer. A question whose
        `client_id` is known is not asked again.
        """
        before = past if isinstance(past, Past) else Past(turns=tuple(past))
        receipt, shown = self._recalled(scope, text, policy, before if model else Past())
        draft = Draft(role=Role.USER, content=text, client_id=client_id)
        asked = self._observed(scope, draft, policy)
        known = self._answer_to(asked) if asked.stored and not asked.new else None
        if known is not None:
            yield from self._told_again(asked, receipt, known)
            return
        self._keep_injection(scope, asked, receipt, shown)
        sent = _sent(text, receipt.text)
        yield Recalled(asked=asked, receipt=receipt, sent=sent)
        yield from self._answered(
            scope, text, _turns(system, before.turns, sent), receipt, policy, model, None
        )

    def answer_again(
        self, scope: Scope, policy: Policy, *, model: ChatModel | None, system: str = ""
    ) -> Generator[Happening, None, None]:
        """Answer a chat's last question anew, in the place of the answer it has, if it has one."""
        said = [m for m in self.store.messages.list(scope, limit=ALL) if m.role in SPEAKERS]
        place = next((i for i in reversed(range(len(said))) if said[i].role is Role.USER), None)
        if place is None:
            raise InvalidInput(
                f"Nothing was asked in chat {scope.chat!r} yet, so there is nothing to answer."
            )
        question, after = said[place], said[place + 1 :]
        before = self.past(scope, before=question.id)
        here = frozenset(message.id for message in (question, *after))
        seen = Past(messages=before.messages | here, shown=before.shown) if model else Past(messages=here)
        receipt, shown = self._recalled(scope, question.content, policy, seen)
        asked = Observed(message=question, new=False, considered=False, reason=HEARD_BEFORE)
        self._keep_injection(scope, asked, receipt, shown)
        sent = _sent(question.content, receipt.text)
        yield Recalled(asked=asked, receipt=receipt, sent=sent)
        turns, old = _turns(system, before.turns, sent), after[-1] if after else None
        yield from self._answered(scope, question.content, turns, receipt, policy, model, old)

    def _answered(
        self,
        scope: Scope,
        question: str,
        turns: Sequence[Turn],
        receipt: Receipt,
        policy: Policy,
        model: ChatModel | None,
        old: Message | None,
    ) -> Generator[Happening, None, None]:
        said: list[str] = []
        try:
            for piece in self._pieces(scope, question, turns, receipt, policy, model):
                said.append(piece)
                yield Delta(text=piece)
        finally:
            whole = "".join(said)
            spoken = model is not None and whole.strip()
            answer = self._heard_answer(scope, whole, policy, old) if spoken else None
        yield Answered(answer=answer, text=whole)

    def _heard_answer(self, scope: Scope, text: str, policy: Policy, old: Message | None) -> Observed:
        draft = Draft(role=Role.ASSISTANT, content=text)
        if old is None or not policy.listens:
            return self._observed(scope, draft, policy)
        try:
            return self.edit_message(scope, old.id, text, policy)
        except StoreError as error:
            return self._unstored(scope, draft, policy, error)

    def _observed(self, scope: Scope, draft: Draft, policy: Policy) -> Observed:
        try:
            [observed] = self.observe(scope, [draft], policy)
        except StoreError as error:
            return self._unstored(scope, draft, policy, error)
        return observed

    def _unstored(self, scope: Scope, draft: Draft, policy: Policy, error: StoreError) -> Observed:
        return Observed(
            message=self.intake(scope, draft, policy).message,
            new=False,
            considered=False,
            stored=False,
            reason=f"it could not be stored: {error}",
        )

    def _recalled(
        self, scope: Scope, text: str, policy: Policy, before: Past
    ) -> tuple[Receipt, frozenset[Key]]:
        alone = policy.with_values(ALONE)
        return self.inject(scope, text, alone, visible=before.messages, already=before.shown)

    def _keep_injection(self, scope: Scope, asked: Observed, receipt: Receipt, shown: frozenset[Key]) -> None:
        if not asked.stored or not receipt.text:
            return
        try:
            self.store.injections.put(
                scope, asked.message.id, receipt.text, shown=shown, receipt_id=receipt.id
            )
        except StoreError:
            # The next turn sends this one without its block: dearer, but right.
            return

    def _answer_to(self, asked: Observed) -> Message | None:
        """The answer that a question got when it was asked the first time."""
        question = asked.message
        said = self.store.messages.list(Scope(question.user, question.chat), limit=ALL)
        after = [message for message in said if message.role in SPEAKERS]
        places = [place for place, message in enumerate(after) if message.id == question.id]
        answers = after[places[0] + 1 : places[0] + 2] if places else []
        return next((message for message in answers if message.role is Role.ASSISTANT), None)

    def _told_again(self, asked: Observed, receipt: Receipt, answer: Message) -> Iterator[Happening]:
        yield Recalled(asked=asked, receipt=receipt, sent=asked.message.content)
        yield Delta(text=answer.content)
        heard = Observed(message=answer, new=False, considered=False, reason=HEARD_BEFORE)
        yield Answered(answer=heard, text=answer.content)

    def _pieces(
        self,
        scope: Scope,
        question: str,
        turns: Sequence[Turn],
        receipt: Receipt,
        policy: Policy,
        model: ChatModel | None,
    ) -> Iterator[str]:
        if model is None:
            yield quoting(question, receipt.injected)
            return
        meter = Metered.over(model, self.store.spending, policy, scope, self.clock)
        yield from meter.stream(turns, max_tokens=LONGEST)


def _turns(system: str, past: Sequence[Turn], sent: str) -> list[Turn]:
    first = [Turn(role="system", content=system)] if system else []
    return [*first, *past, Turn(role="user", content=sent)]


def _sent(text: str, block: str) -> str:
    return f"{text}\n\n{block}" if block else text


def _latest(messages: Sequence[Message]) -> Sequence[Message]:
    """The end of a conversation, cut at a place that stays the same for many turns."""
    whole = sum(message.tokens for message in messages)
    surplus = max(whole - PAST, 0)
    cut = -(-surplus // (PAST // 2)) * (PAST // 2)
    passed = 0
    for place, message in enumerate(messages):
        if passed >= cut:
            return messages[place:]
        passed += message.tokens
    return ()
