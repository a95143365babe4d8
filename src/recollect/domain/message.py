"""What was said: messages, and the chunks long ones are cut into."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.errors import UnknownRole


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"

    @classmethod
    def parse(cls, name: str) -> "Role":
        """Accept the roles of today's chat APIs; `developer` speaks as system, `function` as tool."""
        try:
            return cls({"developer": "system", "function": "tool"}.get(name, name))
        except ValueError as error:
            raise UnknownRole(
                f"Nobody speaks in the role {name!r}. Use user, assistant, system or tool."
            ) from error


#: Only what these two said is indexed, embedded and summarised.
CHAT_ROLES = (Role.USER, Role.ASSISTANT)


class MessageType(StrEnum):
    CHAT = "chat"
    CODE = "code"
    DECISION = "decision"


class ChunkKind(StrEnum):
    CODE = "code"
    PROSE = "prose"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDraft:
    """A message as a client hands it over."""

    role: Role
    content: str
    created_at: datetime | None = None
    tool_calls: str | None = None  #: JSON, as the model's provider wrote it
    tool_call_id: str | None = None
    client_id: str | None = None  #: the client's own id: a draft with a known one is not stored again


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a message that can be found and injected by itself."""

    index: int
    kind: ChunkKind
    content: str
    start: int  #: where the piece begins in the message, in characters
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
    original_bytes: int | None = None  #: size before clipping; None when nothing was cut
    summary: str | None = None
    importance: int | None = None  #: 0 to 100; None until judged
    message_type: MessageType | None = None
    extracted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    id: str
    user: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    message_count: int
