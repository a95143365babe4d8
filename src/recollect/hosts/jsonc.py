"""
A parser of JSON with comments that keeps positions, so that a file can be edited without changing anything else in it.

It accepts what editors and agents accept in their settings: // and /* */ comments, and commas before a closing bracket.
"""

import re
from dataclasses import dataclass, field
from json import JSONDecodeError, JSONDecoder
from typing import Literal, TypeAlias

from recollect.errors import InvalidInput

JsonData: TypeAlias = "dict[str, JsonData] | list[JsonData] | str | int | float | bool | None"

#: Nesting of real settings is below 10; deeper input would exhaust the stack.
MAX_DEPTH = 100
_SPACE_PATTERN = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_SCALAR_PATTERN = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_DECODER = JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonNode:
    """A value with its place in the text."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    data: JsonData
    members: dict[str, "JsonNode"] = field(default_factory=dict)
    key_starts: dict[str, int] = field(default_factory=dict)  #: where each member begins, with its key
    items: tuple["JsonNode", ...] = ()


def parse_jsonc(text: str) -> JsonNode:
    """Return the document, or raise InvalidInput with the line of the first mistake."""
    node = _parse_value(text, _skip_space(text, 0), 0)
    if (end := _skip_space(text, node.end)) != len(text):
        raise _mistake(text, end, "text after the end")
    return node


def _parse_value(text: str, start: int, depth: int) -> JsonNode:
    if depth > MAX_DEPTH:
        raise _mistake(text, start, "too many nested brackets")
    match text[start : start + 1]:
        case "{":
            return _parse_object(text, start, depth)
        case "[":
            return _parse_array(text, start, depth)
        case '"':
            value, end = _parse_string(text, start)
            return JsonNode(kind="scalar", start=start, end=end, data=value)
    scalar = _SCALAR_PATTERN.match(text, start)
    if scalar is None:
        raise _mistake(text, start, "a value is missing")
    data: JsonData = _DECODER.decode(scalar.group())
    return JsonNode(kind="scalar", start=start, end=scalar.end(), data=data)


def _parse_object(text: str, start: int, depth: int) -> JsonNode:
    members: dict[str, JsonNode] = {}
    key_starts: dict[str, int] = {}
    position = _skip_space(text, start + 1)
    while text[position : position + 1] != "}":
        key_start = position
        key, position = _parse_string(text, position)
        position = _skip_space(text, position)
        if text[position : position + 1] != ":":
            raise _mistake(text, position, "a colon is missing")
        node = _parse_value(text, _skip_space(text, position + 1), depth + 1)
        members[key], key_starts[key] = node, key_start
        position = _skip_comma(text, node.end, "}")
    data: dict[str, JsonData] = {key: node.data for key, node in members.items()}
    return JsonNode(
        kind="object", start=start, end=position + 1, data=data, members=members, key_starts=key_starts
    )


def _parse_array(text: str, start: int, depth: int) -> JsonNode:
    items: list[JsonNode] = []
    position = _skip_space(text, start + 1)
    while text[position : position + 1] != "]":
        items.append(_parse_value(text, position, depth + 1))
        position = _skip_comma(text, items[-1].end, "]")
    data: list[JsonData] = [item.data for item in items]
    return JsonNode(kind="array", start=start, end=position + 1, data=data, items=tuple(items))


def _parse_string(text: str, start: int) -> tuple[str, int]:
    if text[start : start + 1] != '"':
        raise _mistake(text, start, "a quotation mark or closing bracket is missing")
    try:
        value, end = _DECODER.raw_decode(text, start)
    except JSONDecodeError as error:
        raise _mistake(text, start, "the string is not valid") from error
    return str(value), end


def _skip_comma(text: str, end: int, closing: str) -> int:
    position = _skip_space(text, end)
    following = text[position : position + 1]
    if following == ",":
        return _skip_space(text, position + 1)
    if following != closing:
        raise _mistake(text, position, "a comma or closing bracket is missing")
    return position


def _skip_space(text: str, start: int) -> int:
    match = _SPACE_PATTERN.match(text, start)
    return match.end() if match else start


def _mistake(text: str, position: int, problem: str) -> InvalidInput:
    line = text.count("\n", 0, position) + 1
    return InvalidInput(f"Line {line} is not valid JSON: {problem}. Correct the file first.")
