"""Read a text as plain words, and find known phrases among them."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

#: A laugh such as "kkkk" is no drawn-out "k"; three of a letter in a longer word are one.
_REPEATED_LETTER_PATTERN = re.compile(r"(\b([a-z])\2{2,}+\b)|([a-z])\3{2,}+")
_TRIPLE_LETTERS = tuple(letter * 3 for letter in ascii_lowercase)

#: Characters whose reading is remembered; nobody shall fill the memory with rare ones.
_MAX_CACHED_CHARACTERS = 20_000


class _FoldTable(dict[int, str]):
    """From a character to what it reads as: small, without accents; a space when it is no part of a word."""

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code))
        if len(self) < _MAX_CACHED_CHARACTERS:
            self[code] = folded
        return folded


def _fold_character(character: str) -> str:
    # One character at a time: normalising a whole text takes quadratic time on heaps of accents.
    parts = unicodedata.normalize("NFKD", character.casefold())
    kept = (part for part in parts if unicodedata.category(part) not in {"Mn", "Me", "Cf"})
    return "".join(part if part.isalnum() else " " for part in kept)


_FOLD_TABLE = _FoldTable()


def split_words(text: str) -> list[str]:
    """Return the words: casefolded, without accents and punctuation, drawn-out letters once (`okkkk` is `ok`)."""
    folded = text.translate(_FOLD_TABLE)
    if any(triple in folded for triple in _TRIPLE_LETTERS):
        folded = _REPEATED_LETTER_PATTERN.sub(r"\1\3", folded)
    return folded.split()


def split_phrases(text: str) -> tuple[str, ...]:
    """Return the phrases of a list that is written with commas."""
    return tuple(" ".join(phrase.split()) for phrase in text.split(",") if phrase.strip())


@dataclass(frozen=True, slots=True)
class PhraseIndex:
    """Phrases with a label each."""

    labels: Mapping[tuple[str, ...], str]
    lengths: Mapping[str, frozenset[int]]  #: how long phrases are that begin with this word

    @classmethod
    def from_pairs(cls, phrases: Iterable[tuple[str, str]]) -> "PhraseIndex":
        """Take pairs of phrase and label. Of two labels the first stays; phrases without a word are left out."""
        labels: dict[tuple[str, ...], str] = {}
        lengths: dict[str, set[int]] = {}
        for phrase, label in phrases:
            if tokens := tuple(split_words(phrase)):
                labels.setdefault(tokens, label)
                lengths.setdefault(tokens[0], set()).add(len(tokens))
        return cls(labels, {first: frozenset(known) for first, known in lengths.items()})

    def candidate_positions(self, tokens: Sequence[str]) -> Iterator[int]:
        """Where a phrase may begin."""
        return (place for place, word in enumerate(tokens) if word in self.lengths)

    def matches_at(self, tokens: Sequence[str], position: int) -> Iterator[tuple[int, str]]:
        """The end and the label of each phrase that begins at this place."""
        for length in self.lengths.get(tokens[position], ()):
            label = self.labels.get(tuple(tokens[position : position + length]))
            if label is not None and position + length <= len(tokens):
                yield position + length, label
