"""What a question asks for besides its words: a time, a number, somebody's words, a name in code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from recollect.text.analyzer import folded, forms, terms
from recollect.text.identifiers import identifiers
from recollect.text.when import Stretch, stretches

_FOR_A_TIME = re.compile(
    r"(?<!\w)(?:when|how long|how often|what (?:date|day|month|year|time)|quando|ha quanto tempo"
    r"|(?:em )?que (?:dia|mes|ano|horas?|data))(?!\w)"
)
_FOR_A_NUMBER = re.compile(
    r"(?<!\w)(?:how (?:many|much|old|far|tall)|what (?:number|percentage|price)|quant[oa]s?)(?!\w)"
)
_TIME = re.compile(
    r"""
    \d{4}|\d{1,2}[:h]\d\d|(?<!\w)(?:
    yesterday|today|tomorrow|tonight|last|next|ago|since|recently|(?:week|month|year|weekend|day)s?|morning|evening
    |(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october
    |november|december
    |ontem|hoje|amanha|desde|atras|semanas?|mes|meses|anos?|dias?|passad[oa]|proxim[oa]|segunda|terca|quarta|quinta
    |sexta|sabado|domingo|janeiro|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro
    )(?!\w)
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(
    r"\d|(?<!\w)(?:two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|dozen|hundred"
    r"|dois|duas|tres|quatro|cinco|seis|sete|oito|nove|dez|duzia|cem)(?!\w)"
)
#: People leave the pronoun out in Portuguese, where the verb says it.
_OF_ONESELF = re.compile(
    r"(?<!\w)(?:i|i'(?:m|ve|d|ll)|my|mine|me|we|our|us"
    r"|eu|meus?|minhas?|nos|noss[oa]s?|mim|comigo|a gente|sou|estou|tenho|temos|tive|vou|vamos|fui|faco|fiz|quero|posso"
    r"|preciso|prefiro|moro|gosto|odeio|adoro|acho|sei|\w{3,}(?:ei|amos|emos|imos))(?!\w)"
    r"|(?:\A|[.!?]\s)(?:(?:nao|so|sempre|nunca|ja|tambem|ainda)\s)?(?:me\s)?[a-z]{2,}o(?=\s)"
)
#: As chats are written down: a name, a colon, what was said.
_SPEAKER = re.compile(r"([^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30})?):\s")
_WORD = re.compile(r"\w+")
#: Characters of a text that are read for the question's words: more than any chunk has.
READ = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, read once for all candidates."""

    words: frozenset[str]
    terms: tuple[tuple[str, ...], ...]  #: words that are searched for, each in the forms it may stand under
    named: frozenset[str]  #: identifiers of code
    times: tuple[Stretch, ...]
    a_time: bool = False
    a_number: bool = False
    personal: bool = False  #: it is about the asker


def asked(question: str, now: datetime) -> Asked:
    plain = folded(question)
    return Asked(
        words=frozenset(_WORD.findall(plain)),
        terms=terms(question),
        named=identifiers(question),
        times=stretches(question, now),
        a_time=_FOR_A_TIME.search(plain) is not None,
        a_number=_FOR_A_NUMBER.search(plain) is not None,
        personal=_OF_ONESELF.search(plain) is not None,
    )


def fits(question: Asked, text: str) -> Mapping[str, float]:
    """
    Whether a text is by somebody the question names, holds a time or a number if it asks for one, and tells of the
    one who says it if it is about the asker.
    """
    plain = folded(text) if question.a_time or question.a_number or question.personal else ""
    sort = (question.a_time and _TIME.search(plain)) or (question.a_number and _NUMBER.search(plain))
    personal = question.personal and _OF_ONESELF.search(plain)
    return {
        "speaker": float(_by_somebody_named(text, question.words)),
        "sort": float(bool(sort)),
        "personal": float(bool(personal)),
    }


def covered(question: Asked, text: str) -> float:
    """The share of the question's words that stand in a text."""
    there = {form for word in forms(text[:READ]) for form in word}
    return sum(not there.isdisjoint(word) for word in question.terms) / max(len(question.terms), 1)


def is_question(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _by_somebody_named(text: str, words: frozenset[str]) -> bool:
    speaker = _SPEAKER.match(text)
    return speaker is not None and not words.isdisjoint(folded(speaker[1]).split())
