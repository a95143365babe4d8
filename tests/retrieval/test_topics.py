import pytest

from recollect.domain.memory import Kind
from recollect.retrieval.topics import detect_topic


@pytest.mark.spec("L3")
def test_the_seeds_question_is_about_food_and_tastes() -> None:
    found = detect_topic("O que você sugere pro meu jantar hoje?")

    assert found is not None
    assert found.words == ("jantar", "comida", "preferências alimentares")
    assert found.kinds == {Kind.PREFERENCE, Kind.BIOGRAPHY}


@pytest.mark.spec("K7")
def test_a_goal_belongs_to_a_topic_by_its_own_words() -> None:
    food = detect_topic("O que você sugere pro meu jantar hoje?")

    assert food is not None
    assert food.includes(Kind.PREFERENCE, "odeia coentro")
    assert food.includes(Kind.GOAL, "está de dieta (low carb)")
    assert not food.includes(Kind.GOAL, "quer aprender a programar")
    assert not food.includes(Kind.EMOTION, "está ansioso com finanças")


@pytest.mark.parametrize(
    ("question", "name", "kind"),
    [
        ("What could I cook for dinner tonight?", "food", Kind.PREFERENCE),
        ("Which restaurants would I enjoy?", "food", Kind.PREFERENCE),
        ("Estou me sentindo triste hoje", "sentimentos", Kind.EMOTION),
        ("How do I feel about my new job? I feel sad", "mood", Kind.EMOTION),
        ("Qual é o nome da minha filha?", "família", Kind.BIOGRAPHY),
        ("What are my goals, what do I plan to learn?", "goals", Kind.GOAL),
    ],
)
def test_a_question_names_its_topic_in_its_own_language(question: str, name: str, kind: Kind) -> None:
    found = detect_topic(question)

    assert found is not None
    assert name in found.words
    assert kind in found.kinds


@pytest.mark.parametrize("question", ["", "???", "Explain monads", "calculateTotal()", "o que é isso?"])
def test_what_speaks_of_nothing_personal_has_no_topic(question: str) -> None:
    assert detect_topic(question) is None


def test_a_preposition_is_no_cue_although_it_has_the_stem_of_a_verb() -> None:
    assert detect_topic("O que eu faço com isso?") is None
