"""
ChatGPT's data export: `conversations.json` or `conversations-000.json` and so on, an array of conversations.

Each is a tree in `mapping` whose shown path ends at `current_node`. Hidden nodes, tool calls (`recipient` other than
`all`) and reasoning are left out; the user's custom instructions become a context file. `is_do_not_remember` is obeyed.
"""

from collections.abc import Iterable, Iterator, Mapping

from recollect.domain.message import Role
from recollect.interchange.items import (
    ImportedContextFile,
    ImportedMessage,
    ImportItem,
    Omission,
    OmissionReason,
)
from recollect.interchange.json_fields import (
    build_message,
    get_flag,
    get_id,
    get_list,
    get_mapping,
    get_text,
    parse_role,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry
from recollect.interchange.message_tree import MessageNode, build_tree

REASONING_TYPES = frozenset({"thoughts", "reasoning_recap"})
TOOL_TYPES = frozenset(
    {"code", "execution_output", "tether_quote", "tether_browsing_display", "system_error"}
)
INSTRUCTIONS_TYPE = "user_editable_context"
INSTRUCTIONS_FILE = "ChatGPT custom instructions"


def matches(fields: Mapping[str, object]) -> bool:
    return isinstance(fields.get("mapping"), dict) or {"create_time", "conversation_id"} <= fields.keys()


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    instructions: set[str] = set()
    for entry in entries:
        conversation_id = get_id(entry.value, "conversation_id") or get_id(entry.value, "id")
        if get_flag(entry.value, "is_do_not_remember"):
            yield Omission(reason=OmissionReason.DO_NOT_REMEMBER, position=entry.position)
        elif not isinstance(entry.fields.get("mapping"), dict):
            yield unexpected_shape(entry.position, "no mapping")
        elif not conversation_id:
            yield unexpected_shape(entry.position, "no conversation_id")
        else:
            for text in _read_instructions(entry):
                if text not in instructions:
                    instructions.add(text)
                    yield ImportedContextFile(name=INSTRUCTIONS_FILE, content=text)
            nodes = {
                str(node_id): MessageNode(
                    parent=get_id(node, "parent") or None,
                    content=tuple(_read_node(node, f"{entry.position}, message {node_id}", str(node_id))),
                )
                for node_id, node in get_mapping(entry.value, "mapping").items()
            }
            yield from build_tree(
                nodes,
                get_id(entry.value, "current_node"),
                chat=f"chatgpt-{conversation_id}",
                title=get_text(entry.value, "title"),
                date=entry.fields.get("create_time"),
            )


def _read_node(node: object, position: str, node_id: str) -> Iterator[ImportedMessage | Omission]:
    message = get_mapping(node, "message")
    if not message:
        if not isinstance(node, dict) or not isinstance(node.get("message"), dict | None):
            yield unexpected_shape(position, "no message")
        return
    content = get_mapping(message, "content")
    content_type = get_text(content, "content_type")
    role = parse_role(get_text(message, "author", "role"))
    if content_type == INSTRUCTIONS_TYPE:
        return
    if get_flag(message, "metadata", "is_visually_hidden_from_conversation"):
        # The hidden root of every conversation is an empty system message.
        reason = OmissionReason.SYSTEM_MESSAGE if role is Role.SYSTEM else OmissionReason.HIDDEN_MESSAGE
        yield Omission(reason=reason, position=position)
    elif content_type in REASONING_TYPES:
        yield Omission(reason=OmissionReason.REASONING, position=position)
    elif content_type in TOOL_TYPES or get_text(message, "recipient") not in {"", "all"}:
        yield Omission(reason=OmissionReason.TOOL_MESSAGE, position=position)
    elif role is None:
        yield unexpected_shape(position, "no author with a known role")
    else:
        parts = get_list(content, "parts")
        text = "\n".join(filter(None, map(_read_part, parts))) or get_text(content, "text")
        if text and any(isinstance(part, Mapping) and not get_text(part, "text") for part in parts):
            yield Omission(reason=OmissionReason.MEDIA, position=position)
        yield from build_message(
            role, text, message_id=node_id, date=message.get("create_time"), position=position
        )


def _read_part(part: object) -> str:
    """Return a text part, or the transcript of a spoken one."""
    return get_text(part) or get_text(part, "text")


def _read_instructions(entry: Entry) -> Iterator[str]:
    for node in get_mapping(entry.value, "mapping").values():
        content = get_mapping(node, "message", "content")
        if content.get("content_type") == INSTRUCTIONS_TYPE:
            texts = [get_text(content, "user_profile"), get_text(content, "user_instructions")]
            if text := "\n\n".join(filter(None, map(str.strip, texts))):
                yield text
