"""The date words of one language."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Unit(Enum):
    """A unit of time, with its approximate length in days."""

    DAY = 1
    WEEKEND = 2
    WEEK = 7
    MONTH = 30
    YEAR = 365


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """
    The date words of one language, folded. Vague words name a time of unknown length ("a few weeks ago"): a query can
    be matched with it, but no date follows from it.
    """

    months: Mapping[str, int]
    month_abbreviations: Mapping[str, int]
    ambiguous_months: frozenset[str]  #: also ordinary words; a month only next to a number or a marker
    month_markers: frozenset[str]  #: before an ambiguous name: it is a month
    weekdays: Mapping[str, int]
    days: Mapping[tuple[str, ...], int]  #: "yesterday" is -1
    vague_days: Mapping[tuple[str, ...], int]  #: "the other day"
    units: Mapping[str, Unit]
    vague_units: Mapping[str, Unit]  #: "weekend"
    numbers: Mapping[str, int]
    vague_numbers: Mapping[str, int]  #: "few"
    past_words: frozenset[str]  #: "last", "passada"
    vague_past_words: frozenset[str]  #: "past"
    future_words: frozenset[str]  #: "next", "próximo"
    future_phrase: tuple[str, ...]  #: after the unit: "que vem"; empty if there is none
    current_words: frozenset[str]  #: "this", "este"
    adjectives_follow: bool  #: whether these may also follow the noun: "semana passada"
    ago_words: frozenset[str]  #: after the amount: "ago"
    since_words: frozenset[str]  #: before the amount: "há"
    prepositions: frozenset[str]  #: before a month, a weekday or a year: "in", "on", "em"
    connectors: frozenset[str]  #: between day, month and year: "of"
    ordinal_suffixes: frozenset[str]  #: after a day: "st"
    habitual_day_parts: frozenset[str]  #: after a weekday: "on Friday mornings" is every Friday, not a date


def number_words(words: str, *, first: int = 1) -> dict[str, int]:
    """Number words in order: "one two" is {"one": 1, "two": 2}."""
    return {word: number for number, word in enumerate(words.split(), first)}
