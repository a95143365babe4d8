"""
Letta's agent files (`.af`): memory blocks become context files, messages a conversation.

Some published files are a JSON text that contains the JSON. Heartbeats and function results stand among the messages of
the user as JSON; only `user_message` envelopes are what the user wrote.
"""

import json
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
    build_conversation,
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

#: The tool with which older agents answer; its argument is the answer.
ANSWER_TOOL = "send_message"


def matches(fields: Mapping[str, object]) -> bool:
    return ("agents" in fields and "blocks" in fields) or (
        "core_memory" in fields and "messages" in fields and "agent_type" in fields
    )


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:
    for entry in entries:
        agents = entry.fields.get("agents", [entry.value])
        if not isinstance(agents, list):
            yield unexpected_shape(entry.position, "agents is not a list")
            continue
        blocks = [*get_objects(entry.value, "blocks"), *get_objects(entry.value, "core_memory")]
        for number, block in enumerate(blocks, start=1):
            yield from _read_block(block, f"{entry.position}, block {number}")
        for number, agent in enumerate(agents, start=1):
            position = f"{entry.position}, agent {number}"
            if not isinstance(agent, Mapping):
                yield unexpected_shape(position, "not an object")
                continue
            title = get_text(agent, "name")
            chat = f"letta-{derive_id(title or name, get_id(agent, 'id'))[:12]}"
            yield from build_conversation(_read_messages(agent, position), chat=chat, title=title)


def _read_block(block: Mapping[str, object], position: str) -> Iterator[ImportItem]:
    label, value = get_text(block, "label").strip(), get_text(block, "value").strip()
    if not value:
        yield Omission(reason=OmissionReason.EMPTY_TEXT, position=position)
    else:
        yield ImportedContextFile(name=f"Letta {label or 'block'}", content=value)


def _read_messages(agent: Mapping[str, object], position: str) -> Iterator[ImportedMessage | Omission]:
    for number, message in enumerate(get_list(agent, "messages"), start=1):
        place = f"{position}, message {number}"
        role = parse_role(get_text(message, "role"))
        if role is None or not isinstance(message, Mapping):
            yield unexpected_shape(place, "no known role")
            continue
        texts = [get_text(part, "text") for part in get_list(message, "content")]
        text = get_text(message, "content") or get_text(message, "text") or "\n".join(filter(None, texts))
        if role is Role.USER:
            envelope = _read_envelope(text)
            if envelope is None:
                yield Omission(reason=OmissionReason.INJECTED_TEXT, position=place)
                continue
            text = envelope
        elif role is Role.ASSISTANT:
            text = _read_answer(message) or text
            if not text.strip():
                yield Omission(reason=OmissionReason.TOOL_MESSAGE, position=place)
                continue
        message_id = get_id(message, "id") or str(number)
        yield from build_message(
            role, text, message_id=message_id, date=message.get("created_at"), position=place
        )


def _read_envelope(text: str) -> str | None:
    """Return what the user wrote; None for heartbeats, logins and other events."""
    try:
        value = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, Mapping) or "type" not in value:
        return text
    return get_text(value, "message") if value.get("type") == "user_message" else None


def _read_answer(message: Mapping[str, object]) -> str:
    """Return the answers among the tool calls."""
    answers = []
    for call in get_objects(message, "tool_calls"):
        if get_text(call, "function", "name") == ANSWER_TOOL:
            try:
                arguments = json.loads(get_text(call, "function", "arguments"))
            except (ValueError, RecursionError):
                continue
            answers.append(get_text(get_mapping(arguments), "message"))
    return "\n".join(filter(None, answers))
