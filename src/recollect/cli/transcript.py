"""Reads a file of messages: JSON Lines or one JSON array."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from recollect.domain.message import MessageDraft
from recollect.errors import InvalidInput
from recollect.serialization import parsers


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEntry:
    location: str  #: position in the file, for messages to the user
    chat: str
    draft: MessageDraft


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """
    Iterable over the messages of a file, in order; can be iterated more than once.

    A message without an id gets a hash of its chat, position and text: the same file yields the same ids, also after
    lines were appended to it.
    """

    path: Path
    chat: str | None = None

    def __iter__(self) -> Iterator[TranscriptEntry]:
        for location, number, raw in self._read_records():
            yield self._parse_entry(location, number, raw)

    def _read_records(self) -> Iterator[tuple[str, int, str]]:
        try:
            with self.path.open("rb") as file:
                start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
                file.seek(0)
                if start.startswith(b"["):
                    yield from self._read_items(file.read())
                else:
                    yield from self._read_lines(file)
        except OSError as error:
            raise InvalidInput(
                f"Cannot read {self.path}: {error.strerror}. Give a file with one JSON message per line."
            ) from error

    def _read_lines(self, file: Iterable[bytes]) -> Iterator[tuple[str, int, str]]:
        for number, line in enumerate(file, start=1):
            text = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
            if text:
                yield f"line {number}", number, text

    def _read_items(self, content: bytes) -> Iterator[tuple[str, int, str]]:
        items = _parse_json(content.decode("utf-8-sig", "replace"), str(self.path))
        assert isinstance(items, list)
        for number, item in enumerate(items, start=1):
            yield f"item {number}", number, json.dumps(item, ensure_ascii=True, sort_keys=True)

    def _parse_entry(self, location: str, number: int, raw: str) -> TranscriptEntry:
        location_in_file = f"{location} of {self.path}"
        message = _parse_json(raw, location_in_file)
        if not isinstance(message, Mapping):
            raise InvalidInput(
                f"{location_in_file} is not a message. A message is an object with role and content."
            )
        chat = str(message.get("chat_id") or self.chat or self.path.stem)
        try:
            draft = parsers.parse_message(message)
        except InvalidInput as error:
            raise type(error)(f"{location_in_file}: {error}") from error
        return TranscriptEntry(
            location=location,
            chat=chat,
            draft=draft if draft.client_id else replace(draft, client_id=_make_client_id(chat, number, raw)),
        )


def _parse_json(text: str, location: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{location} is not valid JSON: {error}. Nothing was stored.") from error
    except RecursionError as error:
        raise InvalidInput(f"{location} is nested too deeply. Nothing was stored.") from error


def _make_client_id(chat: str, number: int, raw: str) -> str:
    digest = hashlib.blake2b(f"{chat}\n{number}\n{raw}".encode("utf-8", "surrogatepass"), digest_size=16)
    return f"file-{digest.hexdigest()}"
