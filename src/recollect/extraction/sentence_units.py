"""Split a message into sentences and their clauses, by punctuation, line breaks, list numbers and requests."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from recollect.extraction.rules.tokens import fold

_TOKEN_PATTERN = re.compile(r"[^\W_]+(?:['’.\-&][^\W_]+)*[+#]*|\d+%")
#: Titles and abbreviations before a full stop that ends no sentence.
_ABBREVIATIONS = frozenset(
    "dr dra mr mrs ms st sr sra prof eng vs e.g i.e etc approx no art av r d jr".split()
)
_BOUNDARY_PATTERN = re.compile(
    r"(?P<stop>[.!?…]+[\"'”’)\]]*(?=\s|\Z))|(?P<line>\s*\n\s*)|(?P<semicolon>;\s)"
    r"|(?P<dash>\s[–—-]\s)|(?P<number>(?:(?<=\s)|\A)\d{1,2}\)\s)|(?P<laugh>\s(?:[kK]{3,}|(?i:rsrs+|haha\w*|"
    r"lol|lmao))(?=\s))"
)
#: A request or the next topic after a comma begins a sentence too.
_REQUEST_PATTERN = re.compile(
    r",\s(?=(?:(?:so|and|but|now|then)\s)?(?:can|could|would|will)\s(?:you|u)\b|(?:so\s)?(?:pls|"
    r"please)\s(?:help|write|give|make|check|tell|explain)\b"
    r"|(?:what|how|which|why)\s(?:is|are|do|does|can|should|would|did)\b"
    r"|(?:oh and|anyway|by the way|btw|also|outra coisa|fora isso|enfim|já agora|ja agora|a propósito)\b,?\s"
    r"|(?:(?:então|entao|agora|e|aí)\s)?(?:me ajuda|me ajude|ajude-me|ajuda-me|pode-me|você pode|vc pode|"
    r"vc podia|me faz|me manda|preciso de ajuda|me diz)\b)"
    r"|\s(?=(?:so|and|but|anyway)\s(?:can|could|would)\s(?:you|u)\b|(?:then\s)?(?:can|could)\syou\s|"
    r"(?:por favor|pls|please)\s(?:me ajuda|help me|write me|give me)\b|(?:me ajuda|me ajude)\s(?:a|com|"
    r"nisso)\b)",
    re.IGNORECASE,
)
_CLAUSE_PATTERN = re.compile(r"\s*[,;()]\s*|\s+[–—-]\s+|\s*:\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    text: str
    fold: str
    start: int  #: in the message
    end: int


@dataclass(frozen=True, kw_only=True)
class SentenceUnit:
    """A sentence of a message, with the position of its characters."""

    text: str
    start: int
    end: int
    terminator: str  #: the punctuation after the text

    @property
    def is_question(self) -> bool:
        return "?" in self.terminator

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return tuple(
            Token(
                text=match.group(),
                fold=fold(match.group()),
                start=self.start + match.start(),
                end=self.start + match.end(),
            )
            for match in _TOKEN_PATTERN.finditer(self.text)
        )

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(token.fold for token in self.tokens)

    def clauses(self) -> list["SentenceUnit"]:
        """Return the parts between commas, colons, dashes and parentheses."""
        return list(_cut(self.text, self.start, self.terminator, _CLAUSE_PATTERN))


def word_tokens(text: str) -> list[str]:
    """Return the words of a text as they are written."""
    return _TOKEN_PATTERN.findall(text)


def split_units(text: str) -> list[SentenceUnit]:
    """Return the sentences of a text in order. Positions refer to the text."""
    units: list[SentenceUnit] = []
    start = 0
    for boundary in _BOUNDARY_PATTERN.finditer(text):
        if boundary["stop"] and _is_abbreviation(text, start, boundary.start()):
            continue
        units += _split_requests(text, start, boundary.start(), boundary.group().strip())
        start = boundary.end()
    units += _split_requests(text, start, len(text), "")
    return units


def _split_requests(text: str, start: int, end: int, terminator: str) -> Iterator[SentenceUnit]:
    return _cut(text[start:end], start, terminator, _REQUEST_PATTERN)


def _cut(text: str, offset: int, terminator: str, pattern: re.Pattern[str]) -> Iterator[SentenceUnit]:
    start = 0
    for match in pattern.finditer(text):
        if match.end() < len(text):
            yield from _unit(text, start, match.start(), offset, match.group().strip())
            start = match.end()
    yield from _unit(text, start, len(text), offset, terminator)


def _unit(text: str, start: int, end: int, offset: int, terminator: str) -> Iterator[SentenceUnit]:
    piece = text[start:end]
    stripped = piece.strip(" \t\r\n\"'“”«»*_>-–—•,")
    if any(letter.isalnum() for letter in stripped):
        first = offset + start + piece.index(stripped)
        yield SentenceUnit(text=stripped, start=first, end=first + len(stripped), terminator=terminator)


def _is_abbreviation(text: str, start: int, stop: int) -> bool:
    last = text[max(start, stop - 6) : stop].rsplit(" ", maxsplit=1)[-1].lstrip("(")
    return text[stop] == "." and (
        last.casefold() in _ABBREVIATIONS or (len(last) == 1 and last.isupper() and last != "I")
    )
