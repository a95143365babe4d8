"""A proxied turn: the parsed request, and the context recalled for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recollect.domain.message import Role
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.server.proxy.conversation_cache import CachedConversation, InjectedBlock
from recollect.server.proxy.identity import MemoryAccess, MemoryOptions
from recollect.server.proxy.request_view import ProxyMessage, RequestView, derive_client_ids, short_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyTurn:
    """A request for which memory may be read or written."""

    text: str  #: the request body
    view: RequestView
    scope: Scope
    options: MemoryOptions
    conversation: CachedConversation
    is_stable: bool = False  #: whether the chat id reliably identifies the conversation
    client_id_prefix: str = ""  #: prefix of the client ids
    client_ids: tuple[str, ...] = ()

    @property
    def answer_indexes(self) -> list[int]:
        return [index for index, message in enumerate(self.view.messages) if message.role is Role.ASSISTANT]

    def client_ids_with(self, answer: tuple[ProxyMessage, ...]) -> tuple[str, ...]:
        """Return the client ids of all messages including the answer."""
        return derive_client_ids((*self.view.messages, *answer), self.client_id_prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMemory:
    """Context for a turn: what was ready by the deadline."""

    #: Blocks of earlier turns, by message index.
    earlier_blocks: Mapping[int, InjectedBlock] = field(default_factory=dict)
    new_block: InjectedBlock | None = None
    receipt: Receipt | None = None
    skip_reason: str | None = None  #: why nothing was recalled, for the header X-Memory-Skipped
    access: MemoryAccess | None = None  #: the requested access, limited by the user's settings

    @property
    def block_texts(self) -> frozenset[str]:
        """Texts of all injected blocks."""
        blocks = (*self.earlier_blocks.values(), *([self.new_block] if self.new_block else []))
        return frozenset(block.text for block in blocks if block.text)

    def insertions(self, turn: ProxyTurn) -> list[tuple[int, str]]:
        """Return offsets in the request body and the texts to insert there."""
        view, blocks = turn.view, dict(self.earlier_blocks)
        if self.new_block is not None and view.query_index is not None:
            blocks[view.query_index] = self.new_block
        targets = ((view.messages[index].insertion_point, block.text) for index, block in blocks.items())
        return [point.insertion(text) for point, text in targets if point is not None and text]


def start_turn(
    text: str,
    view: RequestView,
    scope: Scope,
    options: MemoryOptions,
    conversation: CachedConversation,
    *,
    is_stable: bool,
) -> ProxyTurn:
    # If the provider stores the history, the same text may be sent again after every answer.
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
