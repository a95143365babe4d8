"""What a question asks for besides its words: a time, a number, somebody's words, a name in code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from string import punctuation

from recollect.text.analyzer import fold_text
from recollect.text.dates import TimeRange, find_time_ranges
from recollect.text.identifiers import extract_identifiers

_TIME_QUESTION_PATTERN = re.compile(
    r"(?<!\w)(?:when|how long|how often|what (?:date|day|month|year|time)|quando|ha quanto tempo"
    r"|(?:em )?que (?:dia|mes|ano|horas?|data))(?!\w)"
)
_NUMBER_QUESTION_PATTERN = re.compile(
    r"(?<!\w)(?:how (?:many|much|old|far|tall)|what (?:number|percentage|price)|quant[oa]s?)(?!\w)"
)
#: A year, or a time of the day.
_TIME_DIGITS_PATTERN = re.compile(r"\d{4}|\d{1,2}[:h]\d\d")
_TIME_WORDS = frozenset(
    """
    yesterday today tomorrow tonight last next ago since recently week weeks month months year years weekend weekends
    day days morning evening monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december
    ontem hoje amanha desde atras semana semanas mes meses ano anos dia dias passado passada proximo proxima segunda
    terca quarta quinta sexta sabado domingo janeiro fevereiro marco abril maio junho julho agosto setembro outubro
    novembro dezembro
    """.split()
)
_DIGIT_PATTERN = re.compile(r"\d")
_NUMBER_WORDS = frozenset(
    """
    two three four five six seven eight nine ten once twice couple few several dozen hundred
    dois duas tres quatro cinco seis sete oito nove dez duzia cem
    """.split()
)
_FIRST_PERSON_WORDS = frozenset(
    """
    i i'm i've i'd i'll my mine me we our us
    eu meu meus minha minhas nos nosso nossos nossa nossas mim comigo sou estou tenho temos tive vou vamos fui faco fiz
    quero posso preciso prefiro moro gosto odeio adoro acho sei
    """.split()
)
#: People leave the pronoun out in Portuguese, where the verb says it: by its ending, or at the start of a sentence.
_FIRST_PERSON_ENDING_PATTERN = re.compile(r"(?:ei(?<=\w{5})|[aei]mos(?<=\w{7}))(?!\w)")
_SENTENCE_INITIAL_VERB_PATTERN = re.compile(
    r"(?:\A|[.!?]\s)(?:(?:nao|so|sempre|nunca|ja|tambem|ainda)\s)?(?:me\s)?[a-z]{2,}o(?=\s)"
)
#: As chats are written down: a name, a colon, what was said.
_SPEAKER_PREFIX_PATTERN = re.compile(r"([^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30})?):\s")
#: Letters of the longest name that is taken for one, and a colon.
MAX_SPEAKER_PREFIX_CHARS = 63
_WORD_PATTERN = re.compile(r"[\w']+")
#: What stands between words, if there are no letters but those of ASCII: cutting there takes a third of the time.
_PUNCTUATION_TO_SPACE = str.maketrans(dict.fromkeys(set(punctuation) - set("'_"), " "))
#: Characters of a text that are read: what it is about shows by then.
MAX_FEATURE_CHARS = 300
#: Texts of which is remembered what they tell: one question after another is about the same things.
FEATURE_CACHE_SIZE = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFeatures:
    """A question, read once for all candidates."""

    words: frozenset[str]
    identifiers: frozenset[str]  #: identifiers of code
    time_ranges: tuple[TimeRange, ...]
    asks_for_time: bool = False
    asks_for_number: bool = False
    is_personal: bool = False  #: it is about the asker


def extract_query_features(query: str, now: datetime) -> QueryFeatures:
    folded_query = fold_text(query)
    return QueryFeatures(
        words=frozenset(_split_words(folded_query)),
        identifiers=extract_identifiers(query),
        time_ranges=find_time_ranges(query, now),
        asks_for_time=_TIME_QUESTION_PATTERN.search(folded_query) is not None,
        asks_for_number=_NUMBER_QUESTION_PATTERN.search(folded_query) is not None,
        is_personal=_is_first_person(query),
    )


def match_features(query: QueryFeatures, text: str) -> Mapping[str, float]:
    """
    Whether a text is by somebody the question names, holds a time or a number if it asks for one, and tells of the
    one who says it if it is about the asker; what does not fit is not there.
    """
    features: dict[str, float] = {}
    if _is_by_named_speaker(text, query.words):
        features["speaker"] = 1.0
    beginning = text[:MAX_FEATURE_CHARS]
    if (query.asks_for_time and _has_time(beginning)) or (query.asks_for_number and _has_number(beginning)):
        features["sort"] = 1.0
    if query.is_personal and _is_first_person_cached(beginning):
        features["personal"] = 1.0
    return features


def _split_words(plain: str) -> list[str]:
    return plain.translate(_PUNCTUATION_TO_SPACE).split() if plain.isascii() else _WORD_PATTERN.findall(plain)


@lru_cache(FEATURE_CACHE_SIZE)
def _has_time(text: str) -> bool:
    plain = fold_text(text)
    return not _TIME_WORDS.isdisjoint(_split_words(plain)) or _TIME_DIGITS_PATTERN.search(plain) is not None


@lru_cache(FEATURE_CACHE_SIZE)
def _has_number(text: str) -> bool:
    plain = fold_text(text)
    return not _NUMBER_WORDS.isdisjoint(_split_words(plain)) or _DIGIT_PATTERN.search(plain) is not None


@lru_cache(FEATURE_CACHE_SIZE)
def _is_first_person_cached(text: str) -> bool:
    return _is_first_person(text)


def _is_first_person(text: str) -> bool:
    plain = fold_text(text)
    return (
        not _FIRST_PERSON_WORDS.isdisjoint(_split_words(plain))
        or "a gente" in plain
        or _FIRST_PERSON_ENDING_PATTERN.search(plain) is not None
        or _SENTENCE_INITIAL_VERB_PATTERN.search(plain) is not None
    )


def is_question(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _is_by_named_speaker(text: str, query_words: frozenset[str]) -> bool:
    # Few texts have a colon that early; to look for one takes a fraction of the time.
    speaker = _SPEAKER_PREFIX_PATTERN.match(text) if ":" in text[:MAX_SPEAKER_PREFIX_CHARS] else None
    return speaker is not None and not query_words.isdisjoint(fold_text(speaker[1]).split())
