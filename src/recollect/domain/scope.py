"""Whose memory, and which conversation."""

from dataclasses import dataclass

from recollect.errors import InvalidInput

DEFAULT_USER = "default"
DEFAULT_CHAT = "default"
LONGEST_NAME = 256
#: A chat with a name that begins so leaves no trace: nothing said in it is stored, and nothing is recalled.
TEMPORARY = "temporary-"


def valid_name(what: str, name: str) -> str:
    """Return the name of a user or chat, or say what is wrong with it."""
    given: object = name
    if not isinstance(given, str):
        raise InvalidInput(f"The {what} is text, not {given!r}. Write it as text.")
    if not name.strip():
        raise InvalidInput(f"The {what} is empty. Give it a name.")
    if len(name) > LONGEST_NAME:
        raise InvalidInput(f"The {what} has {len(name)} characters; at most {LONGEST_NAME} are allowed.")
    # Nearly all names are printable, and to ask that takes no time; what is not may be a soft hyphen, which is allowed.
    if not name.isprintable() and any(ord(c) < 32 or "\ud800" <= c <= "\udfff" for c in name):
        raise InvalidInput(f"The {what} {name!r} holds a control character. Use printable text.")
    return name


@dataclass(frozen=True, slots=True)
class Scope:
    """Every query names its user. A chat narrows it; without one it spans all the user's chats."""

    user: str
    chat: str | None = None

    def __post_init__(self) -> None:
        valid_name("user id", self.user)
        if self.chat is not None:
            valid_name("chat id", self.chat)

    @property
    def is_temporary(self) -> bool:
        return self.chat is not None and self.chat.startswith(TEMPORARY)

    @property
    def everything(self) -> "Scope":
        return Scope(self.user)
