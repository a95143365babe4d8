"""OpenCode's sessions: its SQLite database (`session`, `message`, `part`), or the JSON of `opencode export`."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from recollect.interchange.items import (
    ImportedConversation,
    ImportedMessage,
    ImportItem,
    Omission,
    OmissionReason,
)
from recollect.interchange.json_fields import (
    build_conversation,
    build_message,
    get_flag,
    get_id,
    get_mapping,
    get_objects,
    get_text,
    parse_role,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry

SESSION_TABLES = frozenset({"session", "message", "part"})


def matches(fields: Mapping[str, object]) -> bool:
    return isinstance(fields.get("info"), dict) and isinstance(fields.get("messages"), list)


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    for entry in entries:
        session = get_id(entry.value, "info", "id")
        if not session:
            yield unexpected_shape(entry.position, "no info.id")
            continue
        items: list[ImportedMessage | Omission] = []
        for number, message in enumerate(get_objects(entry.value, "messages"), start=1):
            position = f"{entry.position}, message {number}"
            info = get_mapping(message, "info")
            items.extend(_read_message(info, get_objects(message, "parts"), position))
        yield from _build_session(session, get_mapping(entry.value, "info"), items)


def read_tables(rows: Callable[[str], Iterable[Mapping[str, object]]], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    parts: dict[str, list[Mapping[str, object]]] = {}
    for row in rows("part"):
        parts.setdefault(get_id(row, "message_id"), []).append(_parse_data(row))
    messages: dict[str, list[ImportedMessage | Omission]] = {}
    for row in sorted(rows("message"), key=lambda row: (str(row.get("time_created")), get_id(row, "id"))):
        message_id = get_id(row, "id")
        info = {"time": {"created": row.get("time_created")}, **_parse_data(row), "id": message_id}
        items = _read_message(info, parts.get(message_id, []), f"message {message_id}")
        messages.setdefault(get_id(row, "session_id"), []).extend(items)
    for row in rows("session"):
        session = get_id(row, "id")
        if get_id(row, "parent_id"):
            position = f"session {session}"
            yield Omission(reason=OmissionReason.INJECTED_TEXT, position=position, detail="subagent")
        else:
            yield from _build_session(session, row, messages.get(session, []))


def _build_session(
    session: str, info: Mapping[str, object], items: Iterable[ImportedMessage | Omission]
) -> Iterator[ImportedConversation | Omission]:
    date = get_mapping(info, "time").get("created", info.get("time_created"))
    yield from build_conversation(items, chat=f"opencode-{session}", title=get_text(info, "title"), date=date)


def _parse_data(row: Mapping[str, object]) -> Mapping[str, object]:
    """Return the JSON in a row's data; empty if it is malformed, which the reader then reports."""
    try:
        value = json.loads(get_text(row, "data"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _read_message(
    info: Mapping[str, object], parts: Iterable[Mapping[str, object]], position: str
) -> Iterator[ImportedMessage | Omission]:
    role, message_id = parse_role(get_text(info, "role")), get_id(info, "id")
    if role is None or not message_id:
        yield unexpected_shape(position, "no known role" if message_id else "no id")
        return
    texts = [
        get_text(part, "text")
        for part in parts
        if get_text(part, "type") == "text" and not get_flag(part, "synthetic")
    ]
    if not any(text.strip() for text in texts):
        yield Omission(reason=OmissionReason.TOOL_MESSAGE, position=position)
        return
    yield from build_message(
        role,
        "\n".join(texts),
        message_id=message_id,
        date=get_mapping(info, "time").get("created"),
        position=position,
    )
