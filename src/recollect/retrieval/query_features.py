"""Features of the query besides its terms: time ranges, the expected answer type, speakers, code identifiers."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from string import punctuation

from recollect.text.analyzer import fold_text
from recollect.text.dates import TimeRange, find_time_ranges
from recollect.text.identifiers import extract_identifiers
from recollect.text.languages import LANGUAGES


def _any_word(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)")


_TIME_QUESTION_PATTERN = _any_word(language.time_question_pattern for language in LANGUAGES.values())
_NUMBER_QUESTION_PATTERN = _any_word(language.number_question_pattern for language in LANGUAGES.values())
#: A year or a time of day.
_TIME_DIGITS_PATTERN = re.compile(r"\d{4}|\d{1,2}[:h]\d\d")
_TIME_WORDS = frozenset(word for language in LANGUAGES.values() for word in language.time_words)
_DIGIT_PATTERN = re.compile(r"\d")
_NUMBER_WORDS = frozenset(word for language in LANGUAGES.values() for word in language.number_words)
_FIRST_PERSON_WORDS = frozenset(
    word for language in LANGUAGES.values() for word in language.first_person_words
)
_FIRST_PERSON_PATTERNS = tuple(
    re.compile(pattern) for language in LANGUAGES.values() for pattern in language.first_person_patterns
)
#: A line of a transcript: speaker, colon, text.
_SPEAKER_PREFIX_PATTERN = re.compile(r"([^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30})?):\s")
#: Longest speaker name that `_SPEAKER_PREFIX_PATTERN` matches, plus the colon.
MAX_SPEAKER_PREFIX_CHARS = 63
_WORD_PATTERN = re.compile(r"[\w']+")
#: Word separators in ASCII text: translate and split takes a third of the time of the regular expression.
_PUNCTUATION_TO_SPACE = str.maketrans(dict.fromkeys(set(punctuation) - set("'_"), " "))
#: Characters of a text that are examined; the subject shows by then.
MAX_FEATURE_CHARS = 300
#: Cached texts per feature: consecutive queries retrieve many of the same passages.
FEATURE_CACHE_SIZE = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFeatures:
    """Features of a query, extracted once and matched with every candidate."""

    words: frozenset[str]
    identifiers: frozenset[str]  #: code identifiers
    time_ranges: tuple[TimeRange, ...]
    asks_for_time: bool = False
    asks_for_number: bool = False
    is_personal: bool = False  #: the query is in the first person


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


def match_text(query: QueryFeatures, text: str) -> Mapping[str, float]:
    """
    Return the features that match, each 1.0: `speaker` if the query names the text's speaker, `sort` if the text
    contains the time or number that the query asks for, `personal` if both are in the first person.
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


def _split_words(folded: str) -> list[str]:
    return (
        folded.translate(_PUNCTUATION_TO_SPACE).split() if folded.isascii() else _WORD_PATTERN.findall(folded)
    )


@lru_cache(FEATURE_CACHE_SIZE)
def _has_time(text: str) -> bool:
    folded = fold_text(text)
    return not _TIME_WORDS.isdisjoint(_split_words(folded)) or _TIME_DIGITS_PATTERN.search(folded) is not None


@lru_cache(FEATURE_CACHE_SIZE)
def _has_number(text: str) -> bool:
    folded = fold_text(text)
    return not _NUMBER_WORDS.isdisjoint(_split_words(folded)) or _DIGIT_PATTERN.search(folded) is not None


@lru_cache(FEATURE_CACHE_SIZE)
def _is_first_person_cached(text: str) -> bool:
    return _is_first_person(text)


def _is_first_person(text: str) -> bool:
    folded = fold_text(text)
    return not _FIRST_PERSON_WORDS.isdisjoint(_split_words(folded)) or any(
        pattern.search(folded) for pattern in _FIRST_PERSON_PATTERNS
    )


def is_question(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _is_by_named_speaker(text: str, query_words: frozenset[str]) -> bool:
    # Few texts have a colon this early, and checking for one is far cheaper than the regular expression.
    speaker = _SPEAKER_PREFIX_PATTERN.match(text) if ":" in text[:MAX_SPEAKER_PREFIX_CHARS] else None
    return speaker is not None and not query_words.isdisjoint(fold_text(speaker[1]).split())
