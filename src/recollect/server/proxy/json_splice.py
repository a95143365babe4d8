"""Add words to a JSON text without touching any other byte of it."""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

JsonDict: TypeAlias = dict[str, object]

_DECODER = json.JSONDecoder()
_WHITESPACE_PATTERN = re.compile(r"[ \t\n\r]*+")


class JsonSpan(NamedTuple):
    """A value, and where it stands in the text."""

    value: object
    start: int
    end: int


class InsertionPoint(NamedTuple):
    """A place for words in a JSON text, with what has to stand around them there."""

    offset: int
    prefix: str = ""
    suffix: str = ""

    def insertion(self, text: str) -> tuple[int, str]:
        # Escaped: it is the same text to every reader, and cannot fail for half a character.
        return self.offset, f"{self.prefix}{json.dumps(text)[1:-1]}{self.suffix}"


def parse_document(text: str) -> dict[str, JsonSpan]:
    """The members of the object that a text is, the last one where a name comes twice; ValueError if it is none."""
    start = _skip_whitespace(text, 0)
    if text[start : start + 1] != "{":
        raise ValueError("not a JSON object")
    object_members, end = _parse_members(text, start)
    if _skip_whitespace(text, end) != len(text):
        raise ValueError("more than a JSON object")
    return object_members


def parse_members(text: str, start: int) -> dict[str, JsonSpan]:
    """The members of the object that begins here."""
    return _parse_members(text, start)[0]


def parse_elements(text: str, start: int) -> list[JsonSpan]:
    """The elements of the list that begins here."""
    spans: list[JsonSpan] = []
    offset = _skip_whitespace(text, start + 1)
    while text[offset : offset + 1] != "]":
        value, end = _DECODER.raw_decode(text, offset)
        spans.append(JsonSpan(value, offset, end))
        offset = _skip_comma(text, end, "]")
    return spans


def splice(text: str, insertions: Iterable[tuple[int, str]]) -> str:
    parts: list[str] = []
    last = 0
    for offset, insertion in sorted(insertions):
        parts += (text[last:offset], insertion)
        last = offset
    return "".join([*parts, text[last:]])


def _parse_members(text: str, start: int) -> tuple[dict[str, JsonSpan], int]:
    object_members: dict[str, JsonSpan] = {}
    offset = _skip_whitespace(text, start + 1)
    while text[offset : offset + 1] != "}":
        key, end = _DECODER.raw_decode(text, offset)
        colon = _skip_whitespace(text, end)
        if not isinstance(key, str) or text[colon : colon + 1] != ":":
            raise ValueError("a member without a name")
        value_start = _skip_whitespace(text, colon + 1)
        value, end = _DECODER.raw_decode(text, value_start)
        object_members[key] = JsonSpan(value, value_start, end)
        offset = _skip_comma(text, end, "}")
    return object_members, offset + 1


def _skip_comma(text: str, end: int, closing: str) -> int:
    """Where the next thing of a list or object begins, or where it closes."""
    offset = _skip_whitespace(text, end)
    if text[offset : offset + 1] == closing:
        return offset
    if text[offset : offset + 1] != ",":
        raise ValueError("a comma is missing")
    offset = _skip_whitespace(text, offset + 1)
    if text[offset : offset + 1] == closing:
        raise ValueError("nothing after a comma")
    return offset


def _skip_whitespace(text: str, offset: int) -> int:
    match = _WHITESPACE_PATTERN.match(text, offset)
    return match.end() if match else offset
