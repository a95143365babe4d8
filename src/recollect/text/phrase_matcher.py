"""Tokenize a text into folded words and match known phrases in it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

#: Three or more equal letters inside a word become one; a word of one repeated letter ("kkkk", a laugh) stays.
_REPEATED_LETTER_PATTERN = re.compile(r"(\b([a-z])\2{2,}+\b)|([a-z])\3{2,}+")
#: Finds out faster whether there is anything to replace.
_TRIPLE_PATTERN = re.compile(r"(\S)\1\1")

#: Maximum size of the fold table, so that texts with many rare characters cannot exhaust memory.
_MAX_CACHED_CHARACTERS = 20_000


class _FoldTable(dict[int, str]):
    """Maps a code point to its casefolded form without diacritics, or to a space if it is not alphanumeric."""

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code))
        if len(self) < _MAX_CACHED_CHARACTERS:
            self[code] = folded
        return folded


def _fold_character(character: str) -> str:
    # One character at a time: normalizing a whole text is quadratic in long runs of combining marks.
    parts = unicodedata.normalize("NFKD", character.casefold())
    base_parts = (part for part in parts if unicodedata.category(part) not in {"Mn", "Me", "Cf"})
    return "".join(part if part.isalnum() else " " for part in base_parts)


_FOLD_TABLE = _FoldTable()


def split_words(text: str) -> list[str]:
    """Return the words casefolded, without diacritics and punctuation, repeated letters once (`okkkk` is `ok`)."""
    folded = text.translate(_FOLD_TABLE)
    if _TRIPLE_PATTERN.search(folded):
        folded = _REPEATED_LETTER_PATTERN.sub(r"\1\3", folded)
    return folded.split()


def split_phrases(text: str) -> tuple[str, ...]:
    """Return the phrases of a comma-separated list."""
    return tuple(" ".join(phrase.split()) for phrase in text.split(",") if phrase.strip())


@dataclass(frozen=True, slots=True)
class PhraseIndex:
    """Labelled phrases, indexed by their first word."""

    labels: Mapping[tuple[str, ...], str]
    lengths: Mapping[str, frozenset[int]]  #: numbers of words of the phrases that start with this word

    @classmethod
    def from_pairs(cls, phrases: Iterable[tuple[str, str]]) -> "PhraseIndex":
        """Build the index from (phrase, label) pairs. The first label of a phrase wins; empty phrases are ignored."""
        labels: dict[tuple[str, ...], str] = {}
        lengths: dict[str, set[int]] = {}
        for phrase, label in phrases:
            if tokens := tuple(split_words(phrase)):
                labels.setdefault(tokens, label)
                lengths.setdefault(tokens[0], set()).add(len(tokens))
        return cls(labels, {first: frozenset(counts) for first, counts in lengths.items()})

    def candidate_positions(self, tokens: Sequence[str]) -> Iterator[int]:
        """Yield the positions where a phrase may start."""
        if self.lengths.keys().isdisjoint(tokens):
            return iter(())
        return (position for position, word in enumerate(tokens) if word in self.lengths)

    def matches_at(self, tokens: Sequence[str], position: int) -> Iterator[tuple[int, str]]:
        """Yield the end and the label of each phrase that starts at this position."""
        for length in self.lengths.get(tokens[position], ()):
            label = self.labels.get(tuple(tokens[position : position + length]))
            if label is not None and position + length <= len(tokens):
                yield position + length, label
