"""Small patterns over words: alternatives, options, word classes and numbers, without any backtracking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.extraction.rules.tokens import Word

_NUMBER = "<n>"
_ANY = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    words: frozenset[str]
    optional: bool
    number: bool
    anything: bool

    def takes(self, word: Word) -> bool:
        return self.anything or word.fold in self.words or (self.number and word.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """
    Written as words: `am|was really? allergic to`, where `a|b` is one of both, `a?` may be missing,
    `@kin` is any word of a class, `<n>` a number and `*` any word.
    """

    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str, classes: Mapping[str, frozenset[str]]) -> "Pattern":
        return cls(steps=tuple(_step(part, classes) for part in text.split()))

    def end(self, words: Sequence[Word], at: int = 0) -> int | None:
        """Where the longest match that begins here ends; None when there is none."""
        places = {at}
        for step in self.steps:
            after = {place + 1 for place in places if place < len(words) and step.takes(words[place])}
            places = after | places if step.optional else after
            if not places:
                return None
        return max(places)

    def openings(self) -> frozenset[str]:
        """The words it may begin with."""
        words: frozenset[str] = frozenset()
        for step in self.steps:
            words |= step.words
            if not step.optional:
                break
        return words


def _step(part: str, classes: Mapping[str, frozenset[str]]) -> Step:
    optional = part.endswith("?")
    words: set[str] = set()
    for choice in part.removesuffix("?").split("|"):
        words |= classes[choice[1:]] if choice.startswith("@") else {choice}
    return Step(
        words=frozenset(words - {_NUMBER, _ANY}),
        optional=optional,
        number=_NUMBER in words,
        anything=_ANY in words,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Known phrases, found anywhere in a text by their first word."""

    by_first: Mapping[str, tuple[tuple[str, ...], ...]]

    @classmethod
    def listed(cls, text: str) -> "Phrases":
        """Take phrases that are written with commas between them."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for phrase in text.split(","):
            if words := tuple(phrase.split()):
                found.setdefault(words[0], []).append(words)
        return cls(
            by_first={first: tuple(sorted(group, key=len, reverse=True)) for first, group in found.items()}
        )

    def at(self, words: Sequence[Word], place: int) -> int:
        """How many words the longest phrase that begins here has; 0 when there is none."""
        for phrase in self.by_first.get(words[place].fold, ()):
            if tuple(word.fold for word in words[place : place + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def first(self, words: Sequence[Word]) -> int:
        """Where the first of them begins; the number of words when there is none."""
        return next((place for place in range(len(words)) if self.at(words, place)), len(words))

    def within(self, words: Sequence[Word]) -> bool:
        return any(self.at(words, place) for place in range(len(words)))

    def starts(self, words: Sequence[Word]) -> int:
        return self.at(words, 0) if words else 0
