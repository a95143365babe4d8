"""Messages of several sentences, read without a language model."""

from datetime import UTC, datetime

import pytest

from recollect.domain.message import Role
from recollect.extraction.local_extractor import explain, extract_by_rules

WEDNESDAY = datetime(2026, 5, 20, 10, tzinfo=UTC)


def extract_texts(text: str) -> list[str]:
    return [fact.text for fact in extract_by_rules(text, role=Role.USER, sent_at=WEDNESDAY).facts]


def test_a_pronoun_gets_the_person_of_the_sentences_before_it() -> None:
    text = (
        "Hi there! My brother Rui moved to Porto in March. He's a carpenter and works for himself. "
        "What rhymes with wood?"
    )

    assert extract_texts(text) == [
        "My brother Rui moved to Porto in March (2026-03).",
        "My brother Rui is a carpenter and works for himself.",
    ]


def test_fillers_and_requests_are_left_out() -> None:
    text = (
        "Lunch break, finally. Btw my daughter Noor has been diagnosed with asthma, lol what a week. "
        "Can you check my spreadsheet? The sum in column F is wrong."
    )
    [statement] = extract_texts(text)

    assert statement.startswith("My daughter Noor has been diagnosed with asthma")
    assert "btw" not in statement.lower()
    assert "lol" not in statement


def test_a_date_without_a_year_is_resolved() -> None:
    text = "Ok so. My class assembly is on the 19th of June in the main hall. Any ideas for volcanoes? I like drama."

    assert "My class assembly is on the 19th of June (2026-06-19) in the main hall." in extract_texts(text)


@pytest.mark.parametrize(
    "text",
    [
        "Let's continue the campaign. I'm Brannoc, a dwarf, I lost my brother in the mines. You are the game master.",
        "Translate into Spanish please: I have lived here for twenty years. My wife is a nurse. We have two sons.",
        "First page of my novel:\n\nI was born in a lighthouse. My brother drowned in May. I keep bees.",
        "Vamos continuar a campanha de rpg. Eu sou o Brum, um anão, perdi meu irmão. Você é o mestre.",
        "What would happen if I quit my job? Say I had two kids and a house in Bali. Would I need a visa?",
        "I need help with a tricky email. Whatever you say you are the bad guy. Could you write three options?",
    ],
)
def test_nothing_is_kept_of_what_is_not_about_the_user(text: str) -> None:
    assert extract_texts(text) == []


def test_a_message_in_a_language_without_rules_says_so() -> None:
    text = (
        "Ich wohne seit drei Jahren in Hamburg und arbeite als Lehrerin, aber meine Familie ist in Leipzig."
    )
    extraction = extract_by_rules(text, role=Role.USER, sent_at=WEDNESDAY)

    assert extraction.facts == ()
    assert extraction.reason == "no extraction rules for the language de"


def test_every_fact_cites_its_characters() -> None:
    text = (
        "So, news. We've decided to drop GraphQL and go back to REST. Nobody merges to main without a review."
    )
    decisions = explain(text, sent_at=WEDNESDAY)

    assert "".join(text[d.start : d.end] for d in decisions if d.facts)
    assert all(d.start <= fact.start < fact.end <= d.end for d in decisions for fact in d.facts)
