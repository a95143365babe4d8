"""Excerpts: which runs of sentences of a message state something."""

import pytest

from recollect.retrieval.excerpts import (
    analyze_word,
    match_word,
    says_the_same,
    split_excerpts,
    whole_excerpt,
)


def test_sentences_of_a_short_message_explain_each_other() -> None:
    assert [each.text for each in split_excerpts("My sister called. She moves to Leeds in May.")] == [
        "My sister called. She moves to Leeds in May."
    ]


def test_questions_and_thanks_state_nothing() -> None:
    text = "I moved to Porto in March. What is a good cafe there? thanks!"

    assert [each.text for each in split_excerpts(text)] == ["I moved to Porto in March."]


def test_offers_of_help_state_nothing_if_the_assistant_makes_them() -> None:
    text = "The cheapest train leaves at 9:40. Let me know if you want a later one."

    assert [each.text for each in split_excerpts(text, by_assistant=True)] == [
        "The cheapest train leaves at 9:40."
    ]


@pytest.mark.parametrize(
    ("word", "text", "match"),
    [
        ("moving", "We moved last week", 1.0),
        ("boss", "my manager is called Renata", 0.75),
        ("chefe", "my manager is called Renata", 0.75),
        ("soalnge", "minha contadora é a Solange", 0.7),
        ("k8s", "the kubernetes cluster", 0.75),
        ("banana", "the kubernetes cluster", 0.0),
    ],
)
def test_a_word_matches_stems_synonyms_and_typos(word: str, text: str, match: float) -> None:
    matches = [match_word(analyze_word(word), other) for other in whole_excerpt(text).words]

    assert max(matches) == match


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("has a cat named Tom", "I got a cat named Tom!", True),
        ("rent is 640", "rent is 710", False),
        ("I eat fish", "I don't eat fish any more", False),
        ("my brother lives in Rome", "my sister studies law in Turin", False),
    ],
)
def test_repeats_share_words_numbers_and_negation(one: str, other: str, *, same: bool) -> None:
    assert says_the_same(one, other) is same
