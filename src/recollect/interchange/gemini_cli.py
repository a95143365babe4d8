"""Gemini CLI's sessions: JSON Lines after a `session_metadata` line; in older versions one object with `messages`."""

from collections.abc import Iterable, Iterator, Mapping

from recollect.interchange.items import ImportedMessage, ImportItem, Omission
from recollect.interchange.json_fields import (
    build_conversation,
    build_message,
    derive_id,
    get_id,
    get_list,
    get_text,
    parse_role,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry

LINE_TYPES = frozenset({"user", "gemini"})
#: Lines that change an earlier message or report on the program.
SKIPPED_TYPES = frozenset({"session_metadata", "message_update", "info", "error", "warning", "tool", "about"})


def matches(fields: Mapping[str, object]) -> bool:
    return (
        get_text(fields, "type") == "session_metadata"
        or ({"sessionId", "messages"} <= fields.keys() and "info" not in fields)
        or (get_text(fields, "type") == "gemini" and "content" in fields)
    )


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:
    session, date = "", None
    items: list[ImportedMessage | Omission] = []
    for number, entry in enumerate(entries, start=1):
        session = session or get_id(entry.value, "sessionId")
        date = date or entry.fields.get("startTime")
        messages = entry.fields.get("messages")
        if messages is None:
            items.extend(_read_message(entry.value, entry.position, str(number)))
        elif isinstance(messages, list):
            for index, message in enumerate(messages, start=1):
                items.extend(_read_message(message, f"{entry.position}, message {index}", str(index)))
        else:
            yield unexpected_shape(entry.position, "messages is not a list")
    # The hook of Gemini CLI stores a session in the same chat.
    yield from build_conversation(items, chat=f"gemini-{session or derive_id(name)}", date=date)


def _read_message(message: object, position: str, number: str) -> Iterator[ImportedMessage | Omission]:
    message_type = get_text(message, "type")
    if message_type in SKIPPED_TYPES:
        return
    role = parse_role(message_type)
    if role is None or not isinstance(message, Mapping):
        yield unexpected_shape(position, "no known type")
        return
    parts = [get_text(part, "text") for part in get_list(message, "content")]
    text = get_text(message, "content") or "\n".join(filter(None, parts))
    yield from build_message(
        role,
        text,
        message_id=get_id(message, "id") or number,
        date=message.get("timestamp"),
        position=position,
    )
