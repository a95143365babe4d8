"""
Incremental reading of JSON: an array element by element, JSON Lines line by line, an object as a whole.

An element of an array is parsed when it is complete in the buffer. While it is not, the buffer doubles, so that each
character is scanned at most about three times however large an element is. Memory holds one element, not the file.
After a syntax error inside an array the rest is not read, since where the next element begins is unknown; a malformed
line only loses that line.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from recollect.interchange.items import Omission, OmissionReason

#: Compacted histories of coding agents repeat the session and can be most of a file; they are not parsed.
SKIPPED_LINE = re.compile(r'\s*\{"timestamp": ?"[^"]*", ?(?:"ordinal": ?\d+, ?)?"type": ?"compacted"')
#: A syntax error this near to the end of the buffer may be a value that is not complete yet.
INCOMPLETE_TAIL_CHARS = 16
_SPACE = re.compile(r"[\s\ufeff]*")
_SEPARATOR = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A parsed value with its position in the file."""

    position: str
    value: object

    @property
    def fields(self) -> Mapping[str, object]:
        return self.value if isinstance(self.value, Mapping) else {}


def is_json(head: str) -> bool:
    """Whether a text that begins like this is meant as JSON; `[2026-03-01] - likes tea` is not."""
    start = _SPACE.match(head)
    text = head[start.end() :] if start else head
    return re.match(r'\{|\[\s*(?:[\[{\]"]|$)|"\{', text) is not None


def read_entries(chunks: Iterable[str]) -> Iterator[Entry | Omission]:
    """Yield the elements of an array, the lines of JSON Lines, or one object."""
    buffer = _Buffer(chunks)
    buffer.skip(_SPACE)
    if buffer.peek() == "[":
        buffer.position += 1
        yield from _read_array(buffer)
    else:
        yield from _read_lines(buffer.lines())


class _Buffer:
    """The part of a text that is not consumed yet."""

    def __init__(self, chunks: Iterable[str]) -> None:
        self._chunks = iter(chunks)
        self.text = ""
        self.position = 0
        self.is_complete = False  #: whether the end of the text is in the buffer

    def fill(self) -> None:
        """Drop what was consumed and read at least as much again."""
        parts, size = [self.text[self.position :]], 0
        wanted = max(1, len(parts[0]))
        while size < wanted:
            chunk = next(self._chunks, None)
            if chunk is None:
                self.is_complete = True
                break
            parts.append(chunk)
            size += len(chunk)
        self.text, self.position = "".join(parts), 0

    def skip(self, pattern: re.Pattern[str]) -> None:
        while True:
            match = pattern.match(self.text, self.position)
            self.position = match.end() if match else self.position
            if self.position < len(self.text) or self.is_complete:
                return
            self.fill()

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def lines(self) -> Iterator[str]:
        """Yield the remaining lines."""
        parts = [self.text[self.position :]]
        for chunk in chain(self._chunks, [None]):
            if chunk is None or "\n" in chunk:
                *lines, rest = ("".join(parts) + (chunk or "")).split("\n")
                yield from lines
                parts = [rest]
            else:
                parts.append(chunk)
        yield "".join(parts)


def _read_array(buffer: _Buffer) -> Iterator[Entry | Omission]:
    decoder, number = json.JSONDecoder(), 0
    while True:
        buffer.skip(_SEPARATOR)
        if buffer.peek() == "]":
            return
        number += 1
        position = f"element {number}"
        if not buffer.peek():
            yield Omission(reason=OmissionReason.TRUNCATED, position=position)
            return
        try:
            value, buffer.position = decoder.raw_decode(buffer.text, buffer.position)
        except json.JSONDecodeError as error:
            if _may_be_incomplete(error, buffer):
                buffer.fill()
                number -= 1
                continue
            reason = OmissionReason.TRUNCATED if buffer.is_complete else OmissionReason.MALFORMED_JSON
            if error.pos < len(buffer.text) - INCOMPLETE_TAIL_CHARS and not _is_open_string(error):
                reason = OmissionReason.MALFORMED_JSON
            yield Omission(reason=reason, position=position, detail=error.msg)
            return
        except (ValueError, RecursionError) as error:
            yield Omission(reason=OmissionReason.MALFORMED_JSON, position=position, detail=str(error)[:80])
            return
        yield Entry(position=position, value=value)


def _may_be_incomplete(error: json.JSONDecodeError, buffer: _Buffer) -> bool:
    near_end = error.pos >= len(buffer.text) - INCOMPLETE_TAIL_CHARS
    return not buffer.is_complete and (near_end or _is_open_string(error))


def _is_open_string(error: json.JSONDecodeError) -> bool:
    return error.msg.startswith("Unterminated string")


def _read_lines(lines: Iterator[str]) -> Iterator[Entry | Omission]:
    """Read JSON Lines; if neither of the first two lines is JSON, the text is one object over many lines."""
    first, second = next(lines, ""), next(lines, None)
    if isinstance(_parse(first, ""), Omission) and (
        second is None or not isinstance(_parse(second, ""), Entry) or not _parse_fields(second)
    ):
        rest = [first, *([] if second is None else [second]), *lines]
        yield _parse("\n".join(rest), "the file")
        return
    for number, line in enumerate(chain([first], [] if second is None else [second], lines), start=1):
        if line.strip() and not SKIPPED_LINE.match(line):
            yield _parse(line, f"line {number}")


def _parse_fields(line: str) -> bool:
    parsed = _parse(line, "")
    return isinstance(parsed, Entry) and bool(parsed.fields)


def _parse(text: str, position: str) -> Entry | Omission:
    try:
        return Entry(position=position, value=json.loads(text))
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(text.rstrip()) or _is_open_string(error)
        reason = OmissionReason.TRUNCATED if at_end else OmissionReason.MALFORMED_JSON
        place = position if error.lineno == 1 else f"{position}, line {error.lineno}"
        return Omission(reason=reason, position=place, detail=error.msg)
    except (ValueError, RecursionError) as error:
        return Omission(reason=OmissionReason.MALFORMED_JSON, position=position, detail=str(error)[:80])
