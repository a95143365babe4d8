"""What a model claims, held against what a fact may be: short, plain and of a known kind."""

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recollect.domain.memory import Kind

Nothing: TypeAlias = Literal["exact", "contains"]

#: A fact is one or two short sentences.
MOST_CHARS = 240
MOST_SENTENCES = 2
#: What a fact weighs when nobody said.
ORDINARY = 0.5

_SENTENCE_END = re.compile(r"\w\w\w[.!?…]+\s")
_EDGES = " \t\r\n\"'`“”‘’«»*_#>-–—•.,;:!()[]"
_NOTHING = frozenset({"nothing", "none", "null", "nil", "n/a", "no facts", "nada", "nenhum", "nenhum fato"})
#: "Yes" and "No" are no facts, in the languages we meet most.
_YES_NO = frozenset("yes no yep nope sim não nao sí si oui non ja nein da нет да はい いいえ 是 否".split())
_KEPT_FORMATS = frozenset("\u200c\u200d\ufe0f")

CONTENT = ("c", "content", "fact", "fato", "text", "memory", "conteudo", "conteúdo")
_KIND = ("t", "type", "kind", "tipo", "category", "categoria")
_WEIGHT = ("w", "weight", "peso", "importance", "importância")
_MESSAGE = ("m", "message", "msg", "source", "mensagem")
_KINDS: Mapping[str, Kind] = {
    **{str(kind): kind for kind in Kind},
    "biography": Kind.BIO,
    "biografia": Kind.BIO,
    "preference": Kind.PREF,
    "preferência": Kind.PREF,
    "emotion": Kind.EMO,
    "emotional": Kind.EMO,
    "emoção": Kind.EMO,
    "emocional": Kind.EMO,
    "goal": Kind.OBJ,
    "objective": Kind.OBJ,
    "objetivo": Kind.OBJ,
    "event": Kind.EVT,
    "evento": Kind.EVT,
    "decision": Kind.DEC,
    "constraint": Kind.DEC,
    "decisão": Kind.DEC,
    "restrição": Kind.DEC,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    text: str
    kind: Kind = Kind.NOTE
    weight: float = ORDINARY
    message: int | None = None  #: the number of the message it is said to come from, from 1


def claim(item: object) -> Claim | None:
    """An item of an answer as a claim; None if it has not the form that was asked for."""
    if not isinstance(item, dict):
        return None
    text, weight = first(item, CONTENT), _weight(first(item, _WEIGHT))
    if not isinstance(text, str) or weight is None or not (line := tidy(text)):
        return None
    kind, message = first(item, _KIND), number(first(item, _MESSAGE))
    named = kind.strip().casefold() if isinstance(kind, str) else ""
    return Claim(
        text=line,
        kind=_KINDS.get(named, Kind.NOTE),
        weight=weight,
        message=int(message) if message is not None and message.is_integer() else None,
    )


def discarded(text: str, *, min_chars: int) -> str | None:
    """Why a claim is not worth a second look; None if it is."""
    if len(text) < max(min_chars, 1):
        return f"shorter than {min_chars} characters"
    if bare(text) in _YES_NO:
        return "only a yes or no"
    return "a question" if text.endswith(("?", "？", "؟")) else None


def sprawling(text: str) -> str | None:
    """Why a claim is more than one fact; None if it is not."""
    if len(text) > MOST_CHARS:
        return f"longer than {MOST_CHARS} characters"
    if len(_SENTENCE_END.findall(text)) >= MOST_SENTENCES:
        return "more than two sentences"
    return None


def says_nothing(text: str, how: Nothing = "exact") -> bool:
    """Whether a reply is NOTHING: as a whole, or as it was once asked, with the word in it anywhere."""
    return bare(text) in _NOTHING or (how == "contains" and "nothing" in text.casefold())


def bare(text: str) -> str:
    """Small letters, without quotes, stops and marks around them."""
    return " ".join(text.casefold().split()).strip(_EDGES)


def tidy(text: str) -> str:
    """One line without invisible characters, bullets and quotes around it."""
    visible = "".join(c for c in text if c.isspace() or c in _KEPT_FORMATS or _seen(c))
    line = " ".join(visible.split()).removeprefix("- ").removeprefix("• ").removeprefix("* ")
    quoted = len(line) > 2 and (line[0], line[-1]) in {('"', '"'), ("'", "'"), ("“", "”"), ("`", "`")}
    return (line[1:-1] if quoted else line).strip()


def first(item: Mapping[object, object], names: tuple[str, ...]) -> object:
    return next((item[name] for name in names if name in item), None)


def number(value: object) -> float | None:
    """A number that is one; those in quotes are meant as well."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value[:40].strip().removesuffix("%") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _weight(value: object) -> float | None:
    """From 0 to 1; a weight nobody gave is ordinary, one out of range is a mistake. Whole numbers are percent."""
    found = number(value)
    if found is None:
        return ORDINARY if value is None else None
    if 1 < found <= 100 and found.is_integer():
        found /= 100
    return found if 0 <= found <= 1 else None


def _seen(character: str) -> bool:
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co"}
