"""Parsing helpers that the dialects share."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from recollect.domain.message import Role
from recollect.server.proxy.json_splice import (
    InsertionPoint,
    JsonDict,
    JsonSpan,
    parse_elements,
    parse_members,
)
from recollect.server.proxy.request_view import ProxyMessage, RequestView

#: Types of message parts that contain text.
TEXT_PART_TYPES = frozenset({"text", "input_text", "output_text"})
SYSTEM_ROLES = frozenset({"system", "developer"})


class ResponseAccumulator(Protocol):
    """Collects the messages of a response."""

    def add_event(self, event: JsonDict) -> None:
        """Add one event of a stream."""

    def add_response(self, response: JsonDict) -> None:
        """Add a whole response that was not streamed."""

    def messages(self) -> tuple[ProxyMessage, ...]:
        """Return the messages so far."""

    @property
    def response_id(self) -> str | None:
        """The id from which a client can continue, if the provider stores the conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    parse_request: Callable[[str], RequestView]  #: raises ValueError if the body is not in this dialect
    create_accumulator: Callable[[], ResponseAccumulator]
    service: Literal["openai", "anthropic"] = "openai"


def extract_text(content: object) -> str:
    """Return a string as it is, or the text parts of a list, joined."""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in _iter_mappings(content) if is_text_part(part))


def is_text_part(part: Mapping[str, object]) -> bool:
    return str(part.get("type")) in TEXT_PART_TYPES and isinstance(part.get("text"), str)


def _iter_mappings(content: object) -> Iterator[Mapping[str, object]]:
    if isinstance(content, Sequence) and not isinstance(content, str):
        yield from (part for part in content if isinstance(part, Mapping))


def find_insertion_point(text: str, content: JsonSpan, part_type: str = "text") -> InsertionPoint | None:
    """Return the point after a message's text: the end of a string, or a new part at the end of a list."""
    if isinstance(content.value, str):
        return InsertionPoint(content.end - 1, "\\n\\n")
    if not isinstance(content.value, list):
        return None
    parts = parse_elements(text, content.start)
    offset = parts[-1].end if parts else content.start + 1
    return InsertionPoint(offset, f'{"," if parts else ""}{{"type":"{part_type}","text":"', '"}')


def parse_user_message(
    text: str, message: JsonSpan, *, own_text: str | None = None, part_type: str = "text"
) -> ProxyMessage:
    """Return the user's message, with an insertion point if it has text."""
    content = parse_members(text, message.start).get("content")
    user_text = own_text if own_text is not None else extract_text(content.value if content else None)
    insertion_point = (
        find_insertion_point(text, content, part_type) if content and user_text.strip() else None
    )
    return ProxyMessage(role=Role.USER, text=user_text, insertion_point=insertion_point)


def serialize_tool_calls(calls: Sequence[object]) -> str | None:
    return json.dumps(calls) if calls else None


def extract_ids(calls: object, name: str) -> tuple[str, ...]:
    return tuple(value for each in _iter_mappings(calls) if isinstance(value := each.get(name), str))


def list_mappings(value: object) -> list[Mapping[str, object]]:
    return list(_iter_mappings(value))


def parse_index(value: object) -> int:
    """Return the index of a streamed piece; 0 if it is missing or invalid."""
    return value if isinstance(value, int) else 0


def first_text_member(request_members: Mapping[str, JsonSpan], *names: str) -> str | None:
    """Return the first of these members that is a non-blank string."""
    values = (request_members[name].value for name in names if name in request_members)
    return next((value for value in values if isinstance(value, str) and value.strip()), None)


def extract_user(request_members: Mapping[str, JsonSpan]) -> str | None:
    """Return the user id from `safety_identifier`, `user` or `metadata.user_id`."""
    top_level_user = first_text_member(request_members, "safety_identifier", "user")
    metadata = request_members["metadata"].value if "metadata" in request_members else None
    metadata_user = metadata.get("user_id") if isinstance(metadata, Mapping) else None
    return top_level_user or (
        metadata_user if isinstance(metadata_user, str) and metadata_user.strip() else None
    )


def parse_request_messages(
    text: str, request_members: Mapping[str, JsonSpan], name: str = "messages"
) -> list[JsonSpan]:
    """Return the messages of a request; raise ValueError if it has none."""
    if name not in request_members or not isinstance(request_members[name].value, list):
        raise ValueError(f"no {name}")
    return [
        each for each in parse_elements(text, request_members[name].start) if isinstance(each.value, dict)
    ]
