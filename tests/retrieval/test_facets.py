"""What a personal question asks for, and what a statement tells about."""

import pytest

from recollect.retrieval.excerpts import split_excerpts
from recollect.retrieval.facets import question_facets, statement_facets


@pytest.mark.parametrize(
    ("question", "statement", "facet"),
    [
        ("where do i work", "she got a position at the harbour as an electrician", "work"),
        ("quantos anos tem a minha neta", "ela fez 12 anos em maio", "age"),
        ("onde e que eu moro", "mudei para um apartamento em braga", "home"),
        ("which medicine do i take", "the gp put me on 20 mg in the evening", "medicine"),
        ("what do i drive", "we sold the polo", "vehicle"),
    ],
)
def test_a_question_and_its_answer_share_a_facet_without_a_common_word(
    question: str, statement: str, facet: str
) -> None:
    assert facet in question_facets(question.split())
    assert facet in statement_facets(statement.split())


def test_the_words_of_a_phrase_count_only_together() -> None:
    assert question_facets(["what", "does", "he", "do", "for", "a", "living"]) == frozenset({"work"})


def test_a_statement_before_a_question_is_an_excerpt_of_its_own() -> None:
    [excerpt] = split_excerpts("The rent of the studio went up to 2300, should I share it?")

    assert excerpt.text == "The rent of the studio went up to 2300"


def test_a_question_without_a_question_mark_states_nothing() -> None:
    assert split_excerpts("ok so what is the difference between a latch and a mutex") == ()
    assert split_excerpts("qual e a capital da Mongolia") == ()
    assert split_excerpts("What a week, my sister moved in with us") != ()
