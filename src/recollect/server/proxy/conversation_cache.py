"""What is known of the conversations that pass: which of their messages are stored, and what was put into them."""

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

from recollect.domain.candidate import Key
from recollect.domain.scope import Scope

Name = TypeVar("Name")
Value = TypeVar("Value")

#: Conversations that are kept at hand; others are looked up anew.
MOST = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """What was put behind a message; no text if nothing was, in place of what had been."""

    text: str
    shown: frozenset[Key]
    receipt_id: str | None = None


@dataclass(slots=True, kw_only=True)
class Thread:
    """One conversation. Names of messages are those that clients give them."""

    ids: dict[str, str] = field(default_factory=dict)  #: of stored messages
    injected: dict[str, Injected] = field(default_factory=dict)  #: and not stored yet
    last: tuple[str, ...] = ()  #: the last exchange, in order
    answered: frozenset[str] = frozenset()  #: what of it was the model's answer
    loaded: bool = False
    chain: frozenset[Key] = frozenset()  #: shown so far, where the provider keeps what was said
    answer_id: str = ""  #: the provider's name for the last answer
    learning: Future[None] | None = None  #: from the last exchange

    def same_answer(self, names: Sequence[str], places: Sequence[int]) -> dict[str, str]:
        """
        Names under which a client sends our answers again, not quite as they were: the same place after the same
        words is the same answer.
        """
        same = _agreeing(names, self.last)
        if same not in places or same >= len(self.last) or self.last[same] not in self.answered:
            return {}
        stored = self.ids.get(self.last[same])
        return {names[same]: stored} if stored else {}

    def abandoned(self, names: Sequence[str], asked: int) -> list[str]:
        """
        Stored messages that the user took back: they changed their last words, or wanted another answer. `asked` is
        how many of the names are the request's; whatever else a client leaves out it only does not repeat.
        """
        same = _agreeing(names, self.last)
        if not same or same == len(self.last) or asked - same > 1:
            return []
        return [self.ids[name] for name in self.last[same:] if name in self.ids]


def _agreeing(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of their first names are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


class Kept(Generic[Name, Value]):
    """The most recently used of many things."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._things: OrderedDict[Name, Value] = OrderedDict()

    def get(self, name: Name) -> Value | None:
        with self._lock:
            if name in self._things:
                self._things.move_to_end(name)
            return self._things.get(name)

    def put(self, name: Name, value: Value) -> Value:
        """Keep it, unless there is one already; return the one that is kept."""
        with self._lock:
            kept = self._things.setdefault(name, value)
            self._things.move_to_end(name)
            while len(self._things) > self._most:
                self._things.popitem(last=False)
            return kept


class Threads:
    def __init__(self) -> None:
        self._threads: Kept[Scope, Thread] = Kept()
        self._chains: Kept[tuple[str, str], str] = Kept()

    def of(self, scope: Scope) -> Thread:
        return self._threads.get(scope) or self._threads.put(scope, Thread())

    def chat_of(self, user: str, response_id: str) -> str | None:
        """The conversation that an answer belongs to."""
        return self._chains.get((user, response_id))

    def note_answer(self, scope: Scope, response_id: str) -> None:
        if scope.chat is not None:
            self._chains.put((scope.user, response_id), scope.chat)
