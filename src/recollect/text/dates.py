"""
Dates in texts: one grammar for messages and queries, with the words of each language from its `Calendar`.

`parse_dates` finds date expressions in a sequence of folded words: "yesterday", "two weeks ago", "last Friday",
"in May", "21 August 2022". There are two uses:

- `find_dates` resolves the relative expressions of a message against its time, to the date that a fact is about;
- `find_time_ranges` turns the past expressions of a query into time ranges, in all languages, to find what was said
  then. Vague expressions ("a few weeks ago") have a range, but no date.

One expression per position, longest kind first; O(words). Example, on Saturday 14 March 2026: "I moved two weeks ago"
has the date 2026-02-28, and the query "where did I move two weeks ago?" the range from 24 February to 4 March.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import Final, NamedTuple, TypeAlias, assert_never

from recollect.text.analyzer import fold_text
from recollect.text.languages import LANGUAGES
from recollect.text.languages.calendar import Calendar, Unit

DAY: Final = timedelta(days=1)


# Expressions


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDay:
    """A named day: "yesterday"."""

    offset: int  #: in days; -1 is yesterday


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAgo:
    """An amount of time before now: "two weeks ago"."""

    count: int
    unit: Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativePeriod:
    """A period before, around or after now: "last week"."""

    unit: Unit
    direction: int  #: -1 past, 0 current, 1 future


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthMention:
    """A month, or a day of it: "in May", "last June", "21 August 2022"."""

    month: int
    direction: int | None = None  #: None if it follows from the tense
    day: int | None = None
    year: int | None = None
    is_anchored: bool = True  #: after a preposition or next to "last" or "next"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekdayMention:
    """A day of the week: "on Friday", "last Friday"."""

    weekday: int
    direction: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class YearMention:
    """A year: "in 2019"."""

    year: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericDate:
    """A day in digits: "2022-08-21"."""

    year: int
    month: int
    day: int


DateValue: TypeAlias = (
    NamedDay | TimeAgo | RelativePeriod | MonthMention | WeekdayMention | YearMention | NumericDate
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DateExpression:
    """A date value and the words that express it."""

    value: DateValue
    first_word: int
    last_word: int
    is_vague: bool = False


class _Match(NamedTuple):
    """A value at the beginning of a sequence of words."""

    value: DateValue
    length: int  #: in words
    is_vague: bool = False


_ISO_DATE_PATTERN: Final = re.compile(r"((?:19|20)\d\d)[-/](\d{1,2})[-/](\d{1,2})")
_YEAR_PATTERN: Final = re.compile(r"(?:19|20)\d\d")
_MAX_EXPRESSION_WORDS: Final = 7


def parse_dates(words: Sequence[str], calendar: Calendar) -> Iterator[DateExpression]:
    """Yield the date expression that begins at each of the folded words, if any; they may overlap."""
    for position in range(len(words)):
        window = list(words[position : position + _MAX_EXPRESSION_WORDS])
        match = (
            _match_named_day(window, calendar)
            or _match_amount(window, calendar)
            or _match_relative(window, calendar)
            or _match_prepositional(window, calendar)
            or _match_date(window, words[position - 1] if position else "", calendar)
        )
        if match is not None:
            yield DateExpression(
                value=match.value,
                first_word=position,
                last_word=position + match.length - 1,
                is_vague=match.is_vague,
            )


def _match_named_day(words: list[str], calendar: Calendar) -> _Match | None:
    for length in range(min(3, len(words)), 0, -1):
        name = tuple(words[:length])
        if name in calendar.days:
            return _Match(NamedDay(offset=calendar.days[name]), length)
        if name in calendar.vague_days:
            return _Match(NamedDay(offset=calendar.vague_days[name]), length, is_vague=True)
    return None


def _match_amount(words: list[str], calendar: Calendar) -> _Match | None:
    """Match "two weeks ago", "a couple of weeks ago", "há dois anos"."""
    if words[0] in calendar.since_words:
        amount = _parse_amount(words[1:], calendar)
    else:
        amount = _parse_amount(words, calendar)
        if amount and (len(words) <= amount.length or words[amount.length] not in calendar.ago_words):
            return None
    return amount._replace(length=amount.length + 1) if amount else None


def _parse_amount(words: list[str], calendar: Calendar) -> _Match | None:
    if len(words) < 2:
        return None
    number, noun, length = words[0], words[1], 2
    if noun in calendar.connectors and len(words) > 2:
        noun, length = words[2], 3
    is_vague = length > 2 or number in calendar.vague_numbers or noun in calendar.vague_units
    count = calendar.numbers.get(number, calendar.vague_numbers.get(number))
    count = int(number) if _is_small_number(number) else count
    unit = calendar.units.get(noun, calendar.vague_units.get(noun))
    return (
        None if count is None or unit is None else _Match(TimeAgo(count=count, unit=unit), length, is_vague)
    )


def _is_small_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= 3


def _match_relative(words: list[str], calendar: Calendar) -> _Match | None:
    """Match "last week", "mês passado", "ano que vem", "last June", "sábado passado"."""
    if len(words) < 2:
        return None
    phrase = calendar.future_phrase
    if phrase and tuple(words[1 : len(phrase) + 1]) == phrase:
        return _relative_value(words[0], 1, len(phrase) + 1, calendar)
    for direction, adjectives in (
        (-1, calendar.past_words | calendar.vague_past_words),
        (1, calendar.future_words),
        (0, calendar.current_words),
    ):
        if words[0] in adjectives:
            match = _relative_value(words[1], direction, 2, calendar)
            return match and match._replace(is_vague=match.is_vague or words[0] in calendar.vague_past_words)
        if calendar.adjectives_follow and words[1] in adjectives:
            return _relative_value(words[0], direction, 2, calendar)
    return None


def _relative_value(name: str, direction: int, length: int, calendar: Calendar) -> _Match | None:
    if name in calendar.units:
        unit = calendar.units[name]
        return None if unit is Unit.DAY else _Match(RelativePeriod(unit=unit, direction=direction), length)
    if name in calendar.vague_units:
        unit = calendar.vague_units[name]
        return _Match(RelativePeriod(unit=unit, direction=direction), length, is_vague=True)
    if name in calendar.months:
        return _Match(MonthMention(month=calendar.months[name], direction=direction), length)
    if name in calendar.weekdays:
        return _Match(WeekdayMention(weekday=calendar.weekdays[name], direction=direction), length)
    return None


def _match_prepositional(words: list[str], calendar: Calendar) -> _Match | None:
    """Match "in January", "on Monday", "since 2019", "em março", "no sábado passado"."""
    if len(words) < 2 or words[0] not in calendar.prepositions:
        return None
    name, adjective = words[1], words[2] if len(words) > 2 else ""
    direction = -1 if adjective in calendar.past_words else 1 if adjective in calendar.future_words else None
    length = 2 if direction is None else 3
    if name in calendar.months:
        day, year, tail = _parse_date_tail(words[length:], calendar)
        month = MonthMention(month=calendar.months[name], direction=direction, day=day, year=year)
        return _Match(month, length + tail)
    if name in calendar.weekdays and adjective not in calendar.habitual_day_parts:
        return _Match(WeekdayMention(weekday=calendar.weekdays[name], direction=direction), length)
    if name.isascii() and name.isdecimal() and 1900 <= int(name) <= 2100:
        return _Match(YearMention(year=int(name)), 2)
    return None


def _match_date(words: list[str], previous: str, calendar: Calendar) -> _Match | None:
    """Match "21 August 2022", "August 21st, 2022", "1º de maio", "2022-08-21"."""
    if numeric := _ISO_DATE_PATTERN.fullmatch(words[0]):
        numbers = map(int, numeric.groups())
        return _Match(NumericDate(year=next(numbers), month=next(numbers), day=next(numbers)), 1)
    day, length = _parse_day(words[0], calendar), 0
    if day is not None:
        length = 2 if len(words) > 1 and words[1] in calendar.connectors else 1
    if len(words) <= length or previous == "-":
        return None
    name = words[length]
    month = calendar.months.get(name) or calendar.month_abbreviations.get(name)
    if month is None or words[length + 1 : length + 2] == ["'"]:
        return None
    day_after, year, tail = _parse_date_tail(words[length + 1 :], calendar)
    day = day_after if day is None else day
    is_marked = day is not None or year is not None or previous in calendar.month_markers
    if name in calendar.ambiguous_months and not is_marked:
        return None
    return _Match(MonthMention(month=month, day=day, year=year, is_anchored=False), length + 1 + tail)


def _parse_day(word: str, calendar: Calendar) -> int | None:
    digits = word.rstrip("abcdefghijklmnopqrstuvwxyz")
    is_day = digits.isascii() and digits.isdecimal() and len(digits) <= 2
    return int(digits) if is_day and word[len(digits) :] in calendar.ordinal_suffixes | {""} else None


def _parse_date_tail(words: list[str], calendar: Calendar) -> tuple[int | None, int | None, int]:
    """Return the day and the year after a month, and their number of words: "21st, 2022"."""
    day = _parse_day(words[0], calendar) if words and words[1:2] != [":"] else None
    length = 0 if day is None else 1
    rest = words[length:]
    skipped = 1 if rest[:1] == [","] else 0
    skipped += 1 if rest[skipped : skipped + 1] and rest[skipped] in calendar.connectors else 0
    if len(rest) > skipped and _YEAR_PATTERN.fullmatch(rest[skipped]):
        return day, int(rest[skipped]), length + skipped + 1
    return day, None, length


# Dates of messages


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """A span of words that names a date."""

    first_word: int  #: index of the first word
    last_word: int  #: index of the last word
    label: str  #: 2026-03-14, 2026-03 or 2026; empty if the words are already absolute
    starts_at: datetime


def find_dates(
    words: Sequence[str], sent_at: datetime, calendar: Calendar, *, is_future: bool
) -> list[DateMention]:
    """
    Return the dates in a clause of folded words, resolved against the time of its message.

    ``is_future`` decides whether "in May" is the next or the last one.
    """
    today = sent_at.replace(hour=0, minute=0, second=0, microsecond=0)
    mentions: list[DateMention] = []
    for expression in parse_dates(words, calendar):
        if mentions and expression.first_word <= mentions[-1].last_word:
            continue
        date = _resolve(expression, today, 1 if is_future else -1)
        if date is not None:
            label, starts_at = date
            mentions.append(
                DateMention(
                    first_word=expression.first_word,
                    last_word=expression.last_word,
                    label=label,
                    starts_at=starts_at,
                )
            )
    return mentions


def _resolve(expression: DateExpression, today: datetime, tense: int) -> tuple[str, datetime] | None:
    """Return the label and the start of a date; None if it is vague or already exact."""
    date: tuple[str, datetime] | None = None
    match expression.value:
        case NamedDay(offset=offset):
            date = _shift_date(today, offset, Unit.DAY)
        case _ if expression.is_vague:
            pass
        case TimeAgo(count=count, unit=unit):
            date = _shift_date(today, -count, unit)
        case RelativePeriod(unit=unit, direction=direction):
            date = _shift_date(today, direction, unit)
        case MonthMention(month=month, direction=direction, day=None, year=None, is_anchored=True):
            date = _nearest_month(today, month, tense if direction is None else direction)
        case WeekdayMention(weekday=weekday, direction=direction):
            date = _nearest_weekday(today, weekday, tense if direction is None else direction)
        case YearMention(year=year):
            date = "", today.replace(year=year, month=1, day=1)
        case _:
            pass
    return date


def _shift_date(today: datetime, count: int, unit: Unit) -> tuple[str, datetime]:
    if unit in {Unit.DAY, Unit.WEEK}:
        date = _add_clamped(today, timedelta(days=count * unit.value))
        return f"{date:%Y-%m-%d}", date
    if unit is Unit.YEAR:
        year = _clamp_year(today.year + count)
        return f"{year:04d}", today.replace(year=year, month=1, day=1)
    months = today.year * 12 + today.month - 1 + count
    date = today.replace(year=_clamp_year(months // 12), month=months % 12 + 1, day=1)
    return f"{date:%Y-%m}", date


def _add_clamped(today: datetime, delta: timedelta) -> datetime:
    try:
        return today + delta
    except OverflowError:
        return today


def _clamp_year(year: int) -> int:
    return min(max(year, MINYEAR), MAXYEAR)


def _nearest_month(today: datetime, month: int, direction: int) -> tuple[str, datetime]:
    """Return the nearest such month in that direction; the current month counts in both."""
    year = today.year + (direction > 0 and month < today.month) - (direction < 0 and month > today.month)
    date = today.replace(year=_clamp_year(year), month=month, day=1)
    return f"{date:%Y-%m}", date


def _nearest_weekday(today: datetime, weekday: int, direction: int) -> tuple[str, datetime]:
    back = (today.weekday() - weekday) % 7 or 7
    days = -back if direction < 0 else (weekday - today.weekday()) % 7 or (7 if direction else 0)
    date = _add_clamped(today, timedelta(days=days))
    return f"{date:%Y-%m-%d}", date


# Time ranges of queries


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A half-open time range that a query names; `precision` is 1 for a day and less for longer ranges."""

    starts_at: datetime
    ends_at: datetime
    precision: float


#: A date in digits, a number with its suffix, a word, or a punctuation mark.
_QUERY_WORD_PATTERN: Final = re.compile(
    r"(?<!\d)(?:19|20)\d\d[-/]\d{1,2}[-/]\d{1,2}(?!\d)|\d+[a-z]*|[^\W\d_][\w-]*|[^\w\s]"
)
#: The most exact kinds of expressions come first.
_VALUE_ORDER: Final = (NumericDate, MonthMention, NamedDay, TimeAgo, RelativePeriod, WeekdayMention)


def find_time_ranges(query: str, now: datetime) -> tuple[TimeRange, ...]:
    """Return the past time ranges that a query names in any language, relative to `now`."""
    words = _QUERY_WORD_PATTERN.findall(fold_text(query))
    expressions = [
        expression
        for language in LANGUAGES.values()
        for expression in parse_dates(words, language.calendar)
        if _is_past(expression)
    ]
    values = {expression.value for expression in _longest(expressions)}
    ordered = sorted(values, key=lambda value: (_VALUE_ORDER.index(type(value)), repr(value)))
    return tuple(dict.fromkeys(each for value in ordered for each in _ranges_of(value, now)))


def date_match(time_ranges: Iterable[TimeRange], timestamp: datetime) -> float:
    """Return the highest precision of the ranges that contain the timestamp, or 0."""
    return max(
        (each.precision for each in time_ranges if each.starts_at <= timestamp < each.ends_at), default=0.0
    )


def _longest(expressions: Iterable[DateExpression]) -> Iterator[DateExpression]:
    """Yield the expressions that overlap no longer one: "jul" of "1 de jul de 2019" is no month of its own."""
    covered_words: set[int] = set()
    for expression in sorted(expressions, key=lambda each: each.first_word - each.last_word):
        words = range(expression.first_word, expression.last_word + 1)
        if covered_words.isdisjoint(words):
            covered_words.update(words)
            yield expression


def _is_past(expression: DateExpression) -> bool:
    match expression.value:
        case NamedDay(offset=offset):
            # Not "today": "what shall I cook today?" is about older memories. Nor a part of a day: "last night".
            return offset < 0 and expression.first_word == expression.last_word
        case RelativePeriod(direction=direction) | WeekdayMention(direction=direction):
            return direction == -1
        case MonthMention(direction=direction):
            return direction != 1
        case TimeAgo() | NumericDate():
            return True
        case YearMention():
            return False
        case _:
            assert_never(expression.value)


def _ranges_of(value: DateValue, now: datetime) -> Iterator[TimeRange]:
    match value:
        case NumericDate(year=year, month=month, day=day):
            yield from _day_ranges(year, month, day)
        case MonthMention(month=month, day=day, year=year):
            # Without a year, the most recent occurrence and the one a year before are meant.
            for each in (year,) if year is not None else _recent_years(month, now):
                yield from _month_ranges(each, month) if day is None else _day_ranges(each, month, day)
        case NamedDay(offset=offset):
            yield _range_around(now, days=-offset, slack=1)
        case TimeAgo(count=count, unit=unit):
            yield _range_around(now, days=count * unit.value, slack=max(unit.value // 2, 1))
        case RelativePeriod(unit=unit):
            yield _range_around(now, days=unit.value, slack=max(unit.value // 2 + 1, 4))
        case WeekdayMention(weekday=weekday):
            yield _range_around(now, days=(now.weekday() - weekday) % 7 or 7, slack=1)
        case YearMention():
            return
        case _:
            assert_never(value)


def _recent_years(month: int, now: datetime) -> Sequence[int]:
    latest = now.year if month <= now.month else now.year - 1
    return (latest, latest - 1)


def _day_ranges(year: int, month: int, day: int) -> Iterator[TimeRange]:
    """Yield the day and, with less precision, its month: people often mention events a few days later."""
    if not 1 <= month <= 12:
        return
    yield from _month_ranges(year, month)
    if 1 <= day <= 28 or _is_valid_day(year, month, day):
        starts_at = datetime(year, month, day, tzinfo=UTC)
        yield TimeRange(starts_at - DAY, starts_at + 2 * DAY, 1.0)


def _month_ranges(year: int, month: int) -> Iterator[TimeRange]:
    if MINYEAR < year < MAXYEAR:
        starts_at = datetime(year, month, 1, tzinfo=UTC)
        yield TimeRange(starts_at, (starts_at + 31 * DAY).replace(day=1), 0.5)


def _is_valid_day(year: int, month: int, day: int) -> bool:
    return 1 <= day <= 31 and (datetime(year, month, 1, tzinfo=UTC) + (day - 1) * DAY).month == month


def _range_around(now: datetime, *, days: int, slack: int) -> TimeRange:
    """Return the range around a day in the past; a wider range has less precision."""
    center = now - min(days, (now.year - MINYEAR - 1) * 365) * DAY
    precision = 1.0 if slack <= 1 else 0.5 if slack <= 31 else 0.25
    return TimeRange(center - slack * DAY, center + (slack + 1) * DAY, precision)
