"""Add words to a JSON text without touching any other byte of it."""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

Json: TypeAlias = dict[str, object]

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*+")


class Piece(NamedTuple):
    """A value, and where it stands in the text."""

    value: object
    start: int
    end: int


class Slot(NamedTuple):
    """A place for words in a JSON text, with what has to stand around them there."""

    at: int
    before: str = ""
    after: str = ""

    def filled(self, words: str) -> tuple[int, str]:
        # Escaped: it is the same text to every reader, and cannot fail for half a character.
        return self.at, f"{self.before}{json.dumps(words)[1:-1]}{self.after}"


def document(text: str) -> dict[str, Piece]:
    """The members of the object that a text is, the last one where a name comes twice; ValueError if it is none."""
    start = _after_space(text, 0)
    if text[start : start + 1] != "{":
        raise ValueError("not a JSON object")
    found, end = _members(text, start)
    if _after_space(text, end) != len(text):
        raise ValueError("more than a JSON object")
    return found


def members(text: str, start: int) -> dict[str, Piece]:
    """The members of the object that begins here."""
    return _members(text, start)[0]


def elements(text: str, start: int) -> list[Piece]:
    """The elements of the list that begins here."""
    found: list[Piece] = []
    at = _after_space(text, start + 1)
    while text[at : at + 1] != "]":
        value, end = _DECODER.raw_decode(text, at)
        found.append(Piece(value, at, end))
        at = _next(text, end, "]")
    return found


def spliced(text: str, additions: Iterable[tuple[int, str]]) -> str:
    parts: list[str] = []
    last = 0
    for at, words in sorted(additions):
        parts += (text[last:at], words)
        last = at
    return "".join([*parts, text[last:]])


def _members(text: str, start: int) -> tuple[dict[str, Piece], int]:
    found: dict[str, Piece] = {}
    at = _after_space(text, start + 1)
    while text[at : at + 1] != "}":
        key, end = _DECODER.raw_decode(text, at)
        colon = _after_space(text, end)
        if not isinstance(key, str) or text[colon : colon + 1] != ":":
            raise ValueError("a member without a name")
        begun = _after_space(text, colon + 1)
        value, end = _DECODER.raw_decode(text, begun)
        found[key] = Piece(value, begun, end)
        at = _next(text, end, "}")
    return found, at + 1


def _next(text: str, end: int, closing: str) -> int:
    """Where the next thing of a list or object begins, or where it closes."""
    at = _after_space(text, end)
    if text[at : at + 1] == closing:
        return at
    if text[at : at + 1] != ",":
        raise ValueError("a comma is missing")
    at = _after_space(text, at + 1)
    if text[at : at + 1] == closing:
        raise ValueError("nothing after a comma")
    return at


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
