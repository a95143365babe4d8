from datetime import UTC, datetime

import pytest

from recollect.domain.message import Role
from recollect.extraction.local_extractor import extract_by_rules

SATURDAY = datetime(2026, 3, 14, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "fact", "valid_from"),
    [
        ("I got engaged yesterday", "got engaged yesterday (2026-03-13)", (2026, 3, 13)),
        ("I moved to Porto last month", "moved to Porto last month (2026-02)", (2026, 2, 1)),
        ("I moved to Porto in January", "moved to Porto in January (2026-01)", (2026, 1, 1)),
        ("I moved to Porto in May", "moved to Porto in May (2025-05)", (2025, 5, 1)),
        ("I got married last June", "got married last June (2025-06)", (2025, 6, 1)),
        ("I got fired on Monday", "got fired on Monday (2026-03-09)", (2026, 3, 9)),
        ("I bought a house two weeks ago", "bought a house two weeks ago (2026-02-28)", (2026, 2, 28)),
        (
            "I was diagnosed with ADHD two years ago",
            "was diagnosed with ADHD two years ago (2024)",
            (2024, 1, 1),
        ),
        ("I graduated in 2019", "graduated in 2019", (2019, 1, 1)),
        ("I'm getting married in May", "is getting married in May (2026-05)", (2026, 5, 1)),
        ("Me mudei para o Porto mês passado", "se mudou para o Porto mês passado (2026-02)", (2026, 2, 1)),
        ("Casei no sábado passado", "casou no sábado passado (2026-03-07)", (2026, 3, 7)),
        ("Moro em Lisboa há três anos", "mora em Lisboa há três anos (2023)", (2023, 1, 1)),
        ("Last month we moved to Porto", "moved to Porto last month (2026-02)", (2026, 2, 1)),
        ("In 2019, I moved to Porto", "moved to Porto in 2019", (2019, 1, 1)),
        ("Ontem fui promovida", "foi promovida ontem (2026-03-13)", (2026, 3, 13)),
        ("Fui promovido ontem", "foi promovido ontem (2026-03-13)", (2026, 3, 13)),
    ],
)
def test_a_relative_date_is_resolved_against_the_day_of_the_message(
    text: str, fact: str, valid_from: tuple[int, int, int]
) -> None:
    [extracted_fact] = extract_by_rules(text, role=Role.USER, sent_at=SATURDAY).facts

    assert (extracted_fact.text, extracted_fact.valid_from) == (fact, datetime(*valid_from, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I want to move to Japan next year", "wants to move to Japan next year (2027)"),
        ("I'm training for a triathlon in September", "is training for a triathlon in September (2026-09)"),
        ("I'm training for a race in January", "is training for a race in January (2027-01)"),
        ("Pretendo viajar para o Chile mês que vem", "pretende viajar para o Chile mês que vem (2026-04)"),
        ("Quero emagrecer até o ano que vem", "quer emagrecer até o ano que vem (2027)"),
    ],
)
def test_a_goal_refers_to_the_future_and_has_no_start_date(text: str, fact: str) -> None:
    [extracted_fact] = extract_by_rules(text, role=Role.USER, sent_at=SATURDAY).facts

    assert (extracted_fact.text, extracted_fact.valid_from) == (fact, None)


def test_a_weekly_habit_has_no_date() -> None:
    [extracted_fact] = extract_by_rules(
        "I usually run on Friday mornings", role=Role.USER, sent_at=SATURDAY
    ).facts

    assert (extracted_fact.text, extracted_fact.valid_from) == ("usually runs on Friday mornings", None)


def test_the_same_words_on_another_day_mean_another_date() -> None:
    [extracted_fact] = extract_by_rules(
        "I got fired today", role=Role.USER, sent_at=datetime(2024, 2, 29, tzinfo=UTC)
    ).facts

    assert extracted_fact.text == "got fired today (2024-02-29)"


@pytest.mark.parametrize("day", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
@pytest.mark.parametrize("text", ["I moved to Porto 999 years ago", "I plan to move to Porto next week"])
def test_dates_beyond_the_calendar_are_clamped(text: str, day: datetime) -> None:
    assert len(extract_by_rules(text, role=Role.USER, sent_at=day).facts) == 1
