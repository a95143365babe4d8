"""
Codex CLI's rollouts: JSON Lines of `{timestamp, type, payload}`, also compressed as `.jsonl.zst`.

Turns are `event_msg` lines (`user_message`, `agent_message`) or, in the paginated mode, `item_completed` lines.
`response_item` lines repeat them together with context that the program adds, so they are not read.
"""

from collections.abc import Iterable, Iterator, Mapping

from recollect.domain.message import Role
from recollect.interchange.items import ImportedMessage, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import (
    build_conversation,
    build_message,
    derive_id,
    get_id,
    get_list,
    get_mapping,
    get_text,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry

LINE_TYPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "world_state"})
#: The prompt follows this heading when an editor adds its context before it.
REQUEST_HEADING = "## My request for Codex:"
_EVENT_ROLES = {"user_message": Role.USER, "agent_message": Role.ASSISTANT}
_ITEM_ROLES = {"UserMessage": Role.USER, "AgentMessage": Role.ASSISTANT}


def matches(fields: Mapping[str, object]) -> bool:
    return get_text(fields, "type") in LINE_TYPES and "payload" in fields


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:
    session = ""
    items: list[ImportedMessage | Omission] = []
    for number, entry in enumerate(entries, start=1):
        payload = get_mapping(entry.value, "payload")
        line_type = get_text(entry.value, "type")
        if line_type == "session_meta":
            session = session or get_id(payload, "id")
        elif not line_type:
            yield unexpected_shape(entry.position, "no type")
        elif line_type == "event_msg":
            items.extend(_read_event(payload, entry, number))
    if not session and items:
        yield Omission(reason=OmissionReason.UNEXPECTED_SHAPE, position="the file", detail="no session_meta")
    chat = f"codex-{session or derive_id(name)}"
    yield from build_conversation(items, chat=chat, title=_title(items))


def _read_event(
    payload: Mapping[str, object], entry: Entry, number: int
) -> Iterator[ImportedMessage | Omission]:
    if not payload:
        yield unexpected_shape(entry.position, "no payload")
        return
    event, text = get_text(payload, "type"), get_text(payload, "message")
    role = _EVENT_ROLES.get(event)
    if event == "item_completed":
        item = get_mapping(payload, "item")
        role = _ITEM_ROLES.get(get_text(item, "type"))
        parts = [get_text(part, "text") for part in get_list(item, "content")]
        text = get_text(item, "text") or "\n".join(filter(None, parts))
    if role is None:
        return
    if role is Role.USER and REQUEST_HEADING in text:
        text = text.partition(REQUEST_HEADING)[2]
    date = entry.fields.get("timestamp")
    yield from build_message(role, text, message_id=f"{number}", date=date, position=entry.position)


def _title(items: Iterable[ImportedMessage | Omission]) -> str:
    texts = (each.text for each in items if isinstance(each, ImportedMessage))
    return next(texts, "").split("\n", 1)[0][:80]
