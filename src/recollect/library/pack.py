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
from recollect.bootstrap import Application
from recollect.domain.extraction import Extraction
from recollect.domain.memory import ChangeKind, Memory
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Profile, Summary
from recollect.errors import InvalidInput, NotFound
from recollect.ports.store import NO_LIMIT
from recollect.serialization.parsers import MAX_TIMESTAMP, MIN_TIMESTAMP

#: Format version; readers reject unknown versions.
PACK_FORMAT = 1
#: The parts in the order they are written and read: referenced parts come first.
PACK_PARTS = (
    *("chats", "messages", "judgements", "memories", "summaries", "contexts"),
    *("consents", "profile", "preferences", "tombstones"),
)
MAX_INTEGER = 2**53
PartValue = TypeVar("PartValue")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedChat:
    id: str
    created_at: datetime
    title: str | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedExtraction:
    message_id: str
    judgement: Extraction


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedVersion:
    change: ChangeKind
    memory: Memory
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedMemory:
    """A memory with all its versions, oldest first; the last is the current one."""

    id: str
    versions: tuple[PackedVersion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedConsent:
    category: str
    granted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedPreference:
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedTombstone:
    fact_hash: str
    buried_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """The contents of a pack, by part."""

    chats: tuple[PackedChat, ...] = ()
    messages: tuple[Message, ...] = ()
    judgements: tuple[PackedExtraction, ...] = ()
    memories: tuple[PackedMemory, ...] = ()
    summaries: tuple[Summary, ...] = ()
    contexts: tuple[ContextFile, ...] = ()
    consents: tuple[PackedConsent, ...] = ()
    profile: tuple[Profile, ...] = ()  #: at most one, and only with consent
    preferences: tuple[PackedPreference, ...] = ()
    tombstones: tuple[PackedTombstone, ...] = ()


PART_TYPES: Mapping[str, type] = {
    "chats": PackedChat,
    "messages": Message,
    "judgements": PackedExtraction,
    "memories": PackedMemory,
    "summaries": Summary,
    "contexts": ContextFile,
    "consents": PackedConsent,
    "profile": Profile,
    "preferences": PackedPreference,
    "tombstones": PackedTombstone,
}


def write_pack(application: Application, user: str) -> Iterator[str]:
    """Yield a user's pack line by line, without search indexes, receipts and jobs, which are recreated."""
    pack = collect_pack(application, user)
    parts = {part: [_serialize_line(part, value) for value in getattr(pack, part)] for part in PACK_PARTS}
    manifest = {
        "recollect": PACK_FORMAT,
        "version": __version__,
        "user": user,
        "created_at": application.clock.now().isoformat(timespec="milliseconds"),
        "parts": {part: {"lines": len(lines), "sha256": _hash_lines(lines)} for part, lines in parts.items()},
    }
    yield json.dumps(manifest, ensure_ascii=False) + "\n"
    for lines in parts.values():
        yield from lines


def collect_pack(application: Application, user: str) -> Pack:
    store, scope = application.store, Scope(user)
    messages = tuple(store.messages.list(scope, limit=NO_LIMIT))
    extractions = ((message.id, store.extractions.get(scope, message.id)) for message in messages)
    profile = store.profiles.get(scope)
    return Pack(
        chats=tuple(
            PackedChat(
                id=chat.id,
                title=chat.title,
                created_at=chat.created_at,
                mode=store.chats.mode(Scope(user, chat.id)),
            )
            for chat in reversed(store.chats.list(scope, limit=NO_LIMIT))
        ),
        messages=messages,
        judgements=tuple(PackedExtraction(message_id=name, judgement=j) for name, j in extractions if j),
        memories=tuple(
            _pack_memory(application, scope, memory)
            for memory in reversed(store.memories.list(scope, limit=NO_LIMIT, status=None))
        ),
        summaries=tuple(reversed(store.summaries.list(scope, limit=NO_LIMIT))),
        contexts=tuple(store.context_files.list(scope)),
        consents=tuple(PackedConsent(category=c, granted=g) for c, g in store.consents.all(scope).items()),
        profile=(profile,) if profile else (),
        preferences=tuple(
            PackedPreference(name=n, value=v) for n, v in application.preferences(user).items()
        ),
        tombstones=tuple(
            PackedTombstone(fact_hash=h, buried_at=at) for h, at in store.tombstones.all(user).items()
        ),
    )


def _pack_memory(application: Application, scope: Scope, memory: Memory) -> PackedMemory:
    versions = []
    for line in application.store.memories.history(scope, memory.id):
        try:
            version_memory = application.store.memories.at_version(scope, memory.id, line.version)
        except NotFound:
            # Stored before versions were kept in full.
            continue
        versions.append(PackedVersion(change=line.change, reason=line.reason, memory=version_memory))
    if not versions or versions[-1].memory.version != memory.version:
        versions.append(PackedVersion(change=ChangeKind.UPDATE, memory=memory))
    versions[-1] = PackedVersion(change=versions[-1].change, reason=versions[-1].reason, memory=memory)
    return PackedMemory(id=memory.id, versions=tuple(versions))


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
        return f"{'.'.join(map(str, first_error['loc']))}: {first_error['msg']}"
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
