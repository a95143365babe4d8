from datetime import UTC, datetime

import pytest

from recollect.domain.message import Role
from recollect.extraction.local_extractor import extract_by_rules

SATURDAY = datetime(2026, 3, 14, 10, tzinfo=UTC)


def extract_slots(text: str) -> list[tuple[str | None, str | None, bool]]:
    extraction = extract_by_rules(text, role=Role.USER, sent_at=SATURDAY)
    return [(fact.attribute, fact.value, fact.negated) for fact in extraction.facts]


@pytest.mark.spec("E6")
@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("My name is Ana Clara", "name", "Ana Clara"),
        ("I'm 27 years old", "age", "27"),
        ("My birthday is October 9th", "birthday", "October 9th"),
        ("I live in Leeds with my wife", "lives_in", "Leeds"),
        ("I moved to Porto", "lives_in", "Porto"),
        ("I work as a frontend developer at Acme", "job", "frontend developer"),
        ("I work at Acme", "employer", "Acme"),
        ("I'm vegetarian", "diet", "vegetarian"),
        ("My husband's name is Tom", "partner", "Tom"),
        ("My favorite color is teal", "favourite_colour", "teal"),
        ("We decided to use PostgreSQL", "project.database", "PostgreSQL"),
        ("We migrated from MongoDB to MySQL", "project.database", "MySQL"),
        ("My app uses React", "project.framework", "React"),
        ("Our backend is written in Go", "project.language", "Go"),
        ("Always answer in Portuguese", "language_of_answers", "Portuguese"),
        ("Call me Bee", "called", "Bee"),
        ("Meu nome é Pedro", "name", "Pedro"),
        ("Tenho 30 anos", "age", "30"),
        ("Moro no Porto", "lives_in", "Porto"),
        ("Trabalho como dev frontend", "job", "dev frontend"),
        ("Sou vegana", "diet", "vegana"),
        ("Minha cor favorita é verde", "favourite_colour", "verde"),
        ("Responda sempre em português", "language_of_answers", "português"),
        ("We moved from Leeds to York", "lives_in", "York"),
        ("My mum lives in Cork", "mother.lives_in", "Cork"),
        ("Minha mãe mora em Belém", "mother.lives_in", "Belém"),
        ("My sister Joana lives in Coimbra", "joana.lives_in", "Coimbra"),
        ("The beta must be out by 15 May", "beta.deadline", "15 May"),
    ],
)
def test_a_single_valued_statement_fills_an_attribute(text: str, attribute: str, value: str) -> None:
    assert extract_slots(text) == [(attribute, value, False)]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I'm not vegetarian any more", "diet", "vegetarian"),
        ("I'm not vegan", "diet", "vegan"),
        ("I no longer work at Acme", "employer", "Acme"),
        ("I don't live in Boston anymore", "lives_in", "Boston"),
        ("Não moro mais em Lisboa", "lives_in", "Lisboa"),
        ("Não sou mais vegetariano", "diet", "vegetariano"),
        ("Já não trabalho na Caixa", "employer", "Caixa"),
        ("Deixei de ser vegana", "diet", "vegana"),
        ("Joana doesn't live in Coimbra any more", "joana.lives_in", "Coimbra"),
        ("A Joana não mora mais em Coimbra", "joana.lives_in", "Coimbra"),
    ],
)
def test_a_statement_with_no_longer_is_negated(text: str, attribute: str, value: str) -> None:
    assert extract_slots(text) == [(attribute, value, True)]


@pytest.mark.parametrize(
    "text",
    [
        "I have two cats",
        "I love hiking",
        "We use Redis and Celery",
        "I'm a mother of two",
        "I'm a keen hiker",
    ],
)
def test_a_statement_that_may_have_several_values_fills_no_attribute(text: str) -> None:
    assert {attribute for attribute, _, _ in extract_slots(text)} == {None}
