"""OpenAI's responses, where the provider may keep what was said before."""

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
    slot_in,
    text_of,
    user_in,
    user_said,
)
from recollect.server.proxy.json_splice import Json, Piece, document
from recollect.server.proxy.request_view import Asked, Said


def read(text: str) -> Asked:
    top = document(text)
    if "input" not in top:
        raise ValueError("no input")
    instructions = name_in(top, "instructions") or ""
    return Asked(
        said=tuple(_said(text, top)),
        system=instructions,
        user=user_in(top),
        conversation=_conversation(top),
        follows=name_in(top, "previous_response_id"),
        cache_key=name_in(top, "prompt_cache_key"),
    )


def _conversation(top: Mapping[str, Piece]) -> str | None:
    given = top["conversation"].value if "conversation" in top else None
    name = given.get("id") if isinstance(given, Mapping) else given
    return name if isinstance(name, str) and name.strip() else None


def _said(text: str, top: Mapping[str, Piece]) -> Iterator[Said]:
    given = top["input"]
    if isinstance(given.value, str):
        slot = slot_in(text, given) if given.value.strip() else None
        yield Said(role=Role.USER, text=given.value, slot=slot)
        return
    for piece in messages_in(text, top, "input"):
        item = piece.value if isinstance(piece.value, dict) else {}
        if item.get("role") == "user":
            yield user_said(text, piece, kind="input_text")
        elif str(item.get("role")) not in SYSTEM:
            yield from item_said(item)


def item_said(item: Mapping[str, object]) -> Iterator[Said]:
    """What an item of input or output says; thoughts and references say nothing."""
    kind = str(item.get("type") or "message")
    if kind == "message" and item.get("role") == "assistant":
        yield Said(role=Role.ASSISTANT, text=text_of(item.get("content")))
    elif kind.endswith("_call_output"):
        output = item.get("output")
        yield Said(role=Role.TOOL, text=text_of(output), call_ids=ids_of([item], "call_id"))
    elif kind.endswith("_call") and "call_id" in item:
        call = {key: value for key, value in item.items() if key not in {"id", "status"}}
        yield Said(
            role=Role.ASSISTANT, text="", tool_calls=calls_json([call]), call_ids=ids_of([item], "call_id")
        )


class ResponsesFold:
    def __init__(self) -> None:
        self._items: dict[int, Mapping[str, object]] = {}
        self._begun: dict[int, list[str]] = {}
        self._id: str | None = None

    @property
    def response_id(self) -> str | None:
        return self._id

    def event(self, event: Json) -> None:
        place = place_of(event.get("output_index"))
        match event.get("type"):
            case "response.created" | "response.completed" | "response.incomplete":
                self._note(event.get("response"))
            case "response.output_text.delta" if isinstance(words := event.get("delta"), str):
                self._begun.setdefault(place, []).append(words)
            case "response.output_item.done" if isinstance(item := event.get("item"), dict):
                self._items[place] = item
            case _:
                pass

    def whole(self, answer: Json) -> None:
        self._note(answer)
        self._items = dict(enumerate(listed(answer.get("output"))))

    def said(self) -> tuple[Said, ...]:
        places = sorted({*self._items, *self._begun})
        return tuple(said for place in places for said in self._at(place))

    def _at(self, place: int) -> Iterator[Said]:
        if place in self._items:
            yield from item_said(self._items[place])
        else:
            yield Said(role=Role.ASSISTANT, text="".join(self._begun[place]))

    def _note(self, response: object) -> None:
        name = response.get("id") if isinstance(response, Mapping) else None
        self._id = name if isinstance(name, str) else self._id


RESPONSES = Dialect(read=read, fold=ResponsesFold)
