"""What the dialects have in common."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from recollect.domain.message import Role
from recollect.server.proxy.json_splice import Json, Piece, Slot, elements, members
from recollect.server.proxy.request_view import Asked, Said

#: Parts of a message that hold words somebody wrote.
WORDS = frozenset({"text", "input_text", "output_text"})
SYSTEM = frozenset({"system", "developer"})


class Fold(Protocol):
    """Gathers an answer while it passes."""

    def event(self, event: Json) -> None:
        """One event of a stream."""

    def whole(self, answer: Json) -> None:
        """An answer that came at once."""

    def said(self) -> tuple[Said, ...]:
        """What was said so far."""

    @property
    def response_id(self) -> str | None:
        """The name by which a client can go on from here, where the provider keeps what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    read: Callable[[str], Asked]  #: ValueError if it is not in the dialect
    fold: Callable[[], Fold]
    service: Literal["openai", "anthropic"] = "openai"


def text_of(content: object) -> str:
    """Text as it is; of a list of parts those with words."""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in _parts(content) if is_words(part))


def is_words(part: Mapping[str, object]) -> bool:
    return str(part.get("type")) in WORDS and isinstance(part.get("text"), str)


def _parts(content: object) -> Iterator[Mapping[str, object]]:
    if isinstance(content, Sequence) and not isinstance(content, str):
        yield from (part for part in content if isinstance(part, Mapping))


def slot_in(text: str, content: Piece, kind: str = "text") -> Slot | None:
    """The place after the words of a message: at the end of a text, or one more part of a list."""
    if isinstance(content.value, str):
        return Slot(content.end - 1, "\\n\\n")
    if not isinstance(content.value, list):
        return None
    parts = elements(text, content.start)
    at = parts[-1].end if parts else content.start + 1
    return Slot(at, f'{"," if parts else ""}{{"type":"{kind}","text":"', '"}')


def user_said(text: str, message: Piece, *, words: str | None = None, kind: str = "text") -> Said:
    """What the user wrote, with a place for what is recalled if they wrote anything."""
    content = members(text, message.start).get("content")
    wrote = words if words is not None else text_of(content.value if content else None)
    slot = slot_in(text, content, kind) if content and wrote.strip() else None
    return Said(role=Role.USER, text=wrote, slot=slot)


def calls_json(calls: Sequence[object]) -> str | None:
    return json.dumps(calls) if calls else None


def ids_of(calls: object, name: str) -> tuple[str, ...]:
    return tuple(value for each in _parts(calls) if isinstance(value := each.get(name), str))


def listed(value: object) -> list[Mapping[str, object]]:
    return list(_parts(value))


def place_of(value: object) -> int:
    """Where a piece of an answer belongs; the first place if that is not said."""
    return value if isinstance(value, int) else 0


def name_in(top: Mapping[str, Piece], *names: str) -> str | None:
    """The first of these members that is a text with something in it."""
    values = (top[name].value for name in names if name in top)
    return next((value for value in values if isinstance(value, str) and value.strip()), None)


def user_in(top: Mapping[str, Piece]) -> str | None:
    """Whom a client asks for: it says so in one of three places."""
    named = name_in(top, "safety_identifier", "user")
    metadata = top["metadata"].value if "metadata" in top else None
    told = metadata.get("user_id") if isinstance(metadata, Mapping) else None
    return named or (told if isinstance(told, str) and told.strip() else None)


def messages_in(text: str, top: Mapping[str, Piece], name: str = "messages") -> list[Piece]:
    """The messages of a request; ValueError if it has none."""
    if name not in top or not isinstance(top[name].value, list):
        raise ValueError(f"no {name}")
    return [each for each in elements(text, top[name].start) if isinstance(each.value, dict)]
