import pytest

from recollect.extraction.completeness import is_complete_statement


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("My brother Rui is a carpenter", "en"),
        ("The rent goes up to 910 in May", "en"),
        ("Nobody merges without two reviews", "en"),
        ("When I ask for code, always add types", "en"),
        ("Alice split up with Dom", "en"),
        ("Always answer in short paragraphs", "en"),
        ("Moro em Viseu com a minha avó", "pt"),
        ("O contrato acaba em março", "pt"),
        ("Terminei com o Léo", "pt"),
        ("Nunca use emojis", "pt"),
        ("Quando eu pedir código, usa tipos", "pt"),
        ("Este ano subo o preço das aulas", "pt"),
        ("A cadela não cabe na mala", "pt"),
    ],
)
def test_a_subject_with_a_finite_verb_is_complete(text: str, language: str) -> None:
    assert is_complete_statement(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wrist fracture on the right, plaster for six weeks", "en"),
        ("When you give me an itinerary", "en"),
        ("Mother of two, nurse, always tired", "en"),
        ("Has no subject but two beds", "pt"),
        ("Because I live in Hull", "en"),
        ("Minha cadela, 14 anos", "pt"),
        ("Ler dez páginas, lavar roupa", "pt"),
        ("Quando eu pedir código", "pt"),
    ],
)
def test_a_fragment_is_incomplete(text: str, language: str) -> None:
    assert not is_complete_statement(text, language)
