"""
Compact JSON for memories, to transfer them or to show them to a model in few tokens.

An entry is `{"i":"id","t":"pref","c":"odeia coentro","w":0.8,"d":"240101"}`: id, type, content, weight, day.
Other fields are written only where they differ from the default, so that nothing is lost:

k  kind, if `t` cannot express it           h  time of day of `d`, HHMMSS or HHMMSSffffff
l  last mentioned                           u  last changed
s  status                                   y  why it is not active
o  origin                                   r  role of the speaker
g  tags                                     n  times_stated
v  version                                  p  pinned
a  attribute (null: none, though `c` reads "key: value")
f  valid from      b  valid until           x  expires
q  chat            m  message spans, [[message, start, end]]

Days are AAMMDD in UTC. Years 69 to 99 are of the twentieth century, 00 to 68 of the twenty-first; other years are
written with four digits. Timestamps other than `d` are "AAMMDD" or "AAMMDD HHMMSS". The user is not written: the
importer assigns the memories to a user.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeVar

from recollect.domain.memory import Kind, Memory, MemoryStatus, Origin, SourceSpan, normalize_fact
from recollect.domain.message import Role
from recollect.domain.reason import Reason
from recollect.domain.scope import validate_name
from recollect.errors import InvalidInput
from recollect.interchange.items import ImportedMemory, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import unexpected_shape
from recollect.interchange.json_stream import Entry

CENTURY_PIVOT_YEAR = 69  #: two-digit years from here on are of the twentieth century

#: The format has four types; other kinds map to the nearest one.
NEAREST_TYPES: Mapping[Kind, Kind] = {
    Kind.EVENT: Kind.BIOGRAPHY,
    Kind.DECISION: Kind.PREFERENCE,
    Kind.NOTE: Kind.BIOGRAPHY,
}

#: Labels of single-valued attributes in "label: value" texts.
_ATTRIBUTE_BY_LABEL = {
    "nome": "name", "name": "name", "idade": "age", "age": "age", "trabalha": "job", "trabalho": "job",
    "profissao": "job", "works": "job", "job": "job", "mora": "lives_in", "vive": "lives_in", "lives": "lives_in",
    "lives in": "lives_in", "mora em": "lives_in", "cidade": "lives_in", "city": "lives_in", "dieta": "diet",
    "diet": "diet", "aniversario": "birthday", "birthday": "birthday", "empresa": "employer", "employer": "employer",
    "apelido": "called", "nickname": "called", "idioma": "native_language", "language": "native_language",
    "altura": "height", "height": "height", "peso": "weight", "weight": "weight",
}  # fmt: skip
_SLOT_PATTERN = re.compile(r"([^\W\d_]{2,20}(?: [^\W\d_]{1,12})?) ?: ?(\S.*)", re.DOTALL)
_ACCENT_TABLE = str.maketrans("áàâãéêíóôõúç", "aaaaeeiooouc")

_DAY_PATTERN = re.compile(r"([0-9]{2}|[0-9]{4})([0-9]{2})([0-9]{2})")
_TIME_PATTERN = re.compile(r"([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{6})?")
_ENTRY_KEYS = "itcwdkhlusyorgnvpafbxqm"

EnumValue = TypeVar("EnumValue", bound=StrEnum)
Parsed = TypeVar("Parsed")
Json = object


def to_compact(memories: Iterable[Memory]) -> str:
    """Serialize memories as a JSON list without whitespace."""
    return json.dumps(
        [_serialize_entry(memory) for memory in memories], ensure_ascii=False, separators=(",", ":")
    )


def from_compact(text: str, *, user: str, now: datetime) -> list[Memory]:
    """
    Parse the output of `to_compact`, or the bare `{"t":…,"c":…,"w":…}` that a model replies with.

    Without `i` the id is derived from user, type and text; `d` defaults to now, `w` to 1. For any other invalid value,
    InvalidInput names the entry and the key.
    """
    validate_name("user id", user)
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"This is not JSON: {error}. Give a list such as {_EXAMPLE_JSON}.") from error
    if not isinstance(entries, list):
        raise InvalidInput(f"This is not a list of memories. Give a list such as {_EXAMPLE_JSON}.")
    return [_EntryParser(place, entry).parse(user, now) for place, entry in enumerate(entries, start=1)]


def matches(keys: Mapping[str, object]) -> bool:
    return {"t", "c"} <= keys.keys() and all(len(key) == 1 for key in keys)


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    for number, entry in enumerate(entries, start=1):
        try:
            memory = _EntryParser(number, dict(entry.fields)).parse("import", _UNDATED)
        except InvalidInput as error:
            yield unexpected_shape(entry.position, str(error))
            continue
        if memory.status is not MemoryStatus.ACTIVE:
            yield Omission(reason=OmissionReason.FORGOTTEN_MEMORY, position=entry.position)
            continue
        yield ImportedMemory(
            id=memory.id,
            text=memory.text,
            kind=memory.kind,
            weight=memory.weight,
            speaker=memory.speaker,
            created_at=None if memory.created_at is _UNDATED else memory.created_at,
            last_stated_at=None if memory.last_stated_at is _UNDATED else memory.last_stated_at,
            tags=memory.tags,
            pinned=memory.pinned,
            attribute=memory.attribute,
            valid_from=memory.valid_from,
            valid_to=memory.valid_to,
            expires_at=memory.expires_at,
            times_stated=memory.times_stated,
        )


_UNDATED = datetime.min.replace(tzinfo=UTC)
_EXAMPLE_JSON = '[{"t":"pref","c":"odeia coentro","w":0.8}]'


def parse_slot(text: str, kind: Kind) -> tuple[str, str] | None:
    """
    Return the attribute and the value of "nome: Pedro".

    Biography accepts any label; other kinds only known ones, since a colon is common in their texts.
    """
    match = _SLOT_PATTERN.fullmatch(text.strip())
    if not match:
        return None
    key = match[1].casefold().translate(_ACCENT_TABLE)
    if key in _ATTRIBUTE_BY_LABEL:
        return _ATTRIBUTE_BY_LABEL[key], match[2]
    return (key.replace(" ", "_"), match[2]) if kind is Kind.BIOGRAPHY else None


def _serialize_entry(memory: Memory) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "i": memory.id,
        "t": NEAREST_TYPES.get(memory.kind, memory.kind).short_name,
        "c": memory.text,
        "w": float(memory.weight),
        "d": _format_day(memory.created_at),
    }
    known = parse_slot(memory.text, memory.kind)
    optional_values: tuple[tuple[str, Json, Json], ...] = (
        ("k", memory.kind.short_name, entry["t"]),
        ("h", _format_time(memory.created_at), ""),
        ("l", _format_timestamp(memory.last_stated_at), _format_timestamp(memory.created_at)),
        ("u", _format_timestamp(memory.updated_at), _format_timestamp(memory.created_at)),
        ("s", memory.status.value, _MEMORY_DEFAULTS["status"]),
        ("y", memory.reason and memory.reason.to_json(), _MEMORY_DEFAULTS["reason"]),
        ("o", memory.origin.value, _MEMORY_DEFAULTS["origin"]),
        ("r", memory.speaker.value, _MEMORY_DEFAULTS["speaker"]),
        ("g", list(memory.tags), []),
        ("n", memory.times_stated, _MEMORY_DEFAULTS["times_stated"]),
        ("v", memory.version, _MEMORY_DEFAULTS["version"]),
        ("p", memory.pinned, _MEMORY_DEFAULTS["pinned"]),
        ("a", memory.attribute, known[0] if known else None),
        ("f", _format_timestamp(memory.valid_from), None),
        ("b", _format_timestamp(memory.valid_to), None),
        ("x", _format_timestamp(memory.expires_at), None),
        ("q", memory.chat, _MEMORY_DEFAULTS["chat"]),
        ("m", [[span.message_id, span.start, span.end] for span in memory.spans], []),
    )
    return entry | {key: value for key, value, default in optional_values if value != default}


_MEMORY_DEFAULTS: Mapping[str, Json] = {field.name: field.default for field in fields(Memory)}


class _EntryParser:
    """Parses one entry; errors name the entry and the key."""

    def __init__(self, number: int, entry: Json) -> None:
        self._number = number
        if not isinstance(entry, dict):
            raise InvalidInput(f"Entry {number} is not an object. Write it as {_EXAMPLE_JSON[1:-1]}.")
        self._entry: dict[str, Json] = entry
        for key in entry:
            if key not in _ENTRY_KEYS or len(key) != 1:
                close_matches = get_close_matches(key, ["i", "t", "c", "w", "d"], n=1)
                hint = (
                    f" Did you mean {close_matches[0]!r}?"
                    if close_matches
                    else " The keys are i, t, c, w, d and the optional ones."
                )
                raise InvalidInput(f"Entry {number} has an unknown key {key!r}.{hint}")

    def parse(self, user: str, now: datetime) -> Memory:
        kind, text = self._parse_kind(), self._parse_content()
        created_at = self._parse_created_at(now)
        return Memory(
            id=self._optional("i", self._parse_text) or _derived_id(user, kind, text),
            user=user,
            text=text,
            kind=kind,
            weight=self._parse_weight(),
            created_at=created_at,
            updated_at=self._optional("u", self._parse_timestamp) or created_at,
            last_stated_at=self._optional("l", self._parse_timestamp) or created_at,
            chat=self._optional("q", self._parse_text),
            status=self._parse_choice("s", MemoryStatus, MemoryStatus.ACTIVE),
            origin=self._parse_choice("o", Origin, Origin.MANUAL),
            speaker=self._parse_choice("r", Role, Role.USER),
            tags=self._parse_tags(),
            times_stated=self._parse_count("n"),
            version=self._parse_count("v"),
            pinned=self._parse_flag("p"),
            attribute=self._parse_attribute(text, kind),
            valid_from=self._optional("f", self._parse_timestamp),
            valid_to=self._optional("b", self._parse_timestamp),
            expires_at=self._optional("x", self._parse_timestamp),
            reason=self._optional("y", self._parse_reason),
            spans=self._parse_spans(),
        )

    def _invalid_value(self, key: str, expected: str) -> InvalidInput:
        actual = json.dumps(self._entry.get(key), ensure_ascii=False)[:60]
        return InvalidInput(f"Entry {self._number}: {key!r} is {actual}, but must be {expected}.")

    def _optional(self, key: str, parse: Callable[[str], Parsed]) -> Parsed | None:
        return None if self._entry.get(key) is None else parse(key)

    def _parse_text(self, key: str) -> str:
        value = self._entry[key]
        if not isinstance(value, str) or not value.strip():
            raise self._invalid_value(key, "text that is not empty")
        return value

    def _parse_reason(self, key: str) -> Reason:
        try:
            return Reason.from_json(self._entry[key])
        except ValueError as error:
            raise self._invalid_value(key, 'a reason such as ["by_user"]') from error

    def _parse_content(self) -> str:
        if "c" not in self._entry:
            raise InvalidInput(
                f"Entry {self._number} has no content. Give it a 'c', as in {_EXAMPLE_JSON[1:-1]}."
            )
        return self._parse_text("c")

    def _parse_choice(self, key: str, choices: type[EnumValue], default: EnumValue) -> EnumValue:
        value = self._entry.get(key, default.value)
        if isinstance(value, str) and value in set(choices):
            return choices(value)
        raise self._invalid_value(key, f"one of {', '.join(choices)}")

    def _parse_kind(self) -> Kind:
        if "t" not in self._entry:
            raise InvalidInput(f"Entry {self._number} has no type. Give it a 't': bio, pref, emo or obj.")
        return self._parse_short_kind("k") if "k" in self._entry else self._parse_short_kind("t")

    def _parse_short_kind(self, key: str) -> Kind:
        name = self._entry[key]
        kind = Kind.from_short_name(name) if isinstance(name, str) else None
        if kind is None:
            raise self._invalid_value(key, f"one of {', '.join(each.short_name for each in Kind)}")
        return kind

    def _parse_weight(self) -> float:
        value = self._entry.get("w", 1.0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._invalid_value("w", "a number from 0 to 1")
        if not (math.isfinite(value) and 0 <= value <= 1):
            raise self._invalid_value("w", "a number from 0 to 1")
        return float(value)

    def _parse_count(self, key: str) -> int:
        value = self._entry.get(key, 1)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self._invalid_value(key, "a whole number from 1")
        return value

    def _parse_flag(self, key: str) -> bool:
        value = self._entry.get(key, False)
        if not isinstance(value, bool):
            raise self._invalid_value(key, "true or false")
        return value

    def _parse_tags(self) -> tuple[str, ...]:
        value = self._entry.get("g", [])
        if isinstance(value, list) and all(isinstance(tag, str) for tag in value):
            return tuple(value)
        raise self._invalid_value("g", "a list of words")

    def _parse_attribute(self, text: str, kind: Kind) -> str | None:
        if "a" in self._entry:
            return self._optional("a", self._parse_text)
        known = parse_slot(text, kind)
        return known[0] if known else None

    def _parse_spans(self) -> tuple[SourceSpan, ...]:
        value = self._entry.get("m", [])
        if not isinstance(value, list):
            raise self._invalid_value("m", "a list of [message, start, end]")
        return tuple(map(self._parse_span, value))

    def _parse_span(self, value: Json) -> SourceSpan:
        match value:
            case [str(message), int(start), int(end)] if not isinstance(start, bool) and 0 <= start <= end:
                return SourceSpan(message_id=message, start=start, end=end)
        raise self._invalid_value("m", "a list of [message, start, end]")

    def _parse_created_at(self, now: datetime) -> datetime:
        if self._entry.get("d") is None:
            return now
        day = self._parse_text("d")
        hour = self._optional("h", self._parse_text)
        return _parse_timestamp(day if hour is None else f"{day} {hour}") or self._raise_invalid_timestamp(
            "d"
        )

    def _parse_timestamp(self, key: str) -> datetime:
        return _parse_timestamp(self._parse_text(key)) or self._raise_invalid_timestamp(key)

    def _raise_invalid_timestamp(self, key: str) -> datetime:
        raise self._invalid_value(
            key, 'a day such as "240131" (AAMMDD), with a time such as "093000" where there is one'
        )


def _derived_id(user: str, kind: Kind, text: str) -> str:
    identity = f"{user}\0{kind.short_name}\0{normalize_fact(text)}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(identity).hexdigest()[:12]


def _format_day(timestamp: datetime) -> str:
    at = timestamp.astimezone(UTC)
    short = 1900 + CENTURY_PIVOT_YEAR <= at.year < 2000 + CENTURY_PIVOT_YEAR
    return f"{at.year % 100:02}{at:%m%d}" if short else f"{at.year:04}{at:%m%d}"


def _format_time(timestamp: datetime) -> str:
    at = timestamp.astimezone(UTC)
    if at.microsecond:
        return f"{at:%H%M%S%f}"
    return f"{at:%H%M%S}" if at.hour or at.minute or at.second else ""


def _format_timestamp(timestamp: datetime | None) -> str | None:
    return f"{_format_day(timestamp)} {_format_time(timestamp)}".strip() if timestamp else None


def _parse_timestamp(text: str) -> datetime | None:
    day, _, hour = text.partition(" ")
    date, time = _DAY_PATTERN.fullmatch(day), _TIME_PATTERN.fullmatch(hour or "000000")
    if not (date and time):
        return None
    year = int(date[1])
    if len(date[1]) == 2:
        year += 1900 if year >= CENTURY_PIVOT_YEAR else 2000
    try:
        return datetime(
            year, int(date[2]), int(date[3]), int(time[1]), int(time[2]), int(time[3]), int(time[4] or 0), UTC
        )
    except ValueError:
        return None
