"""Anthropic's messages."""

import json
from collections.abc import Iterator, Mapping

from recollect.domain.message import Role
from recollect.server.proxy.dialects.content_parts import (
    Dialect,
    calls_json,
    ids_of,
    is_words,
    listed,
    messages_in,
    place_of,
    text_of,
    user_in,
    user_said,
)
from recollect.server.proxy.json_splice import Json, Piece, document
from recollect.server.proxy.request_view import Asked, Said

#: What a coding agent says to its model in the user's name.
REMINDER = "<system-reminder>"


def read(text: str) -> Asked:
    top = document(text)
    said = [each for piece in messages_in(text, top) for each in _said(text, piece)]
    user, session = _named(user_in(top))
    return Asked(
        said=tuple(said),
        system=text_of(top["system"].value) if "system" in top else "",
        user=user,
        cache_key=session,
    )


def _named(told: str | None) -> tuple[str | None, str | None]:
    """Coding agents put a session beside the account: that names a conversation, and nobody's memory."""
    if told is None:
        return None, None
    _, mark, session = told.rpartition("_session_")
    if mark:
        return None, session
    try:
        given = json.loads(told) if told.startswith("{") else {}
    except (ValueError, RecursionError):
        given = {}
    session = given.get("session_id", "") if isinstance(given, dict) else ""
    return (None, session) if isinstance(session, str) and session else (told, None)


def _said(text: str, piece: Piece) -> Iterator[Said]:
    message = piece.value if isinstance(piece.value, dict) else {}
    content = message.get("content")
    if message.get("role") == "assistant":
        yield assistant_said(content)
        return
    for block in listed(content):
        if block.get("type") == "tool_result":
            yield Said(
                role=Role.TOOL, text=text_of(block.get("content")), call_ids=ids_of([block], "tool_use_id")
            )
    wrote = _own_words(content)
    if wrote or not any(block.get("type") == "tool_result" for block in listed(content)):
        yield user_said(text, piece, words=wrote)


def _own_words(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (str(block["text"]) for block in listed(content) if is_words(block))
    return "\n".join(text for text in texts if not text.lstrip().startswith(REMINDER))


def assistant_said(content: object) -> Said:
    calls = [block for block in listed(content) if block.get("type") == "tool_use"]
    return Said(
        role=Role.ASSISTANT,
        text=text_of(content),
        tool_calls=calls_json(calls),
        call_ids=ids_of(calls, "id"),
    )


class AnthropicFold:
    def __init__(self) -> None:
        self._blocks: dict[int, Json] = {}

    @property
    def response_id(self) -> str | None:
        return None

    def event(self, event: Json) -> None:
        place, block, delta = place_of(event.get("index")), event.get("content_block"), event.get("delta")
        match event.get("type"):
            case "content_block_start" if isinstance(block, dict):
                self._blocks[place] = dict(block)
            case "content_block_delta" if isinstance(delta, dict) and place in self._blocks:
                _extend(self._blocks[place], delta)
            case _:
                pass

    def whole(self, answer: Json) -> None:
        self._blocks = {place: dict(block) for place, block in enumerate(listed(answer.get("content")))}

    def said(self) -> tuple[Said, ...]:
        return (assistant_said([_finished(block) for block in self._blocks.values()]),)


def _extend(block: Json, delta: Mapping[str, object]) -> None:
    for name, more in (("text", delta.get("text")), ("partial_json", delta.get("partial_json"))):
        if isinstance(more, str):
            block[name] = f"{block.get(name, '')}{more}"


def _finished(block: Json) -> Json:
    """What a tool is called with comes as pieces of JSON; if it broke off, as far as it came."""
    if "partial_json" not in block:
        return block
    written = str(block["partial_json"])
    try:
        given = json.loads(written)
    except (ValueError, RecursionError):
        given = written
    return {**{key: value for key, value in block.items() if key != "partial_json"}, "input": given}


ANTHROPIC = Dialect(read=read, fold=AnthropicFold, service="anthropic")
