"""The texts of typed reasons in each language."""

import pytest

from recollect.domain.candidate import Source
from recollect.domain.event import EventAction
from recollect.domain.memory import Kind, MemoryStatus
from recollect.domain.message import Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.gates import GateKind
from recollect.serialization.reasons import (
    PLACEHOLDER_PATTERN,
    REASON_LANGUAGES,
    load_reason_texts,
    reason_label,
    render_reason,
    serialize_reason,
)

MEMORY_MODES = ("on", "collect_only", "recall_only", "off")
#: The words that each table of terms must have.
TERMS = {
    "status": set(MemoryStatus),
    "mode": set(MEMORY_MODES),
    "category": {"profile", *Kind},
    "source": set(Source),
    "action": set(EventAction),
    "role": set(Role),
    "gate": set(GateKind),
}


def placeholders(code: ReasonCode, language: str) -> list[set[tuple[str, str]]]:
    """The placeholders of each plural form of a text: names and formats."""
    text = load_reason_texts(language).texts[code]
    forms = [text] if isinstance(text, str) else [text["one"], text["other"]]
    return [set(PLACEHOLDER_PATTERN.findall(form)) for form in forms]


@pytest.mark.parametrize("language", REASON_LANGUAGES)
def test_every_code_has_a_text_and_every_text_a_code(language: str) -> None:
    language_texts = load_reason_texts(language)

    assert set(language_texts.texts) == set(ReasonCode)
    assert set(language_texts.labels) <= set(ReasonCode)


@pytest.mark.parametrize("code", ReasonCode)
def test_every_language_has_the_same_placeholders(code: ReasonCode) -> None:
    english, *others = [placeholders(code, language) for language in REASON_LANGUAGES]

    assert others == [english] * len(others)
    assert all(form == english[0] for form in english)
    if len(english) > 1:
        assert ("count", "") in english[0]


@pytest.mark.parametrize("language", REASON_LANGUAGES)
def test_every_term_has_a_word_and_labels_have_no_placeholders(language: str) -> None:
    language_texts = load_reason_texts(language)

    assert {table: set(words) for table, words in language_texts.terms.items()} == TERMS
    assert not [label for label in language_texts.labels.values() if PLACEHOLDER_PATTERN.search(label)]


@pytest.mark.parametrize(
    ("reason", "english", "portuguese"),
    [
        (
            Reason(ReasonCode.BELOW_COSINE_FLOOR, {"cosine": 0.2, "floor": 0.45}),
            "cosine 0.20 is below 0.45",
            "similaridade 0,20 abaixo do mínimo de 0,45",
        ),
        (
            Reason(ReasonCode.BELOW_CUTOFF, {"share": 0.25}),
            "below 25% of the best score",
            "pontuação abaixo de 25% da melhor",
        ),
        (
            Reason(ReasonCode.OVER_BUDGET, {"needed": 1400, "available": 12}),
            "over budget: needs 1,400 tokens, 12 left",
            "acima do orçamento: precisa de 1.400 tokens, restavam 12",
        ),
        (
            Reason(ReasonCode.MORE_CANDIDATES, {"count": 1}),
            "1 more candidate ranked lower",
            "mais 1 candidato em posição inferior",
        ),
        (
            Reason(ReasonCode.MORE_CANDIDATES, {"count": 2}),
            "2 more candidates ranked lower",
            "mais 2 candidatos em posição inferior",
        ),
        (
            Reason(ReasonCode.EXPIRED, {"day": "2026-03-09"}),
            "expired on 2026-03-09",
            "expirou em 09/03/2026",
        ),
        (
            Reason(ReasonCode.NO_CONSENT, {"category": "profile"}),
            "no consent for the profile",
            "sem consentimento para o perfil",
        ),
        (
            Reason(ReasonCode.CONTRADICTS, {"text": "likes {tea:2}"}),
            "contradicts “likes {tea:2}”",
            "contradiz “likes {tea:2}”",
        ),
    ],
)
def test_texts_follow_the_language(reason: Reason, english: str, portuguese: str) -> None:
    assert (render_reason(reason), render_reason(reason, "pt")) == (english, portuguese)


def test_a_label_describes_a_code_without_parameters() -> None:
    assert reason_label(ReasonCode.OVER_LIMIT) == "passage limit reached"
    assert reason_label(ReasonCode.GREETING, "pt") == "saudação"


def test_a_reason_is_serialized_with_its_text() -> None:
    assert serialize_reason(Reason(ReasonCode.OVER_LIMIT, {"rank": 9, "limit": 8}), "pt") == {
        "code": "over_limit",
        "params": {"rank": 9, "limit": 8},
        "text": "posição 9, além do limite de 8",
    }
