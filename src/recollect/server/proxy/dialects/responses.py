"""OpenAI's Responses API, where the provider may store the conversation."""

from collections.abc import Iterator, Mapping

from recollect.domain.message import Role
from recollect.server.proxy.dialects.content_parts import (
    SYSTEM_ROLES,
    Dialect,
    extract_ids,
    extract_text,
    extract_user,
    find_insertion_point,
    first_text_member,
    list_mappings,
    parse_index,
    parse_request_messages,
    parse_user_message,
    serialize_tool_calls,
)
from recollect.server.proxy.json_splice import JsonDict, JsonSpan, parse_document
from recollect.server.proxy.request_view import ProxyMessage, RequestView


def parse_request(text: str) -> RequestView:
    request_members = parse_document(text)
    if "input" not in request_members:
        raise ValueError("no input")
    instructions = first_text_member(request_members, "instructions") or ""
    return RequestView(
        messages=tuple(_parse_input(text, request_members)),
        system=instructions,
        user=extract_user(request_members),
        conversation_id=_conversation_id(request_members),
        previous_response_id=first_text_member(request_members, "previous_response_id"),
        cache_key=first_text_member(request_members, "prompt_cache_key"),
    )


def _conversation_id(request_members: Mapping[str, JsonSpan]) -> str | None:
    conversation = request_members["conversation"].value if "conversation" in request_members else None
    name = conversation.get("id") if isinstance(conversation, Mapping) else conversation
    return name if isinstance(name, str) and name.strip() else None


def _parse_input(text: str, request_members: Mapping[str, JsonSpan]) -> Iterator[ProxyMessage]:
    input_span = request_members["input"]
    if isinstance(input_span.value, str):
        insertion_point = find_insertion_point(text, input_span) if input_span.value.strip() else None
        yield ProxyMessage(role=Role.USER, text=input_span.value, insertion_point=insertion_point)
        return
    for piece in parse_request_messages(text, request_members, "input"):
        item = piece.value if isinstance(piece.value, dict) else {}
        if item.get("role") == "user":
            yield parse_user_message(text, piece, part_type="input_text")
        elif str(item.get("role")) not in SYSTEM_ROLES:
            yield from parse_item(item)


def parse_item(item: Mapping[str, object]) -> Iterator[ProxyMessage]:
    """Yield the message of an input or output item; reasoning items and references have none."""
    kind = str(item.get("type") or "message")
    if kind == "message" and item.get("role") == "assistant":
        yield ProxyMessage(role=Role.ASSISTANT, text=extract_text(item.get("content")))
    elif kind.endswith("_call_output"):
        output = item.get("output")
        yield ProxyMessage(role=Role.TOOL, text=extract_text(output), call_ids=extract_ids([item], "call_id"))
    elif kind.endswith("_call") and "call_id" in item:
        call = {key: value for key, value in item.items() if key not in {"id", "status"}}
        yield ProxyMessage(
            role=Role.ASSISTANT,
            text="",
            tool_calls=serialize_tool_calls([call]),
            call_ids=extract_ids([item], "call_id"),
        )


class ResponsesAccumulator:
    def __init__(self) -> None:
        self._items: dict[int, Mapping[str, object]] = {}
        self._partial_texts: dict[int, list[str]] = {}
        self._id: str | None = None

    @property
    def response_id(self) -> str | None:
        return self._id

    def add_event(self, event: JsonDict) -> None:
        index = parse_index(event.get("output_index"))
        match event.get("type"):
            case "response.created" | "response.completed" | "response.incomplete":
                self._record_id(event.get("response"))
            case "response.output_text.delta" if isinstance(text := event.get("delta"), str):
                self._partial_texts.setdefault(index, []).append(text)
            case "response.output_item.done" if isinstance(item := event.get("item"), dict):
                self._items[index] = item
            case _:
                pass

    def add_response(self, response: JsonDict) -> None:
        self._record_id(response)
        self._items = dict(enumerate(list_mappings(response.get("output"))))

    def messages(self) -> tuple[ProxyMessage, ...]:
        indexes = sorted({*self._items, *self._partial_texts})
        return tuple(message for index in indexes for message in self._messages_at(index))

    def _messages_at(self, index: int) -> Iterator[ProxyMessage]:
        if index in self._items:
            yield from parse_item(self._items[index])
        else:
            yield ProxyMessage(role=Role.ASSISTANT, text="".join(self._partial_texts[index]))

    def _record_id(self, response: object) -> None:
        response_id = response.get("id") if isinstance(response, Mapping) else None
        self._id = response_id if isinstance(response_id, str) else self._id


RESPONSES_DIALECT = Dialect(parse_request=parse_request, create_accumulator=ResponsesAccumulator)
