"""Resolve relative dates ("yesterday", "next month", "há dois anos") against the time of the message."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.extraction.rules.tokens import Word

_DAY, _WEEK, _MONTH, _YEAR = "day", "week", "month", "year"
#: "On Friday mornings" means every Friday, not a date.
_HABITUAL_DAY_PARTS = frozenset({"mornings", "afternoons", "evenings", "nights"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """A span of words that names a date."""

    first_word: int  #: index of the first word
    last_word: int  #: index of the last word
    label: str  #: 2026-03-14, 2026-03 or 2026; empty if the words are already absolute
    starts_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """The date words of one language."""

    days: Mapping[tuple[str, ...], int]  #: "yesterday" is -1
    units: Mapping[str, str]
    numbers: Mapping[str, int]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    past_words: frozenset[str]  #: "last", "passada"
    future_words: frozenset[str]  #: "next", "próximo", "que vem"
    current_words: frozenset[str]  #: "this", "este"
    ago_words: frozenset[str]  #: after the amount: "ago"
    since_words: frozenset[str]  #: before the amount: "há"
    prepositions: frozenset[str]  #: before a month, a weekday or a year: "in", "on", "em"


def find_dates(
    words: Sequence[Word], sent_at: datetime, calendar: Calendar, *, is_future: bool
) -> list[DateMention]:
    """Return the dates in a clause; ``is_future`` decides whether "in May" is the next or the last one."""
    mentions: list[DateMention] = []
    position = 0
    while position < len(words):
        mention = next(_parse_at(words, position, sent_at, calendar, is_future=is_future), None)
        if mention:
            mentions.append(mention)
        position = mention.last_word + 1 if mention else position + 1
    return mentions


def _parse_at(
    words: Sequence[Word], position: int, sent_at: datetime, calendar: Calendar, *, is_future: bool
) -> Iterator[DateMention]:
    folds = [word.fold for word in words[position : position + 5]]
    today = sent_at.replace(hour=0, minute=0, second=0, microsecond=0)
    for parse in (_parse_named_day, _parse_ago, _parse_since, _parse_relative):
        if (parsed_date := parse(folds, today, calendar)) is not None:
            yield _date_mention(position, *parsed_date)
    if (parsed_date := _parse_prepositional(folds, today, calendar, is_future=is_future)) is not None:
        yield _date_mention(position, *parsed_date)


def _date_mention(position: int, length: int, label: str, starts_at: datetime) -> DateMention:
    return DateMention(first_word=position, last_word=position + length - 1, label=label, starts_at=starts_at)


_ParsedDate = tuple[int, str, datetime] | None
_DateParser = Callable[[Sequence[str], datetime, Calendar], _ParsedDate]


def _parse_named_day(folds: Sequence[str], today: datetime, calendar: Calendar) -> _ParsedDate:
    for length in (3, 2, 1):
        days = calendar.days.get(tuple(folds[:length]))
        if days is not None and len(folds) >= length:
            return length, *_shift_date(today, days, _DAY)
    return None


def _parse_amount(folds: Sequence[str], calendar: Calendar) -> tuple[int, str] | None:
    if len(folds) < 2:
        return None
    number = calendar.numbers.get(folds[0], int(folds[0]) if _is_small_number(folds[0]) else None)
    unit = calendar.units.get(folds[1])
    return (number, unit) if number is not None and unit else None


def _is_small_number(fold: str) -> bool:
    return fold.isascii() and fold.isdecimal() and len(fold) <= 3


def _parse_ago(folds: Sequence[str], today: datetime, calendar: Calendar) -> _ParsedDate:
    amount = _parse_amount(folds, calendar)
    if amount and len(folds) > 2 and folds[2] in calendar.ago_words:
        return 3, *_shift_date(today, -amount[0], amount[1])
    return None


def _parse_since(folds: Sequence[str], today: datetime, calendar: Calendar) -> _ParsedDate:
    amount = _parse_amount(folds[1:], calendar)
    if amount and folds[0] in calendar.since_words:
        return 3, *_shift_date(today, -amount[0], amount[1])
    return None


def _parse_relative(folds: Sequence[str], today: datetime, calendar: Calendar) -> _ParsedDate:
    """Parse "last week", "mês passado", "ano que vem", "last June", "sábado passado"."""
    for direction, words in (
        (-1, calendar.past_words),
        (1, calendar.future_words),
        (0, calendar.current_words),
    ):
        if folds[0] in words and len(folds) > 1:
            return _resolve_relative(folds[1], direction, 2, today, calendar)
        if len(folds) > 1 and folds[1] in words:
            return _resolve_relative(folds[0], direction, 2, today, calendar)
        if folds[1:3] == ["que", "vem"] and direction == 1:
            return _resolve_relative(folds[0], direction, 3, today, calendar)
    return None


def _resolve_relative(
    name: str, direction: int, length: int, today: datetime, calendar: Calendar
) -> _ParsedDate:
    if unit := calendar.units.get(name):
        return None if unit == _DAY else (length, *_shift_date(today, direction, unit))
    if name in calendar.months:
        return length, *_nearest_month(today, calendar.months[name], direction)
    if name in calendar.weekdays:
        return length, *_nearest_weekday(today, calendar.weekdays[name], direction)
    return None


def _parse_prepositional(
    folds: Sequence[str], today: datetime, calendar: Calendar, *, is_future: bool
) -> _ParsedDate:
    """Parse "in January", "on Monday", "since 2019", "em março", "no sábado passado"."""
    if len(folds) < 2 or folds[0] not in calendar.prepositions:
        return None
    name, length, direction = folds[1], 2, 1 if is_future else -1
    if len(folds) > 2 and folds[2] in calendar.past_words | calendar.future_words:
        length, direction = 3, -1 if folds[2] in calendar.past_words else 1
    if name in calendar.months:
        return (
            None
            if _has_exact_date(folds)
            else (length, *_nearest_month(today, calendar.months[name], direction))
        )
    if name in calendar.weekdays:
        is_habit = len(folds) > 2 and folds[2] in _HABITUAL_DAY_PARTS
        return None if is_habit else (length, *_nearest_weekday(today, calendar.weekdays[name], direction))
    if name.isascii() and name.isdecimal() and 1900 <= int(name) <= 2100:
        return 2, "", today.replace(year=int(name), month=1, day=1)
    return None


def _has_exact_date(folds: Sequence[str]) -> bool:
    # "in May 2019" and "on May 3rd" are more exact than the month.
    return any(fold[0].isdecimal() for fold in folds[2:4])


def _shift_date(today: datetime, count: int, unit: str) -> tuple[str, datetime]:
    if unit in {_DAY, _WEEK}:
        date = _add_clamped(today, timedelta(days=count if unit == _DAY else 7 * count))
        return f"{date:%Y-%m-%d}", date
    if unit == _YEAR:
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
    return min(max(year, 1), 9999)


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


_NUMBERS_EN = "a an one two three four five six seven eight nine ten eleven twelve".split()
_MONTHS_EN = "january february march april may june july august september october november december".split()
_WEEKDAYS_EN = "monday tuesday wednesday thursday friday saturday sunday".split()

ENGLISH_CALENDAR = Calendar(
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
    past_words=frozenset({"last"}),
    future_words=frozenset({"next"}),
    current_words=frozenset({"this"}),
    ago_words=frozenset({"ago"}),
    since_words=frozenset(),
    prepositions=frozenset({"in", "on", "since", "by", "until", "this"}),
)

_NUMBERS_PT = "um dois tres quatro cinco seis sete oito nove dez onze doze".split()
_MONTHS_PT = (
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro".split()
)
_WEEKDAYS_PT = "segunda terca quarta quinta sexta sabado domingo".split()

PORTUGUESE_CALENDAR = Calendar(
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
    past_words=frozenset({"passado", "passada", "ultimo", "ultima"}),
    future_words=frozenset({"proximo", "proxima", "seguinte"}),
    current_words=frozenset({"este", "esta", "esse", "essa", "neste", "nesta", "nesse", "nessa"}),
    ago_words=frozenset({"atras"}),
    since_words=frozenset({"ha", "faz"}),
    prepositions=frozenset({"em", "no", "na", "desde", "ate", "neste"}),
)

CALENDARS: Mapping[str, Calendar] = {"en": ENGLISH_CALENDAR, "pt": PORTUGUESE_CALENDAR}
