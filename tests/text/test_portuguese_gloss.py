"""Portuguese in English words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.portuguese_gloss import gloss_in_english


@pytest.mark.spec("L3")
@pytest.mark.parametrize(
    ("portuguese", "english"),
    [
        ("O que você sugere pro meu jantar hoje?", "what you suggest to my dinner today?"),
        ("Que remédio eu uso?", "which medicine i use?"),
        ("Minha irmã mora em Lisboa.", "my sister live in Lisboa."),
        ("Por que as viagens são caras?", "why the travel are expensive?"),
        ("Como devo escrever para a minha chefe?", "how should write to my boss?"),
    ],
)
def test_portuguese_is_read_in_english_words(portuguese: str, english: str) -> None:
    assert gloss_in_english(portuguese) == english


@pytest.mark.parametrize(
    "text", ["What shall we cook for dinner?", "¿Qué vamos a cenar hoy?", "ok", "", "def f(x):"]
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert gloss_in_english(text) == text


def test_names_stay_names() -> None:
    assert "Clara" in gloss_in_english("Ontem eu e a Clara fomos à praia.")


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert gloss_in_english("não " + text) is not None
