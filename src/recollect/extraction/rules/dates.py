"""Turn "yesterday", "next month" and "há dois anos" into dates, seen from when they were said."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.extraction.rules.tokens import Word

_DAY, _WEEK, _MONTH, _YEAR = "day", "week", "month", "year"
#: "On Friday mornings" is every Friday.
_PARTS_OF_DAY = frozenset({"mornings", "afternoons", "evenings", "nights"})


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A stretch of words that names a date."""

    first: int  #: index of the first word
    last: int  #: index of the last one
    label: str  #: 2026-03-14, 2026-03 or 2026; empty when the words say it already
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """The words one language has for time."""

    days: Mapping[tuple[str, ...], int]  #: "yesterday" is -1
    units: Mapping[str, str]
    numbers: Mapping[str, int]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    before: frozenset[str]  #: "last", "passada"
    after: frozenset[str]  #: "next", "próximo", "que vem"
    now: frozenset[str]  #: "this", "este"
    ago: frozenset[str]  #: stands after the amount
    since: frozenset[str]  #: stands before the amount: "há"
    within: frozenset[str]  #: stands before a month, a weekday or a year: "in", "on", "em"


def dates(words: Sequence[Word], said_at: datetime, calendar: Calendar, *, ahead: bool) -> list[When]:
    """Find the dates in a clause; ``ahead`` says whether "in May" looks forward or back."""
    found: list[When] = []
    place = 0
    while place < len(words):
        when = next(_readings(words, place, said_at, calendar, ahead=ahead), None)
        if when:
            found.append(when)
        place = when.last + 1 if when else place + 1
    return found


def _readings(
    words: Sequence[Word], place: int, said_at: datetime, calendar: Calendar, *, ahead: bool
) -> Iterator[When]:
    folds = [word.fold for word in words[place : place + 5]]
    today = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    for reading in (_named_day, _amount_ago, _amount_since, _relative):
        if (got := reading(folds, today, calendar)) is not None:
            yield _when(place, *got)
    if (got := _inside(folds, today, calendar, ahead=ahead)) is not None:
        yield _when(place, *got)


def _when(place: int, length: int, label: str, at: datetime) -> When:
    return When(first=place, last=place + length - 1, label=label, at=at)


_Got = tuple[int, str, datetime] | None
_Reading = Callable[[Sequence[str], datetime, Calendar], _Got]


def _named_day(folds: Sequence[str], today: datetime, calendar: Calendar) -> _Got:
    for length in (3, 2, 1):
        days = calendar.days.get(tuple(folds[:length]))
        if days is not None and len(folds) >= length:
            return length, *_shifted(today, days, _DAY)
    return None


def _amount(folds: Sequence[str], calendar: Calendar) -> tuple[int, str] | None:
    if len(folds) < 2:
        return None
    number = calendar.numbers.get(folds[0], int(folds[0]) if _small(folds[0]) else None)
    unit = calendar.units.get(folds[1])
    return (number, unit) if number is not None and unit else None


def _small(fold: str) -> bool:
    return fold.isascii() and fold.isdecimal() and len(fold) <= 3


def _amount_ago(folds: Sequence[str], today: datetime, calendar: Calendar) -> _Got:
    amount = _amount(folds, calendar)
    if amount and len(folds) > 2 and folds[2] in calendar.ago:
        return 3, *_shifted(today, -amount[0], amount[1])
    return None


def _amount_since(folds: Sequence[str], today: datetime, calendar: Calendar) -> _Got:
    amount = _amount(folds[1:], calendar)
    if amount and folds[0] in calendar.since:
        return 3, *_shifted(today, -amount[0], amount[1])
    return None


def _relative(folds: Sequence[str], today: datetime, calendar: Calendar) -> _Got:
    """Read "last week", "mês passado", "ano que vem", "last June", "sábado passado"."""
    for step, words in ((-1, calendar.before), (1, calendar.after), (0, calendar.now)):
        if folds[0] in words and len(folds) > 1:
            return _turned(folds[1], step, 2, today, calendar)
        if len(folds) > 1 and folds[1] in words:
            return _turned(folds[0], step, 2, today, calendar)
        if folds[1:3] == ["que", "vem"] and step == 1:
            return _turned(folds[0], step, 3, today, calendar)
    return None


def _turned(name: str, step: int, length: int, today: datetime, calendar: Calendar) -> _Got:
    if unit := calendar.units.get(name):
        return None if unit == _DAY else (length, *_shifted(today, step, unit))
    if name in calendar.months:
        return length, *_month(today, calendar.months[name], step)
    if name in calendar.weekdays:
        return length, *_weekday(today, calendar.weekdays[name], step)
    return None


def _inside(folds: Sequence[str], today: datetime, calendar: Calendar, *, ahead: bool) -> _Got:
    """Read "in January", "on Monday", "since 2019", "em março", "no sábado passado"."""
    if len(folds) < 2 or folds[0] not in calendar.within:
        return None
    name, length, step = folds[1], 2, 1 if ahead else -1
    if len(folds) > 2 and folds[2] in calendar.before | calendar.after:
        length, step = 3, -1 if folds[2] in calendar.before else 1
    if name in calendar.months:
        return None if _exact(folds) else (length, *_month(today, calendar.months[name], step))
    if name in calendar.weekdays:
        habit = len(folds) > 2 and folds[2] in _PARTS_OF_DAY
        return None if habit else (length, *_weekday(today, calendar.weekdays[name], step))
    if name.isascii() and name.isdecimal() and 1900 <= int(name) <= 2100:
        return 2, "", today.replace(year=int(name), month=1, day=1)
    return None


def _exact(folds: Sequence[str]) -> bool:
    # "in May 2019" and "on May 3rd" say more already.
    return any(fold[0].isdecimal() for fold in folds[2:4])


def _shifted(today: datetime, count: int, unit: str) -> tuple[str, datetime]:
    if unit in {_DAY, _WEEK}:
        at = _moved(today, timedelta(days=count if unit == _DAY else 7 * count))
        return f"{at:%Y-%m-%d}", at
    if unit == _YEAR:
        year = _year(today.year + count)
        return f"{year:04d}", today.replace(year=year, month=1, day=1)
    months = today.year * 12 + today.month - 1 + count
    at = today.replace(year=_year(months // 12), month=months % 12 + 1, day=1)
    return f"{at:%Y-%m}", at


def _moved(today: datetime, by: timedelta) -> datetime:
    try:
        return today + by
    except OverflowError:
        return today


def _year(year: int) -> int:
    return min(max(year, 1), 9999)


def _month(today: datetime, month: int, step: int) -> tuple[str, datetime]:
    """Return the nearest such month on that side; this month counts on both."""
    year = today.year + (step > 0 and month < today.month) - (step < 0 and month > today.month)
    at = today.replace(year=_year(year), month=month, day=1)
    return f"{at:%Y-%m}", at


def _weekday(today: datetime, weekday: int, step: int) -> tuple[str, datetime]:
    back = (today.weekday() - weekday) % 7 or 7
    days = -back if step < 0 else (weekday - today.weekday()) % 7 or (7 if step else 0)
    at = _moved(today, timedelta(days=days))
    return f"{at:%Y-%m-%d}", at


_NUMBERS_EN = "a an one two three four five six seven eight nine ten eleven twelve".split()
_MONTHS_EN = "january february march april may june july august september october november december".split()
_WEEKDAYS_EN = "monday tuesday wednesday thursday friday saturday sunday".split()

ENGLISH = Calendar(
    days={
        ("today",): 0,
        ("tonight",): 0,
        ("this", "morning"): 0,
        ("this", "afternoon"): 0,
        ("this", "evening"): 0,
        ("yesterday",): -1,
        ("last", "night"): -1,
        ("tomorrow",): 1,
        ("the", "other", "day"): -2,
    },
    units={
        "day": _DAY,
        "days": _DAY,
        "week": _WEEK,
        "weeks": _WEEK,
        "month": _MONTH,
        "months": _MONTH,
        "year": _YEAR,
        "years": _YEAR,
    },
    numbers={"a": 1, "an": 1} | {name: count for count, name in enumerate(_NUMBERS_EN[2:], 1)},
    months={name: number for number, name in enumerate(_MONTHS_EN, 1)},
    weekdays={name: number for number, name in enumerate(_WEEKDAYS_EN)},
    before=frozenset({"last"}),
    after=frozenset({"next"}),
    now=frozenset({"this"}),
    ago=frozenset({"ago"}),
    since=frozenset(),
    within=frozenset({"in", "on", "since", "by", "until", "this"}),
)

_NUMBERS_PT = "um dois tres quatro cinco seis sete oito nove dez onze doze".split()
_MONTHS_PT = (
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro".split()
)
_WEEKDAYS_PT = "segunda terca quarta quinta sexta sabado domingo".split()

PORTUGUESE = Calendar(
    days={
        ("hoje",): 0,
        ("esta", "manha"): 0,
        ("essa", "manha"): 0,
        ("ontem",): -1,
        ("ontem", "a", "noite"): -1,
        ("anteontem",): -2,
        ("amanha",): 1,
    },
    units={
        "dia": _DAY,
        "dias": _DAY,
        "semana": _WEEK,
        "semanas": _WEEK,
        "mes": _MONTH,
        "meses": _MONTH,
        "ano": _YEAR,
        "anos": _YEAR,
    },
    numbers={"uma": 1, "duas": 2} | {name: count for count, name in enumerate(_NUMBERS_PT, 1)},
    months={name: number for number, name in enumerate(_MONTHS_PT, 1)},
    weekdays={name: number for number, name in enumerate(_WEEKDAYS_PT)}
    | {f"{name}-feira": number for number, name in enumerate(_WEEKDAYS_PT[:5])},
    before=frozenset({"passado", "passada", "ultimo", "ultima"}),
    after=frozenset({"proximo", "proxima", "seguinte"}),
    now=frozenset({"este", "esta", "esse", "essa", "neste", "nesta", "nesse", "nessa"}),
    ago=frozenset({"atras"}),
    since=frozenset({"ha", "faz"}),
    within=frozenset({"em", "no", "na", "desde", "ate", "neste"}),
)

CALENDARS: Mapping[str, Calendar] = {"en": ENGLISH, "pt": PORTUGUESE}
