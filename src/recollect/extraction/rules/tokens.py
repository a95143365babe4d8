"""Tokenize a message into words with their positions."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

#: Numbers with attached letters (17h, 1.82, 3rd, 4B2), then words with inner hyphens and dots (sci-fi, Node.js, C++).
#: Underscores alone are not words.
_WORD_PATTERN = re.compile(
    r"\d+(?:[.,:/]\d+)*[^\W_]*"
    r"|(?:(?<!_)_++(?=[^\W_]))?[^\W_][\w\u0300-\u036f]*(?:(?:['’\-]|\.(?=[a-z\d]))[\w\u0300-\u036f]+)*[+#]*"
)

#: Words whose accent is kept when folding: "é" (is) and "e" (and) differ, as do "está" (is) and "esta" (this).
_ACCENT_SENSITIVE_WORDS = frozenset({"é", "está"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    text: str  #: as shown in facts
    fold: str  #: for comparison: lower case without accents
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        return self.fold[0].isdecimal() and self.fold.isascii() and not any(map(str.isalpha, self.fold))

    @property
    def is_capitalized(self) -> bool:
        return any(letter.isupper() for letter in self.text)


def tokenize(text: str, contractions: Mapping[str, str], clitics: frozenset[str]) -> list[Word]:
    """Return the words in order, with contractions expanded ("I", "am") and clitics split ("chamo", "me")."""
    return [
        word
        for match in _WORD_PATTERN.finditer(text)
        for word in _split_token(match.group(), match.start(), contractions, clitics)
    ]


def _split_token(
    text: str, start: int, contractions: Mapping[str, str], clitics: frozenset[str]
) -> Iterator[Word]:
    folded = fold(text)
    if expansion := contractions.get(folded):
        yield from _expand_contraction(text, start, expansion)
        return
    verb, hyphen, clitic = folded.rpartition("-")
    if hyphen and verb and clitic in clitics:
        cut = len(text) - len(clitic)
        yield Word(text=text[: cut - 1], fold=fold(text[: cut - 1]), start=start, end=start + cut - 1)
        yield Word(text=text[cut:], fold=clitic, start=start + cut, end=start + len(text))
        return
    yield Word(text=text, fold=folded, start=start, end=start + len(text))


def _expand_contraction(text: str, start: int, expansion: str) -> Iterator[Word]:
    first, second = expansion.split(" ", 1)
    cut = min(len(first), len(text) - 1)
    yield Word(
        text=text[:cut] if fold(text[:cut]) == first else first, fold=first, start=start, end=start + cut
    )
    yield Word(text=second, fold=second, start=start + cut, end=start + len(text))


def fold(text: str) -> str:
    """Return the text casefolded, with straight apostrophes and without accents, except in two words."""
    casefolded = text.casefold()
    if casefolded in _ACCENT_SENSITIVE_WORDS:
        return casefolded
    return casefolded if casefolded.isascii() else "".join(map(_fold_letter, casefolded))


@lru_cache(maxsize=4096)
def _fold_letter(letter: str) -> str:
    # One character at a time: normalizing a whole text is quadratic in long runs of combining marks.
    if letter == "’":
        return "'"
    return "".join(part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part))
