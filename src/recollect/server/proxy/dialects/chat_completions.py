"""OpenAI's Chat Completions API, which most servers support."""

from collections.abc import Iterator, Mapping

from recollect.domain.message import Role
from recollect.server.proxy.dialects.content_parts import (
    SYSTEM_ROLES,
    Dialect,
    extract_ids,
    extract_text,
    extract_user,
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
    messages = parse_request_messages(text, request_members)
    system = (
        extract_text(_mapping_of(each).get("content"))
        for each in messages
        if str(_mapping_of(each).get("role")) in SYSTEM_ROLES
    )
    return RequestView(
        messages=tuple(_parse_messages(text, messages)),
        system="\n".join(system),
        user=extract_user(request_members),
        cache_key=first_text_member(request_members, "prompt_cache_key"),
    )


def _parse_messages(text: str, messages: list[JsonSpan]) -> Iterator[ProxyMessage]:
    for piece in messages:
        message = _mapping_of(piece)
        match message.get("role"):
            case "user":
                yield parse_user_message(text, piece)
            case "assistant":
                yield parse_assistant_message(message)
            case "tool" | "function":
                yield ProxyMessage(
                    role=Role.TOOL,
                    text=extract_text(message.get("content")),
                    call_ids=extract_ids([message], "tool_call_id"),
                )
            case _:
                continue


def parse_assistant_message(message: Mapping[str, object]) -> ProxyMessage:
    calls = list_mappings(message.get("tool_calls"))
    return ProxyMessage(
        role=Role.ASSISTANT,
        text=extract_text(message.get("content")),
        tool_calls=serialize_tool_calls(calls),
        call_ids=extract_ids(calls, "id"),
    )


def _mapping_of(piece: JsonSpan) -> Mapping[str, object]:
    return piece.value if isinstance(piece.value, dict) else {}


class ChatCompletionsAccumulator:
    """Collects the choice with index 0; further choices are alternatives."""

    def __init__(self) -> None:
        self._text_pieces: list[str] = []
        self._calls: dict[int, JsonDict] = {}

    @property
    def response_id(self) -> str | None:
        return None

    def add_event(self, event: JsonDict) -> None:
        for choice in list_mappings(event.get("choices")):
            delta = choice.get("delta")
            if choice.get("index", 0) == 0 and isinstance(delta, dict):
                self._add_delta(delta)

    def add_response(self, response: JsonDict) -> None:
        for choice in list_mappings(response.get("choices")):
            message = choice.get("message")
            if choice.get("index", 0) == 0 and isinstance(message, dict):
                self._text_pieces = [extract_text(message.get("content"))]
                self._calls = {
                    index: dict(call) for index, call in enumerate(list_mappings(message.get("tool_calls")))
                }

    def messages(self) -> tuple[ProxyMessage, ...]:
        calls: JsonDict = {"content": "".join(self._text_pieces), "tool_calls": list(self._calls.values())}
        return (parse_assistant_message(calls),)

    def _add_delta(self, delta: JsonDict) -> None:
        if isinstance(text := delta.get("content"), str):
            self._text_pieces.append(text)
        for call in list_mappings(delta.get("tool_calls")):
            index = parse_index(call["index"]) if "index" in call else len(self._calls)
            existing = self._calls.setdefault(index, {"function": {"arguments": ""}})
            _append_call(existing, call)


def _append_call(existing: JsonDict, call: Mapping[str, object]) -> None:
    """Merge a piece of a streamed tool call: the name comes first, the arguments in pieces."""
    existing.update({key: value for key, value in call.items() if key not in {"index", "function"}})
    function, delta = existing["function"], call.get("function")
    if isinstance(function, dict) and isinstance(delta, Mapping):
        function.update({key: value for key, value in delta.items() if key != "arguments"})
        if isinstance(arguments := delta.get("arguments"), str):
            function["arguments"] += arguments


CHAT_COMPLETIONS_DIALECT = Dialect(parse_request=parse_request, create_accumulator=ChatCompletionsAccumulator)
