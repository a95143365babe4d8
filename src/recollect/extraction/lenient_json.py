"""Parse JSON as language models write it: in fences and prose, with trailing commas, or truncated."""

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

#: A value, and whether it is complete.
ParsedValue: TypeAlias = tuple[object, bool]

_MAX_DEPTH = 24
#: Maximum number of opening brackets that are tried; each costs at most one scan of the rest.
_MAX_ATTEMPTS = 64
_OPENING_BRACKET_PATTERN = re.compile(r"[\[{]")
_WHITESPACE_PATTERN = re.compile(r"\s*")
_SEPARATOR_PATTERN = re.compile(r"[\s,]*")
_BARE_KEY_PATTERN = re.compile(r"[\w$-]{1,64}")
_SCALAR_PATTERN = re.compile(r"[\w.+-]{1,64}")
_STRING_TEXT_PATTERN = re.compile(r"[^\"'”\\]*")
_AFTER_STRING_PATTERN = re.compile(r"\s*(?:[,:}\]]|\Z)")
_CLOSING_QUOTES = {'"': '"', "'": "'", "“": "”"}
_ESCAPE_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LITERALS: dict[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nan": None,
    "infinity": None,
    "-infinity": None,
}


def parse_values(text: str) -> Iterator[ParsedValue]:
    """
    Yield every list and object in a text, in order, and whether it is complete.

    Text that is not JSON is skipped; a truncated value has its complete items. The last of duplicate keys wins, and
    NaN becomes None.
    """
    try:
        whole = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        yield from _scan_values(text)
    else:
        if isinstance(whole, dict | list):
            yield whole, True


def _scan_values(text: str) -> Iterator[ParsedValue]:
    reader = _LenientReader(text)
    position = 0
    for _ in range(_MAX_ATTEMPTS):
        opening = _OPENING_BRACKET_PATTERN.search(text, position)
        if opening is None:
            return
        reader.position = position = opening.start()
        try:
            parsed_value = reader.read_value(0)
        except _InvalidJsonError:
            position += 1
        else:
            position = reader.position
            yield parsed_value


class _InvalidJsonError(Exception):
    """The text at this position is not JSON, even by the lenient grammar."""


class _LenientReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self.position = 0

    def read_value(self, depth: int) -> ParsedValue:
        if depth > _MAX_DEPTH:
            raise _InvalidJsonError
        match self._peek():
            case "{":
                return self._read_object(depth)
            case "[":
                return self._read_list(depth)
            case "":
                return None, False
            case character if character in _CLOSING_QUOTES:
                return self._read_string()
            case _:
                return self._read_scalar()

    def _read_object(self, depth: int) -> ParsedValue:
        members: dict[str, object] = {}
        self.position += 1
        while True:
            self._skip(_SEPARATOR_PATTERN)
            match self._peek():
                case "}":
                    self.position += 1
                    return members, True
                case "":
                    return members, False
            key, complete = self._read_key()
            self._skip(_WHITESPACE_PATTERN)
            if not complete or not self._peek():
                return members, False
            self._expect(":")
            self._skip(_WHITESPACE_PATTERN)
            value, complete = self.read_value(depth + 1)
            if complete or isinstance(value, dict | list):
                members[key] = value
            if not complete:
                return members, False
            self._expect_separator("}")

    def _read_list(self, depth: int) -> ParsedValue:
        items: list[object] = []
        self.position += 1
        while True:
            self._skip(_SEPARATOR_PATTERN)
            match self._peek():
                case "]":
                    self.position += 1
                    return items, True
                case "":
                    return items, False
            value, complete = self.read_value(depth + 1)
            if not complete:
                return items, False
            items.append(value)
            self._expect_separator("]")

    def _read_key(self) -> tuple[str, bool]:
        if self._peek() in _CLOSING_QUOTES:
            key, complete = self._read_string()
            return str(key), complete
        return self._take(_BARE_KEY_PATTERN), True

    def _read_string(self) -> ParsedValue:
        closing = _CLOSING_QUOTES[self._peek()]
        self.position += 1
        parts: list[str] = []
        while True:
            parts.append(self._take(_STRING_TEXT_PATTERN))
            character = self._peek()
            if not character:
                return None, False
            self.position += 1
            if character == "\\":
                parts.append(self._read_escape())
            # A quote ends the string only before a separator; others are unescaped quotes inside the text.
            elif character == closing and _AFTER_STRING_PATTERN.match(self._text, self.position):
                return "".join(parts), True
            else:
                parts.append(character)

    def _read_escape(self) -> str:
        character = self._peek()
        self.position += 1
        digits = self._text[self.position : self.position + 4]
        if (
            character == "u"
            and len(digits) == 4
            and all(digit in "0123456789abcdefABCDEF" for digit in digits)
        ):
            self.position += 4
            return chr(int(digits, 16))
        return _ESCAPE_CHARACTERS.get(character, character)

    def _read_scalar(self) -> ParsedValue:
        token = self._take(_SCALAR_PATTERN)
        # At the end of the text the number may be truncated: 12 of 120.
        complete = self.position < len(self._text)
        if token.lower() in _LITERALS:
            return _LITERALS[token.lower()], complete
        try:
            return float(token), complete
        except ValueError as error:
            raise _InvalidJsonError from error

    def _expect_separator(self, closing: str) -> None:
        self._skip(_WHITESPACE_PATTERN)
        if self._peek() not in {",", closing, ""}:
            raise _InvalidJsonError

    def _expect(self, character: str) -> None:
        if self._peek() != character:
            raise _InvalidJsonError
        self.position += 1

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self.position)
        if match is None:
            raise _InvalidJsonError
        self.position = match.end()
        return match.group()

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self.position)
        assert match is not None
        self.position = match.end()

    def _peek(self) -> str:
        return self._text[self.position : self.position + 1]
