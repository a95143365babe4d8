import pytest

from recollect.extraction.sentence_classifier import (
    WordScores,
    load_weights,
    neighbour_inputs,
    parse_word_scores,
)


def test_a_word_adds_to_its_sentence_and_to_the_others() -> None:
    scores = WordScores(sentence={"severance": 2.0}, message={"severance": 0.5})

    totals = scores.totals([("severance", "paid", "on", "friday"), ("nothing",)])

    assert totals == [1.0, 0.25]


def test_an_unknown_word_adds_nothing() -> None:
    assert WordScores(sentence={}, message={}).totals([("zyx",)]) == [0.0]


def test_a_sentence_without_words_has_no_score() -> None:
    assert WordScores(sentence={"a": 1.0}, message={}).totals([()]) == [0.0]


def test_word_scores_are_listed_by_pair_of_scores() -> None:
    scores = parse_word_scores({"-0.4 0.0": "rain sun", "1.2 0.4": "insulin"})

    assert scores.sentence == {"rain": -0.4, "sun": -0.4, "insulin": 1.2}
    assert scores.message == {"rain": 0.0, "sun": 0.0, "insulin": 0.4}


def test_the_likeliest_other_sentence_counts_for_each() -> None:
    inputs = neighbour_inputs([2.0, -2.0, 0.0])

    likeliest = [round(values[4], 3) for values in inputs]
    assert likeliest == [0.5, 0.881, 0.881]


def test_a_single_sentence_has_no_neighbours() -> None:
    assert neighbour_inputs([1.0]) == [(1.0, 1.0, 0.0, 0.0, 0.0)]


@pytest.mark.parametrize("language", ["en", "pt"])
def test_installed_scores_tell_illness_from_weather(language: str) -> None:
    scores = load_weights(language).words.sentence
    illness, weather = {"en": ("diagnosed", "raining"), "pt": ("diagnosticada", "chuva")}[language]

    assert scores.get(illness, 0.0) > scores.get(weather, 0.0)
