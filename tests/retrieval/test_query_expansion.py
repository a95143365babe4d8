"""The question as it is searched for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieval.query_expansion import (
    PERSONAL_QUERY_SUFFIX,
    expand_query,
    is_personal,
    strip_command,
)


@pytest.mark.spec("L5")
@pytest.mark.parametrize(
    ("asked", "searched"),
    [
        ("what's my name", "what's my name"),
        ("/ask what's my name", "what's my name"),
        ("  /deep-search   dinner ideas ", "dinner ideas"),
        ("/ask", "/ask"),
        ("/usr/local/bin holds what?", "/usr/local/bin holds what?"),
        ("/etc/hosts", "/etc/hosts"),
        ("either/or questions", "either/or questions"),
        ("  ", ""),
    ],
)
def test_a_command_at_the_beginning_is_not_part_of_the_question(asked: str, searched: str) -> None:
    assert strip_command(asked) == searched


@pytest.mark.spec("L1")
@pytest.mark.parametrize(
    "question",
    [
        "How tall am I?", "do I like tea", "What's my name?", "what is my shoe size", "Tell me more",
        "I forgot", "WHERE DO I LIVE", "is it for me?", "Qual é o meu nome?", "Minha altura?", "o que eu como?",
        "Meus filhos?", "fala de mim",
    ],
)  # fmt: skip
def test_a_short_question_in_the_first_person_is_expanded_with_words_of_facts_about_people(
    question: str,
) -> None:
    assert expand_query(question, max_chars=100) == question + " height weight physical attributes user facts"


@pytest.mark.spec("L1")
@pytest.mark.parametrize(
    "question",
    [
        "",
        "Which database did we choose?",
        "the army is mighty",
        "name the meridian",
        "qual a capital?",
    ],
)
def test_a_question_about_something_else_stays_as_it_is(question: str) -> None:
    assert expand_query(question, max_chars=100) == question


@pytest.mark.spec("L1")
def test_a_long_question_has_words_enough_of_its_own() -> None:
    exactly = "what is my ".ljust(99, "x") + "?"

    assert expand_query(exactly, max_chars=100) == exactly + PERSONAL_QUERY_SUFFIX
    assert expand_query(exactly + "?", max_chars=100) == exactly + "?"


@given(question=st.text(max_size=120), longest=st.integers(0, 120))
def test_expanding_only_ever_adds_the_suffix_and_only_to_short_personal_questions(
    question: str, longest: int
) -> None:
    expanded = expand_query(question, max_chars=longest)
    wanted = bool(question) and len(question) <= longest and is_personal(question)

    assert expanded == question + (PERSONAL_QUERY_SUFFIX if wanted else "")


@given(question=st.text(max_size=60))
def test_stripping_leaves_an_end_of_the_question_and_never_nothing_of_something(question: str) -> None:
    text = strip_command(question)

    assert question.strip().endswith(text)
    assert bool(text) == bool(question.strip())
