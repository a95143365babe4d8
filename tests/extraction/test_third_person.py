"""Statements of other programs about the user."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.memory import Kind
from recollect.extraction.third_person import read_third_person
from recollect.testing.clock import MONDAY


@pytest.mark.parametrize(
    ("statement", "text", "kind", "attribute", "value"),
    [
        ("likes tea", "likes tea", Kind.PREFERENCE, None, None),
        ("User likes tea.", "likes tea", Kind.PREFERENCE, None, None),
        ("The user lives in Porto", "lives in Porto", Kind.BIOGRAPHY, "lives_in", "Porto"),
        ("Is vegetarian", "is vegetarian", Kind.PREFERENCE, "diet", "vegetarian"),
        ("has a dog called Bolt", "has a dog called Bolt", Kind.BIOGRAPHY, None, None),
        ("hates cilantro", "hates cilantro", Kind.PREFERENCE, None, None),
        ("wants to learn Rust", "wants to learn Rust", Kind.GOAL, None, None),
        ("was born in 1990", "was born in 1990", Kind.BIOGRAPHY, "born", "1990"),
        ("gosta de chá", "gosta de chá", Kind.PREFERENCE, None, None),
        ("O usuário mora no Porto.", "mora no Porto", Kind.BIOGRAPHY, "lives_in", "Porto"),
        ("é vegetariano", "é vegetariano", Kind.PREFERENCE, "diet", "vegetariano"),
    ],
)
def test_a_statement_about_the_user_becomes_a_fact(
    statement: str, text: str, kind: Kind, attribute: str | None, value: str | None
) -> None:
    fact = read_third_person(statement, at=MONDAY)

    assert fact is not None
    assert (fact.text, fact.kind, fact.attribute, fact.value) == (text, kind, attribute, value)


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "tea",
        "Marta reviews everything that touches payments",
        "The staging server is orders-stg-02",
        "Use pytest, never unittest",
        "User's dog is called Bolt",
    ],
)
def test_other_statements_are_left_alone(statement: str) -> None:
    assert read_third_person(statement, at=MONDAY) is None


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    fact = read_third_person(text, at=MONDAY)

    assert fact is None or fact.text.casefold() in text.casefold()
