"""Subjects of clauses, and facts after a heading."""

from datetime import UTC, datetime

import pytest

from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.extraction.local_extractor import extract_by_rules

SATURDAY = datetime(2026, 3, 14, 10, tzinfo=UTC)


def extract_facts(text: str) -> list[tuple[Kind, str]]:
    extraction = extract_by_rules(text, role=Role.USER, sent_at=SATURDAY)
    return [(fact.kind, fact.text) for fact in extraction.facts]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ana really prefers threaded comments", (Kind.BIOGRAPHY, "Ana really prefers threaded comments")),
        (
            "Bruno Lima decided to postpone the sale",
            (Kind.DECISION, "Bruno Lima decided to postpone the sale"),
        ),
        ("Ana wants me to speak on 10 April", (Kind.GOAL, "Ana wants me to speak on 10 April")),
        ("A Ana prefere reuniões curtas", (Kind.BIOGRAPHY, "Ana prefere reuniões curtas")),
        ("My wife's allergic to bees", (Kind.BIOGRAPHY, "wife is allergic to bees")),
        ("My wife and I live in Leeds", (Kind.BIOGRAPHY, "lives in Leeds")),
        ("Our dog, Rufus, is fourteen", (Kind.BIOGRAPHY, "dog is fourteen")),
    ],
)
def test_preferences_and_decisions_of_named_persons_are_extracted(text: str, fact: tuple[Kind, str]) -> None:
    assert extract_facts(text) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "Ana lives in Rome",
        "Python prefers explicit names",
        "According to the paper, Ana decided to leave",
        "Does Ana prefer tea?",
        "I went there for my wife and I need a rest",
        "My wife's sister called",
    ],
)
def test_other_statements_about_third_persons_are_ignored(text: str) -> None:
    assert extract_facts(text) == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("All dates must be stored in UTC", "All dates must be stored in UTC"),
        ("Every endpoint has to log its caller", "Every endpoint has to log its caller"),
        ("Nothing in here may open a socket", "Nothing in here may open a socket"),
        ("Todas as datas devem ficar em UTC", "Todas as datas devem ficar em UTC"),
        ("Nenhum teste pode abrir a rede", "Nenhum teste pode abrir a rede"),
        ("We talked and agreed: no more meetings on Friday", "agreed: no more meetings on Friday"),
        ("Ficou decidido: deploy só às terças", "ficou decidido: deploy só às terças"),
        ("When you show code, use TypeScript.", "when you show code, use TypeScript"),
        ("Quando mostrar código, use TypeScript.", "quando mostrar código, use TypeScript"),
    ],
)
def test_a_rule_of_the_project_is_a_decision(text: str, fact: str) -> None:
    assert extract_facts(text) == [(Kind.DECISION, fact)]


@pytest.mark.parametrize(
    "text",
    [
        "All users can log in",
        "All good, I must go",
        "Every part should be shorter",
        "Agreed: let us fix it",
        "When I click, use the mouse",
        "Can you explain this decision: why Rust?",
    ],
)
def test_statements_that_only_resemble_a_rule_are_ignored(text: str) -> None:
    assert extract_facts(text) == []


def test_a_note_is_extracted_verbatim() -> None:
    text = "Quick one for the file: the lease ends on 3 May"

    assert extract_facts(text) == [(Kind.NOTE, "the lease ends on 3 May")]


@pytest.mark.parametrize(
    "text",
    [
        "Use this persona: my name is Gus and I live in Maine.",
        "User: I live in Texas. Bot: Great!",
        "Sample answer: I have worked in retail for five years.",
        'My colleague says "I prefer Java, I hate Python".',
    ],
)
def test_quoted_statements_of_others_are_ignored(text: str) -> None:
    assert extract_facts(text) == []
