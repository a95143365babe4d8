"""Parse the facts of a model's reply and check their form: length, kind, weight."""

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recollect.domain.memory import Kind
from recollect.domain.reason import Reason, ReasonCode

EmptyReplyRule: TypeAlias = Literal["exact", "contains"]

#: A fact has one or two short sentences.
MAX_FACT_CHARS = 240
MAX_FACT_SENTENCES = 2
#: Weight of a fact for which the model gave none.
DEFAULT_FACT_WEIGHT = 0.5

_SENTENCE_END_PATTERN = re.compile(r"\w\w\w[.!?…]+\s")
_EDGE_CHARACTERS = " \t\r\n\"'`“”‘’«»*_#>-–—•.,;:!()[]"
_EMPTY_REPLIES = frozenset(
    {"nothing", "none", "null", "nil", "n/a", "no facts", "nada", "nenhum", "nenhum fato"}
)
#: "Yes" and "no" in common languages, which are no facts.
_YES_NO_WORDS = frozenset(
    "yes no yep nope sim não nao sí si oui non ja nein da нет да はい いいえ 是 否".split()
)
_ALLOWED_FORMAT_CHARACTERS = frozenset("\u200c\u200d\ufe0f")

TEXT_KEYS = ("c", "content", "fact", "fato", "text", "memory", "conteudo", "conteúdo")
_KIND_KEYS = ("t", "type", "kind", "tipo", "category", "categoria")
_WEIGHT_KEYS = ("w", "weight", "peso", "importance", "importância")
_MESSAGE_KEYS = ("m", "message", "msg", "source", "mensagem")
_KIND_BY_NAME: Mapping[str, Kind] = {
    **{kind.short_name: kind for kind in Kind},
    **{kind.value: kind for kind in Kind},
    "biografia": Kind.BIOGRAPHY,
    "preferência": Kind.PREFERENCE,
    "emotional": Kind.EMOTION,
    "emoção": Kind.EMOTION,
    "emocional": Kind.EMOTION,
    "objective": Kind.GOAL,
    "objetivo": Kind.GOAL,
    "evento": Kind.EVENT,
    "constraint": Kind.DECISION,
    "decisão": Kind.DECISION,
    "restrição": Kind.DECISION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFact:
    text: str
    kind: Kind = Kind.NOTE
    weight: float = DEFAULT_FACT_WEIGHT
    message_number: int | None = None  #: 1-based number of the message that the model cites


def parse_fact(item: object) -> ModelFact | None:
    """Return an item of a reply as a fact; None if it does not have the requested form."""
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


def rejection_reason(text: str, *, min_chars: int) -> Reason | None:
    """Return why a fact is discarded without validation; None if it is not."""
    if len(text) < max(min_chars, 1):
        return Reason(ReasonCode.FACT_TOO_SHORT, {"limit": min_chars})
    if strip_punctuation(text) in _YES_NO_WORDS:
        return Reason(ReasonCode.FACT_IS_YES_OR_NO)
    return Reason(ReasonCode.FACT_IS_QUESTION) if text.endswith(("?", "？", "؟")) else None


def oversize_reason(text: str) -> Reason | None:
    """Return why a text is too long for one fact; None if it is not."""
    if len(text) > MAX_FACT_CHARS:
        return Reason(ReasonCode.FACT_TOO_LONG, {"limit": MAX_FACT_CHARS})
    if len(_SENTENCE_END_PATTERN.findall(text)) >= MAX_FACT_SENTENCES:
        return Reason(ReasonCode.TOO_MANY_SENTENCES, {"limit": MAX_FACT_SENTENCES})
    return None


def is_empty_reply(text: str, rule: EmptyReplyRule = "exact") -> bool:
    """Return whether a reply means "no facts": it is NOTHING, or under the rule `contains` has that word."""
    return strip_punctuation(text) in _EMPTY_REPLIES or (rule == "contains" and "nothing" in text.casefold())


def strip_punctuation(text: str) -> str:
    """Return the text casefolded, without punctuation and markup at its ends."""
    return " ".join(text.casefold().split()).strip(_EDGE_CHARACTERS)


def normalize_line(text: str) -> str:
    """Return the text as one line without invisible characters, bullet and surrounding quotes."""
    visible = "".join(c for c in text if c.isspace() or c in _ALLOWED_FORMAT_CHARACTERS or _is_visible(c))
    line = " ".join(visible.split()).removeprefix("- ").removeprefix("• ").removeprefix("* ")
    is_quoted = len(line) > 2 and (line[0], line[-1]) in {('"', '"'), ("'", "'"), ("“", "”"), ("`", "`")}
    return (line[1:-1] if is_quoted else line).strip()


def first_value(item: Mapping[object, object], keys: tuple[str, ...]) -> object:
    return next((item[name] for name in keys if name in item), None)


def parse_number(value: object) -> float | None:
    """Return a finite number, also if it is a string; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        parsed_number = float(value[:40].strip().removesuffix("%") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return parsed_number if math.isfinite(parsed_number) else None


def _parse_weight(value: object) -> float | None:
    """Return a weight from 0 to 1; integers above 1 are percent. The default if missing, None if out of range."""
    weight = parse_number(value)
    if weight is None:
        return DEFAULT_FACT_WEIGHT if value is None else None
    if 1 < weight <= 100 and weight.is_integer():
        weight /= 100
    return weight if 0 <= weight <= 1 else None


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co"}
