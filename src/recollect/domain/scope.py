"""Whose memory, and which conversation."""

from dataclasses import dataclass

from recollect.errors import InvalidInput

DEFAULT_USER = "default"
DEFAULT_CHAT = "default"
MAX_NAME_CHARS = 256
#: A chat with a name that begins so leaves no trace: nothing said in it is stored, and nothing is recalled.
TEMPORARY_CHAT_PREFIX = "temporary-"


def validate_name(label: str, name: str) -> str:
    """Return the name of a user or chat, or say what is wrong with it."""
    value: object = name
    if not isinstance(value, str):
        raise InvalidInput(f"The {label} is text, not {value!r}. Write it as text.")
    if not name.strip():
        raise InvalidInput(f"The {label} is empty. Give it a name.")
    if len(name) > MAX_NAME_CHARS:
        raise InvalidInput(f"The {label} has {len(name)} characters; at most {MAX_NAME_CHARS} are allowed.")
    # Nearly all names are printable, and to ask that takes no time; what is not may be a soft hyphen, which is allowed.
    if not name.isprintable() and any(ord(c) < 32 or "\ud800" <= c <= "\udfff" for c in name):
        raise InvalidInput(f"The {label} {name!r} holds a control character. Use printable text.")
    return name


@dataclass(frozen=True, slots=True)
class Scope:
    """Every query names its user. A chat narrows it; without one it spans all the user's chats."""

    user: str
    chat: str | None = None

    def __post_init__(self) -> None:
        validate_name("user id", self.user)
        if self.chat is not None:
            validate_name("chat id", self.chat)

    @property
    def is_temporary(self) -> bool:
        return self.chat is not None and self.chat.startswith(TEMPORARY_CHAT_PREFIX)

    @property
    def user_scope(self) -> "Scope":
        return Scope(self.user)
