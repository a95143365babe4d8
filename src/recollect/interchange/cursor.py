"""Cursor's agent transcripts: JSON Lines without dates; the user's text stands in `<user_query>`."""

import re
from collections.abc import Iterable, Iterator, Mapping

from recollect.domain.message import Role
from recollect.interchange.items import ImportedMessage, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import (
    build_conversation,
    build_message,
    get_objects,
    get_text,
    parse_role,
    shorten_id,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry

_QUERY = re.compile(r"<user_query>(.*?)(?:</user_query>|\Z)", re.DOTALL)
_TIMESTAMP = re.compile(r"<timestamp>([^<]*)</timestamp>")


def matches(fields: Mapping[str, object]) -> bool:
    return (
        "role" in fields
        and isinstance(fields.get("message"), dict)
        and "content" in get_objects({"message": [fields["message"]]}, "message")[0]
    )


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:
    """The name of the file is the id of the conversation."""
    items: list[ImportedMessage | Omission] = []
    for number, entry in enumerate(entries, start=1):
        if get_text(entry.value, "type"):
            continue  # turn_ended and other events
        role = parse_role(get_text(entry.value, "role"))
        if role is None:
            yield unexpected_shape(entry.position, "no known role")
            continue
        blocks = get_objects(entry.value, "message", "content")
        texts = [get_text(block, "text") for block in blocks if get_text(block, "type") == "text"]
        text = "\n".join(filter(None, texts)) or get_text(entry.value, "message", "content")
        if not text.strip():
            items.append(Omission(reason=OmissionReason.TOOL_MESSAGE, position=entry.position))
            continue
        date = _TIMESTAMP.search(text)
        queries = _QUERY.findall(text) if role is Role.USER else []
        text = "\n".join(queries) or _TIMESTAMP.sub("", text)
        items.extend(
            build_message(
                role, text, message_id=str(number), date=date[1] if date else None, position=entry.position
            )
        )
    stem = re.split(r"[/\\]", name)[-1].partition(".")[0]
    yield from build_conversation(items, chat=f"cursor-{shorten_id(stem)}")
