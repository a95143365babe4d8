"""A request to a model as memory sees it: what was said, by whom, in which conversation."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from recollect.domain.message import Draft, Role
from recollect.server.proxy.json_splice import Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message. What the host says to its model is none: it is neither searched for nor kept."""

    role: Role
    text: str
    tool_calls: str | None = None  #: JSON, as the provider wrote it
    call_ids: tuple[str, ...] = ()  #: of the calls made, or answered
    slot: Slot | None = None  #: where what is recalled for it goes; only what the user wrote has one

    @property
    def is_worth_keeping(self) -> bool:
        return bool(self.text.strip() or self.tool_calls)

    @property
    def digest(self) -> str:
        """The same for the same words, however they were spaced: clients trim what they send again."""
        parts = (self.role, " ".join(self.text.split()), *self.call_ids)
        return short_hash("\0".join(parts))

    def draft(self, client_id: str) -> Draft:
        return Draft(
            role=self.role,
            content=self.text,
            tool_calls=self.tool_calls,
            tool_call_id=self.call_ids[0] if self.role is Role.TOOL and self.call_ids else None,
            client_id=client_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a client asks of a model."""

    said: tuple[Said, ...]
    system: str = ""  #: only to tell conversations apart
    user: str | None = None  #: whom the client asks for
    conversation: str | None = None  #: the provider's name for it
    follows: str | None = None  #: the answer it goes on from, if the provider keeps what came before
    cache_key: str | None = None

    @property
    def is_continued(self) -> bool:
        """Whether the provider has what was said before, so that the request does not."""
        return self.follows is not None or self.conversation is not None

    @property
    def turn(self) -> int | None:
        """The place of the user's message to answer; None when a tool has answered since, or the user says nothing."""
        for place in reversed(range(len(self.said))):
            if self.said[place].role is Role.TOOL:
                return None
            if self.said[place].role is Role.USER:
                return place if self.said[place].slot else None
        return None


def client_ids(said: Iterable[Said], base: str) -> tuple[str, ...]:
    """
    A name for each message that is the same whenever a client sends it again, even without those before it: what it
    says, and how often that was said so far.
    """
    counts: Counter[str] = Counter()
    names = []
    for each in said:
        digest = each.digest
        counts[digest] += 1
        names.append(f"{base}.{digest}.{counts[digest]}")
    return tuple(names)


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
