"""Everything about a user in one text: a manifest with the hash of each part, then a JSON object a line."""

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
from recollect.bootstrap import Runtime
from recollect.domain.extraction import Judgement
from recollect.domain.memory import Change, Memory
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Profile, Summary
from recollect.errors import InvalidInput, NotFound
from recollect.ports.store import ALL
from recollect.serialization.parsers import EARLIEST, LATEST

#: The format's number: a reader that does not know it does not guess.
FORMAT = 1
#: The parts in the order they are written and read: what others rest on comes first.
PARTS = (
    *("chats", "messages", "judgements", "memories", "summaries", "contexts"),
    *("consents", "profile", "preferences", "tombstones"),
)
LARGEST_NUMBER = 2**53
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedChat:
    id: str
    created_at: datetime
    title: str | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedJudgement:
    message_id: str
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedVersion:
    change: Change
    memory: Memory
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedMemory:
    """A memory with everything it ever was, oldest first; the last is what it is."""

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
    """What a pack holds, by part."""

    chats: tuple[PackedChat, ...] = ()
    messages: tuple[Message, ...] = ()
    judgements: tuple[PackedJudgement, ...] = ()
    memories: tuple[PackedMemory, ...] = ()
    summaries: tuple[Summary, ...] = ()
    contexts: tuple[ContextFile, ...] = ()
    consents: tuple[PackedConsent, ...] = ()
    profile: tuple[Profile, ...] = ()  #: one, and only with consent
    preferences: tuple[PackedPreference, ...] = ()
    tombstones: tuple[PackedTombstone, ...] = ()


KINDS: Mapping[str, type] = {
    "chats": PackedChat,
    "messages": Message,
    "judgements": PackedJudgement,
    "memories": PackedMemory,
    "summaries": Summary,
    "contexts": ContextFile,
    "consents": PackedConsent,
    "profile": Profile,
    "preferences": PackedPreference,
    "tombstones": PackedTombstone,
}


def packed(runtime: Runtime, user: str) -> Iterator[str]:
    """A user's memory, line by line. Search indexes, receipts and queued work are not in it: they are made anew."""
    gathered = gather(runtime, user)
    parts = {part: [_line(part, value) for value in getattr(gathered, part)] for part in PARTS}
    manifest = {
        "recollect": FORMAT,
        "version": __version__,
        "user": user,
        "created_at": runtime.engine.clock.now().isoformat(timespec="milliseconds"),
        "parts": {part: {"lines": len(lines), "sha256": _hash(lines)} for part, lines in parts.items()},
    }
    yield json.dumps(manifest, ensure_ascii=False) + "\n"
    for lines in parts.values():
        yield from lines


def gather(runtime: Runtime, user: str) -> Pack:
    store, scope = runtime.store, Scope(user)
    messages = tuple(store.messages.list(scope, limit=ALL))
    judged = ((message.id, store.judgements.get(scope, message.id)) for message in messages)
    profile = store.profiles.get(scope)
    return Pack(
        chats=tuple(
            PackedChat(
                id=chat.id,
                title=chat.title,
                created_at=chat.created_at,
                mode=store.chats.mode(Scope(user, chat.id)),
            )
            for chat in reversed(store.chats.list(scope, limit=ALL))
        ),
        messages=messages,
        judgements=tuple(PackedJudgement(message_id=name, judgement=j) for name, j in judged if j),
        memories=tuple(
            _memory(runtime, scope, memory)
            for memory in reversed(store.memories.list(scope, limit=ALL, standing=None))
        ),
        summaries=tuple(reversed(store.summaries.list(scope, limit=ALL))),
        contexts=tuple(store.contexts.list(scope)),
        consents=tuple(PackedConsent(category=c, granted=g) for c, g in store.consents.all(scope).items()),
        profile=(profile,) if profile else (),
        preferences=tuple(PackedPreference(name=n, value=v) for n, v in runtime.preferences(user).items()),
        tombstones=tuple(
            PackedTombstone(fact_hash=h, buried_at=at) for h, at in store.tombstones.all(user).items()
        ),
    )


def _memory(runtime: Runtime, scope: Scope, memory: Memory) -> PackedMemory:
    versions = []
    for line in runtime.store.memories.history(scope, memory.id):
        try:
            then = runtime.store.memories.at_version(scope, memory.id, line.version)
        except NotFound:
            # Written before versions were kept in full.
            continue
        versions.append(PackedVersion(change=line.change, reason=line.reason, memory=then))
    if not versions or versions[-1].memory.version != memory.version:
        versions.append(PackedVersion(change=Change.UPDATE, memory=memory))
    versions[-1] = PackedVersion(change=versions[-1].change, reason=versions[-1].reason, memory=memory)
    return PackedMemory(id=memory.id, versions=tuple(versions))


@dataclass(frozen=True, slots=True)
class _Codec(Generic[Value]):
    """Writes values of one kind as JSON, and reads them again or says what is wrong."""

    adapter: TypeAdapter[Value]

    def write(self, value: Value) -> object:
        return self.adapter.dump_python(value, mode="json")

    def read(self, data: object) -> Value:
        value = self.adapter.validate_python(data)
        _check(value)
        return value


@cache
def _codec(part: str) -> _Codec[object]:
    return _Codec(TypeAdapter(KINDS[part]))


def _line(part: str, value: object) -> str:
    written = _codec(part).write(value)
    return json.dumps({"part": part, "value": written}, ensure_ascii=False, separators=(",", ":")) + "\n"


def _hash(lines: Sequence[str]) -> str:
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def unpacked(text: str) -> Pack:
    """Read a pack, or say what is wrong with it: an unknown format, a damaged part, a line that makes no sense."""
    first, *lines = text.splitlines(keepends=True) or [""]
    manifest = _manifest(first)
    parts: dict[str, list[str]] = {part: [] for part in PARTS}
    values: dict[str, list[object]] = {part: [] for part in PARTS}
    for number, line in enumerate(lines, start=2):
        if line.strip():
            part, value = _read(line, number)
            parts[part].append(line)
            values[part].append(value)
    for part, held in parts.items():
        if not _is_whole(manifest.get(part), held):
            raise InvalidInput(f"The part {part} of this pack is damaged or incomplete. Export it again.")
    return Pack(**{part: tuple(held) for part, held in values.items()})  # type: ignore[arg-type]


def _manifest(line: str) -> Mapping[str, object]:
    manifest = _object(line, 1)
    if manifest.get("recollect") != FORMAT:
        raise InvalidInput(
            f"This is no pack of recollect, or one of a format other than {FORMAT}. `recollect export` writes one."
        )
    parts = manifest.get("parts")
    if not isinstance(parts, dict):
        raise InvalidInput("The manifest of this pack names no parts. Export it again.")
    return parts


def _is_whole(told: object, lines: Sequence[str]) -> bool:
    if not isinstance(told, dict):
        return not lines
    return told.get("lines") == len(lines) and told.get("sha256") == _hash(lines)


def _read(line: str, number: int) -> tuple[str, object]:
    data = _object(line, number)
    part = data.get("part")
    if part not in PARTS:
        raise InvalidInput(f"Line {number} of the pack belongs to no part we know.")
    assert isinstance(part, str)
    try:
        return part, _codec(part).read(data.get("value"))
    except (ValidationError, ValueError) as error:
        raise InvalidInput(f"Line {number} of the pack is no entry of {part}: {_first(error)}.") from error


def _object(line: str, number: int) -> dict[str, object]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"Line {number} of the pack is no JSON.") from error
    if not isinstance(data, dict):
        raise InvalidInput(f"Line {number} of the pack is no JSON object.")
    return data


def _first(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        wrong = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}"
    return str(error)


def _check(value: object) -> None:
    """What types alone do not say: times with a zone, numbers and texts that a database takes."""
    if complaint := _complaint(value):
        raise ValueError(complaint)
    for part in _parts(value):
        _check(part)


def _complaint(value: object) -> str | None:
    complaint = None
    match value:
        case datetime() if value.tzinfo is None or not EARLIEST <= value <= LATEST:
            complaint = "a time needs a zone and a year from 2 to 9998"
        case int() if abs(value) > LARGEST_NUMBER:
            complaint = "a number is too large"
        case float() if not isfinite(value):
            complaint = "a number is not finite"
        case str() if any("\ud800" <= c <= "\udfff" for c in value):
            complaint = "a text holds half a character"
        case Memory(weight=weight) if not 0 <= weight <= 1:
            complaint = "a weight is from 0 to 1"
        case Message(importance=int(importance)) if not 0 <= importance <= 100:
            complaint = "an importance is from 0 to 100"
        case PackedMemory(versions=()):
            complaint = "a memory needs a version"
    return complaint


def _parts(value: object) -> Iterator[object]:
    match value:
        case Mapping():
            yield from (*value.keys(), *value.values())
        case tuple() | list():
            yield from value
        case _ if is_dataclass(value):
            yield from (getattr(value, each.name) for each in fields(value))
