"""What happens while an answer is made, one thing after the other."""

from dataclasses import dataclass
from typing import TypeAlias

from recollect.domain.outcomes import Observed
from recollect.domain.receipt import Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What will be put before the model; the user's message is on disk."""

    asked: Observed
    receipt: Receipt
    sent: str  #: the user's words with the memory block behind them


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer is over, and on disk if somebody gave it."""

    answer: Observed | None  #: None if there was nothing in it, or memory was only quoted
    text: str


Happening: TypeAlias = Recalled | Delta | Answered
