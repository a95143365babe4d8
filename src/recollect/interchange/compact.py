"""
Memories as very short JSON, to move them or to show them to a model in few tokens.

An entry is `{"i":"id","t":"pref","c":"odeia coentro","w":0.8,"d":"240101"}`: id, type, content, weight, day.
All else about a memory is written only where it differs from the ordinary, so that nothing is lost:

k  kind, where `t` knows no word for it     h  time of day of `d`, HHMMSS or HHMMSSffffff
l  last said again                          u  last changed
s  standing                                 y  why it is not active
o  origin                                   r  who said it
g  tags                                     n  sightings
v  version                                  p  pinned
a  attribute (null: none, though `c` reads "key: value")
f  valid from      b  valid until           x  expires
q  chat            m  message spans, [[message, start, end]]

Days are AAMMDD in UTC. Years 69 to 99 are of the twentieth century, 00 to 68 of the twenty-first; other years are
written with four digits. Moments besides `d` are "AAMMDD" or "AAMMDD HHMMSS". The user is not written:
whoever reads says whose memories they become.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeVar

from recollect.domain.memory import Kind, Memory, Origin, Span, Standing, normalised
from recollect.domain.message import Role
from recollect.domain.scope import valid_name
from recollect.errors import InvalidInput

PIVOT = 69  #: two-digit years from here on are of the twentieth century

#: The document's four types, and the nearest of them for the kinds it has no word for.
WIRE_TYPES: Mapping[Kind, Kind] = {
    Kind.BIO: Kind.BIO,
    Kind.PREF: Kind.PREF,
    Kind.EMO: Kind.EMO,
    Kind.OBJ: Kind.OBJ,
    Kind.EVT: Kind.BIO,
    Kind.DEC: Kind.PREF,
    Kind.NOTE: Kind.BIO,
}

#: What people call the slots that hold one value at a time.
_ATTRIBUTES = {
    "nome": "name", "name": "name", "idade": "age", "age": "age", "trabalha": "job", "trabalho": "job",
    "profissao": "job", "works": "job", "job": "job", "mora": "lives_in", "vive": "lives_in", "lives": "lives_in",
    "lives in": "lives_in", "mora em": "lives_in", "cidade": "lives_in", "city": "lives_in", "dieta": "diet",
    "diet": "diet", "aniversario": "birthday", "birthday": "birthday", "empresa": "employer", "employer": "employer",
    "apelido": "called", "nickname": "called", "idioma": "native_language", "language": "native_language",
    "altura": "height", "height": "height", "peso": "weight", "weight": "weight",
}  # fmt: skip
_SLOT = re.compile(r"([^\W\d_]{2,20}(?: [^\W\d_]{1,12})?) ?: ?(\S.*)", re.DOTALL)
_ACCENTS = str.maketrans("áàâãéêíóôõúç", "aaaaeeiooouc")

_DAY = re.compile(r"([0-9]{2}|[0-9]{4})([0-9]{2})([0-9]{2})")
_TIME = re.compile(r"([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{6})?")
_KEYS = "itcwdkhlusyorgnvpafbxqm"

Word = TypeVar("Word", bound=StrEnum)
Read = TypeVar("Read")
Json = object


def to_compact(memories: Iterable[Memory]) -> str:
    """A JSON list with no space in it."""
    return json.dumps([_entry(memory) for memory in memories], ensure_ascii=False, separators=(",", ":"))


def from_compact(text: str, *, user: str, now: datetime) -> list[Memory]:
    """
    Read what `to_compact` wrote, or the bare `{"t":…,"c":…,"w":…}` that a model answers with.

    Without `i` the id follows from the user, the type and the text; without `d` a memory is of now; without `w`
    it weighs 1. All else must be as it should, or InvalidInput names the entry and the key.
    """
    valid_name("user id", user)
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"This is not JSON: {error}. Give a list such as {_EXAMPLE}.") from error
    if not isinstance(entries, list):
        raise InvalidInput(f"This is not a list of memories. Give a list such as {_EXAMPLE}.")
    return [_Entry(place, entry).memory(user, now) for place, entry in enumerate(entries, start=1)]


_EXAMPLE = '[{"t":"pref","c":"odeia coentro","w":0.8}]'


def slot(text: str, kind: Kind) -> tuple[str, str] | None:
    """
    The attribute and the value of "nome: Pedro".

    Biography may name any slot; in other kinds only known names count, for a colon says little there.
    """
    found = _SLOT.fullmatch(text.strip())
    if not found:
        return None
    key = found[1].casefold().translate(_ACCENTS)
    if key in _ATTRIBUTES:
        return _ATTRIBUTES[key], found[2]
    return (key.replace(" ", "_"), found[2]) if kind is Kind.BIO else None


def _entry(memory: Memory) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "i": memory.id,
        "t": WIRE_TYPES[memory.kind].value,
        "c": memory.text,
        "w": float(memory.weight),
        "d": _day(memory.created_at),
    }
    known = slot(memory.text, memory.kind)
    rest: tuple[tuple[str, Json, Json], ...] = (
        ("k", memory.kind.value, entry["t"]),
        ("h", _time(memory.created_at), ""),
        ("l", _moment(memory.seen_at), _moment(memory.created_at)),
        ("u", _moment(memory.updated_at), _moment(memory.created_at)),
        ("s", memory.standing.value, _ORDINARY["standing"]),
        ("y", memory.reason, _ORDINARY["reason"]),
        ("o", memory.origin.value, _ORDINARY["origin"]),
        ("r", memory.speaker.value, _ORDINARY["speaker"]),
        ("g", list(memory.tags), []),
        ("n", memory.sightings, _ORDINARY["sightings"]),
        ("v", memory.version, _ORDINARY["version"]),
        ("p", memory.pinned, _ORDINARY["pinned"]),
        ("a", memory.attribute, known[0] if known else None),
        ("f", _moment(memory.valid_from), None),
        ("b", _moment(memory.valid_to), None),
        ("x", _moment(memory.expires_at), None),
        ("q", memory.chat, _ORDINARY["chat"]),
        ("m", [[span.message_id, span.start, span.end] for span in memory.spans], []),
    )
    return entry | {key: value for key, value, ordinary in rest if value != ordinary}


_ORDINARY: Mapping[str, Json] = {field.name: field.default for field in fields(Memory)}


class _Entry:
    """One entry as it is read: every doubt is an error that names the place."""

    def __init__(self, place: int, entry: Json) -> None:
        self._place = place
        if not isinstance(entry, dict):
            raise InvalidInput(f"Entry {place} is not an object. Write it as {_EXAMPLE[1:-1]}.")
        self._entry: dict[str, Json] = entry
        for key in entry:
            if key not in _KEYS or len(key) != 1:
                near = get_close_matches(key, ["i", "t", "c", "w", "d"], n=1)
                hint = (
                    f" Did you mean {near[0]!r}?"
                    if near
                    else " The keys are i, t, c, w, d and the optional ones."
                )
                raise InvalidInput(f"Entry {place} has an unknown key {key!r}.{hint}")

    def memory(self, user: str, now: datetime) -> Memory:
        kind, text = self._kind(), self._text()
        created_at = self._created_at(now)
        return Memory(
            id=self._optional("i", self._word) or _derived_id(user, kind, text),
            user=user,
            text=text,
            kind=kind,
            weight=self._weight(),
            created_at=created_at,
            updated_at=self._optional("u", self._moment) or created_at,
            seen_at=self._optional("l", self._moment) or created_at,
            chat=self._optional("q", self._word),
            standing=self._choice("s", Standing, Standing.ACTIVE),
            origin=self._choice("o", Origin, Origin.MANUAL),
            speaker=self._choice("r", Role, Role.USER),
            tags=self._tags(),
            sightings=self._count("n"),
            version=self._count("v"),
            pinned=self._flag("p"),
            attribute=self._attribute(text, kind),
            valid_from=self._optional("f", self._moment),
            valid_to=self._optional("b", self._moment),
            expires_at=self._optional("x", self._moment),
            reason=self._optional("y", self._word),
            spans=self._spans(),
        )

    def _wrong(self, key: str, wanted: str) -> InvalidInput:
        shown = json.dumps(self._entry.get(key), ensure_ascii=False)[:60]
        return InvalidInput(f"Entry {self._place}: {key!r} is {shown}, but must be {wanted}.")

    def _optional(self, key: str, read: Callable[[str], Read]) -> Read | None:
        return None if self._entry.get(key) is None else read(key)

    def _word(self, key: str) -> str:
        value = self._entry[key]
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(key, "text that is not empty")
        return value

    def _text(self) -> str:
        if "c" not in self._entry:
            raise InvalidInput(f"Entry {self._place} has no content. Give it a 'c', as in {_EXAMPLE[1:-1]}.")
        return self._word("c")

    def _choice(self, key: str, words: type[Word], default: Word) -> Word:
        value = self._entry.get(key, default.value)
        if isinstance(value, str) and value in set(words):
            return words(value)
        raise self._wrong(key, f"one of {', '.join(words)}")

    def _kind(self) -> Kind:
        if "t" not in self._entry:
            raise InvalidInput(f"Entry {self._place} has no type. Give it a 't': bio, pref, emo or obj.")
        return self._choice("k", Kind, self._choice("t", Kind, Kind.NOTE))

    def _weight(self) -> float:
        value = self._entry.get("w", 1.0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong("w", "a number from 0 to 1")
        if not (math.isfinite(value) and 0 <= value <= 1):
            raise self._wrong("w", "a number from 0 to 1")
        return float(value)

    def _count(self, key: str) -> int:
        value = self._entry.get(key, 1)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self._wrong(key, "a whole number from 1")
        return value

    def _flag(self, key: str) -> bool:
        value = self._entry.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def _tags(self) -> tuple[str, ...]:
        value = self._entry.get("g", [])
        if isinstance(value, list) and all(isinstance(tag, str) for tag in value):
            return tuple(value)
        raise self._wrong("g", "a list of words")

    def _attribute(self, text: str, kind: Kind) -> str | None:
        if "a" in self._entry:
            return self._optional("a", self._word)
        known = slot(text, kind)
        return known[0] if known else None

    def _spans(self) -> tuple[Span, ...]:
        value = self._entry.get("m", [])
        if not isinstance(value, list):
            raise self._wrong("m", "a list of [message, start, end]")
        return tuple(map(self._span, value))

    def _span(self, value: Json) -> Span:
        match value:
            case [str(message), int(start), int(end)] if not isinstance(start, bool) and 0 <= start <= end:
                return Span(message_id=message, start=start, end=end)
        raise self._wrong("m", "a list of [message, start, end]")

    def _created_at(self, now: datetime) -> datetime:
        if self._entry.get("d") is None:
            return now
        day = self._word("d")
        hour = self._optional("h", self._word)
        return _read_moment(day if hour is None else f"{day} {hour}") or self._fail_moment("d")

    def _moment(self, key: str) -> datetime:
        return _read_moment(self._word(key)) or self._fail_moment(key)

    def _fail_moment(self, key: str) -> datetime:
        raise self._wrong(
            key, 'a day such as "240131" (AAMMDD), with a time such as "093000" where there is one'
        )


def _derived_id(user: str, kind: Kind, text: str) -> str:
    told = f"{user}\0{kind}\0{normalised(text)}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(told).hexdigest()[:12]


def _day(moment: datetime) -> str:
    at = moment.astimezone(UTC)
    short = 1900 + PIVOT <= at.year < 2000 + PIVOT
    return f"{at.year % 100:02}{at:%m%d}" if short else f"{at.year:04}{at:%m%d}"


def _time(moment: datetime) -> str:
    at = moment.astimezone(UTC)
    if at.microsecond:
        return f"{at:%H%M%S%f}"
    return f"{at:%H%M%S}" if at.hour or at.minute or at.second else ""


def _moment(moment: datetime | None) -> str | None:
    return f"{_day(moment)} {_time(moment)}".strip() if moment else None


def _read_moment(text: str) -> datetime | None:
    day, _, hour = text.partition(" ")
    date, time = _DAY.fullmatch(day), _TIME.fullmatch(hour or "000000")
    if not (date and time):
        return None
    year = int(date[1])
    if len(date[1]) == 2:
        year += 1900 if year >= PIVOT else 2000
    try:
        return datetime(
            year, int(date[2]), int(date[3]), int(time[1]), int(time[2]), int(time[3]), int(time[4] or 0), UTC
        )
    except ValueError:
        return None
