"""Anthropic's Messages API."""

import json
from collections.abc import Iterator, Mapping

from recollect.domain.message import Role
from recollect.server.proxy.dialects.content_parts import (
    Dialect,
    extract_ids,
    extract_text,
    extract_user,
    is_text_part,
    list_mappings,
    parse_index,
    parse_request_messages,
    parse_user_message,
    serialize_tool_calls,
)
from recollect.server.proxy.json_splice import JsonDict, JsonSpan, parse_document
from recollect.server.proxy.request_view import ProxyMessage, RequestView

#: Coding agents put instructions to the model into user messages with this tag.
SYSTEM_REMINDER_TAG = "<system-reminder>"


def parse_request(text: str) -> RequestView:
    request_members = parse_document(text)
    messages = [
        each
        for piece in parse_request_messages(text, request_members)
        for each in _parse_message(text, piece)
    ]
    user, session = _split_user_and_session(extract_user(request_members))
    return RequestView(
        messages=tuple(messages),
        system=extract_text(request_members["system"].value) if "system" in request_members else "",
        user=user,
        cache_key=session,
    )


def _split_user_and_session(user_id: str | None) -> tuple[str | None, str | None]:
    """Split `user_id`: coding agents put a session id into it, which identifies a conversation, not a user."""
    if user_id is None:
        return None, None
    _, separator, session = user_id.rpartition("_session_")
    if separator:
        return None, session
    try:
        metadata = json.loads(user_id) if user_id.startswith("{") else {}
    except (ValueError, RecursionError):
        metadata = {}
    session = metadata.get("session_id", "") if isinstance(metadata, dict) else ""
    return (None, session) if isinstance(session, str) and session else (user_id, None)


def _parse_message(text: str, piece: JsonSpan) -> Iterator[ProxyMessage]:
    message = piece.value if isinstance(piece.value, dict) else {}
    content = message.get("content")
    if message.get("role") == "assistant":
        yield parse_assistant_message(content)
        return
    for block in list_mappings(content):
        if block.get("type") == "tool_result":
            yield ProxyMessage(
                role=Role.TOOL,
                text=extract_text(block.get("content")),
                call_ids=extract_ids([block], "tool_use_id"),
            )
    own_text = _user_text(content)
    if own_text or not any(block.get("type") == "tool_result" for block in list_mappings(content)):
        yield parse_user_message(text, piece, own_text=own_text)


def _user_text(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (str(block["text"]) for block in list_mappings(content) if is_text_part(block))
    return "\n".join(text for text in texts if not text.lstrip().startswith(SYSTEM_REMINDER_TAG))


def parse_assistant_message(content: object) -> ProxyMessage:
    calls = [block for block in list_mappings(content) if block.get("type") == "tool_use"]
    return ProxyMessage(
        role=Role.ASSISTANT,
        text=extract_text(content),
        tool_calls=serialize_tool_calls(calls),
        call_ids=extract_ids(calls, "id"),
    )


class AnthropicAccumulator:
    def __init__(self) -> None:
        self._blocks: dict[int, JsonDict] = {}

    @property
    def response_id(self) -> str | None:
        return None

    def add_event(self, event: JsonDict) -> None:
        index, block, delta = parse_index(event.get("index")), event.get("content_block"), event.get("delta")
        match event.get("type"):
            case "content_block_start" if isinstance(block, dict):
                self._blocks[index] = dict(block)
            case "content_block_delta" if isinstance(delta, dict) and index in self._blocks:
                _append_delta(self._blocks[index], delta)
            case _:
                pass

    def add_response(self, response: JsonDict) -> None:
        self._blocks = {
            index: dict(block) for index, block in enumerate(list_mappings(response.get("content")))
        }

    def messages(self) -> tuple[ProxyMessage, ...]:
        return (parse_assistant_message([_finish_block(block) for block in self._blocks.values()]),)


def _append_delta(block: JsonDict, delta: Mapping[str, object]) -> None:
    for name in ("text", "partial_json"):
        if isinstance(piece := delta.get(name), str):
            block[name] = f"{block.get(name, '')}{piece}"


def _finish_block(block: JsonDict) -> JsonDict:
    """Parse the streamed arguments of a tool call; keep the text if they are incomplete."""
    if "partial_json" not in block:
        return block
    arguments_json = str(block["partial_json"])
    try:
        arguments = json.loads(arguments_json)
    except (ValueError, RecursionError):
        arguments = arguments_json
    return {**{key: value for key, value in block.items() if key != "partial_json"}, "input": arguments}


ANTHROPIC_DIALECT = Dialect(
    parse_request=parse_request, create_accumulator=AnthropicAccumulator, service="anthropic"
)
