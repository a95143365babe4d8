"""Everyday Portuguese in English words, so that a model that reads English alone has an idea of what is meant."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from recollect.text.analyzer import folded, stem
from recollect.text.language import detect
from recollect.text.portuguese_lexicon import CONCEPTS, PHRASES


def _entries(table: str) -> Iterator[str]:
    return (entry.strip() for entry in table.replace("\n", "|").split("|") if entry.strip())


_PHRASES: Final = dict(entry.split(" = ") for entry in _entries(PHRASES))
_PHRASE: Final = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _PHRASES), key=len, reverse=True))})(?![\w-])",
    re.IGNORECASE,
)
#: Portuguese puts an article before a possessive.
_OWN: Final = re.compile(
    r"(?<!\w)(?:(?P<of>d[oa]s?)|(?P<to>aos?|às?)|(?P<in>n[oa]s?)|(?P<by>pel[oa]s?)|[oa]s?)"
    r" (?=(?:[mts]eu|minha|tua|sua|noss[oa])s?(?!\w))",
    re.IGNORECASE,
)
_SHOULD: Final = re.compile(r"(?<!\w)dev(?:o|e|em|emos)(?= (?:\w+ )?\w+[aei]r(?!\w))", re.IGNORECASE)
_ASKING: Final = re.compile(r"\Aque(?= )", re.IGNORECASE)
_PLURALS: Final = {"ns": "m", "oes": "ao", "aes": "ao", "ais": "al", "eis": "el", "es": "", "s": ""}
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@cache
def _tables() -> tuple[dict[str, str], dict[str, str]]:
    """The English of Portuguese words, and of their stems; the first that names a word keeps it."""
    words: dict[str, str] = {}
    stems: dict[str, str] = {}
    for concept in _entries(CONCEPTS):
        english, _, portuguese = concept.partition(": ")
        for word in portuguese.split():
            words.setdefault(word, english)
            if len(word) > 4:
                stems.setdefault(stem(word, "pt"), english)
    return words, stems


def in_english(text: str) -> str:
    """Return a Portuguese text word by word in English, as far as the words are known; any other as it is."""
    if detect(text) != "pt":
        return text
    asked = _ASKING.sub("which", _SHOULD.sub("should", _OWN.sub(_without_article, text)))
    parts: list[str] = []
    at = 0
    for phrase in _PHRASE.finditer(asked):
        parts += [_by_words(asked, at, phrase.start()), _PHRASES[phrase.group().lower()]]
        at = phrase.end()
    return "".join([*parts, _by_words(asked, at, len(asked))])


def _without_article(found: re.Match[str]) -> str:
    return f"{found.lastgroup} " if found.lastgroup else ""


def _by_words(text: str, begin: int, end: int) -> str:
    """One word at a time. A capital inside a sentence begins a name, which has no English."""
    parts: list[str] = []
    at = begin
    for word in _WORD.finditer(text, begin, end):
        before = text[: word.start()].rstrip()
        name = word.group()[0].isupper() and before and before[-1] not in ".!?…:\"'“"
        parts += [text[at : word.start()], word.group() if name else _english(word.group())]
        at = word.end()
    return "".join([*parts, text[at:end]])


@lru_cache(maxsize=32_768)
def _english(word: str) -> str:
    words, stems = _tables()
    for plain in _singulars(folded(word)):
        if found := words.get(plain) or (len(plain) > 4 and stems.get(stem(plain, "pt"))):
            return found
    return word


def _singulars(word: str) -> Iterator[str]:
    """The word, and what it may be the plural of."""
    yield word
    for plural, singular in _PLURALS.items():
        if len(word) > len(plural) + 2 and word.endswith(plural):
            yield word.removesuffix(plural) + singular
