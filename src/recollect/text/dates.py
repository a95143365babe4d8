"""Time expressions in queries, in English and Portuguese: dates, months, "yesterday", "two weeks ago"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import Final

from recollect.text.analyzer import fold_text

DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A half-open time range that a query names; `precision` is 1 for a day and less for longer ranges."""

    starts_at: datetime
    ends_at: datetime
    precision: float


_MONTH_NUMBERS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january janeiro jan", "february fevereiro feb fev", "march marco mar", "april abril apr abr", "may maio",
            "june junho jun", "july julho jul", "august agosto aug ago", "september setembro sept sep set",
            "october outubro oct out", "november novembro nov", "december dezembro dec dez",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
#: Month names that are also ordinary words: they count only next to a number or a preposition.
_AMBIGUOUS_MONTHS: Final = frozenset("may march mar set out ago jan sep dec abr fev dez".split())
_WEEKDAY_NUMBERS: Final = {
    name: number
    for number, names in enumerate(
        (
            "monday segunda segunda-feira", "tuesday terca terca-feira", "wednesday quarta quarta-feira",
            "thursday quinta quinta-feira", "friday sexta sexta-feira", "saturday sabado", "sunday domingo",
        )
    )
    for name in names.split()
}  # fmt: skip
_NUMBER_WORDS: Final = {
    name: number
    for number, names in {
        1: "a an one um uma", 2: "two couple dois duas", 3: "three few tres", 4: "four quatro", 5: "five cinco",
        6: "six seis", 7: "seven sete", 8: "eight oito", 9: "nine nove", 10: "ten dez",
    }.items()
    for name in names.split()
}  # fmt: skip
_UNIT_DAYS: Final = {
    name: days
    for days, names in {
        1: "day days dia dias", 7: "week weeks semana semanas", 30: "month months mes meses",
        365: "year years ano anos", 2: "weekend weekends",
    }.items()
    for name in names.split()
}  # fmt: skip

_MONTH_ALTERNATIVES: Final = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))
_COUNT_GROUP: Final = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBER_WORDS)})"
_UNIT_GROUP: Final = rf"(?P<unit>{'|'.join(sorted(_UNIT_DAYS, key=len, reverse=True))})"
_DATE_PATTERN: Final = re.compile(
    rf"""
    (?<![\w-])(?:(?P<before>(?:in|on|of|during|since|until|by|last|this|late|early|mid|em|de|desde|ate|passado|no)\s+)
    |(?P<day>\d{{1,2}})(?:st|nd|rd|th|o)?\s+(?:of\s+|de\s+)?)?
    (?P<month>{_MONTH_ALTERNATIVES})(?![\w'-])
    (?:\s+(?P<after>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:]))?
    (?:,?\s*(?:of\s+|de\s+)?(?P<year>(?:19|20)\d\d)(?!\d))?
    """,
    re.VERBOSE,
)
_ISO_DATE_PATTERN: Final = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?!\d)"
)
_AGO_PATTERN: Final = re.compile(
    rf"(?<!\w){_COUNT_GROUP}\s+(?:of\s+)?{_UNIT_GROUP}\s+(?:ago|atras)(?!\w)"
    rf"|(?<!\w)(?:ha|faz)\s+{_COUNT_GROUP.replace('count', 'number')}\s+{_UNIT_GROUP.replace('unit', 'measure')}(?!\w)"
)
_LAST_PERIOD_PATTERN: Final = re.compile(
    r"(?<!\w)(?:(?:last|past)\s+(?P<unit>weekend|week|month|year)|(?P<semana>semana|mes|ano)\s+passad[oa])(?!\w)"
)
_WEEKDAY_PATTERN: Final = re.compile(
    rf"(?<!\w)(?:last|past)\s+(?P<day>{'|'.join(_WEEKDAY_NUMBERS)})(?!\w)"
    rf"|(?<!\w)(?P<dia>{'|'.join(_WEEKDAY_NUMBERS)})\s+passad[oa](?!\w)"
)
#: Not "today": "what shall I cook today?" is about older memories.
_RELATIVE_DAYS: Final = {"yesterday": 1, "ontem": 1, "anteontem": 2}
_RELATIVE_DAY_PATTERN: Final = re.compile(rf"(?<!\w)(?:{'|'.join(_RELATIVE_DAYS)})(?!\w)")


def find_time_ranges(query: str, now: datetime) -> tuple[TimeRange, ...]:
    """Return the past time ranges that a query names, relative to `now`."""
    text = fold_text(query)
    return (
        *_find_dates(text, now),
        *_find_relative_days(text, now),
        *_find_days_ago(text, now),
        *_find_last_periods(text, now),
        *_find_weekdays(text, now),
    )


def date_match(time_ranges: Iterable[TimeRange], timestamp: datetime) -> float:
    """Return the highest precision of the ranges that contain the timestamp, or 0."""
    return max(
        (each.precision for each in time_ranges if each.starts_at <= timestamp < each.ends_at), default=0.0
    )


def _find_dates(text: str, now: datetime) -> Iterator[TimeRange]:
    for match in _ISO_DATE_PATTERN.finditer(text):
        yield from _day_ranges(int(match["year"]), int(match["month"]), int(match["day"]))
    for match in _DATE_PATTERN.finditer(text):
        month, day = _MONTH_NUMBERS[match["month"]], match["day"] or match["after"]
        if match["month"] in _AMBIGUOUS_MONTHS and not (match["before"] or day or match["year"]):
            continue
        # Without a year, the most recent occurrence and the one a year before are meant.
        years = [int(match["year"])] if match["year"] else _recent_years(month, now)
        for year in years:
            yield from _day_ranges(year, month, int(day)) if day else _month_ranges(year, month)


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


def _find_relative_days(text: str, now: datetime) -> Iterator[TimeRange]:
    for match in _RELATIVE_DAY_PATTERN.finditer(text):
        yield _range_around(now, days=_RELATIVE_DAYS[match.group()], slack=1)


def _find_days_ago(text: str, now: datetime) -> Iterator[TimeRange]:
    for match in _AGO_PATTERN.finditer(text):
        count, unit = match["count"] or match["number"], match["unit"] or match["measure"]
        days = _UNIT_DAYS[unit] * (int(count) if count.isdigit() else _NUMBER_WORDS[count])
        yield _range_around(now, days=days, slack=max(_UNIT_DAYS[unit] // 2, 1))


def _find_last_periods(text: str, now: datetime) -> Iterator[TimeRange]:
    for match in _LAST_PERIOD_PATTERN.finditer(text):
        length = _UNIT_DAYS[match["unit"] or match["semana"]]
        yield _range_around(now, days=length, slack=max(length // 2 + 1, 4))


def _find_weekdays(text: str, now: datetime) -> Iterator[TimeRange]:
    for match in _WEEKDAY_PATTERN.finditer(text):
        days_back = (now.weekday() - _WEEKDAY_NUMBERS[match["day"] or match["dia"]]) % 7 or 7
        yield _range_around(now, days=days_back, slack=1)


def _range_around(now: datetime, *, days: int, slack: int) -> TimeRange:
    """Return the range around a day in the past; a wider range has less precision."""
    center = now - min(days, (now.year - MINYEAR - 1) * 365) * DAY
    precision = 1.0 if slack <= 1 else 0.5 if slack <= 31 else 0.25
    return TimeRange(center - slack * DAY, center + (slack + 1) * DAY, precision)
