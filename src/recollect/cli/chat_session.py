"""One conversation in the terminal: a turn through the whole loop, and what may be said about it."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from recollect.cli import render
from recollect.cli.command import Call
from recollect.cli.drain import finish
from recollect.cli.output import printable
from recollect.cli.session import Session
from recollect.cli.summaries import told
from recollect.domain.candidate import Source
from recollect.domain.chat_turn import Answered, Delta, Recalled
from recollect.domain.memory import Memory, Standing
from recollect.domain.message import SPEAKERS
from recollect.domain.policy import Policy
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.errors import ConfigError, InvalidInput
from recollect.ports.chat_model import Turn
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape

#: Turns of the conversation that are sent along.
PAST = 40
SYSTEM = (
    "You are a helpful assistant. What is remembered about the user may stand behind their message; use it where it"
    " helps, without repeating it."
)
NAMES: Mapping[Source, tuple[str, str]] = {
    Source.MEMORY: ("memory", "memories"),
    Source.MESSAGE: ("message", "messages"),
    Source.CHUNK: ("passage", "passages"),
    Source.SUMMARY: ("summary", "summaries"),
}


@dataclass(slots=True, kw_only=True)
class Talk:
    call: Call
    session: Session
    chat: str
    mode: str | None = None  #: chosen for this conversation alone
    past: list[Turn] = field(default_factory=list)
    turns: list[Shape] = field(default_factory=list)  #: what was said here, for machines

    @property
    def scope(self) -> Scope:
        return self.session.scope(self.chat)

    @property
    def policy(self) -> Policy:
        return self.session.policy({"memory.mode": self.mode}, chat=self.chat)

    def resume(self) -> None:
        """Go on where the chat stands."""
        if self.policy.memory.mode == "off":
            return
        said = self.session.store.messages.list(self.scope, limit=PAST)
        self.past = [Turn(role=m.role, content=m.content) for m in said if m.role in SPEAKERS and m.content]

    def say(self, text: str) -> None:
        """One turn: the answer as it comes, what it rests on, and what was learned."""
        policy, pieces = self.policy, Pieces(self.call)
        events = self.session.engine.converse(
            self.scope, text, policy, model=self.session.model, past=self.past[-PAST:], system=SYSTEM
        )
        recalled, answered = None, None
        with closing(pieces):
            for event in events:
                match event:
                    case Recalled():
                        recalled = event
                    case Delta(text=piece):
                        pieces.show(piece)
                    case Answered():
                        answered = event
        assert recalled is not None
        assert answered is not None
        self.past += [Turn(role="user", content=recalled.sent), Turn(role="assistant", content=answered.text)]
        self.call.note(account(recalled.receipt, policy))
        self._learn(text, recalled, answered)

    def _learn(self, text: str, recalled: Recalled, answered: Answered) -> None:
        left = finish(self.call, self.session)
        heard = [recalled.asked, *([answered.answer] if answered.answer else [])]
        fresh = [each.message.id for each in heard if each.stored]
        known = self.session.store.memories.of_messages(self.session.scope(), fresh)
        learned = [each for each in known if each.spans and each.spans[0].message_id in fresh]
        for each in learned:
            undoing = " (undo: /undo)" if each.standing is Standing.ACTIVE else ""
            self.call.note(f"{render.learned(each)}{undoing}")
        self.call.mention([*recalled.receipt.degraded, *left.warnings])
        self.turns.append(_turn(text, recalled.receipt, answered.text, learned))


@dataclass(slots=True)
class Pieces:
    """Prints an answer as it comes, and ends its line."""

    call: Call
    last: str = "\n"

    def show(self, piece: str) -> None:
        if piece and self.call.for_people:
            sys.stdout.write(printable(piece) if sys.stdout.isatty() else piece)
            sys.stdout.flush()
            self.last = piece

    def close(self) -> None:
        if not self.last.endswith("\n"):
            sys.stdout.write("\n")
            sys.stdout.flush()


def account(receipt: Receipt, policy: Policy) -> str:
    """`3 memories · 412 tokens · 18 ms`."""
    if policy.memory.mode == "off":
        return "memory is off"
    counts = Counter(item.source for item in receipt.injected)
    used = ", ".join(
        render.count(counts[source], *names) for source, names in NAMES.items() if counts[source]
    )
    spent = receipt.timings.get("total_ms", 0.0)
    return f"{used or 'no memories'} · {render.count(receipt.tokens, 'token')} · {spent:.0f} ms"


def _turn(text: str, receipt: Receipt, answer: str, learned: Sequence[Memory]) -> Shape:
    return {
        "question": text,
        "answer": answer,
        "receipt": receipt.id,
        "tokens": receipt.tokens,
        "injected": [item.id for item in receipt.injected],
        "learned": [serializers.memory(each) for each in learned],
    }


def why(talk: Talk, _rest: str) -> None:
    kept = talk.session.store.receipts.get(talk.session.scope(), "last")
    talk.call.say(render.receipt(kept, wide=talk.call.wide, most=5))


def undo(talk: Talk, _rest: str) -> None:
    event = talk.session.engine.undo(talk.session.scope())
    finish(talk.call, talk.session)
    memories = (talk.session.store.memories.get(talk.session.scope(), step.memory_id) for step in event.steps)
    for memory in memories:
        talk.call.say(f"Undone ({event.action}): {render.excerpt(memory.text)}")


def forget(talk: Talk, rest: str) -> None:
    if not rest:
        raise InvalidInput("Say which memory: /forget ID. /why shows ids.")
    gone = talk.session.engine.forget(talk.session.scope(), rest)
    talk.call.say(f"Forgotten: {render.excerpt(gone.text)}")


def summary(talk: Talk, _rest: str) -> None:
    policy = talk.policy
    made = talk.session.engine.summarised(talk.scope, policy, now=True) if policy.listens else []
    kept = talk.session.engine.keep_summaries(talk.scope, made, policy) if made else []
    latest = kept or talk.session.store.summaries.list(talk.scope, limit=2)
    talk.call.say(told(latest) if latest else "There is nothing to summarise yet.")


def mode(talk: Talk, rest: str) -> None:
    before = talk.mode
    talk.mode = rest or before
    try:
        holds = talk.policy.memory.mode
    except ConfigError:
        talk.mode = before
        raise
    talk.call.say(f"Memory is {holds} in this conversation.")


COMMANDS: Mapping[str, Callable[[Talk, str], None]] = {
    "why": why,
    "undo": undo,
    "forget": forget,
    "summary": summary,
    "mode": mode,
}
