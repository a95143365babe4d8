"""
Plain messages: `{"role", "content"}` a line or in an array, or `{"messages": […]}` a line, as OpenAI's fine-tuning
reads them.

Recollect writes the second form, with the chat's id, title and dates beside the messages.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from recollect.domain.message import Message
from recollect.interchange.items import ImportedMessage, ImportItem, Omission
from recollect.interchange.json_fields import (
    build_conversation,
    build_message,
    derive_id,
    get_id,
    get_list,
    get_mapping,
    get_text,
    is_invalid_date,
    parse_role,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry

DATE_KEYS = ("created_at", "timestamp", "create_time", "date")
EXPORT_KEY = "recollect"


def matches(fields: Mapping[str, object]) -> bool:
    messages = fields.get("messages")
    if isinstance(messages, list):
        return any(isinstance(each, Mapping) and "role" in each for each in messages) or EXPORT_KEY in fields
    return parse_role(get_text(fields, "role")) is not None and "content" in fields


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    loose: list[ImportedMessage | Omission] = []
    seen: dict[str, int] = {}
    for entry in entries:
        messages = entry.fields.get("messages")
        if isinstance(messages, list):
            yield from _read_chat(entry, messages)
        else:
            date = next((entry.fields[key] for key in DATE_KEYS if key in entry.fields), None)
            loose.extend(_read_message(entry.value, date, entry.position, seen))
    first = next((each.id for each in loose if isinstance(each, ImportedMessage)), "")
    # Named after its first message: a renamed or extended file is the same conversation.
    yield from build_conversation(loose, chat=f"messages-{first}")


def _read_chat(entry: Entry, messages: Sequence[object]) -> Iterator[ImportItem]:
    details = get_mapping(entry.value, EXPORT_KEY)
    dates = get_list(details, "dates")
    seen: dict[str, int] = {}
    items: list[ImportedMessage | Omission] = []
    for number, message in enumerate(messages, start=1):
        fields = message if isinstance(message, Mapping) else {}
        date = next((fields[key] for key in DATE_KEYS if key in fields), None)
        if number <= len(dates):
            date = dates[number - 1]
        items.extend(_read_message(message, date, f"{entry.position}, message {number}", seen))
    first = next((each.id for each in items if isinstance(each, ImportedMessage)), "")
    yield from build_conversation(
        items,
        chat=get_id(details, "chat") or f"messages-{first}",
        title=get_text(details, "title"),
    )


def _read_message(
    message: object, date: object, position: str, seen: dict[str, int]
) -> Iterator[ImportedMessage | Omission]:
    role = parse_role(get_text(message, "role"))
    if role is None:
        yield unexpected_shape(position, "no known role")
        return
    parts = [get_text(part, "text") for part in get_list(message, "content")]
    text = get_text(message, "content") or "\n".join(filter(None, parts))
    dated = "" if date is None or is_invalid_date(date) else str(date)
    key = derive_id(role, text.strip(), dated)
    seen[key] = seen.get(key, 0) + 1
    message_id = get_id(message, "id") or (key if seen[key] == 1 else f"{key}-{seen[key]}")
    yield from build_message(role, text, message_id=message_id, date=date, position=position)


def write(chat: str, title: str | None, messages: Iterable[Message]) -> str:
    """Return one line with the user and assistant messages of a chat."""
    shown = [
        message for message in messages if message.role in {"user", "assistant"} and message.content.strip()
    ]
    if not shown:
        return ""
    details = {"chat": chat, "title": title, "dates": [message.created_at.isoformat() for message in shown]}
    line = {
        "messages": [{"role": message.role.value, "content": message.content} for message in shown],
        EXPORT_KEY: {key: value for key, value in details.items() if value is not None},
    }
    return json.dumps(line, ensure_ascii=False) + "\n"
