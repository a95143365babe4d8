"""What a model claims, held against what a fact may be: short, plain and of a known kind."""

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recollect.domain.memory import Kind

EmptyReplyRule: TypeAlias = Literal["exact", "contains"]

#: A fact is one or two short sentences.
MAX_FACT_CHARS = 240
MAX_FACT_SENTENCES = 2
#: What a fact weighs when nobody said.
DEFAULT_FACT_WEIGHT = 0.5

_SENTENCE_END_PATTERN = re.compile(r"\w\w\w[.!?…]+\s")
_EDGE_CHARACTERS = " \t\r\n\"'`“”‘’«»*_#>-–—•.,;:!()[]"
_EMPTY_REPLIES = frozenset(
    {"nothing", "none", "null", "nil", "n/a", "no facts", "nada", "nenhum", "nenhum fato"}
)
#: "Yes" and "No" are no facts, in the languages we meet most.
_YES_NO_WORDS = frozenset(
    "yes no yep nope sim não nao sí si oui non ja nein da нет да はい いいえ 是 否".split()
)
_ALLOWED_FORMAT_CHARACTERS = frozenset("\u200c\u200d\ufe0f")

TEXT_KEYS = ("c", "content", "fact", "fato", "text", "memory", "conteudo", "conteúdo")
_KIND_KEYS = ("t", "type", "kind", "tipo", "category", "categoria")
_WEIGHT_KEYS = ("w", "weight", "peso", "importance", "importância")
_MESSAGE_KEYS = ("m", "message", "msg", "source", "mensagem")
_KIND_BY_NAME: Mapping[str, Kind] = {
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
class ModelFact:
    text: str
    kind: Kind = Kind.NOTE
    weight: float = DEFAULT_FACT_WEIGHT
    message_number: int | None = None  #: the number of the message it is said to come from, from 1


def parse_fact(item: object) -> ModelFact | None:
    """An item of an answer as a claim; None if it has not the form that was asked for."""
    if not isinstance(item, dict):
        return None
    text, weight = first_value(item, TEXT_KEYS), _parse_weight(first_value(item, _WEIGHT_KEYS))
    if not isinstance(text, str) or weight is None or not (line := normalize_line(text)):
        return None
    kind, message = first_value(item, _KIND_KEYS), parse_number(first_value(item, _MESSAGE_KEYS))
    kind_name = kind.strip().casefold() if isinstance(kind, str) else ""
    return ModelFact(
        text=line,
        kind=_KIND_BY_NAME.get(kind_name, Kind.NOTE),
        weight=weight,
        message_number=int(message) if message is not None and message.is_integer() else None,
    )


def rejection_reason(text: str, *, min_chars: int) -> str | None:
    """Why a claim is not worth a second look; None if it is."""
    if len(text) < max(min_chars, 1):
        return f"shorter than {min_chars} characters"
    if strip_punctuation(text) in _YES_NO_WORDS:
        return "only a yes or no"
    return "a question" if text.endswith(("?", "？", "؟")) else None


def oversize_reason(text: str) -> str | None:
    """Why a claim is more than one fact; None if it is not."""
    if len(text) > MAX_FACT_CHARS:
        return f"longer than {MAX_FACT_CHARS} characters"
    if len(_SENTENCE_END_PATTERN.findall(text)) >= MAX_FACT_SENTENCES:
        return "more than two sentences"
    return None


def is_empty_reply(text: str, rule: EmptyReplyRule = "exact") -> bool:
    """Whether a reply is NOTHING: as a whole, or as it was once asked, with the word in it anywhere."""
    return strip_punctuation(text) in _EMPTY_REPLIES or (rule == "contains" and "nothing" in text.casefold())


def strip_punctuation(text: str) -> str:
    """Small letters, without quotes, stops and marks around them."""
    return " ".join(text.casefold().split()).strip(_EDGE_CHARACTERS)


def normalize_line(text: str) -> str:
    """One line without invisible characters, bullets and quotes around it."""
    visible = "".join(c for c in text if c.isspace() or c in _ALLOWED_FORMAT_CHARACTERS or _is_visible(c))
    line = " ".join(visible.split()).removeprefix("- ").removeprefix("• ").removeprefix("* ")
    is_quoted = len(line) > 2 and (line[0], line[-1]) in {('"', '"'), ("'", "'"), ("“", "”"), ("`", "`")}
    return (line[1:-1] if is_quoted else line).strip()


def first_value(item: Mapping[object, object], keys: tuple[str, ...]) -> object:
    return next((item[name] for name in keys if name in item), None)


def parse_number(value: object) -> float | None:
    """A number that is one; those in quotes are meant as well."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        parsed_number = float(value[:40].strip().removesuffix("%") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return parsed_number if math.isfinite(parsed_number) else None


def _parse_weight(value: object) -> float | None:
    """From 0 to 1; a weight nobody gave is ordinary, one out of range is a mistake. Whole numbers are percent."""
    weight = parse_number(value)
    if weight is None:
        return DEFAULT_FACT_WEIGHT if value is None else None
    if 1 < weight <= 100 and weight.is_integer():
        weight /= 100
    return weight if 0 <= weight <= 1 else None


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co"}
