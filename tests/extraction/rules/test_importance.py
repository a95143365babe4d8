from datetime import UTC, datetime

import pytest

from recollect.domain.memory import ImportanceBand, Kind
from recollect.domain.message import MessageType, Role
from recollect.extraction.local_extractor import extract_by_rules

SATURDAY = datetime(2026, 3, 14, 10, tzinfo=UTC)


@pytest.mark.spec("C1", "C2", "C3", "C4", "C5", "C9")
@pytest.mark.parametrize(
    ("text", "band"),
    [
        ("O tempo está bom", ImportanceBand.TRIVIAL),
        ("What is the capital of France?", ImportanceBand.TRIVIAL),
        ("ok thanks", ImportanceBand.TRIVIAL),
        ("My code doesn't compile on the new laptop.", ImportanceBand.TEMPORARY),
        ("My app uses React", ImportanceBand.CONTEXT),
        ("I prefer dark mode", ImportanceBand.CONTEXT),
        ("Sou vegetariano", ImportanceBand.CONTEXT),
        ("Use Clean Architecture", ImportanceBand.CRITICAL),
        ("Never use libraries", ImportanceBand.CRITICAL),
        ("We decided to use PostgreSQL", ImportanceBand.CRITICAL),
        ("I'm allergic to peanuts", ImportanceBand.CRITICAL),
        ("Sou alérgico a camarão", ImportanceBand.CRITICAL),
    ],
)
def test_importance_is_in_the_expected_band(text: str, band: ImportanceBand) -> None:
    assert (
        ImportanceBand.from_importance(extract_by_rules(text, role=Role.USER, sent_at=SATURDAY).importance)
        is band
    )


@pytest.mark.spec("C8", "E5")
@pytest.mark.parametrize(
    ("text", "kind", "weight"),
    [
        ("Odeio coentro", Kind.PREFERENCE, 0.8),
        ("Estou muito ansioso com as finanças", Kind.EMOTION, 0.9),
        ("Trabalho como dev frontend", Kind.BIOGRAPHY, 1.0),
        ("Quero aprender a programar este ano", Kind.GOAL, 0.7),
        ("Fui demitido hoje", Kind.EVENT, 0.8),
        ("Remember that the gate opens at nine", Kind.NOTE, 0.6),
    ],
)
def test_the_weight_of_a_fact_depends_on_its_kind(text: str, kind: Kind, weight: float) -> None:
    [fact] = extract_by_rules(text, role=Role.USER, sent_at=SATURDAY).facts

    assert (fact.kind, fact.weight) == (kind, weight)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "kind", "summary"),
    [
        ("We decided to use PostgreSQL", MessageType.DECISION, "User defined: decided to use PostgreSQL."),
        ("Sou vegetariano e odeio coentro", MessageType.CHAT, "Usuário: é vegetariano; odeia coentro."),
        (
            "```\nprint(1)\n```\nMy loop is wrong here, see it.",
            MessageType.CODE,
            "My loop is wrong here, see it.",
        ),
        ("ok thanks", MessageType.CHAT, None),
    ],
)
def test_a_message_has_a_type_and_a_summary(text: str, kind: MessageType, summary: str | None) -> None:
    extraction = extract_by_rules(text, role=Role.USER, sent_at=SATURDAY)

    assert (extraction.message_type, extraction.summary) == (kind, summary)


def test_a_summary_has_at_most_twenty_five_words() -> None:
    extraction = extract_by_rules(
        "I love " + ", ".join(f"thing number {n}" for n in range(40)), role=Role.USER, sent_at=SATURDAY
    )

    assert len((extraction.summary or "").split()) <= 25


def test_assistant_messages_yield_no_facts() -> None:
    text = (
        "So you live in Porto and I am allergic to nothing. We decided to use PostgreSQL for the new service."
    )

    assert extract_by_rules(text, role=Role.ASSISTANT, sent_at=SATURDAY).facts == ()


@pytest.mark.spec("W4")
@pytest.mark.parametrize("role", [Role.SYSTEM, Role.TOOL])
def test_system_and_tool_messages_yield_nothing(role: Role) -> None:
    extraction = extract_by_rules("My name is Pedro", role=role, sent_at=SATURDAY)

    assert (extraction.importance, extraction.facts) == (0, ())


def test_a_message_in_the_wrong_language_is_still_extracted() -> None:
    extraction = extract_by_rules("Moro no Porto", role=Role.USER, sent_at=SATURDAY, language="en")

    assert [fact.text for fact in extraction.facts] == ["mora no Porto"]
