"""The times that questions name, in two languages."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.dates import TimeRange, date_match, find_time_ranges

NOW = datetime(2023, 5, 30, 12, tzinfo=UTC)  # a Tuesday


def find_ranges(question: str) -> list[tuple[date, date, float]]:
    return [(s.starts_at.date(), s.ends_at.date(), s.precision) for s in find_time_ranges(question, NOW)]


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What did I do on 21 August 2022?", date(2022, 8, 21)),
        ("What did I do on August 21st, 2022?", date(2022, 8, 21)),
        ("O que eu fiz em 21 de agosto de 2022?", date(2022, 8, 21)),
        ("What happened on 2022-08-21?", date(2022, 8, 21)),
        ("What did we eat yesterday?", date(2023, 5, 29)),
        ("O que comemos ontem?", date(2023, 5, 29)),
        ("Where was I last Friday?", date(2023, 5, 26)),
        ("Onde eu estava na sexta passada?", date(2023, 5, 26)),
        ("What did I say three days ago?", date(2023, 5, 27)),
    ],
)
def test_a_day_is_that_day_give_or_take_one(question: str, day: date) -> None:
    assert (day - timedelta(days=1), day + timedelta(days=2), 1.0) in find_ranges(question)


@pytest.mark.parametrize(
    ("question", "begins", "ends"),
    [
        ("Where was I in March 2022?", date(2022, 3, 1), date(2022, 4, 1)),
        ("Onde eu estava em março de 2022?", date(2022, 3, 1), date(2022, 4, 1)),
        ("Where was I last December?", date(2022, 12, 1), date(2023, 1, 1)),
        ("Whom did I meet two weeks ago?", date(2023, 5, 13), date(2023, 5, 20)),
        ("Quem encontrei há duas semanas?", date(2023, 5, 13), date(2023, 5, 20)),
        ("Quem encontrei duas semanas atrás?", date(2023, 5, 13), date(2023, 5, 20)),
        ("What did I buy last month?", date(2023, 4, 14), date(2023, 5, 17)),
        ("O que comprei no mês passado?", date(2023, 4, 14), date(2023, 5, 17)),
    ],
)
def test_a_longer_time_is_less_exact(question: str, begins: date, ends: date) -> None:
    assert (begins, ends, 0.5) in find_ranges(question)


@pytest.mark.parametrize(
    "question",
    [
        "May I ask you something?",
        "How many days ago did I buy it?",
        "What shall I cook today?",
        "When did we set out?",
        "Did the troops march?",
        "What is 3 + 4?",
        "",
    ],
)
def test_a_question_without_a_time_names_none(question: str) -> None:
    assert find_ranges(question) == []


def test_a_timestamp_in_several_ranges_gets_the_highest_precision() -> None:
    month = TimeRange(datetime(2023, 3, 1, tzinfo=UTC), datetime(2023, 4, 1, tzinfo=UTC), 0.5)
    day = TimeRange(datetime(2023, 3, 9, tzinfo=UTC), datetime(2023, 3, 12, tzinfo=UTC), 1.0)

    assert date_match([month, day], datetime(2023, 3, 10, tzinfo=UTC)) == 1.0
    assert date_match([month, day], datetime(2023, 3, 20, tzinfo=UTC)) == 0.5
    assert date_match([month, day], datetime(2023, 5, 20, tzinfo=UTC)) == 0.0


@given(question=st.text(max_size=80), now=st.datetimes(timezones=st.just(UTC), min_value=datetime(2, 1, 2)))  # noqa: DTZ001
def test_any_question_can_be_read_at_any_time(question: str, now: datetime) -> None:
    assert all(each.starts_at < each.ends_at for each in find_time_ranges(f"{question} 999 years ago", now))
