import pytest

from recollect.extraction.sentence_predicate import predicate


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("i've been diagnosed with asthma", "first:have_done"),
        ("we're training on tuesdays", "first:be_doing"),
        ("i'm a nurse", "first:be_a"),
        ("i just wonder whether it rains", "first:mental"),
        ("my brother moved to porto", "kin:past"),
        ("a manager told his team", "indefinite:past"),
        ("he could come", "other:modal"),
        ("two tickets please", "none"),
    ],
)
def test_english_subject_and_verb_form(sentence: str, expected: str) -> None:
    assert predicate(sentence.split(), "en") == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("comecei no hospital segunda", "first:past"),
        ("nao tenho carro", "first:have_not"),
        ("meu pai trabalhou na feira", "kin:past"),
        ("acho que chove", "first:mental"),
        ("ela esta em casa", "other:stay"),
        ("doze linhas no maximo", "none"),
    ],
)
def test_portuguese_subject_and_verb_form(sentence: str, expected: str) -> None:
    assert predicate(sentence.split(), "pt") == expected
