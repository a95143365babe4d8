"""Provider-independent view of a request to a model: messages, user and conversation."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from recollect.domain.message import MessageDraft, Role
from recollect.server.proxy.json_splice import InsertionPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyMessage:
    """One message of the user, the assistant or a tool. System prompts are neither searched for nor stored."""

    role: Role
    text: str
    tool_calls: str | None = None  #: JSON in the provider's format
    call_ids: tuple[str, ...] = ()  #: ids of the tool calls made or answered
    #: Where recalled context is inserted; only messages with text of the user have one.
    insertion_point: InsertionPoint | None = None

    @property
    def has_content(self) -> bool:
        return bool(self.text.strip() or self.tool_calls)

    @property
    def digest(self) -> str:
        """Hash of role, text and call ids. Whitespace is ignored, since clients trim messages they resend."""
        parts = (self.role, " ".join(self.text.split()), *self.call_ids)
        return short_hash("\0".join(parts))

    def to_draft(self, client_id: str) -> MessageDraft:
        return MessageDraft(
            role=self.role,
            content=self.text,
            tool_calls=self.tool_calls,
            tool_call_id=self.call_ids[0] if self.role is Role.TOOL and self.call_ids else None,
            client_id=client_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """The parts of a request that memory uses."""

    messages: tuple[ProxyMessage, ...]
    system: str = ""  #: only used to distinguish conversations
    user: str | None = None  #: user id that the client sends
    conversation_id: str | None = None  #: the provider's id of the conversation
    previous_response_id: str | None = None  #: the answer to continue from, if the provider stores it
    cache_key: str | None = None

    @property
    def is_continuation(self) -> bool:
        """Whether the provider stores the earlier messages, so that the request omits them."""
        return self.previous_response_id is not None or self.conversation_id is not None

    @property
    def query_index(self) -> int | None:
        """Index of the user message to answer; None after a tool result, or if the message has no text."""
        for index in reversed(range(len(self.messages))):
            if self.messages[index].role is Role.TOOL:
                return None
            if self.messages[index].role is Role.USER:
                return index if self.messages[index].insertion_point else None
        return None


def derive_client_ids(messages: Iterable[ProxyMessage], base: str) -> tuple[str, ...]:
    """
    Return an id for each message that stays the same when the client resends it, even without the messages before it.

    It consists of the message's digest and of how often that digest has occurred so far.
    """
    counts: Counter[str] = Counter()
    client_ids = []
    for each in messages:
        digest = each.digest
        counts[digest] += 1
        client_ids.append(f"{base}.{digest}.{counts[digest]}")
    return tuple(client_ids)


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
