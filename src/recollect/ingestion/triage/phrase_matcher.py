"""Read a text as plain words, and find known phrases among them."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

#: A laugh such as "kkkk" is no drawn-out "k"; three of a letter in a longer word are one.
_DRAWN_OUT = re.compile(r"(\b([a-z])\2{2,}+\b)|([a-z])\3{2,}+")
_TRIPLES = tuple(letter * 3 for letter in ascii_lowercase)

#: Characters whose reading is remembered; nobody shall fill the memory with rare ones.
_REMEMBERED = 20_000


class _Fold(dict[int, str]):
    """From a character to what it reads as: small, without accents; a space when it is no part of a word."""

    def __missing__(self, code: int) -> str:
        folded = _folded(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = folded
        return folded


def _folded(character: str) -> str:
    # One character at a time: normalising a whole text takes quadratic time on heaps of accents.
    parts = unicodedata.normalize("NFKD", character.casefold())
    kept = (part for part in parts if unicodedata.category(part) not in {"Mn", "Me", "Cf"})
    return "".join(part if part.isalnum() else " " for part in kept)


_FOLD = _Fold()


def words(text: str) -> list[str]:
    """Return the words: casefolded, without accents and punctuation, drawn-out letters once (`okkkk` is `ok`)."""
    folded = text.translate(_FOLD)
    if any(triple in folded for triple in _TRIPLES):
        folded = _DRAWN_OUT.sub(r"\1\3", folded)
    return folded.split()


def listed(text: str) -> tuple[str, ...]:
    """Return the phrases of a list that is written with commas."""
    return tuple(" ".join(phrase.split()) for phrase in text.split(",") if phrase.strip())


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases with a label each."""

    labels: Mapping[tuple[str, ...], str]
    lengths: Mapping[str, frozenset[int]]  #: how long phrases are that begin with this word

    @classmethod
    def labelled(cls, phrases: Iterable[tuple[str, str]]) -> "Phrases":
        """Take pairs of phrase and label. Of two labels the first stays; phrases without a word are left out."""
        labels: dict[tuple[str, ...], str] = {}
        lengths: dict[str, set[int]] = {}
        for phrase, label in phrases:
            if read := tuple(words(phrase)):
                labels.setdefault(read, label)
                lengths.setdefault(read[0], set()).add(len(read))
        return cls(labels, {first: frozenset(known) for first, known in lengths.items()})

    def places(self, text: Sequence[str]) -> Iterator[int]:
        """Where a phrase may begin."""
        return (place for place, word in enumerate(text) if word in self.lengths)

    def at(self, text: Sequence[str], place: int) -> Iterator[tuple[int, str]]:
        """The end and the label of each phrase that begins at this place."""
        for length in self.lengths.get(text[place], ()):
            label = self.labels.get(tuple(text[place : place + length]))
            if label is not None and place + length <= len(text):
                yield place + length, label
