"""What a question asks for besides its words: a time, a number, somebody's words, a name in code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from string import punctuation

from recollect.text.analyzer import folded
from recollect.text.dates import Stretch, stretches
from recollect.text.identifiers import identifiers

_FOR_A_TIME = re.compile(
    r"(?<!\w)(?:when|how long|how often|what (?:date|day|month|year|time)|quando|ha quanto tempo"
    r"|(?:em )?que (?:dia|mes|ano|horas?|data))(?!\w)"
)
_FOR_A_NUMBER = re.compile(
    r"(?<!\w)(?:how (?:many|much|old|far|tall)|what (?:number|percentage|price)|quant[oa]s?)(?!\w)"
)
#: A year, or a time of the day.
_DIGITS_OF_A_TIME = re.compile(r"\d{4}|\d{1,2}[:h]\d\d")
_TIME = frozenset(
    """
    yesterday today tomorrow tonight last next ago since recently week weeks month months year years weekend weekends
    day days morning evening monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december
    ontem hoje amanha desde atras semana semanas mes meses ano anos dia dias passado passada proximo proxima segunda
    terca quarta quinta sexta sabado domingo janeiro fevereiro marco abril maio junho julho agosto setembro outubro
    novembro dezembro
    """.split()
)
_DIGIT = re.compile(r"\d")
_NUMBER = frozenset(
    """
    two three four five six seven eight nine ten once twice couple few several dozen hundred
    dois duas tres quatro cinco seis sete oito nove dez duzia cem
    """.split()
)
_ONESELF = frozenset(
    """
    i i'm i've i'd i'll my mine me we our us
    eu meu meus minha minhas nos nosso nossos nossa nossas mim comigo sou estou tenho temos tive vou vamos fui faco fiz
    quero posso preciso prefiro moro gosto odeio adoro acho sei
    """.split()
)
#: People leave the pronoun out in Portuguese, where the verb says it: by its ending, or at the start of a sentence.
_ENDING_OF_ONESELF = re.compile(r"(?:ei(?<=\w{5})|[aei]mos(?<=\w{7}))(?!\w)")
_FIRST_VERB = re.compile(
    r"(?:\A|[.!?]\s)(?:(?:nao|so|sempre|nunca|ja|tambem|ainda)\s)?(?:me\s)?[a-z]{2,}o(?=\s)"
)
#: As chats are written down: a name, a colon, what was said.
_SPEAKER = re.compile(r"([^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30})?):\s")
#: Letters of the longest name that is taken for one, and a colon.
LONGEST_NAME = 63
_WORD = re.compile(r"[\w']+")
#: What stands between words, if there are no letters but those of ASCII: cutting there takes a third of the time.
_BETWEEN = str.maketrans(dict.fromkeys(set(punctuation) - set("'_"), " "))
#: Characters of a text that are read: what it is about shows by then.
READ = 300
#: Texts of which is remembered what they tell: one question after another is about the same things.
REMEMBERED = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, read once for all candidates."""

    words: frozenset[str]
    named: frozenset[str]  #: identifiers of code
    times: tuple[Stretch, ...]
    a_time: bool = False
    a_number: bool = False
    personal: bool = False  #: it is about the asker


def asked(question: str, now: datetime) -> Asked:
    plain = folded(question)
    return Asked(
        words=frozenset(_words(plain)),
        named=identifiers(question),
        times=stretches(question, now),
        a_time=_FOR_A_TIME.search(plain) is not None,
        a_number=_FOR_A_NUMBER.search(plain) is not None,
        personal=_is_of_oneself(question),
    )


def fits(question: Asked, text: str) -> Mapping[str, float]:
    """
    Whether a text is by somebody the question names, holds a time or a number if it asks for one, and tells of the
    one who says it if it is about the asker; what does not fit is not there.
    """
    fit: dict[str, float] = {}
    if _by_somebody_named(text, question.words):
        fit["speaker"] = 1.0
    beginning = text[:READ]
    if (question.a_time and _tells_a_time(beginning)) or (question.a_number and _tells_a_number(beginning)):
        fit["sort"] = 1.0
    if question.personal and _tells_of_oneself(beginning):
        fit["personal"] = 1.0
    return fit


def _words(plain: str) -> list[str]:
    return plain.translate(_BETWEEN).split() if plain.isascii() else _WORD.findall(plain)


@lru_cache(REMEMBERED)
def _tells_a_time(text: str) -> bool:
    plain = folded(text)
    return not _TIME.isdisjoint(_words(plain)) or _DIGITS_OF_A_TIME.search(plain) is not None


@lru_cache(REMEMBERED)
def _tells_a_number(text: str) -> bool:
    plain = folded(text)
    return not _NUMBER.isdisjoint(_words(plain)) or _DIGIT.search(plain) is not None


@lru_cache(REMEMBERED)
def _tells_of_oneself(text: str) -> bool:
    return _is_of_oneself(text)


def _is_of_oneself(text: str) -> bool:
    plain = folded(text)
    return (
        not _ONESELF.isdisjoint(_words(plain))
        or "a gente" in plain
        or _ENDING_OF_ONESELF.search(plain) is not None
        or _FIRST_VERB.search(plain) is not None
    )


def is_question(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _by_somebody_named(text: str, words: frozenset[str]) -> bool:
    # Few texts have a colon that early; to look for one takes a fraction of the time.
    speaker = _SPEAKER.match(text) if ":" in text[:LONGEST_NAME] else None
    return speaker is not None and not words.isdisjoint(folded(speaker[1]).split())
