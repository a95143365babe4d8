"""Conditions of rules on the words after their pattern."""

from collections.abc import Sequence

from recollect.extraction.rules.rule_index import Condition
from recollect.extraction.rules.tokens import Word


def has(words: frozenset[str], *, within: int = 8) -> Condition:
    """One of the first ``within`` words is in the set."""
    return lambda rest: any(word.fold in words for word in rest[:within])


def starts_with(words: frozenset[str]) -> Condition:
    return lambda rest: bool(rest) and rest[0].fold in words


def lacks(words: frozenset[str]) -> Condition:
    return lambda rest: not any(word.fold in words for word in rest)


def is_capitalized(rest: Sequence[Word]) -> bool:
    """The first word is capitalized."""
    return bool(rest) and rest[0].is_capitalized


def capitalized_within(count: int) -> Condition:
    return lambda rest: any(word.is_capitalized for word in rest[:count])


def not_starting_with(*phrases: str) -> Condition:
    return lambda rest: (
        not any([word.fold for word in rest[: len(phrase.split())]] == phrase.split() for phrase in phrases)
    )


def either(*conditions: Condition) -> Condition:
    return lambda rest: any(condition(rest) for condition in conditions)


def both(*conditions: Condition) -> Condition:
    return lambda rest: all(condition(rest) for condition in conditions)


def at_most(count: int) -> Condition:
    return lambda rest: len(rest) <= count


def at_least(count: int) -> Condition:
    return lambda rest: len(rest) >= count


def lasts_long(times: frozenset[str], since: frozenset[str]) -> Condition:
    """A long duration follows: "for ten years", "since March"."""

    def condition(rest: Sequence[Word]) -> bool:
        folds = [word.fold for word in rest]
        if since & set(folds[1:]):
            return True
        return any(fold == "for" and times & set(folds[i + 1 : i + 4]) for i, fold in enumerate(folds))

    return condition


def is_noun_phrase(rest: Sequence[Word]) -> bool:
    """The words start like a noun phrase, not with a participle as in "started the …"."""
    return bool(rest) and not rest[0].fold.endswith(("ed", "ing")) and rest[0].fold not in _PARTICIPLES


_PARTICIPLES = frozenset(
    "been done got gotten seen had heard made found gone come taken to no never lost read".split()
)


def is_age(rest: Sequence[Word]) -> bool:
    return (
        bool(rest)
        and rest[0].fold.isascii()
        and rest[0].fold.isdecimal()
        and 3 <= int(rest[0].fold[:4]) <= 115
    )


def noun_phrase(stops: frozenset[str], head: Condition) -> Condition:
    """The last word before the first preposition, the head noun in English, meets the condition."""

    def condition(rest: Sequence[Word]) -> bool:
        end = next((i for i, word in enumerate(rest) if word.fold in stops), len(rest))
        return 0 < end <= 6 and head(rest[end - 1 : end])

    return condition


def first_noun(stops: frozenset[str], head: Condition) -> Condition:
    """One of the first three words before a preposition, the head noun in Portuguese, meets the condition."""

    def condition(rest: Sequence[Word]) -> bool:
        end = next((i for i, word in enumerate(rest) if word.fold in stops), len(rest))
        return any(head(rest[i : i + 1]) for i in range(min(end, 3)))

    return condition


def listed_or_ends_with(
    words: frozenset[str], endings: tuple[str, ...], *, excluded: frozenset[str]
) -> Condition:
    """The first word is in the set or has one of the endings."""

    def condition(rest: Sequence[Word]) -> bool:
        if not rest or rest[0].fold in excluded:
            return False
        fold = rest[0].fold
        return fold in words or (len(fold) > 4 and fold.endswith(endings))

    return condition
