"""Read JSON as language models write it: in fences and prose, with trailing commas, or cut off in the middle."""

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

#: A value, and whether its end was seen.
Read: TypeAlias = tuple[object, bool]

_DEEPEST = 24
#: How many brackets in prose are looked at; each costs one reading of the rest at most.
_TRIES = 64
_OPENING = re.compile(r"[\[{]")
_SPACE = re.compile(r"\s*")
_GAPS = re.compile(r"[\s,]*")
_KEY = re.compile(r"[\w$-]{1,64}")
_TOKEN = re.compile(r"[\w.+-]{1,64}")
_PLAIN = re.compile(r"[^\"'”\\]*")
_AFTER_STRING = re.compile(r"\s*(?:[,:}\]]|\Z)")
_CLOSING = {'"': '"', "'": "'", "“": "”"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS: dict[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nan": None,
    "infinity": None,
    "-infinity": None,
}


def values(text: str) -> Iterator[Read]:
    """
    Every list and object in a text, in order, and whether its end was seen. What is no JSON is passed over; of what
    was cut off, the complete items are there. Where a key comes twice the last one counts, and NaN is None.
    """
    try:
        whole = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        yield from _found(text)
    else:
        if isinstance(whole, dict | list):
            yield whole, True


def _found(text: str) -> Iterator[Read]:
    reader = _Reader(text)
    at = 0
    for _ in range(_TRIES):
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        reader.at = at = opening.start()
        try:
            found = reader.value(0)
        except _Broken:
            at += 1
        else:
            at = reader.at
            yield found


class _Broken(Exception):
    """This is no JSON, however kindly it is read."""


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def value(self, depth: int) -> Read:
        if depth > _DEEPEST:
            raise _Broken
        match self._peek():
            case "{":
                return self._object(depth)
            case "[":
                return self._list(depth)
            case "":
                return None, False
            case character if character in _CLOSING:
                return self._string()
            case _:
                return self._scalar()

    def _object(self, depth: int) -> Read:
        found: dict[str, object] = {}
        self.at += 1
        while True:
            self._skip(_GAPS)
            match self._peek():
                case "}":
                    self.at += 1
                    return found, True
                case "":
                    return found, False
            key, complete = self._key()
            self._skip(_SPACE)
            if not complete or not self._peek():
                return found, False
            self._expect(":")
            self._skip(_SPACE)
            value, complete = self.value(depth + 1)
            if complete or isinstance(value, dict | list):
                found[key] = value
            if not complete:
                return found, False
            self._separated("}")

    def _list(self, depth: int) -> Read:
        found: list[object] = []
        self.at += 1
        while True:
            self._skip(_GAPS)
            match self._peek():
                case "]":
                    self.at += 1
                    return found, True
                case "":
                    return found, False
            value, complete = self.value(depth + 1)
            if not complete:
                return found, False
            found.append(value)
            self._separated("]")

    def _key(self) -> tuple[str, bool]:
        if self._peek() in _CLOSING:
            key, complete = self._string()
            return str(key), complete
        return self._take(_KEY), True

    def _string(self) -> Read:
        closing = _CLOSING[self._peek()]
        self.at += 1
        parts: list[str] = []
        while True:
            parts.append(self._take(_PLAIN))
            character = self._peek()
            if not character:
                return None, False
            self.at += 1
            if character == "\\":
                parts.append(self._escaped())
            # A quotation mark in the middle of a sentence ends nothing: what stands behind it tells.
            elif character == closing and _AFTER_STRING.match(self._text, self.at):
                return "".join(parts), True
            else:
                parts.append(character)

    def _escaped(self) -> str:
        character = self._peek()
        self.at += 1
        digits = self._text[self.at : self.at + 4]
        if (
            character == "u"
            and len(digits) == 4
            and all(digit in "0123456789abcdefABCDEF" for digit in digits)
        ):
            self.at += 4
            return chr(int(digits, 16))
        return _ESCAPES.get(character, character)

    def _scalar(self) -> Read:
        token = self._take(_TOKEN)
        # 12 may have become 120.
        complete = self.at < len(self._text)
        if token.lower() in _WORDS:
            return _WORDS[token.lower()], complete
        try:
            return float(token), complete
        except ValueError as error:
            raise _Broken from error

    def _separated(self, closing: str) -> None:
        self._skip(_SPACE)
        if self._peek() not in {",", closing, ""}:
            raise _Broken

    def _expect(self, character: str) -> None:
        if self._peek() != character:
            raise _Broken
        self.at += 1

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self.at)
        if found is None:
            raise _Broken
        self.at = found.end()
        return found.group()

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self.at)
        assert found is not None
        self.at = found.end()

    def _peek(self) -> str:
        return self._text[self.at : self.at + 1]
