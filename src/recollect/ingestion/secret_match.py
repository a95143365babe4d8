"""Where something secret stands in a text, and what it is."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    kind: str  #: in words: "openai key", "payment card"
    start: int  #: in characters of the text that was searched
    end: int


def places(text: str, word: str) -> Iterator[int]:
    """Where a word begins. To look for words first is many times quicker than to try a pattern everywhere."""
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + len(word))


def follows(text: str, place: int, forbidden: frozenset[str]) -> bool:
    """Whether the character before a place is one of these."""
    return place > 0 and text[place - 1] in forbidden
