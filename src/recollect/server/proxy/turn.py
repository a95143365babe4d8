"""One request on its way: what it asks of memory, and what memory gave it."""

from dataclasses import dataclass, field

from recollect.domain.message import Role
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.server.proxy.conversation_cache import CachedConversation, InjectedBlock
from recollect.server.proxy.identity import MemoryAccess, MemoryOptions
from recollect.server.proxy.request_view import ProxyMessage, RequestView, derive_client_ids, short_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyTurn:
    """A request that memory has to do with."""

    text: str  #: of the request
    view: RequestView
    scope: Scope
    options: MemoryOptions
    conversation: CachedConversation
    is_stable: bool = False  #: surely the same conversation as another one of this name
    client_id_prefix: str = ""  #: what the names of its messages begin with
    client_ids: tuple[str, ...] = ()

    @property
    def answer_indexes(self) -> list[int]:
        return [place for place, said in enumerate(self.view.messages) if said.role is Role.ASSISTANT]

    def client_ids_with(self, answer: tuple[ProxyMessage, ...]) -> tuple[str, ...]:
        """The names of all messages, the answer included."""
        return derive_client_ids((*self.view.messages, *answer), self.client_id_prefix)


@dataclass(slots=True, kw_only=True)
class TurnMemory:
    """What memory has for a turn. It fills up while time is left, and is used as far as it came."""

    earlier_blocks: dict[int, InjectedBlock] = field(
        default_factory=dict
    )  #: put behind earlier messages before
    new_block: InjectedBlock | None = None
    receipt: Receipt | None = None
    skip_reason: str | None = None  #: why nothing was recalled, in a word or two
    access: MemoryAccess | None = None  #: what the user's own settings leave of what was asked for

    @property
    def block_texts(self) -> frozenset[str]:
        """All that memory says in the request."""
        injected_blocks = (*self.earlier_blocks.values(), *([self.new_block] if self.new_block else []))
        return frozenset(injected.text for injected in injected_blocks if injected.text)

    def insertions(self, turn: ProxyTurn) -> list[tuple[int, str]]:
        """What goes where in the request's text."""
        view, places = turn.view, dict(self.earlier_blocks)
        if self.new_block is not None and view.query_index is not None:
            places[view.query_index] = self.new_block
        slots = ((view.messages[place].insertion_point, injected.text) for place, injected in places.items())
        return [slot.insertion(text) for slot, text in slots if slot is not None and text]


def start_turn(
    text: str,
    view: RequestView,
    scope: Scope,
    options: MemoryOptions,
    conversation: CachedConversation,
    *,
    is_stable: bool,
) -> ProxyTurn:
    # Where the provider keeps the history, the same words may be said again after every answer.
    after = (view.previous_response_id or conversation.last_response_id) if view.is_continuation else ""
    client_id_prefix = short_hash(f"{scope.chat}\0{after}")[:12]
    return ProxyTurn(
        text=text,
        view=view,
        scope=scope,
        options=options,
        conversation=conversation,
        is_stable=is_stable,
        client_id_prefix=client_id_prefix,
        client_ids=derive_client_ids(view.messages, client_id_prefix),
    )
