"""One request on its way: what it asks of memory, and what memory gave it."""

from dataclasses import dataclass, field

from recollect.domain.message import Role
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.server.proxy.conversation_cache import Injected, Thread
from recollect.server.proxy.identity import Use, Wish
from recollect.server.proxy.request_view import Asked, Said, client_ids, short_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A request that memory has to do with."""

    text: str  #: of the request
    asked: Asked
    scope: Scope
    wish: Wish
    thread: Thread
    firm: bool = False  #: surely the same conversation as another one of this name
    base: str = ""  #: what the names of its messages begin with
    names: tuple[str, ...] = ()

    @property
    def answers(self) -> list[int]:
        return [place for place, said in enumerate(self.asked.said) if said.role is Role.ASSISTANT]

    def named(self, answer: tuple[Said, ...]) -> tuple[str, ...]:
        """The names of all messages, the answer included."""
        return client_ids((*self.asked.said, *answer), self.base)


@dataclass(slots=True, kw_only=True)
class Found:
    """What memory has for a turn. It fills up while time is left, and is used as far as it came."""

    again: dict[int, Injected] = field(default_factory=dict)  #: put behind earlier messages before
    new: Injected | None = None
    receipt: Receipt | None = None
    skipped: str | None = None  #: why nothing was recalled, in a word or two
    use: Use | None = None  #: what the user's own settings leave of what was asked for

    @property
    def blocks(self) -> frozenset[str]:
        """All that memory says in the request."""
        said = (*self.again.values(), *([self.new] if self.new else []))
        return frozenset(injected.text for injected in said if injected.text)

    def additions(self, turn: Turn) -> list[tuple[int, str]]:
        """What goes where in the request's text."""
        asked, places = turn.asked, dict(self.again)
        if self.new is not None and asked.turn is not None:
            places[asked.turn] = self.new
        slots = ((asked.said[place].slot, injected.text) for place, injected in places.items())
        return [slot.filled(text) for slot, text in slots if slot is not None and text]


def begun(text: str, asked: Asked, scope: Scope, wish: Wish, thread: Thread, *, firm: bool) -> Turn:
    # Where the provider keeps the history, the same words may be said again after every answer.
    after = (asked.follows or thread.answer_id) if asked.is_continued else ""
    base = short_hash(f"{scope.chat}\0{after}")[:12]
    return Turn(
        text=text,
        asked=asked,
        scope=scope,
        wish=wish,
        thread=thread,
        firm=firm,
        base=base,
        names=client_ids(asked.said, base),
    )
