"""Finds the times that a question names: a date, a month, yesterday, two weeks ago."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import Final

from recollect.text.analyzer import folded

DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time that a question names; `share` says how exactly, 1 for a day."""

    begins_at: datetime
    ends_at: datetime
    share: float


_MONTHS: Final = {
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
#: Words in their own right: they are months only beside a number or a preposition.
_DOUBTFUL: Final = frozenset("may march mar set out ago jan sep dec abr fev dez".split())
_DAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            "monday segunda segunda-feira", "tuesday terca terca-feira", "wednesday quarta quarta-feira",
            "thursday quinta quinta-feira", "friday sexta sexta-feira", "saturday sabado", "sunday domingo",
        )
    )
    for name in names.split()
}  # fmt: skip
_NUMBERS: Final = {
    name: number
    for number, names in {
        1: "a an one um uma", 2: "two couple dois duas", 3: "three few tres", 4: "four quatro", 5: "five cinco",
        6: "six seis", 7: "seven sete", 8: "eight oito", 9: "nine nove", 10: "ten dez",
    }.items()
    for name in names.split()
}  # fmt: skip
_UNITS: Final = {
    name: days
    for days, names in {
        1: "day days dia dias", 7: "week weeks semana semanas", 30: "month months mes meses",
        365: "year years ano anos", 2: "weekend weekends",
    }.items()
    for name in names.split()
}  # fmt: skip

_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_COUNT: Final = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_UNIT: Final = rf"(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})"
_DATE: Final = re.compile(
    rf"""
    (?<![\w-])(?:(?P<before>(?:in|on|of|during|since|until|by|last|this|late|early|mid|em|de|desde|ate|passado|no)\s+)
    |(?P<day>\d{{1,2}})(?:st|nd|rd|th|o)?\s+(?:of\s+|de\s+)?)?
    (?P<month>{_MONTH})(?![\w'-])
    (?:\s+(?P<after>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:]))?
    (?:,?\s*(?:of\s+|de\s+)?(?P<year>(?:19|20)\d\d)(?!\d))?
    """,
    re.VERBOSE,
)
_ISO: Final = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?!\d)")
_AGO: Final = re.compile(
    rf"(?<!\w){_COUNT}\s+(?:of\s+)?{_UNIT}\s+(?:ago|atras)(?!\w)"
    rf"|(?<!\w)(?:ha|faz)\s+{_COUNT.replace('count', 'number')}\s+{_UNIT.replace('unit', 'measure')}(?!\w)"
)
_LAST: Final = re.compile(
    r"(?<!\w)(?:(?:last|past)\s+(?P<unit>weekend|week|month|year)|(?P<semana>semana|mes|ano)\s+passad[oa])(?!\w)"
)
_WEEKDAY: Final = re.compile(
    rf"(?<!\w)(?:last|past)\s+(?P<day>{'|'.join(_DAYS)})(?!\w)"
    rf"|(?<!\w)(?P<dia>{'|'.join(_DAYS)})\s+passad[oa](?!\w)"
)
#: Not today: "what shall I cook today?" asks for what was said long ago.
_NEAR: Final = {"yesterday": 1, "ontem": 1, "anteontem": 2}
_NAMED: Final = re.compile(rf"(?<!\w)(?:{'|'.join(_NEAR)})(?!\w)")


def stretches(question: str, now: datetime) -> tuple[Stretch, ...]:
    """Return the stretches of the past that a question names, seen from `now`."""
    text = folded(question)
    return (
        *_dates(text, now),
        *_near(text, now),
        *_ago(text, now),
        *_last(text, now),
        *_weekdays(text, now),
    )


def closeness(named: Iterable[Stretch], moment: datetime) -> float:
    """How well a moment fits the times that were named: 0 if it fits none."""
    return max((each.share for each in named if each.begins_at <= moment < each.ends_at), default=0.0)


def _dates(text: str, now: datetime) -> Iterator[Stretch]:
    for match in _ISO.finditer(text):
        yield from _day(int(match["year"]), int(match["month"]), int(match["day"]))
    for match in _DATE.finditer(text):
        month, day = _MONTHS[match["month"]], match["day"] or match["after"]
        if match["month"] in _DOUBTFUL and not (match["before"] or day or match["year"]):
            continue
        # Without a year it is the last one, or the one before: memory reaches no further than people's words do.
        years = [int(match["year"])] if match["year"] else _recent_years(month, now)
        for year in years:
            yield from _day(year, month, int(day)) if day else _month(year, month)


def _recent_years(month: int, now: datetime) -> Sequence[int]:
    latest = now.year if month <= now.month else now.year - 1
    return (latest, latest - 1)


def _day(year: int, month: int, day: int) -> Iterator[Stretch]:
    """A day, and less surely its month: people speak of what was some days before."""
    if not 1 <= month <= 12:
        return
    yield from _month(year, month)
    if 1 <= day <= 28 or _exists(year, month, day):
        begins_at = datetime(year, month, day, tzinfo=UTC)
        yield Stretch(begins_at - DAY, begins_at + 2 * DAY, 1.0)


def _month(year: int, month: int) -> Iterator[Stretch]:
    if MINYEAR < year < MAXYEAR:
        begins_at = datetime(year, month, 1, tzinfo=UTC)
        yield Stretch(begins_at, (begins_at + 31 * DAY).replace(day=1), 0.5)


def _exists(year: int, month: int, day: int) -> bool:
    return 1 <= day <= 31 and (datetime(year, month, 1, tzinfo=UTC) + (day - 1) * DAY).month == month


def _near(text: str, now: datetime) -> Iterator[Stretch]:
    for match in _NAMED.finditer(text):
        yield _around(now, days=_NEAR[match.group()], slack=1)


def _ago(text: str, now: datetime) -> Iterator[Stretch]:
    for match in _AGO.finditer(text):
        count, unit = match["count"] or match["number"], match["unit"] or match["measure"]
        days = _UNITS[unit] * (int(count) if count.isdigit() else _NUMBERS[count])
        yield _around(now, days=days, slack=max(_UNITS[unit] // 2, 1))


def _last(text: str, now: datetime) -> Iterator[Stretch]:
    for match in _LAST.finditer(text):
        length = _UNITS[match["unit"] or match["semana"]]
        yield _around(now, days=length, slack=max(length // 2 + 1, 4))


def _weekdays(text: str, now: datetime) -> Iterator[Stretch]:
    for match in _WEEKDAY.finditer(text):
        back = (now.weekday() - _DAYS[match["day"] or match["dia"]]) % 7 or 7
        yield _around(now, days=back, slack=1)


def _around(now: datetime, *, days: int, slack: int) -> Stretch:
    """The time so many days ago, give or take; the wider it is, the less it says."""
    middle = now - min(days, (now.year - MINYEAR - 1) * 365) * DAY
    share = 1.0 if slack <= 1 else 0.5 if slack <= 31 else 0.25
    return Stretch(middle - slack * DAY, middle + (slack + 1) * DAY, share)
