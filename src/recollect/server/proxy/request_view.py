"""A request to a model as memory sees it: what was said, by whom, in which conversation."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from recollect.domain.message import MessageDraft, Role
from recollect.server.proxy.json_splice import InsertionPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyMessage:
    """One message. What the host says to its model is none: it is neither searched for nor kept."""

    role: Role
    text: str
    tool_calls: str | None = None  #: JSON, as the provider wrote it
    call_ids: tuple[str, ...] = ()  #: of the calls made, or answered
    insertion_point: InsertionPoint | None = (
        None  #: where what is recalled for it goes; only what the user wrote has one
    )

    @property
    def has_content(self) -> bool:
        return bool(self.text.strip() or self.tool_calls)

    @property
    def digest(self) -> str:
        """The same for the same words, however they were spaced: clients trim what they send again."""
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
    """What a client asks of a model."""

    messages: tuple[ProxyMessage, ...]
    system: str = ""  #: only to tell conversations apart
    user: str | None = None  #: whom the client asks for
    conversation_id: str | None = None  #: the provider's name for it
    previous_response_id: str | None = (
        None  #: the answer it goes on from, if the provider keeps what came before
    )
    cache_key: str | None = None

    @property
    def is_continuation(self) -> bool:
        """Whether the provider has what was said before, so that the request does not."""
        return self.previous_response_id is not None or self.conversation_id is not None

    @property
    def query_index(self) -> int | None:
        """The place of the user's message to answer; None when a tool has answered since, or the user says nothing."""
        for place in reversed(range(len(self.messages))):
            if self.messages[place].role is Role.TOOL:
                return None
            if self.messages[place].role is Role.USER:
                return place if self.messages[place].insertion_point else None
        return None


def derive_client_ids(messages: Iterable[ProxyMessage], base: str) -> tuple[str, ...]:
    """
    A name for each message that is the same whenever a client sends it again, even without those before it: what it
    says, and how often that was said so far.
    """
    counts: Counter[str] = Counter()
    names = []
    for each in messages:
        digest = each.digest
        counts[digest] += 1
        names.append(f"{base}.{digest}.{counts[digest]}")
    return tuple(names)


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
