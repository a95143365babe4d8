"""
Texts of typed reasons, per language, from the data in `reason_texts/`.

A placeholder is `{name}`, `{name:2}` (a number with two decimals), `{name:%}` (a percentage), `{name:date}` (an ISO
date) or `{name:term}`, where `term` is a table of words in `terms`. A text with plural forms selects one by `count`.
A label describes a code without parameters, for counts; a code without a label has its text as label.
`scripts/web_reasons.py` copies the data into the web app, whose `i18n/reasons.ts` renders it by the same rules.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeAlias

from recollect.domain.reason import Reason, ReasonCode, ReasonParam

REASON_LANGUAGES = ("en", "pt")
DEFAULT_LANGUAGE = "en"
PLACEHOLDER_PATTERN = re.compile(r"\{(\w+)(?::([\w%]+))?\}")

#: A reason in JSON: `code`, `params`, and its `text` in the language of the caller.
ReasonJson: TypeAlias = dict[str, Any]
#: A text, or its plural forms `one` and `other`.
ReasonText: TypeAlias = str | Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonTexts:
    """The texts of one language, by code."""

    texts: Mapping[str, ReasonText]
    labels: Mapping[str, str]
    terms: Mapping[str, Mapping[str, str]]


@lru_cache
def load_reason_texts(language: str) -> ReasonTexts:
    data = json.loads((files(__package__) / "reason_texts" / f"{language}.json").read_text("utf-8"))
    return ReasonTexts(texts=data["texts"], labels=data["labels"], terms=data["terms"])


def render_reason(reason: Reason, language: str = DEFAULT_LANGUAGE) -> str:
    """Return the text of a reason: a phrase without capital letter and full stop."""
    language_texts = load_reason_texts(language)
    text = language_texts.texts[reason.code]
    if not isinstance(text, str):
        text = text["one" if reason.params["count"] == 1 else "other"]

    def replace_placeholder(match: re.Match[str]) -> str:
        return _format_param(reason.params[match[1]], match[2], language_texts, language)

    return PLACEHOLDER_PATTERN.sub(replace_placeholder, text)


def reason_label(code: ReasonCode, language: str = DEFAULT_LANGUAGE) -> str:
    """Return the description of a code without parameters."""
    language_texts = load_reason_texts(language)
    text = language_texts.labels.get(code) or language_texts.texts[code]
    return text if isinstance(text, str) else text["other"]


def serialize_reason(reason: Reason, language: str = DEFAULT_LANGUAGE) -> ReasonJson:
    return {
        "code": reason.code.value,
        "params": dict(reason.params),
        "text": render_reason(reason, language),
    }


def serialize_reason_or_none(reason: Reason | None, language: str = DEFAULT_LANGUAGE) -> ReasonJson | None:
    return None if reason is None else serialize_reason(reason, language)


def serialize_reasons(reasons: Iterable[Reason], language: str = DEFAULT_LANGUAGE) -> list[Any]:
    return [serialize_reason(reason, language) for reason in reasons]


def serialize_reason_counts(counts: Mapping[Reason, int], language: str = DEFAULT_LANGUAGE) -> list[Any]:
    """Serialize how often each reason occurred, in the order of the counts."""
    return [{**serialize_reason(reason, language), "count": count} for reason, count in counts.items()]


def serialize_code_counts(counts: Mapping[ReasonCode, int], language: str = DEFAULT_LANGUAGE) -> list[Any]:
    """Serialize how often each code occurred, in the order of the counts."""
    return [
        {"code": code.value, "text": reason_label(code, language), "count": count}
        for code, count in counts.items()
    ]


def _format_param(value: ReasonParam, form: str | None, language_texts: ReasonTexts, language: str) -> str:
    match form:
        case None:
            return value if isinstance(value, str) else _format_number(f"{value:,}", language)
        case "%":
            return f"{value:.0%}"
        case "date":
            return "/".join(reversed(str(value).split("-"))) if language == "pt" else str(value)
        case str() if form.isdecimal():
            return _format_number(f"{value:,.{form}f}", language)
        case str():
            return language_texts.terms[form].get(str(value), str(value))


def _format_number(text: str, language: str) -> str:
    """Return a number with the decimal mark of the language: `1,234.5` in English, `1.234,5` in Portuguese."""
    return text.translate(str.maketrans(",.", ".,")) if language == "pt" else text
