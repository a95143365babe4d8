r"""Inserts text into a JSON document without changing any other character of it.

Parsing and re-serializing a request would change whitespace, key order, number formats and escapes, and so the prefix
that providers use as the key of their prompt cache. Instead the document is scanned one level at a time:
`parse_members` and `parse_elements` return each value of an object or array with its start and end offsets
(`JsonSpan`), using `JSONDecoder.raw_decode`, and `splice` inserts escaped text at offsets (`InsertionPoint`).

Invariants: removing the insertions gives the original text. A valid document stays valid, since inserted text is
escaped as JSON and has its quotes, commas and braces in `prefix` and `suffix`. Of duplicate keys the last counts, as
in `json`. Offsets are characters of the decoded text, not bytes.

Cost: O(n) per scanned level; values below it are parsed by the C decoder, once per level. Insertion is one join.

Example: in {"content": "Hi"} the value's span is (12, 16). `InsertionPoint(15, r"\n\n")` is the offset of its closing
quote; inserting "Context" gives {"content": "Hi\n\nContext"}.
"""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

JsonDict: TypeAlias = dict[str, object]

_DECODER = json.JSONDecoder()
_WHITESPACE_PATTERN = re.compile(r"[ \t\n\r]*+")


class JsonSpan(NamedTuple):
    """A value and its offsets in the text."""

    value: object
    start: int
    end: int


class InsertionPoint(NamedTuple):
    """An offset in a JSON document, with the syntax needed before and after inserted text."""

    offset: int
    prefix: str = ""
    suffix: str = ""

    def insertion(self, text: str) -> tuple[int, str]:
        # ASCII escapes: lone surrogates could not be encoded as UTF-8.
        return self.offset, f"{self.prefix}{json.dumps(text)[1:-1]}{self.suffix}"


def parse_document(text: str) -> dict[str, JsonSpan]:
    """Return the members of the document's object, the last of duplicates; raise ValueError if it is not one."""
    start = _skip_whitespace(text, 0)
    if text[start : start + 1] != "{":
        raise ValueError("not a JSON object")
    object_members, end = _parse_members(text, start)
    if _skip_whitespace(text, end) != len(text):
        raise ValueError("text after the JSON object")
    return object_members


def parse_members(text: str, start: int) -> dict[str, JsonSpan]:
    """Return the members of the object that starts at `start`."""
    return _parse_members(text, start)[0]


def parse_elements(text: str, start: int) -> list[JsonSpan]:
    """Return the elements of the array that starts at `start`."""
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
            raise ValueError("object member without a key")
        value_start = _skip_whitespace(text, colon + 1)
        value, end = _DECODER.raw_decode(text, value_start)
        object_members[key] = JsonSpan(value, value_start, end)
        offset = _skip_comma(text, end, "}")
    return object_members, offset + 1


def _skip_comma(text: str, end: int, closing: str) -> int:
    """Return the offset of the next element, or of the closing bracket."""
    offset = _skip_whitespace(text, end)
    if text[offset : offset + 1] == closing:
        return offset
    if text[offset : offset + 1] != ",":
        raise ValueError("missing comma")
    offset = _skip_whitespace(text, offset + 1)
    if text[offset : offset + 1] == closing:
        raise ValueError("trailing comma")
    return offset


def _skip_whitespace(text: str, offset: int) -> int:
    match = _WHITESPACE_PATTERN.match(text, offset)
    return match.end() if match else offset
