import bpe_openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.sample_texts import PASSAGES

from recollect.text.tokens import estimate_tokens, truncate_to_tokens

#: The tokenizer of current models. Only tests know it.
REFERENCE_ENCODING = bpe_openai.get_encoding("o200k_base")

LABELLED_PASSAGES = [(language, passage) for language, passages in PASSAGES.items() for passage in passages]
ANY_TEXT = st.text(st.characters(exclude_categories=()))


def count_reference_tokens(text: str) -> int:
    return len(REFERENCE_ENCODING.encode_ordinary(text))


@pytest.mark.spec("N2")
@pytest.mark.parametrize(("language", "passage"), LABELLED_PASSAGES)
def test_an_estimate_is_within_five_per_cent(language: str, passage: str) -> None:
    assert count_reference_tokens(passage) > 200
    assert estimate_tokens(passage) == pytest.approx(count_reference_tokens(passage), rel=0.05), language


@pytest.mark.spec("N2")
@pytest.mark.parametrize("language", PASSAGES)
def test_over_several_texts_an_estimate_is_closer_still(language: str) -> None:
    passages = PASSAGES[language]

    assert 0.97 < sum(map(estimate_tokens, passages)) / sum(map(count_reference_tokens, passages)) < 1.04


@pytest.mark.spec("N2")
def test_languages_may_be_mixed() -> None:
    text = "\n\n".join(passages[0] for passages in PASSAGES.values())

    assert estimate_tokens(text) == pytest.approx(count_reference_tokens(text), rel=0.04)


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), (" ", 1), ("hello", 1), ("Hello, world!", 4), ("12345", 2)]
)
def test_small_texts_are_counted(text: str, count: int) -> None:
    assert count <= estimate_tokens(text) <= count + 1 if text else estimate_tokens(text) == 0


def test_long_lines_and_blank_space_are_cheap() -> None:
    assert estimate_tokens("-" * 80) <= 6
    assert estimate_tokens("\n" * 20) <= 3
    assert estimate_tokens(" " * 64 + "x") <= 4
    assert estimate_tokens("x" + " " * 64) <= 4
    assert estimate_tokens("\t " * 20 + "x") < 20


def test_letters_without_sense_cost_more_than_words() -> None:
    nonsense = "xq7zv9kkw3jr8tqpx0lw2mvbz5nh1gd6fs4y" * 10

    assert estimate_tokens(nonsense) > len(nonsense) / 3


def test_signs_and_rare_scripts_are_not_free() -> None:
    assert estimate_tokens("👩🏽‍💻🎉🫠" * 10) >= 60
    assert estimate_tokens("ᚠᚢᚦᚨᚱᚲ" * 10) >= 60
    assert estimate_tokens("𒀀𒀁𒀂" * 10) >= 50


@given(
    st.sampled_from(LABELLED_PASSAGES),
    st.sampled_from(LABELLED_PASSAGES),
    st.integers(0, 400),
    st.integers(0, 400),
)
def test_a_whole_costs_no_more_than_its_parts(
    first: tuple[str, str], second: tuple[str, str], after: int, before: int
) -> None:
    left, right = first[1][after:], second[1][: len(second[1]) - before]
    parts = estimate_tokens(left) + estimate_tokens(right)

    assert estimate_tokens(left + right) <= parts * 1.02 + 1


@given(ANY_TEXT)
def test_every_text_has_a_count(text: str) -> None:
    assert (estimate_tokens(text) > 0) == bool(text)


@given(
    st.one_of(ANY_TEXT, st.sampled_from([passage for _, passage in LABELLED_PASSAGES])), st.integers(0, 400)
)
def test_a_clipped_text_is_a_beginning_within_the_budget(text: str, budget: int) -> None:
    clipped = truncate_to_tokens(text, budget)

    assert text.startswith(clipped)
    assert estimate_tokens(clipped) <= budget
    assert clipped == text or estimate_tokens(text) > budget


@given(
    st.sampled_from([passage for language, passage in LABELLED_PASSAGES if language != "code"]),
    st.integers(10, 180),
)
def test_a_clipped_text_uses_its_budget(passage: str, budget: int) -> None:
    assert estimate_tokens(truncate_to_tokens(passage, budget)) > budget - 8


def test_words_stay_whole() -> None:
    clipped = truncate_to_tokens("the cat sleeps on the refrigerator", 4)

    assert clipped in {"the cat", "the cat sleeps"}


def test_a_first_word_that_is_too_long_is_cut() -> None:
    clipped = truncate_to_tokens("x7" * 200, 5)

    assert clipped
    assert estimate_tokens(clipped) <= 5


@pytest.mark.parametrize("unit", ["e\u0301\u0323", "👩\u200d💻", "❤\ufe0f", "\ud83d\ude00"])
def test_nothing_that_is_one_sign_is_parted(unit: str) -> None:
    assert all(len(truncate_to_tokens(unit * 20, budget)) % len(unit) == 0 for budget in range(20))


def test_an_empty_budget_holds_nothing() -> None:
    one = truncate_to_tokens("some words", 1)

    assert truncate_to_tokens("some words", 0) == ""
    assert one == "some"


@pytest.mark.parametrize(
    "unit", ["a", "A", "aA", "中", "。\n", " ", "\n", "-", "1", "'s", "é", "\x00", "\ud800", "👍", "ก็"]
)
def test_no_text_is_slow(unit: str) -> None:
    text = unit * (100_000 // len(unit))

    assert 0 < estimate_tokens(text) <= 4 * len(text)
    assert estimate_tokens(truncate_to_tokens(text, 100)) <= 100
