"""Fields of parsed JSON whose types are not certain, and values derived from them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.interchange.items import ImportedConversation, ImportedMessage, Omission, OmissionReason
from recollect.text.windows import replace_lone_surrogates

#: Dates outside are errors of the source: no chat application is older, and clocks that are off give 1970.
MIN_YEAR, MAX_YEAR = 1990, 2100
#: Unix times above these bounds are in milliseconds and in microseconds.
MAX_UNIX_SECONDS, MAX_UNIX_MILLISECONDS = 1e11, 1e14
#: Longer source ids are replaced by a hash, since ids of chats and messages are limited.
MAX_SOURCE_ID_CHARS = 120


def get_text(value: object, *path: str) -> str:
    """Return the text at a path of keys; empty if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return replace_lone_surrogates(value).replace("\0", "") if isinstance(value, str) else ""


def get_mapping(value: object, *path: str) -> Mapping[str, object]:
    """Return the object at a path of keys; empty if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def get_list(value: object, *path: str) -> Sequence[object]:
    """Return the list at a path of keys; empty if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, list) else ()


def get_objects(value: object, *path: str) -> list[Mapping[str, object]]:
    """Return the objects of the list at a path of keys."""
    return [each for each in get_list(value, *path) if isinstance(each, Mapping)]


def get_number(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default


def get_flag(value: object, *path: str) -> bool:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value is True


def get_id(value: object, *path: str) -> str:
    """Return the id at a path of keys as text; ids of databases may be numbers."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        return str(value)
    return shorten_id(get_text(value))


def shorten_id(source_id: str) -> str:
    """Return an id that can be stored: without control characters, and hashed if it is long."""
    source_id = source_id.strip()
    if len(source_id) <= MAX_SOURCE_ID_CHARS and source_id.isprintable():
        return source_id
    return derive_id(source_id)


def derive_id(*parts: str) -> str:
    """Return an id that depends only on these texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:24]


def parse_date(value: object) -> datetime | None:
    """Parse a Unix time (seconds, milliseconds or microseconds, also as text) or ISO 8601; None if it is neither."""
    try:
        return _check_year(_to_datetime(value))
    except (ValueError, OverflowError, OSError):
        return None


def is_invalid_date(value: object) -> bool:
    return value is not None and value != "" and parse_date(value) is None


def _to_datetime(value: object) -> datetime:
    if isinstance(value, str):
        text = value.strip()
        if not text.replace(".", "", 1).isdigit() or len(text) < 9:
            date = datetime.fromisoformat(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
        value = float(text)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError("neither a number nor a text")  # noqa: TRY004 - one handler for all that is no date
    seconds = value
    if abs(value) > MAX_UNIX_MILLISECONDS:
        seconds = value / 1_000_000
    elif abs(value) > MAX_UNIX_SECONDS:
        seconds = value / 1000
    return datetime.fromtimestamp(seconds, UTC)


def _check_year(date: datetime) -> datetime:
    if not MIN_YEAR <= date.year <= MAX_YEAR:
        raise ValueError(f"the year {date.year} is not plausible")
    return date


def parse_kind(name: str) -> Kind | None:
    """Return the kind with this name or short name."""
    folded = name.strip().casefold()
    return Kind(folded) if folded in set(Kind) else Kind.from_short_name(folded)


def parse_role(name: str) -> Role | None:
    """Return the role behind the names that chat applications use."""
    folded = name.strip().casefold()
    if folded in {"user", "human", "you"}:
        return Role.USER
    if folded in {"assistant", "gemini", "model", "ai", "bot", "agent"}:
        return Role.ASSISTANT
    if folded in {"system", "developer"}:
        return Role.SYSTEM
    return Role.TOOL if folded in {"tool", "function"} else None


def build_message(
    role: Role, text: str, *, message_id: str, date: object, position: str
) -> Iterator[ImportedMessage | Omission]:
    """Yield a message; for one without text or of another role, only why it is left out."""
    if role is Role.SYSTEM:
        yield Omission(reason=OmissionReason.SYSTEM_MESSAGE, position=position)
    elif role is Role.TOOL:
        yield Omission(reason=OmissionReason.TOOL_MESSAGE, position=position)
    elif not text.strip():
        yield Omission(reason=OmissionReason.EMPTY_TEXT, position=position)
    else:
        if is_invalid_date(date):
            yield invalid_date(date, position)
        yield ImportedMessage(id=message_id, role=role, text=text.strip(), created_at=parse_date(date))


def invalid_date(date: object, position: str) -> Omission:
    return Omission(reason=OmissionReason.INVALID_DATE, position=position, detail=repr(date)[:40])


def unexpected_shape(position: str, detail: str) -> Omission:
    return Omission(reason=OmissionReason.UNEXPECTED_SHAPE, position=position, detail=detail)


def build_conversation(
    items: Iterable[ImportedMessage | Omission],
    *,
    chat: str,
    title: str = "",
    date: object = None,
    branch_of: str | None = None,
) -> Iterator[ImportedConversation | Omission]:
    """Yield the omissions, then the conversation if it has a message. A repeated message id is left out."""
    messages: dict[str, ImportedMessage] = {}
    for item in items:
        if isinstance(item, Omission):
            yield item
        elif item.id in messages:
            yield Omission(reason=OmissionReason.DUPLICATE_ID, position=f"chat {chat}, message {item.id}")
        else:
            messages[item.id] = item
    if messages:
        yield ImportedConversation(
            chat=chat,
            messages=tuple(messages.values()),
            title=" ".join(title.split())[:200] or None,
            created_at=parse_date(date) or next(iter(messages.values())).created_at,
            branch_of=branch_of,
        )
