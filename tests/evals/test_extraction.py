import pytest
from evals.extraction.__main__ import FRESH_LINES_FILE, OWN_LINES_FILE, measure, read_own_lines
from evals.extraction.score import ExtractionCounts, LabelledFact, content_words, count_matches, overlap


def test_content_words_are_compared() -> None:
    assert content_words("doesn't like horror movies") == content_words("does not like the horror movie")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("lives in Leeds", "lives in Leeds", True),
        ("is vegetarian", "is not vegetarian", True),
        ("is vegetarian", "is not vegetarian any more", False),
        ("hates cilantro", "loves hiking", False),
    ],
)
def test_two_wordings_match_from_an_overlap_of_0_6(left: str, right: str, *, same: bool) -> None:
    assert (overlap(left, right) >= 0.6) is same


def test_a_fact_of_another_kind_does_not_count() -> None:
    predicted = [LabelledFact(kind="biography", text="lives in Leeds")]
    expected = [LabelledFact(kind="event", text="lives in Leeds")]

    assert (
        count_matches(predicted, expected).matched,
        count_matches(predicted, expected, kinds=False).matched,
    ) == (0, 1)


def test_each_fact_counts_once() -> None:
    predicted = [LabelledFact(kind="biography", text="lives in Leeds")] * 2

    assert count_matches(predicted, predicted[:1]) == ExtractionCounts(
        predicted=2,
        expected=1,
        matched=1,
        lines=1,
        lines_with_prediction=1,
        lines_with_fact=1,
        lines_with_both=1,
    )


def test_the_labelled_lines_are_balanced() -> None:
    lines = list(read_own_lines(OWN_LINES_FILE))

    assert len({line.id for line in lines}) == len(lines) >= 320
    assert 0.4 < sum(bool(line.facts) for line in lines) / len(lines) < 0.6


def test_the_fresh_lines_are_balanced_and_occur_in_no_other_set() -> None:
    fresh = list(read_own_lines(FRESH_LINES_FILE))

    assert len(fresh) == 2 * sum(bool(line.facts) for line in fresh) == 120
    assert not {line.text for line in fresh} & {line.text for line in read_own_lines(OWN_LINES_FILE)}


@pytest.mark.spec("B12")
def test_the_rules_have_high_precision_and_recall() -> None:
    figures = measure(read_own_lines(OWN_LINES_FILE), kinds=True).figures()

    assert figures["precision"] >= 90
    assert figures["recall"] >= 75
