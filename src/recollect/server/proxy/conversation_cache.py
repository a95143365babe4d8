"""What is known of the conversations that pass: which of their messages are stored, and what was put into them."""

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

#: Conversations that are kept at hand; others are looked up anew.
MAX_CACHED_CONVERSATIONS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedBlock:
    """What was put behind a message; no text if nothing was, in place of what had been."""

    text: str
    shown_keys: frozenset[PassageKey]
    receipt_id: str | None = None


@dataclass(slots=True, kw_only=True)
class CachedConversation:
    """One conversation. Names of messages are those that clients give them."""

    message_ids: dict[str, str] = field(default_factory=dict)  #: of stored messages
    pending_blocks: dict[str, InjectedBlock] = field(default_factory=dict)  #: and not stored yet
    last_exchange: tuple[str, ...] = ()  #: the last exchange, in order
    answer_client_ids: frozenset[str] = frozenset()  #: what of it was the model's answer
    is_loaded: bool = False
    provider_shown_keys: frozenset[PassageKey] = (
        frozenset()
    )  #: shown so far, where the provider keeps what was said
    last_response_id: str = ""  #: the provider's name for the last answer
    pending_ingest: Future[None] | None = None  #: from the last exchange

    def match_answer(self, client_ids: Sequence[str], answer_indexes: Sequence[int]) -> dict[str, str]:
        """
        Names under which a client sends our answers again, not quite as they were: the same place after the same
        words is the same answer.
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
        Stored messages that the user took back: they changed their last words, or wanted another answer. `asked` is
        how many of the names are the request's; whatever else a client leaves out it only does not repeat.
        """
        prefix_length = _common_prefix_length(client_ids, self.last_exchange)
        if not prefix_length or prefix_length == len(self.last_exchange) or request_count - prefix_length > 1:
            return []
        return [
            self.message_ids[name] for name in self.last_exchange[prefix_length:] if name in self.message_ids
        ]


def _common_prefix_length(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of their first names are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


class LruCache(Generic[Name, Value]):
    """The most recently used of many things."""

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
        """Keep it, unless there is one already; return the one that is kept."""
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
        """The conversation that an answer belongs to."""
        return self._chat_by_response.get((user, response_id))

    def record_response(self, scope: Scope, response_id: str) -> None:
        if scope.chat is not None:
            self._chat_by_response.put((scope.user, response_id), scope.chat)
