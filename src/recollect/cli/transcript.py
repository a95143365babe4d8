"""Reads a file of messages: one JSON object a line, or one JSON list."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from recollect.domain.message import Draft
from recollect.errors import InvalidInput
from recollect.serialization import parsers


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    place: str  #: where it stands in the file, for people
    chat: str
    draft: Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """
    The messages of a file, in order; may be read more than once.

    A message without an id gets one made of its chat, its place and its text: the same file gives the same ids, also
    after more was appended to it.
    """

    path: Path
    chat: str | None = None

    def __iter__(self) -> Iterator[Entry]:
        for place, number, raw in self._pieces():
            yield self._entry(place, number, raw)

    def _pieces(self) -> Iterator[tuple[str, int, str]]:
        try:
            with self.path.open("rb") as file:
                start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
                file.seek(0)
                if start.startswith(b"["):
                    yield from self._items(file.read())
                else:
                    yield from self._lines(file)
        except OSError as error:
            raise InvalidInput(
                f"{self.path} cannot be read: {error.strerror}. Name a file with one JSON message a line."
            ) from error

    def _lines(self, file: Iterable[bytes]) -> Iterator[tuple[str, int, str]]:
        for number, line in enumerate(file, start=1):
            text = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
            if text:
                yield f"line {number}", number, text

    def _items(self, content: bytes) -> Iterator[tuple[str, int, str]]:
        listed = _parsed(content.decode("utf-8-sig", "replace"), str(self.path))
        assert isinstance(listed, list)
        for number, item in enumerate(listed, start=1):
            yield f"item {number}", number, json.dumps(item, ensure_ascii=True, sort_keys=True)

    def _entry(self, place: str, number: int, raw: str) -> Entry:
        where = f"{place} of {self.path}"
        message = _parsed(raw, where)
        if not isinstance(message, Mapping):
            raise InvalidInput(f"{where} is no message. A message is an object with role and content.")
        chat = str(message.get("chat_id") or self.chat or self.path.stem)
        try:
            draft = parsers.draft(message)
        except InvalidInput as error:
            raise type(error)(f"{where}: {error}") from error
        return Entry(
            place=place,
            chat=chat,
            draft=draft if draft.client_id else replace(draft, client_id=_name(chat, number, raw)),
        )


def _parsed(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{where} is no valid JSON: {error}. Correct it; nothing was stored.") from error
    except RecursionError as error:
        raise InvalidInput(f"{where} is nested too deeply to be a message.") from error


def _name(chat: str, number: int, raw: str) -> str:
    digest = hashlib.blake2b(f"{chat}\n{number}\n{raw}".encode("utf-8", "surrogatepass"), digest_size=16)
    return f"file-{digest.hexdigest()}"
