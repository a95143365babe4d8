"""The scope of every query: a user, and optionally one chat."""

from dataclasses import dataclass

from recollect.errors import InvalidInput

DEFAULT_USER = "default"
#: Names a transaction over the data of all users: rebuilding an index. No user can have this name.
SYSTEM_USER = ""
DEFAULT_CHAT = "default"
MAX_NAME_CHARS = 256
#: Chats whose id has this prefix store nothing and recall nothing.
TEMPORARY_CHAT_PREFIX = "temporary-"


def validate_name(label: str, name: str) -> str:
    """Return the id of a user or chat, or raise InvalidInput."""
    value: object = name
    if not isinstance(value, str):
        raise InvalidInput(f"The {label} must be a string, not {value!r}.")
    if not name.strip():
        raise InvalidInput(f"The {label} is empty. Give at least one visible character.")
    if len(name) > MAX_NAME_CHARS:
        raise InvalidInput(f"The {label} has {len(name)} characters; at most {MAX_NAME_CHARS} are allowed.")
    # isprintable() is the fast path; it rejects soft hyphens, which are allowed, hence the second test.
    if not name.isprintable() and any(ord(c) < 32 or "\ud800" <= c <= "\udfff" for c in name):
        raise InvalidInput(f"The {label} {name!r} contains a control character. Use printable text.")
    return name


@dataclass(frozen=True, slots=True)
class Scope:
    """A user and optionally one chat; without a chat, all of the user's chats."""

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
