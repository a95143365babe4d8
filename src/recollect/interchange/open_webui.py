"""
Open WebUI's exported chats and memories.

Chats are trees in `chat.history.messages`, shown up to `currentId`. Reasoning and tool calls stand in the text of an
answer as `<details>` blocks, which are removed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from recollect.interchange.items import (
    ImportedMemory,
    ImportedMessage,
    ImportItem,
    Omission,
    OmissionReason,
)
from recollect.interchange.json_fields import (
    build_message,
    get_id,
    get_list,
    get_mapping,
    get_text,
    invalid_date,
    is_invalid_date,
    parse_date,
    parse_role,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry
from recollect.interchange.message_tree import MessageNode, build_tree

_DETAILS_OPEN = re.compile(r'<details\b[^<>]*\btype="(?:reasoning|tool_calls|code_interpreter)"[^<>]*>')
_DETAILS_CLOSE = "</details>"


def matches(fields: Mapping[str, object]) -> bool:
    return isinstance(get_mapping(fields, "chat").get("history"), dict) or is_memory(fields)


def is_memory(fields: Mapping[str, object]) -> bool:
    return {"id", "user_id", "content", "created_at"} <= fields.keys() and "role" not in fields


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    for entry in entries:
        if is_memory(entry.fields):
            yield from _read_memory(entry)
        else:
            yield from _read_chat(entry)


def _read_chat(entry: Entry) -> Iterator[ImportItem]:
    chat = get_mapping(entry.value, "chat")
    messages, chat_id = get_mapping(chat, "history").get("messages"), get_id(entry.value, "id")
    if not isinstance(messages, dict) or not chat_id:
        yield unexpected_shape(entry.position, "no chat.history.messages" if chat_id else "no id")
        return
    nodes = {
        str(message_id): MessageNode(
            parent=get_id(message, "parentId") or None,
            content=tuple(_read_message(message, f"{entry.position}, message {message_id}", str(message_id))),
        )
        for message_id, message in messages.items()
    }
    if nodes:
        yield from build_tree(
            nodes,
            get_id(chat, "history", "currentId"),
            chat=f"open-webui-{chat_id}",
            title=get_text(entry.value, "title") or get_text(chat, "title"),
            date=entry.fields.get("created_at"),
        )


def _read_message(message: object, position: str, message_id: str) -> Iterator[ImportedMessage | Omission]:
    role = parse_role(get_text(message, "role"))
    if role is None or not isinstance(message, Mapping):
        yield unexpected_shape(position, "no known role")
        return
    content, text = message.get("content"), get_text(message, "content")
    if isinstance(content, list):
        text = "\n".join(filter(None, (get_text(part, "text") for part in content)))
    if get_list(message, "files"):
        yield Omission(reason=OmissionReason.MEDIA, position=position)
    shown = remove_details(text)
    if shown != text:
        yield Omission(reason=OmissionReason.REASONING, position=position)
    yield from build_message(
        role, shown, message_id=message_id, date=message.get("timestamp"), position=position
    )


def remove_details(text: str) -> str:
    """Remove blocks of reasoning and tool calls; one that is not closed ends the text."""
    parts, position = [], 0
    while block := _DETAILS_OPEN.search(text, position):
        parts.append(text[position : block.start()])
        end = text.find(_DETAILS_CLOSE, block.end())
        position = len(text) if end < 0 else end + len(_DETAILS_CLOSE)
    return "".join((*parts, text[position:])).strip() if parts else text


def _read_memory(entry: Entry) -> Iterator[ImportItem]:
    text, date = get_text(entry.value, "content").strip(), entry.fields.get("created_at")
    if not text:
        yield Omission(reason=OmissionReason.EMPTY_TEXT, position=entry.position)
        return
    if is_invalid_date(date):
        yield invalid_date(date, entry.position)
    yield ImportedMemory(
        id=get_id(entry.value, "id") or None,
        text=text,
        created_at=parse_date(date),
        last_stated_at=parse_date(entry.fields.get("updated_at")),
    )
