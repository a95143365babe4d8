import bpe_openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.sample_texts import PASSAGES

from recollect.text.tokens import clip_to, estimate

#: The tokenizer of current models. Only tests know it.
REAL = bpe_openai.get_encoding("o200k_base")

LABELLED = [(language, passage) for language, passages in PASSAGES.items() for passage in passages]
ANY_TEXT = st.text(st.characters(exclude_categories=()))


def real(text: str) -> int:
    return len(REAL.encode_ordinary(text))


@pytest.mark.spec("N2")
@pytest.mark.parametrize(("language", "passage"), LABELLED)
def test_an_estimate_is_within_five_per_cent(language: str, passage: str) -> None:
    assert real(passage) > 200
    assert estimate(passage) == pytest.approx(real(passage), rel=0.05), language


@pytest.mark.spec("N2")
@pytest.mark.parametrize("language", PASSAGES)
def test_over_several_texts_an_estimate_is_closer_still(language: str) -> None:
    passages = PASSAGES[language]

    assert 0.97 < sum(map(estimate, passages)) / sum(map(real, passages)) < 1.04


@pytest.mark.spec("N2")
def test_languages_may_be_mixed() -> None:
    text = "\n\n".join(passages[0] for passages in PASSAGES.values())

    assert estimate(text) == pytest.approx(real(text), rel=0.04)


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), (" ", 1), ("hello", 1), ("Hello, world!", 4), ("12345", 2)]
)
def test_small_texts_are_counted(text: str, count: int) -> None:
    assert count <= estimate(text) <= count + 1 if text else estimate(text) == 0


def test_long_lines_and_blank_space_are_cheap() -> None:
    assert estimate("-" * 80) <= 6
    assert estimate("\n" * 20) <= 3
    assert estimate(" " * 64 + "x") <= 4
    assert estimate("x" + " " * 64) <= 4
    assert estimate("\t " * 20 + "x") < 20


def test_letters_without_sense_cost_more_than_words() -> None:
    nonsense = "xq7zv9kkw3jr8tqpx0lw2mvbz5nh1gd6fs4y" * 10

    assert estimate(nonsense) > len(nonsense) / 3


def test_signs_and_rare_scripts_are_not_free() -> None:
    assert estimate("👩🏽‍💻🎉🫠" * 10) >= 60
    assert estimate("ᚠᚢᚦᚨᚱᚲ" * 10) >= 60
    assert estimate("𒀀𒀁𒀂" * 10) >= 50


@given(st.sampled_from(LABELLED), st.sampled_from(LABELLED), st.integers(0, 400), st.integers(0, 400))
def test_a_whole_costs_no_more_than_its_parts(
    first: tuple[str, str], second: tuple[str, str], after: int, before: int
) -> None:
    left, right = first[1][after:], second[1][: len(second[1]) - before]
    parts = estimate(left) + estimate(right)

    assert estimate(left + right) <= parts * 1.02 + 1


@given(ANY_TEXT)
def test_every_text_has_a_count(text: str) -> None:
    assert (estimate(text) > 0) == bool(text)


@given(st.one_of(ANY_TEXT, st.sampled_from([passage for _, passage in LABELLED])), st.integers(0, 400))
def test_a_clipped_text_is_a_beginning_within_the_budget(text: str, budget: int) -> None:
    clipped = clip_to(text, budget)

    assert text.startswith(clipped)
    assert estimate(clipped) <= budget
    assert clipped == text or estimate(text) > budget


@given(
    st.sampled_from([passage for language, passage in LABELLED if language != "code"]), st.integers(10, 180)
)
def test_a_clipped_text_uses_its_budget(passage: str, budget: int) -> None:
    assert estimate(clip_to(passage, budget)) > budget - 8


def test_words_stay_whole() -> None:
    clipped = clip_to("the cat sleeps on the refrigerator", 4)

    assert clipped in {"the cat", "the cat sleeps"}


def test_a_first_word_that_is_too_long_is_cut() -> None:
    clipped = clip_to("x7" * 200, 5)

    assert clipped
    assert estimate(clipped) <= 5


@pytest.mark.parametrize("unit", ["e\u0301\u0323", "👩\u200d💻", "❤\ufe0f", "\ud83d\ude00"])
def test_nothing_that_is_one_sign_is_parted(unit: str) -> None:
    assert all(len(clip_to(unit * 20, budget)) % len(unit) == 0 for budget in range(20))


def test_an_empty_budget_holds_nothing() -> None:
    one = clip_to("some words", 1)

    assert clip_to("some words", 0) == ""
    assert one == "some"


@pytest.mark.parametrize(
    "unit", ["a", "A", "aA", "中", "。\n", " ", "\n", "-", "1", "'s", "é", "\x00", "\ud800", "👍", "ก็"]
)
def test_no_text_is_slow(unit: str) -> None:
    text = unit * (100_000 // len(unit))

    assert 0 < estimate(text) <= 4 * len(text)
    assert estimate(clip_to(text, 100)) <= 100
