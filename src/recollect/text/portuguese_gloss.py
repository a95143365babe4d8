"""Word-by-word English gloss of everyday Portuguese, for embedding models that know only English."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from recollect.text.analyzer import fold_text, stem
from recollect.text.language import detect_language
from recollect.text.portuguese_lexicon import PORTUGUESE_CONCEPTS, PORTUGUESE_PHRASES


def _split_entries(table: str) -> Iterator[str]:
    return (entry.strip() for entry in table.replace("\n", "|").split("|") if entry.strip())


_PHRASE_TRANSLATIONS: Final = dict(entry.split(" = ") for entry in _split_entries(PORTUGUESE_PHRASES))
_PHRASE_PATTERN: Final = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _PHRASE_TRANSLATIONS), key=len, reverse=True))})(?![\w-])",
    re.IGNORECASE,
)
#: Portuguese puts an article before a possessive.
_POSSESSIVE_ARTICLE_PATTERN: Final = re.compile(
    r"(?<!\w)(?:(?P<of>d[oa]s?)|(?P<to>aos?|às?)|(?P<in>n[oa]s?)|(?P<by>pel[oa]s?)|[oa]s?)"
    r" (?=(?:[mts]eu|minha|tua|sua|noss[oa])s?(?!\w))",
    re.IGNORECASE,
)
_SHOULD_PATTERN: Final = re.compile(r"(?<!\w)dev(?:o|e|em|emos)(?= (?:\w+ )?\w+[aei]r(?!\w))", re.IGNORECASE)
_QUESTION_START_PATTERN: Final = re.compile(r"\Aque(?= )", re.IGNORECASE)
_PLURAL_ENDINGS: Final = {"ns": "m", "oes": "ao", "aes": "ao", "ais": "al", "eis": "el", "es": "", "s": ""}
_WORD_PATTERN: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@cache
def _load_tables() -> tuple[dict[str, str], dict[str, str]]:
    """Return the English of Portuguese words and of their stems; the first entry of a word counts."""
    words: dict[str, str] = {}
    stems: dict[str, str] = {}
    for concept in _split_entries(PORTUGUESE_CONCEPTS):
        english, _, portuguese = concept.partition(": ")
        for word in portuguese.split():
            words.setdefault(word, english)
            if len(word) > 4:
                stems.setdefault(stem(word, "pt"), english)
    return words, stems


def gloss_in_english(text: str) -> str:
    """Return a Portuguese text with its known words in English; any other text unchanged."""
    if detect_language(text) != "pt":
        return text
    prepared = _QUESTION_START_PATTERN.sub(
        "which", _SHOULD_PATTERN.sub("should", _POSSESSIVE_ARTICLE_PATTERN.sub(_drop_article, text))
    )
    parts: list[str] = []
    position = 0
    for phrase in _PHRASE_PATTERN.finditer(prepared):
        parts += [
            _gloss_words(prepared, position, phrase.start()),
            _PHRASE_TRANSLATIONS[phrase.group().lower()],
        ]
        position = phrase.end()
    return "".join([*parts, _gloss_words(prepared, position, len(prepared))])


def _drop_article(match: re.Match[str]) -> str:
    return f"{match.lastgroup} " if match.lastgroup else ""


def _gloss_words(text: str, begin: int, end: int) -> str:
    """Translate word by word. A capitalized word inside a sentence is a name and is kept."""
    parts: list[str] = []
    position = begin
    for word in _WORD_PATTERN.finditer(text, begin, end):
        before = text[: word.start()].rstrip()
        is_name = word.group()[0].isupper() and before and before[-1] not in ".!?…:\"'“"
        parts += [text[position : word.start()], word.group() if is_name else _gloss_word(word.group())]
        position = word.end()
    return "".join([*parts, text[position:end]])


@lru_cache(maxsize=32_768)
def _gloss_word(word: str) -> str:
    words, stems = _load_tables()
    for candidate in _singular_candidates(fold_text(word)):
        if translation := words.get(candidate) or (len(candidate) > 4 and stems.get(stem(candidate, "pt"))):
            return translation
    return word


def _singular_candidates(word: str) -> Iterator[str]:
    """Yield the word and its possible singulars."""
    yield word
    for plural, singular in _PLURAL_ENDINGS.items():
        if len(word) > len(plural) + 2 and word.endswith(plural):
            yield word.removesuffix(plural) + singular
