"""What a judge makes of a message: what it is worth, and the facts in it."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import Kind
from recollect.domain.message import MessageType


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A short statement in the third person, with the words it rests on."""

    text: str
    kind: Kind
    weight: float  #: 0 to 1
    start: int  #: where the words begin in the message, in characters
    end: int
    attribute: str | None = None  #: the slot it fills ("lives_in", "name", "diet"); one value at a time
    value: str | None = None  #: what fills the slot
    negated: bool = False  #: the slot's value no longer holds ("not vegetarian any more")
    valid_from: datetime | None = None  #: when it became true, if the message says so


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Importance 0 means trivial: nothing is kept."""

    importance: int
    message_type: MessageType = MessageType.CHAT
    summary: str | None = None  #: one sentence
    facts: tuple[Fact, ...] = ()
    reason: str = ""  #: why nothing was kept, or who judged
