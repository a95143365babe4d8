"""Cache of proxied conversations: which messages are stored, and which context blocks were injected.

LLM clients resend the whole conversation with every request, without message ids. The proxy derives a client id for
each message from its content (`request_view.derive_client_ids`); this cache maps client ids to stored messages, so
that each message is ingested once and each injected block is replayed at the same place.

The last exchange (the ids of a request and of its answer, in order) is compared with the ids of the next request by
their common prefix. `match_answer` recognizes an answer that the client resends in altered form: same position, same
prefix. `find_retracted` returns messages that the user replaced: the prefix ends inside the last exchange, and at
most one message of the request follows it. A client that drops old messages has no common prefix, so nothing is
deleted.

Example: the last exchange was (q1, a1, q2, a2). The request (q1, a1, q3) shares the prefix (q1, a1) and adds one
message: the user edited q2, so q2 and a2 are retracted. The request (q1, a1, q2) asks for another answer: a2 is
retracted.

The state is per process. After a restart or eviction, message ids and stored blocks are read from the database again,
but the last exchange is unknown: then nothing is retracted, which is the safe side. Lookups are O(1), comparisons
O(messages).
"""

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

from recollect.domain.candidate import PassageKey
from recollect.domain.scope import Scope

Name = TypeVar("Name")
Value = TypeVar("Value")

#: The least recently used conversations beyond this are evicted.
MAX_CACHED_CONVERSATIONS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedBlock:
    """Context injected after a message. An empty text replaces an earlier block with nothing."""

    text: str
    shown_keys: frozenset[PassageKey]
    receipt_id: str | None = None


@dataclass(slots=True, kw_only=True)
class CachedConversation:
    """State of one conversation. Messages are identified by their client ids."""

    message_ids: dict[str, str] = field(default_factory=dict)  #: ids of stored messages, by client id
    pending_blocks: dict[str, InjectedBlock] = field(default_factory=dict)  #: sent, but not stored yet
    last_exchange: tuple[str, ...] = ()  #: client ids of the last request and its answer
    answer_client_ids: frozenset[str] = frozenset()  #: those of `last_exchange` that are the answer
    is_loaded: bool = False
    #: Passages injected so far, if the provider stores the conversation.
    provider_shown_keys: frozenset[PassageKey] = frozenset()
    last_response_id: str = ""  #: the provider's id of the last answer
    pending_ingest: Future[None] | None = None  #: of the last exchange

    def match_answer(self, client_ids: Sequence[str], answer_indexes: Sequence[int]) -> dict[str, str]:
        """
        Return the client id and message id of an answer that the client resends in altered form.

        The same position after the same messages is the same answer. Clients trim or reformat answers.
        """
        prefix_length = _common_prefix_length(client_ids, self.last_exchange)
        if (
            prefix_length not in answer_indexes
            or prefix_length >= len(self.last_exchange)
            or self.last_exchange[prefix_length] not in self.answer_client_ids
        ):
            return {}
        stored = self.message_ids.get(self.last_exchange[prefix_length])
        return {client_ids[prefix_length]: stored} if stored else {}

    def find_retracted(self, client_ids: Sequence[str], request_count: int) -> list[str]:
        """
        Return stored messages that the user replaced by editing the last message or regenerating the answer.

        `request_count` is the number of client ids that belong to the request. Other messages that a client omits are
        only not repeated.
        """
        prefix_length = _common_prefix_length(client_ids, self.last_exchange)
        if not prefix_length or prefix_length == len(self.last_exchange) or request_count - prefix_length > 1:
            return []
        return [
            self.message_ids[name] for name in self.last_exchange[prefix_length:] if name in self.message_ids
        ]


def _common_prefix_length(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


class LruCache(Generic[Name, Value]):
    """Thread-safe mapping that evicts the least recently used entries."""

    def __init__(self, capacity: int = MAX_CACHED_CONVERSATIONS) -> None:
        self._capacity = capacity
        self._lock = Lock()
        self._entries: OrderedDict[Name, Value] = OrderedDict()

    def get(self, name: Name) -> Value | None:
        with self._lock:
            if name in self._entries:
                self._entries.move_to_end(name)
            return self._entries.get(name)

    def put(self, name: Name, value: Value) -> Value:
        """Add a value unless the key exists; return the stored value."""
        with self._lock:
            stored = self._entries.setdefault(name, value)
            self._entries.move_to_end(name)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)
            return stored


class ConversationCache:
    def __init__(self) -> None:
        self._conversations: LruCache[Scope, CachedConversation] = LruCache()
        self._chat_by_response: LruCache[tuple[str, str], str] = LruCache()

    def get_or_create(self, scope: Scope) -> CachedConversation:
        return self._conversations.get(scope) or self._conversations.put(scope, CachedConversation())

    def chat_for_response(self, user: str, response_id: str) -> str | None:
        """Return the chat of an answer, by the provider's response id."""
        return self._chat_by_response.get((user, response_id))

    def record_response(self, scope: Scope, response_id: str) -> None:
        if scope.chat is not None:
            self._chat_by_response.put((scope.user, response_id), scope.chat)
