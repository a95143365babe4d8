"""What an import file contains, whatever its format: conversations, memories, files, and what was left out."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from recollect.domain.memory import Kind
from recollect.domain.message import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMessage:
    id: str  #: unique within its conversation, and the same each time the file is read
    role: Role
    text: str
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedConversation:
    chat: str  #: id of the chat; it names the source, so that two sources cannot share a chat
    messages: tuple[ImportedMessage, ...]
    title: str | None = None
    created_at: datetime | None = None
    branch_of: str | None = None  #: the chat this branch left; it holds only the messages after the fork


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMemory:
    text: str
    id: str | None = None  #: as in the source; None if the source has none
    kind: Kind | None = None
    weight: float = 1.0
    speaker: Role = Role.USER
    created_at: datetime | None = None
    last_stated_at: datetime | None = None
    tags: tuple[str, ...] = ()
    pinned: bool = False
    attribute: str | None = None
    value: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    times_stated: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedContextFile:
    """A text that is not a fact of its own: project instructions, an attached document, a memory block."""

    name: str
    content: str


class OmissionReason(StrEnum):
    """Why a part of a file was left out."""

    MALFORMED_JSON = "malformed_json"  #: the text is not JSON; in an array, the rest of the file is not read
    TRUNCATED = "truncated"  #: the file ends inside a value
    UNEXPECTED_SHAPE = "unexpected_shape"  #: a required key is missing or has another type
    INVALID_DATE = "invalid_date"  #: the item is imported without its date
    BROKEN_TREE = "broken_tree"  #: a parent is missing or a path is a cycle; the readable part is imported
    DUPLICATE_ID = "duplicate_id"
    UNREADABLE_FILE = "unreadable_file"
    UNKNOWN_FORMAT = "unknown_format"
    DO_NOT_REMEMBER = "do_not_remember"  #: the user excluded the conversation from memory
    HIDDEN_MESSAGE = "hidden_message"  #: not shown to the user
    SYSTEM_MESSAGE = "system_message"
    TOOL_MESSAGE = "tool_message"
    REASONING = "reasoning"
    MEDIA = "media"  #: images, audio and other parts that are not text
    EMPTY_TEXT = "empty_text"
    TOO_LONG = "too_long"  #: longer than a message may be
    INJECTED_TEXT = "injected_text"  #: written by the host program or a subagent, not by the user
    NOT_A_STATEMENT = "not_a_statement"  #: text between the items of a list
    FORGOTTEN_MEMORY = "forgotten_memory"  #: deleted or inactive in the source

    @property
    def is_damage(self) -> bool:
        """Whether the file is at fault; other omissions are as intended."""
        return self in _DAMAGE


_DAMAGE = frozenset(
    {
        OmissionReason.MALFORMED_JSON,
        OmissionReason.TRUNCATED,
        OmissionReason.UNEXPECTED_SHAPE,
        OmissionReason.INVALID_DATE,
        OmissionReason.BROKEN_TREE,
        OmissionReason.DUPLICATE_ID,
        OmissionReason.UNREADABLE_FILE,
        OmissionReason.UNKNOWN_FORMAT,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """A part of a file that was left out, with its position."""

    reason: OmissionReason
    position: str  #: "element 3, message a1", "line 12"
    detail: str = ""


ImportItem: TypeAlias = ImportedConversation | ImportedMemory | ImportedContextFile | Omission
