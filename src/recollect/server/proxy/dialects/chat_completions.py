"""OpenAI's chat completions, which most servers speak."""

from collections.abc import Iterator, Mapping

from recollect.domain.message import Role
from recollect.server.proxy.dialects.content_parts import (
    SYSTEM,
    Dialect,
    calls_json,
    ids_of,
    listed,
    messages_in,
    name_in,
    place_of,
    text_of,
    user_in,
    user_said,
)
from recollect.server.proxy.json_splice import Json, Piece, document
from recollect.server.proxy.request_view import Asked, Said


def read(text: str) -> Asked:
    top = document(text)
    messages = messages_in(text, top)
    system = (
        text_of(_value(each).get("content")) for each in messages if str(_value(each).get("role")) in SYSTEM
    )
    return Asked(
        said=tuple(_said(text, messages)),
        system="\n".join(system),
        user=user_in(top),
        cache_key=name_in(top, "prompt_cache_key"),
    )


def _said(text: str, messages: list[Piece]) -> Iterator[Said]:
    for piece in messages:
        message = _value(piece)
        match message.get("role"):
            case "user":
                yield user_said(text, piece)
            case "assistant":
                yield assistant_said(message)
            case "tool" | "function":
                yield Said(
                    role=Role.TOOL,
                    text=text_of(message.get("content")),
                    call_ids=ids_of([message], "tool_call_id"),
                )
            case _:
                continue


def assistant_said(message: Mapping[str, object]) -> Said:
    calls = listed(message.get("tool_calls"))
    return Said(
        role=Role.ASSISTANT,
        text=text_of(message.get("content")),
        tool_calls=calls_json(calls),
        call_ids=ids_of(calls, "id"),
    )


def _value(piece: Piece) -> Mapping[str, object]:
    return piece.value if isinstance(piece.value, dict) else {}


class ChatFold:
    """The first of the answers; others were asked for to choose from."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._calls: dict[int, Json] = {}

    @property
    def response_id(self) -> str | None:
        return None

    def event(self, event: Json) -> None:
        for choice in listed(event.get("choices")):
            delta = choice.get("delta")
            if choice.get("index", 0) == 0 and isinstance(delta, dict):
                self._take(delta)

    def whole(self, answer: Json) -> None:
        for choice in listed(answer.get("choices")):
            message = choice.get("message")
            if choice.get("index", 0) == 0 and isinstance(message, dict):
                self._words = [text_of(message.get("content"))]
                self._calls = {
                    place: dict(call) for place, call in enumerate(listed(message.get("tool_calls")))
                }

    def said(self) -> tuple[Said, ...]:
        calls: Json = {"content": "".join(self._words), "tool_calls": list(self._calls.values())}
        return (assistant_said(calls),)

    def _take(self, delta: Json) -> None:
        if isinstance(words := delta.get("content"), str):
            self._words.append(words)
        for call in listed(delta.get("tool_calls")):
            place = place_of(call["index"]) if "index" in call else len(self._calls)
            known = self._calls.setdefault(place, {"function": {"arguments": ""}})
            _extend(known, call)


def _extend(known: Json, call: Mapping[str, object]) -> None:
    """A call comes in pieces: its name first, its arguments bit by bit."""
    known.update({key: value for key, value in call.items() if key not in {"index", "function"}})
    function, more = known["function"], call.get("function")
    if isinstance(function, dict) and isinstance(more, Mapping):
        function.update({key: value for key, value in more.items() if key != "arguments"})
        if isinstance(arguments := more.get("arguments"), str):
            function["arguments"] += arguments


CHAT = Dialect(read=read, fold=ChatFold)
