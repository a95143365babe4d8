"""
LibreChat's exported conversation and memories.

The messages are a flat list with `parentMessageId`, or with `recursive` a tree of `children`. There is no current leaf:
the newest message is it. Messages without a parent field follow each other.
"""

from collections.abc import Iterable, Iterator, Mapping

from recollect.domain.message import Role
from recollect.interchange.items import (
    ImportedMemory,
    ImportedMessage,
    ImportItem,
    Omission,
    OmissionReason,
)
from recollect.interchange.json_fields import (
    build_message,
    derive_id,
    get_id,
    get_list,
    get_objects,
    get_text,
    parse_date,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry
from recollect.interchange.message_tree import MessageNode, build_tree

ROOT_ID = "00000000-0000-0000-0000-000000000000"


def matches(fields: Mapping[str, object]) -> bool:
    return ("conversationId" in fields and bool({"messages", "messagesTree"} & fields.keys())) or (
        {"memories"} <= fields.keys() and any(_is_memory(each) for each in get_objects(fields, "memories"))
    )


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    for entry in entries:
        if "memories" in entry.fields:
            for number, memory in enumerate(get_objects(entry.value, "memories"), start=1):
                yield from _read_memory(memory, f"{entry.position}, memory {number}")
        else:
            yield from _read_conversation(entry)


def _is_memory(fields: Mapping[str, object]) -> bool:
    return {"key", "value"} <= fields.keys()


def _read_memory(memory: Mapping[str, object], position: str) -> Iterator[ImportItem]:
    text, key = get_text(memory, "value").strip(), get_text(memory, "key").strip()
    if not text:
        yield Omission(reason=OmissionReason.EMPTY_TEXT, position=position)
        return
    yield ImportedMemory(
        text=text, created_at=parse_date(memory.get("updated_at")), tags=(key,) if key else ()
    )


def _read_conversation(entry: Entry) -> Iterator[ImportItem]:
    conversation_id = get_id(entry.value, "conversationId")
    messages = get_list(entry.value, "messages") or get_list(entry.value, "messagesTree")
    if not conversation_id or not messages:
        yield unexpected_shape(entry.position, "no conversationId" if messages else "no messages")
        return
    nodes: dict[str, MessageNode] = {}
    newest: tuple[float, int, str] = (0, 0, "")
    times: dict[str, float] = {}
    previous: str | None = None
    for number, (message, nested_parent) in enumerate(_flatten(messages), start=1):
        position = f"{entry.position}, message {number}"
        if not isinstance(message, Mapping):
            yield unexpected_shape(position, "not an object")
            continue
        message_id = get_id(message, "messageId") or derive_id(str(number), get_text(message, "text"))
        if message_id in nodes:
            yield Omission(reason=OmissionReason.DUPLICATE_ID, position=position)
            continue
        parent = nested_parent or (
            get_id(message, "parentMessageId") if "parentMessageId" in message else previous
        )
        content = tuple(_read_message(message, position, message_id))
        nodes[message_id] = MessageNode(parent=None if parent == ROOT_ID else parent or None, content=content)
        at = parse_date(message.get("createdAt"))
        # Some exports leave out dates; an answer is not older than what it answers.
        times[message_id] = max(at.timestamp() if at else 0, times.get(parent or "", 0))
        newest = max(newest, (times[message_id], number, message_id))
        previous = message_id
    if nodes:
        yield from build_tree(
            nodes,
            newest[2],
            chat=f"librechat-{conversation_id}",
            title=get_text(entry.value, "title"),
            date=entry.fields.get("createdAt"),
        )


def _flatten(messages: Iterable[object]) -> Iterator[tuple[object, str]]:
    """Yield messages with the id of the message that contains them; without recursion, since chats can be deep."""
    pending = [(message, "") for message in reversed(list(messages))]
    while pending:
        message, parent = pending.pop()
        yield message, parent
        own_id = get_id(message, "messageId")
        pending.extend((child, own_id) for child in reversed(get_list(message, "children")))


def _read_message(
    message: Mapping[str, object], position: str, message_id: str
) -> Iterator[ImportedMessage | Omission]:
    parts = get_objects(message, "content")
    if any(get_text(part, "type") in {"tool_call", "think"} for part in parts):
        yield Omission(reason=OmissionReason.TOOL_MESSAGE, position=position)
    texts = [_part_text(part) for part in parts if get_text(part, "type") in {"", "text"}]
    text = get_text(message, "text") or "\n".join(filter(None, texts))
    created_by_user = message.get("isCreatedByUser")
    if isinstance(created_by_user, bool):
        role = Role.USER if created_by_user else Role.ASSISTANT
    elif sender := get_text(message, "sender"):
        role = Role.USER if sender.casefold() == "user" else Role.ASSISTANT
    else:
        yield unexpected_shape(position, "neither isCreatedByUser nor sender")
        return
    yield from build_message(
        role, text, message_id=message_id, date=message.get("createdAt"), position=position
    )


def _part_text(part: Mapping[str, object]) -> str:
    return get_text(part, "text") or get_text(part, "text", "value")
