"""
Claude.ai's data export: conversations, projects and the memory that Claude keeps of the user.

Messages form a tree by `parent_message_uuid` in newer exports and a list in older ones. `text` may be empty while
`content` holds the text. Instructions and documents of a project become context files; the paragraphs and list items of
Claude's memory become memories.
"""

from collections.abc import Iterable, Iterator, Mapping

from recollect.interchange.items import (
    ImportedContextFile,
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
    get_mapping,
    get_objects,
    get_text,
    parse_role,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry
from recollect.interchange.message_tree import MessageNode, build_tree
from recollect.interchange.pasted_list import read_statements

OMITTED_BLOCKS = {
    "thinking": OmissionReason.REASONING,
    "tool_use": OmissionReason.TOOL_MESSAGE,
    "tool_result": OmissionReason.TOOL_MESSAGE,
    "image": OmissionReason.MEDIA,
}
#: Parent of the first message.
ROOT_ID = "00000000-0000-4000-8000-000000000000"


def matches(fields: Mapping[str, object]) -> bool:
    return "chat_messages" in fields or _is_project(fields) or _is_memory(fields) or _is_user(fields)


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    for entry in entries:
        if _is_memory(entry.fields):
            yield from _read_memory(entry)
        elif _is_project(entry.fields):
            yield from _read_project(entry)
        elif not _is_user(entry.fields):
            yield from _read_conversation(entry)


def _is_project(fields: Mapping[str, object]) -> bool:
    return "prompt_template" in fields or {"uuid", "docs"} <= fields.keys()


def _is_memory(fields: Mapping[str, object]) -> bool:
    return "conversations_memory" in fields or "project_memories" in fields


def _is_user(fields: Mapping[str, object]) -> bool:
    return {"uuid", "full_name", "email_address"} <= fields.keys()


def _read_conversation(entry: Entry) -> Iterator[ImportItem]:
    conversation_id, messages = get_id(entry.value, "uuid"), entry.fields.get("chat_messages")
    if not isinstance(messages, list) or not conversation_id:
        yield unexpected_shape(entry.position, "no chat_messages" if conversation_id else "no uuid")
        return
    nodes: dict[str, MessageNode] = {}
    is_tree = any(get_id(message, "parent_message_uuid") for message in messages)
    previous: str | None = None
    for number, message in enumerate(messages, start=1):
        position = f"{entry.position}, message {number}"
        if not isinstance(message, Mapping):
            yield unexpected_shape(position, "not an object")
            continue
        message_id = get_id(message, "uuid") or derive_id(str(number), get_text(message, "text"))
        parent = get_id(message, "parent_message_uuid") if is_tree else previous
        if message_id in nodes:
            yield Omission(reason=OmissionReason.DUPLICATE_ID, position=position)
            continue
        content = tuple(_read_message(message, position, message_id))
        nodes[message_id] = MessageNode(parent=None if parent == ROOT_ID else parent or None, content=content)
        previous = message_id
    leaf = get_id(entry.value, "current_leaf_message_uuid")
    if nodes:
        yield from build_tree(
            nodes,
            leaf,
            chat=f"claude-{conversation_id}",
            title=get_text(entry.value, "name"),
            date=entry.fields.get("created_at"),
        )


def _read_message(
    message: Mapping[str, object], position: str, message_id: str
) -> Iterator[ImportedMessage | Omission]:
    blocks = get_objects(message, "content")
    for kind in {get_text(block, "type") for block in blocks}.intersection(OMITTED_BLOCKS):
        yield Omission(reason=OMITTED_BLOCKS[kind], position=position)
    texts = [get_text(block, "text") for block in blocks if get_text(block, "type") == "text"]
    texts = [text for text in texts if text.strip()] or [get_text(message, "text")]
    for attachment in get_objects(message, "attachments"):
        if document := get_text(attachment, "extracted_content").strip():
            file_name = get_text(attachment, "file_name") or "attachment"
            texts.append(f"{file_name}:\n```\n{document}\n```")
    if get_list(message, "files"):
        yield Omission(reason=OmissionReason.MEDIA, position=position)
    role = parse_role(get_text(message, "sender"))
    if role is None:
        yield unexpected_shape(position, "no known sender")
    else:
        text, date = "\n\n".join(filter(None, texts)), message.get("created_at")
        yield from build_message(role, text, message_id=message_id, date=date, position=position)


def _read_project(entry: Entry) -> Iterator[ImportItem]:
    name = get_text(entry.value, "name").strip() or "Claude project"
    parts = (get_text(entry.value, "description").strip(), get_text(entry.value, "prompt_template").strip())
    if instructions := "\n\n".join(filter(None, parts)):
        yield ImportedContextFile(name=name, content=instructions)
    for number, document in enumerate(get_objects(entry.value, "docs"), start=1):
        content = get_text(document, "content")
        if content.strip():
            file_name = get_text(document, "filename") or f"document {number}"
            yield ImportedContextFile(name=f"{name}: {file_name}", content=content)
        else:
            position = f"{entry.position}, document {number}"
            yield Omission(reason=OmissionReason.EMPTY_TEXT, position=position)


def _read_memory(entry: Entry) -> Iterator[ImportItem]:
    texts = {"claude": get_text(entry.value, "conversations_memory")}
    texts |= {
        f"claude-project-{project}": get_text(text)
        for project, text in get_mapping(entry.value, "project_memories").items()
    }
    for tag, text in texts.items():
        for statement in read_statements(text):
            yield ImportedMemory(
                text=statement.text,
                created_at=statement.date,
                tags=tuple(filter(None, (tag, statement.heading))),
            )
