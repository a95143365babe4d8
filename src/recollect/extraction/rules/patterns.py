"""Patterns over words with alternatives, optional words, word classes and numbers; matched without backtracking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.extraction.rules.tokens import Word

_NUMBER_PLACEHOLDER = "<n>"
_ANY_WORD_PLACEHOLDER = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternStep:
    words: frozenset[str]
    is_optional: bool
    matches_number: bool
    matches_any: bool

    def matches(self, word: Word) -> bool:
        return self.matches_any or word.fold in self.words or (self.matches_number and word.is_number)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPattern:
    """
    A sequence of words such as `am|was really? allergic to`.

    `a|b` is an alternative, `a?` is optional, `@kin` is any word of a class, `<n>` a number and `*` any word.
    """

    steps: tuple[PatternStep, ...]

    @classmethod
    def parse(cls, text: str, classes: Mapping[str, frozenset[str]]) -> "WordPattern":
        return cls(steps=tuple(_parse_step(part, classes) for part in text.split()))

    def match_end(self, words: Sequence[Word], start: int = 0) -> int | None:
        """Return the end of the longest match that starts here, or None."""
        ends = {start}
        for step in self.steps:
            after = {end + 1 for end in ends if end < len(words) and step.matches(words[end])}
            ends = after | ends if step.is_optional else after
            if not ends:
                return None
        return max(ends)

    def first_words(self) -> frozenset[str]:
        """Return the words a match may start with."""
        words: frozenset[str] = frozenset()
        for step in self.steps:
            words |= step.words
            if not step.is_optional:
                break
        return words


def _parse_step(part: str, classes: Mapping[str, frozenset[str]]) -> PatternStep:
    is_optional = part.endswith("?")
    words: set[str] = set()
    for choice in part.removesuffix("?").split("|"):
        words |= classes[choice[1:]] if choice.startswith("@") else {choice}
    return PatternStep(
        words=frozenset(words - {_NUMBER_PLACEHOLDER, _ANY_WORD_PLACEHOLDER}),
        is_optional=is_optional,
        matches_number=_NUMBER_PLACEHOLDER in words,
        matches_any=_ANY_WORD_PLACEHOLDER in words,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseSet:
    """A set of phrases, indexed by their first word."""

    by_first_word: Mapping[str, tuple[tuple[str, ...], ...]]

    @classmethod
    def parse(cls, text: str) -> "PhraseSet":
        """Build the set from comma-separated phrases."""
        groups: dict[str, list[tuple[str, ...]]] = {}
        for phrase in text.split(","):
            if words := tuple(phrase.split()):
                groups.setdefault(words[0], []).append(words)
        return cls(
            by_first_word={
                first: tuple(sorted(group, key=len, reverse=True)) for first, group in groups.items()
            }
        )

    def match_length(self, words: Sequence[Word], position: int) -> int:
        """Return the number of words of the longest phrase that starts here, or 0."""
        for phrase in self.by_first_word.get(words[position].fold, ()):
            if tuple(word.fold for word in words[position : position + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def first_position(self, words: Sequence[Word]) -> int:
        """Return the position of the first phrase, or the number of words if there is none."""
        return next((i for i in range(len(words)) if self.match_length(words, i)), len(words))

    def occurs_in(self, words: Sequence[Word]) -> bool:
        return any(self.match_length(words, i) for i in range(len(words)))

    def prefix_length(self, words: Sequence[Word]) -> int:
        return self.match_length(words, 0) if words else 0
