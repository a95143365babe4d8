"""Messages, chats, and the chunks that long messages are split into."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.domain.metadata import Metadata
from recollect.errors import UnknownRole


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"

    @classmethod
    def parse(cls, name: str) -> "Role":
        """Parse a role of any chat API; `developer` means system and `function` means tool."""
        try:
            return cls({"developer": "system", "function": "tool"}.get(name, name))
        except ValueError as error:
            raise UnknownRole(f"Unknown role {name!r}. Use user, assistant, system or tool.") from error


#: Only messages with these roles are indexed, embedded and summarized.
CHAT_ROLES = (Role.USER, Role.ASSISTANT)
#: Roles whose messages are extracted, by the value of the setting `extraction.roles`.
EXTRACTED_ROLES = {
    "user": frozenset({Role.USER}),
    "user+assistant": frozenset({Role.USER, Role.ASSISTANT}),
    "all": frozenset({Role.USER, Role.ASSISTANT, Role.TOOL}),
}


class MessageType(StrEnum):
    CHAT = "chat"
    CODE = "code"
    DECISION = "decision"


class ChunkKind(StrEnum):
    CODE = "code"
    PROSE = "prose"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDraft:
    """A message as a client sends it, before it is stored."""

    role: Role
    content: str
    created_at: datetime | None = None
    tool_calls: str | None = None  #: JSON, as the provider sent it
    tool_call_id: str | None = None
    client_id: str | None = None  #: idempotency key: a draft with a known id is not stored again
    metadata: Metadata = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of a message that is indexed and injected separately."""

    index: int
    kind: ChunkKind
    content: str
    start: int  #: offset in the message, in characters
    tokens: int
    language: str | None = None  #: the fence's language tag, for code


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    id: str
    user: str
    chat: str
    role: Role
    content: str
    created_at: datetime
    tokens: int
    tool_calls: str | None = None
    tool_call_id: str | None = None
    client_id: str | None = None
    original_bytes: int | None = None  #: size before truncation; None if not truncated
    summary: str | None = None
    importance: int | None = None  #: 0 to 100; None until extracted
    message_type: MessageType | None = None
    extracted: bool = False
    metadata: Metadata = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    id: str
    user: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    message_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatDetails:
    """A chat as it is listed."""

    chat: Chat
    title: str | None  #: its title, or the first words of the first message
    mode: str | None  #: the memory mode set for it, if any
