"""The pack format: all data of a user as JSON Lines, with a manifest line that holds a hash per part."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from math import isfinite
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from recollect import __version__
from recollect.domain.memory import Memory
from recollect.domain.message import Message
from recollect.domain.summary import ContextFile, Profile, Summary
from recollect.domain.timestamps import MAX_TIMESTAMP, MIN_TIMESTAMP
from recollect.errors import InvalidInput
from recollect.interchange.pack import (
    Pack,
    PackedChat,
    PackedConsent,
    PackedExtraction,
    PackedMemory,
    PackedPreference,
    PackedTombstone,
)

#: Format version; readers reject unknown versions.
PACK_FORMAT = 1
#: The parts in the order they are written and read: referenced parts come first.
PACK_PARTS = (
    *("chats", "messages", "extractions", "memories", "summaries", "context_files"),
    *("consents", "profile", "preferences", "tombstones"),
)
MAX_INTEGER = 2**53
PartValue = TypeVar("PartValue")
PART_TYPES: Mapping[str, type] = {
    "chats": PackedChat,
    "messages": Message,
    "extractions": PackedExtraction,
    "memories": PackedMemory,
    "summaries": Summary,
    "context_files": ContextFile,
    "consents": PackedConsent,
    "profile": Profile,
    "preferences": PackedPreference,
    "tombstones": PackedTombstone,
}


def format_pack(pack: Pack, *, user: str, created_at: datetime) -> Iterator[str]:
    """Yield the lines of a pack: the manifest, then every part."""
    parts = {part: [_serialize_line(part, value) for value in getattr(pack, part)] for part in PACK_PARTS}
    manifest = {
        "recollect": PACK_FORMAT,
        "version": __version__,
        "user": user,
        "created_at": created_at.isoformat(timespec="milliseconds"),
        "parts": {part: {"lines": len(lines), "sha256": _hash_lines(lines)} for part, lines in parts.items()},
    }
    yield json.dumps(manifest, ensure_ascii=False) + "\n"
    for lines in parts.values():
        yield from lines


@dataclass(frozen=True, slots=True)
class _Codec(Generic[PartValue]):
    """Serializes the values of one part as JSON, and parses them with validation."""

    adapter: TypeAdapter[PartValue]

    def write(self, value: PartValue) -> object:
        return self.adapter.dump_python(value, mode="json")

    def read(self, data: object) -> PartValue:
        value = self.adapter.validate_python(data)
        _validate(value)
        return value


@cache
def _codec(part: str) -> _Codec[object]:
    return _Codec(TypeAdapter(PART_TYPES[part]))


def _serialize_line(part: str, value: object) -> str:
    serialized = _codec(part).write(value)
    return json.dumps({"part": part, "value": serialized}, ensure_ascii=False, separators=(",", ":")) + "\n"


def _hash_lines(lines: Sequence[str]) -> str:
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def parse_pack(text: str) -> Pack:
    """Parse a pack, or raise InvalidInput: an unknown format, a damaged part, an invalid line."""
    first, *lines = text.splitlines(keepends=True) or [""]
    manifest = _parse_manifest(first)
    parts: dict[str, list[str]] = {part: [] for part in PACK_PARTS}
    values: dict[str, list[object]] = {part: [] for part in PACK_PARTS}
    for number, line in enumerate(lines, start=2):
        if line.strip():
            part, value = _parse_line(line, number)
            parts[part].append(line)
            values[part].append(value)
    for part, part_values in parts.items():
        if not _is_intact(manifest.get(part), part_values):
            raise InvalidInput(f"The part {part} of this pack is damaged or incomplete. Export it again.")
    return Pack(**{part: tuple(part_values) for part, part_values in values.items()})  # type: ignore[arg-type]


def _parse_manifest(line: str) -> Mapping[str, object]:
    manifest = _parse_object(line, 1)
    if manifest.get("recollect") != PACK_FORMAT:
        raise InvalidInput(
            f"This is not a recollect pack of format {PACK_FORMAT}. `recollect export` writes one."
        )
    parts = manifest.get("parts")
    if not isinstance(parts, dict):
        raise InvalidInput("The manifest of this pack names no parts. Export it again.")
    return parts


def _is_intact(manifest_entry: object, lines: Sequence[str]) -> bool:
    if not isinstance(manifest_entry, dict):
        return not lines
    return manifest_entry.get("lines") == len(lines) and manifest_entry.get("sha256") == _hash_lines(lines)


def _parse_line(line: str, number: int) -> tuple[str, object]:
    data = _parse_object(line, number)
    part = data.get("part")
    if part not in PACK_PARTS:
        raise InvalidInput(f"Line {number} of the pack belongs to an unknown part. Export it again.")
    assert isinstance(part, str)
    try:
        return part, _codec(part).read(data.get("value"))
    except (ValidationError, ValueError) as error:
        raise InvalidInput(
            f"Line {number} of the pack is not a valid entry of {part}: {_first_error_message(error)}."
        ) from error


def _parse_object(line: str, number: int) -> dict[str, object]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"Line {number} of the pack is not valid JSON.") from error
    if not isinstance(data, dict):
        raise InvalidInput(f"Line {number} of the pack is not a JSON object.")
    return data


def _first_error_message(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        first_error = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first_error['loc']))}: {first_error['msg'].removeprefix('Value error, ')}"
    return str(error)


def _validate(value: object) -> None:
    """Check what types alone do not: timezone-aware times, and numbers and texts that a database can store."""
    if complaint := _validation_error(value):
        raise ValueError(complaint)
    for part in _child_values(value):
        _validate(part)


def _validation_error(value: object) -> str | None:
    complaint = None
    match value:
        case datetime() if value.tzinfo is None or not MIN_TIMESTAMP <= value <= MAX_TIMESTAMP:
            complaint = "a time needs a timezone and a year from 2 to 9998"
        case int() if abs(value) > MAX_INTEGER:
            complaint = "a number is too large"
        case float() if not isfinite(value):
            complaint = "a number is not finite"
        case str() if any("\ud800" <= c <= "\udfff" for c in value):
            complaint = "a text contains a lone surrogate"
        case Memory(weight=weight) if not 0 <= weight <= 1:
            complaint = "a weight must be from 0 to 1"
        case Message(importance=int(importance)) if not 0 <= importance <= 100:
            complaint = "an importance must be from 0 to 100"
        case PackedMemory(versions=()):
            complaint = "a memory needs a version"
    return complaint


def _child_values(value: object) -> Iterator[object]:
    match value:
        case Mapping():
            yield from (*value.keys(), *value.values())
        case tuple() | list():
            yield from value
        case _ if is_dataclass(value):
            yield from (getattr(value, each.name) for each in fields(value))
